"""Sorted rows (Flink's RowTimeSortOperator, ProcTimeSortOperator, and StreamSortOperator at the end of the input)."""

from __future__ import annotations

from itertools import islice
from typing import Final, final

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.multiset import Counts, add_count
from kafkastream.operators.table.row_ordering import sort_key
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, TableRow, adds, emit
from kafkastream.operators.table.time_columns import time_ms
from kafkastream.sql.plan.sort_operation import Sort, SortMoment

__all__ = ["SortOperator"]

_TIMES: Final = "times"
_LAST: Final = "last"


@final
class SortOperator(TableOperator):
    """Buffers rows until the watermark or the clock reaches their time, and emits the rows of one time in order.

    Same as in Flink: a row whose time is not after the last emitted time is late and dropped.
    """

    def __init__(self, operation: Sort) -> None:
        super().__init__()
        self._moment = operation.moment
        self._time = None if operation.column is None else operation.column + 1
        self._skipped = operation.skipped
        self._sort_key = sort_key(operation.order)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Buffer a row, or remove it."""
        entry, time = self.keyed_context.entry, self._emission_time(row)
        if time <= entry.get(_LAST, time - 1):
            self.count_late()
            return
        times: dict[int, Counts] = entry.setdefault(_TIMES, {})
        if time not in times:
            is_clock = self._moment is SortMoment.CLOCK
            self.keyed_context.register(TimeDomain.PROCESSING_TIME if is_clock else TimeDomain.EVENT_TIME, time)
        add_count(times.setdefault(time, {}), row[1:], 1 if adds(row[0]) else -1)
        self.keyed_context.changed()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the rows of a time, in order."""
        entry = self.keyed_context.entry
        counts: Counts = entry.get(_TIMES, {}).pop(timer.timestamp, {})
        rows = (row for row in sorted(counts, key=self._sort_key) for _ in range(counts[row]))
        for row in islice(rows, self._skipped, None):
            emit(out, INSERT, row)
        if self._moment is SortMoment.WATERMARK:
            entry[_LAST] = timer.timestamp
        self.keyed_context.changed()

    def _emission_time(self, row: TableRow) -> int:
        """Return the time of the timer that emits a row."""
        if self._time is not None:
            return time_ms(row[self._time])
        return self.keyed_context.clock() + 1 if self._moment is SortMoment.CLOCK else MAX_WATERMARK
