"""Detection of mutable values: user code may change a value that its state returned, without calling ``update``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

__all__ = ["FIXED", "any_may_change", "may_change"]

FIXED: Final = frozenset({type(None), bool, int, float, str, bytes, Decimal, date, datetime, time, timedelta})
"""Types whose values never change."""


def may_change(value: Any) -> bool:
    """Return whether a value can be changed in place.

    Example:
        >>> [may_change(value) for value in ("a", ("a", 1), ["a"], ("a", [1]))]
        [False, False, True, True]
    """
    kind = type(value)
    return kind not in FIXED and (kind is not tuple or any_may_change(value))


def any_may_change(values: Iterable[Any]) -> bool:
    """Return whether any of several values can be changed in place; ``values`` is iterated twice."""
    return not FIXED.issuperset(map(type, values)) and any(map(may_change, values))
