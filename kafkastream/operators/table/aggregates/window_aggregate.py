"""Aggregates of each key and window, emitted once when the window is over (Flink's WindowAggOperator)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, TableRow, emit
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.operations import WindowAggregate

__all__ = ["WindowAggregateOperator"]

_WINDOWS: Final = "windows"
_KEY: Final = "key"


@final
class WindowAggregateOperator(TableOperator):
    """Windows of each key; by event time, rows of a window that is over are late: counted, and dropped.

    Args:
        operation: The aggregation.
        retracts: Whether rows may be retracted.
        partial: Whether rows are partial aggregates (``TableOperation.takes_parts``).
    """

    def __init__(self, operation: WindowAggregate, *, retracts: bool, partial: bool) -> None:
        keys = operation.keys
        self._aggregates = Aggregates(operation.calls, retracts, keys + 2 if partial else None)
        super().__init__(functions=self._aggregates.functions)
        self._key, self._bounds = slice(1, 1 + keys), slice(1 + keys, 3 + keys)
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its window, or retract it."""
        window = row[self._bounds]
        if self._end.is_late(window[1]):
            self.count_late(max(self._aggregates.rows_of(row), 1))
            return
        windows: dict[tuple[int, int], Group] = self.keyed_context.entry.setdefault(_WINDOWS, {})
        group = windows.get(window)
        if group is None:
            group = windows[window] = self._aggregates.new()
            self.keyed_context.entry[_KEY] = row[self._key]
            self._end.register_timer(window[1], window)
        self._aggregates.add(group, row)
        self.keyed_context.changed()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the aggregates of a window that is over."""
        entry = self.keyed_context.entry
        group: Group | None = entry.get(_WINDOWS, {}).pop(timer.namespace, None)
        if group is None:
            return
        if group[0]:
            emit(out, INSERT, (*entry[_KEY], *self._aggregates.results(group), *timer.namespace))
        if entry[_WINDOWS]:
            self.keyed_context.changed()
        else:
            self.clear_state()
