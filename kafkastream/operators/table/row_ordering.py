"""Ordering of rows by some of their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from kafkastream.operators.table.table_rows import Columns
from kafkastream.sql.plan.operations import Order

__all__ = ["sort_key"]


def sort_key(order: Sequence[Order]) -> Callable[[Columns], Any]:
    """Return a sort key for rows.

    Example:
        >>> rows = [("a", 1), ("b", None), ("c", 2)]
        >>> [row[0] for row in sorted(rows, key=sort_key([Order(1)]))]
        ['b', 'a', 'c']
        >>> [row[0] for row in sorted(rows, key=sort_key([Order(1, descending=True, nulls_last=True)]))]
        ['c', 'a', 'b']
    """
    parts = [_column_key(column_order) for column_order in order]
    if len(parts) == 1:
        return parts[0]
    return lambda row: tuple(part(row) for part in parts)


def _column_key(order: Order) -> Callable[[Columns], tuple[Any, ...]]:
    column = order.column
    null_key = (1,) if order.nulls_last else (-1,)

    def part(row: Columns) -> tuple[Any, ...]:
        value = row[column]
        if value is None:
            return null_key
        return (0, _Descending(value) if order.descending else value)

    return part


@final
class _Descending:
    """Value with reversed order."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __lt__(self, other: _Descending) -> bool:
        return bool(other._value < self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(self._value == other._value)

    def __hash__(self) -> int:
        return hash(self._value)
