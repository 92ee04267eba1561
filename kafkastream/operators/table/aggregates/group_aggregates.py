"""Aggregates of a group of rows: the number of rows, and an accumulator for each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, final

from kafkastream.model.common.stream_functions import Function
from kafkastream.operators.table.aggregates.accumulator import Accumulator
from kafkastream.operators.table.aggregates.accumulator_factory import accumulator
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
        self._inputs = [
            _input_of(call, accumulator_) for call, accumulator_ in zip(calls, self._accumulators, strict=True)
        ]
        self._partials_from = partials_from

    @property
    def functions(self) -> Sequence[Function]:
        """Functions of the user."""
        return [accumulator_.function for accumulator_ in self._accumulators if accumulator_.function is not None]

    def new(self) -> Group:
        """Return a group without rows."""
        return [0, *(accumulator_.new() for accumulator_ in self._accumulators)]

    def rows_of(self, row: TableRow) -> int:
        """Return the number of rows that a row adds (negative for a retraction): a partial row represents several."""
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
        for index, (accumulator_, (argument, condition, takes_null)) in enumerate(
            zip(self._accumulators, self._inputs, strict=True), start=1
        ):
            if condition is not None and row[condition] is not True:
                continue
            value = argument(row)
            if takes_null or value is not None:
                group[index] = accumulator_.add(group[index], value, sign)

    def merge(self, group: Group, other: Sequence[Any]) -> None:
        """Add all rows of another group to a group."""
        group[0] += other[0]
        for index, accumulator_ in enumerate(self._accumulators, start=1):
            group[index] = accumulator_.merge(group[index], other[index])

    def results(self, group: Group) -> Columns:
        """Return a column for each call."""
        return tuple(
            accumulator_.result(value) for accumulator_, value in zip(self._accumulators, group[1:], strict=True)
        )


def _input_of(call: AggregateCall, accumulator_: Accumulator) -> tuple[Callable[[TableRow], Any], int | None, bool]:
    """Return the reader of a call's argument, the column of its filter, and whether it takes NULL."""
    return _argument_reader(call), None if call.filter is None else call.filter + 1, accumulator_.takes_null


def _argument_reader(call: AggregateCall) -> Callable[[TableRow], Any]:
    """Return the reader of a call's argument from rows; for a user-defined function, of the tuple of its arguments."""
    if call.user is not None:
        columns = [column + 1 for column in call.user.arguments]
        return itemgetter(*columns) if len(columns) > 1 else lambda row: tuple(row[column] for column in columns)
    return _always_true if call.argument is None else itemgetter(call.argument + 1)


def _always_true(_: TableRow) -> bool:
    return True
