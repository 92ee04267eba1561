"""What keyed operators carry out besides functions."""

from __future__ import annotations

__all__ = ["KeyedOperation"]


class KeyedOperation:
    """A value that says what a keyed operator does, with state: windows, joins, the operations of SQL."""

    __slots__ = ()
