"""Base of what keyed operators do besides calling process functions."""

from __future__ import annotations

__all__ = ["KeyedOperation"]


class KeyedOperation:
    """Definition of a keyed operator with state: windows, joins, the operations of SQL."""

    __slots__ = ()
