"""Multisets: values with counts, which may be negative while a retraction precedes its addition."""

from __future__ import annotations

from typing import Any

__all__ = ["Counts", "add_count"]

Counts = dict[Any, int]


def add_count(counts: Counts, value: Any, change: int) -> int:
    """Add ``by`` to the count of a value, and return the new count; a value with count 0 is removed.

    Example:
        >>> counts: Counts = {"a": 1}
        >>> add_count(counts, "b", 2), add_count(counts, "a", -1), counts
        (2, 0, {'b': 2})
    """
    if value != value:  # noqa: PLR0124 - NaN, which does not equal itself, is one value as in Flink
        value = next((known_value for known_value in counts if known_value != known_value), value)  # noqa: PLR0124 - the NaN that is there
    count = counts.get(value, 0) + change
    if count:
        counts[value] = count
    else:
        counts.pop(value, None)
    return count
