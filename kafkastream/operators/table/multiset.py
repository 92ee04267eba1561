"""Values with how often each is there: a multiset, from which something may be taken before it comes."""

from __future__ import annotations

from typing import Any

__all__ = ["Counts", "add_count"]

Counts = dict[Any, int]


def add_count(counts: Counts, value: Any, by: int) -> int:
    """Count a value so often more, and return how often it is there now; what is there no more is forgotten.

    Example:
        >>> counts: Counts = {"a": 1}
        >>> add_count(counts, "b", 2), add_count(counts, "a", -1), counts
        (2, 0, {'b': 2})
    """
    count = counts.get(value, 0) + by
    if count:
        counts[value] = count
    else:
        counts.pop(value, None)
    return count
