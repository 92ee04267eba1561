"""Aggregates of each key and window of a number of rows (Flink's WindowOperator of count windows)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, TableRow, emit
from kafkastream.sql.plan.operations import CountWindowAggregate

__all__ = ["CountWindowAggregateOperator"]

_COUNT: Final = "count"
_WINDOWS: Final = "windows"


@final
class CountWindowAggregateOperator(TableOperator):
    """Windows of each key, counted by arrival; a window is emitted once, when it is full.

    Args:
        operation: The aggregation.
    """

    def __init__(self, operation: CountWindowAggregate) -> None:
        self._aggregates = Aggregates(operation.calls, retracts=False)
        super().__init__(functions=self._aggregates.functions)
        self._key = slice(1, 1 + operation.keys)
        self._size, self._slide = operation.size, operation.slide

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its windows, and emit the one that it fills."""
        entry = self.keyed_context.entry
        number = entry.get(_COUNT, 0)
        windows: dict[int, Group] = entry.setdefault(_WINDOWS, {})
        first = max(0, -((self._size - 1 - number) // self._slide))
        for window in range(first, number // self._slide + 1):
            if window not in windows:
                windows[window] = self._aggregates.new()
            self._aggregates.add(windows[window], row)
        entry[_COUNT] = number + 1
        self.keyed_context.changed()
        if number == first * self._slide + self._size - 1:
            emit(out, INSERT, (*row[self._key], *self._aggregates.results(windows.pop(first))))
