"""Aggregates of a group of rows: the number of rows, and an accumulator for each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from kafkastream.operators.table.accumulator import Accumulator
from kafkastream.operators.table.accumulator_factory import accumulator
from kafkastream.operators.table.table_rows import Columns, TableRow, adds
from kafkastream.sql.plan.operations import AggregateCall

__all__ = ["Aggregates", "Group"]

Group = list[Any]
"""Number of rows, then an accumulator for each call."""


@final
class Aggregates:
    """Computes the aggregates of groups of rows.

    Args:
        calls: Aggregate calls.
        retracts: Whether rows may be retracted.
        partials_from: For partial rows, the column of the first partial; None for plain rows.
    """

    def __init__(self, calls: Sequence[AggregateCall], retracts: bool, partials_from: int | None = None) -> None:
        self._accumulators = [accumulator(call, retracts) for call in calls]
        self._inputs = [_input_of(call, one) for call, one in zip(calls, self._accumulators, strict=True)]
        self._partials_from = partials_from

    def new(self) -> Group:
        """Return a group without rows."""
        return [0, *(one.new() for one in self._accumulators)]

    def rows_of(self, row: TableRow) -> int:
        """Return the number of rows that a row adds (negative for a retraction): a partial row stands for several."""
        if self._partials_from is not None:
            rows: int = row[0]
            return rows
        return 1 if adds(row[0]) else -1

    def add(self, group: Group, row: TableRow) -> None:
        """Add a row to a group, or retract it."""
        if self._partials_from is not None:
            self.merge(group, [row[0], *row[1 + self._partials_from :]])
            return
        sign = self.rows_of(row)
        group[0] += sign
        for place, (one, (argument, condition, takes_null)) in enumerate(
            zip(self._accumulators, self._inputs, strict=True), start=1
        ):
            if condition is not None and row[condition] is not True:
                continue
            value = True if argument is None else row[argument]
            if takes_null or value is not None:
                group[place] = one.add(group[place], value, sign)

    def merge(self, group: Group, other: Sequence[Any]) -> None:
        """Add all rows of another group to a group."""
        group[0] += other[0]
        for place, one in enumerate(self._accumulators, start=1):
            group[place] = one.merge(group[place], other[place])

    def results(self, group: Group) -> Columns:
        """Return a column for each call."""
        return tuple(one.result(kept) for one, kept in zip(self._accumulators, group[1:], strict=True))


def _input_of(call: AggregateCall, one: Accumulator) -> tuple[int | None, int | None, bool]:
    """Return the columns of a call's argument and filter, and whether it takes NULL."""
    argument = None if call.argument is None else call.argument + 1
    return argument, None if call.filter is None else call.filter + 1, one.takes_null
