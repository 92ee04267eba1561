"""Pickles objects for workers, and unpickles them there."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any, final

import attrs

from kafkastream.alias import is_aliased, loads_with_alias
from kafkastream.errors import DefinitionError, WorkerDependencyError
from kafkastream.operators.state.program_classes import MAIN_MODULE, classes_defined_in
from kafkastream.spark.internals.pickles import dumps

__all__ = ["sent", "sent_classes", "unpickled"]


def sent(thing: object, what: Callable[[], str]) -> bytes:
    """Pickle an object; if ``import pyflink`` means this package here, it will for the reader as well.

    Args:
        thing: Object for workers.
        what: Describes the object in an error.

    Raises:
        DefinitionError: The object cannot be pickled.
    """
    try:
        data = dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise DefinitionError(
            f"{what()} cannot be sent to Spark's workers: {error}",
            now="Open connections, locks and files in open(), not in the constructor or the script's globals.",
        ) from error
    return pickle.dumps(_WithAlias(data)) if is_aliased() else data


def sent_classes() -> bytes:
    """Pickle the classes of the program's main script, for keys and state; those that cannot be pickled are left out,
    since no function can use them either.
    """
    classes = classes_defined_in(sys.modules[MAIN_MODULE])
    picklable = {name: kind for name, kind in classes.items() if _is_picklable(kind)}
    return sent(picklable, lambda: "the classes of the main script") if picklable else b""


def _is_picklable(kind: type) -> bool:
    try:
        dumps(kind)
    except Exception:  # noqa: BLE001 - whatever it refers to raises
        return False
    return True


@final
@attrs.frozen
class _WithAlias:
    """Pickled object that is unpickled with ``pyflink`` aliased, since modules next to the program import it."""

    data: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return loads_with_alias, (self.data,)


def unpickled(pickled: bytes) -> Any:
    """Return an object that ``sent`` has pickled.

    Raises:
        WorkerDependencyError: A module that it needs cannot be imported.
    """
    try:
        return pickle.loads(pickled)
    except ModuleNotFoundError as error:
        raise WorkerDependencyError(
            f"Spark's workers lack the module {error.name!r}, which the job imports",
            now=f"Install it for the workers' Python, or ship it: spark-submit --py-files {error.name}.py, or a .zip.",
        ) from None
