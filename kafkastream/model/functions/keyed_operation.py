"""Base of the keyed operations that do not call a process function."""

from __future__ import annotations

__all__ = ["KeyedOperation"]


class KeyedOperation:
    """Definition of a keyed operator with state: windows, joins, the operations of SQL."""

    __slots__ = ()
