"""What is sent to workers, pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable

from pyspark import cloudpickle

from kafkastream.errors import DefinitionError

__all__ = ["sent"]


def sent(thing: object, what: Callable[[], str]) -> bytes:
    """A thing as bytes.

    Args:
        thing: It.
        what: Says what it is, for the error.

    Raises:
        DefinitionError: It cannot be sent.
    """
    try:
        data: bytes = cloudpickle.dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise DefinitionError(
            f"{what()} cannot be sent to Spark's workers: {error}",
            now="Open connections, locks and files in open(), not in the constructor or the script's globals.",
        ) from error
    return data
