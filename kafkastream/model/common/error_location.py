"""Places of errors, added by the callers that have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kafkastream.errors import KafkastreamError

__all__ = ["located"]


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put a place in front of the place that our own errors already name.

    Example:
        >>> from kafkastream.errors import DefinitionError
        >>> with located("operator 'sum'"):
        ...     raise DefinitionError("the state cannot be read", where="key 7")
        Traceback (most recent call last):
        ...
        kafkastream.errors.DefinitionError: [invalid-definition] the state cannot be read
          at operator 'sum', key 7
    """
    try:
        yield
    except KafkastreamError as error:
        raise type(error)(error.what, where=", ".join(filter(None, (where, error.where))), now=error.now) from error
