"""Sort orders, and the operation that emits rows in one of them."""

from __future__ import annotations

import enum
from typing import final

import attrs

__all__ = ["Order", "Sort", "SortMoment"]


@final
@attrs.frozen
class Order:
    """Sort order by one column.

    Args:
        column: Position of the column.
        descending: Whether the order is descending.
        nulls_last: Whether NULL comes last, otherwise first; Flink's default treats NULL as the least value.
    """

    column: int
    descending: bool = False
    nulls_last: bool = False


class SortMoment(enum.Enum):
    """Moment at which sorted rows are emitted."""

    WATERMARK = "rowtime"
    """When the watermark has passed their time."""
    CLOCK = "proctime"
    """With the next tick of the clock."""
    END = "end"
    """When the input has ended."""


@final
@attrs.frozen(kw_only=True)
class Sort:
    """Sort: ``ORDER BY`` without a limit; output columns are the input's, and rows are only added.

    Args:
        order: Sort order, of rows of the same time if these are emitted as time passes; ties are ordered by arrival.
        moment: Moment at which rows are emitted.
        column: Position of the event-time column; None for the other moments.
        skipped: Number of rows that are left out at the beginning, if rows are emitted at the end of the input.
    """

    order: tuple[Order, ...]
    moment: SortMoment
    column: int | None = None
    skipped: int = 0
