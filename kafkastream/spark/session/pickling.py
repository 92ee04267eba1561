"""What is sent to workers, pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, final

import attrs

from kafkastream.alias import is_aliased, loads_with_alias
from kafkastream.errors import DefinitionError
from kafkastream.spark.internals.python import dumps

__all__ = ["sent"]


def sent(thing: object, what: Callable[[], str]) -> bytes:
    """A thing as bytes; where ``import pyflink`` means this package, it does so for who reads them.

    Args:
        thing: It.
        what: Says what it is, for the error.

    Raises:
        DefinitionError: It cannot be sent.
    """
    try:
        data = dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise DefinitionError(
            f"{what()} cannot be sent to Spark's workers: {error}",
            now="Open connections, locks and files in open(), not in the constructor or the script's globals.",
        ) from error
    return pickle.dumps(_WithAlias(data)) if is_aliased() else data


@final
@attrs.frozen
class _WithAlias:
    """What is unpickled where PyFlink's names are known: modules beside the program import them, too."""

    data: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return loads_with_alias, (self.data,)
