"""Snapshots of user functions at the call that takes them."""

from __future__ import annotations

import io
import pickle
from typing import Any, TypeVar, final

import cloudpickle

__all__ = ["copied", "snapshot"]

T = TypeVar("T")


def snapshot(value: T) -> T:
    """Return a copy of a function, with the current values of its fields and variables.

    PyFlink pickles a function at the call that takes it: later changes of the program do not reach it, and two
    operators with one function have two objects of it. Classes are not copied: an element is still of its class. An
    object that cannot be pickled is returned itself; ``execute`` refuses it under the name of its operator.

    Example:
        >>> limit = [3]
        >>> below = snapshot(lambda number: number < limit[0])
        >>> limit[0] = 10
        >>> below(5)
        False
    """
    try:
        return copied(value)
    except Exception:  # noqa: BLE001 - whatever a user's class raises, sending it raises again
        return value


def copied(value: T) -> T:
    """Return a copy as ``snapshot`` does; raises whatever pickling it raises."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer)
    pickler.dump(value)
    copy: T = _Unpickler(buffer, pickler.kept).load()
    return copy


@final
class _Pickler(cloudpickle.Pickler):
    """Pickler that keeps classes by reference: cloudpickle would change a class of the script when it is read again."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer)
        self.kept: list[type] = []

    def persistent_id(self, obj: Any) -> int | None:
        """Return the number of a class."""
        if not isinstance(obj, type):
            return None
        self.kept.append(obj)
        return len(self.kept) - 1


@final
class _Unpickler(pickle.Unpickler):
    """Unpickler of the output of ``_Pickler``."""

    def __init__(self, buffer: io.BytesIO, kept: list[type]) -> None:
        buffer.seek(0)
        super().__init__(buffer)
        self._kept = kept

    def persistent_load(self, pid: int) -> type:
        """Return the class of a number."""
        return self._kept[pid]
