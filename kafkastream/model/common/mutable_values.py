"""Values that change in place: a function may do so with what its state has given it, and never say so."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

__all__ = ["FIXED", "any_may_change", "may_change"]

FIXED: Final = frozenset({type(None), bool, int, float, str, bytes, Decimal, date, datetime, time, timedelta})
"""Types whose values never change."""


def may_change(value: Any) -> bool:
    """Whether a value can be changed in place.

    Example:
        >>> [may_change(value) for value in ("a", ("a", 1), ["a"], ("a", [1]))]
        [False, False, True, True]
    """
    kind = type(value)
    return kind not in FIXED and (kind is not tuple or any_may_change(value))


def any_may_change(values: Iterable[Any]) -> bool:
    """Whether one of several values, which can be gone through twice, can be changed in place."""
    return not FIXED.issuperset(map(type, values)) and any(map(may_change, values))
