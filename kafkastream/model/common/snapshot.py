"""Copies of what a program hands over, as it is at that moment."""

from __future__ import annotations

import io
import pickle
from typing import Any, TypeVar, final

import cloudpickle

__all__ = ["snapshot"]

T = TypeVar("T")


def snapshot(value: T) -> T:
    """Copy a function, with its fields and the variables that it uses, as it is now.

    PyFlink pickles a function at the call that takes it: what the program changes later does not reach it, and two
    operators with one function have two objects of it. Classes are not copied: an element is still of its class.
    What cannot be pickled is given back itself; ``execute`` refuses it under the name that its operator has by then.

    Example:
        >>> limit = [3]
        >>> below = snapshot(lambda number: number < limit[0])
        >>> limit[0] = 10
        >>> below(5)
        False
    """
    buffer = io.BytesIO()
    pickler = _Pickler(buffer)
    try:
        pickler.dump(value)
        copied: T = _Unpickler(buffer, pickler.kept).load()
    except Exception:  # noqa: BLE001 - whatever a user's class raises, sending it raises again
        return value
    return copied


@final
class _Pickler(cloudpickle.Pickler):
    """Pickles values, and keeps classes: cloudpickle would write to a class of the script when it reads it again."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer)
        self.kept: list[type] = []

    def persistent_id(self, obj: Any) -> int | None:
        """The number of a class."""
        if not isinstance(obj, type):
            return None
        self.kept.append(obj)
        return len(self.kept) - 1


@final
class _Unpickler(pickle.Unpickler):
    """Reads what a ``_Pickler`` has written."""

    def __init__(self, buffer: io.BytesIO, kept: list[type]) -> None:
        buffer.seek(0)
        super().__init__(buffer)
        self._kept = kept

    def persistent_load(self, pid: int) -> type:
        """The class of a number."""
        return self._kept[pid]
