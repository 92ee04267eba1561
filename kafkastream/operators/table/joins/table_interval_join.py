"""Interval join of tables: rows of two inputs within a distance of time (Flink's RowTimeIntervalJoin,
ProcTimeIntervalJoin).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, Columns, TableRow, emit
from kafkastream.operators.table.time_columns import domain_of, time_ms
from kafkastream.sql.plan.join_operations import IntervalJoin
from kafkastream.sql.plan.time_attribute import TimeAttribute

__all__ = ["TableIntervalJoinOperator"]

_SIDES: Final = ("left", "right")

Buffer = dict[int, list[list[Any]]]
"""The rows of a side by their times in ms, each with whether it has met another one."""


class TableIntervalJoinOperator(TableOperator):
    """Buffers the rows of both inputs for as long as a row of the other input may match them.

    As in Flink, a late row still joins rows in state, and is not stored itself if no match can arrive any more.
    Differs from Flink: Flink cleans up periodically, so there a late row may still match rows that are already removed
    here, and rows without a match are emitted later.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: IntervalJoin, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self._times = operation.times
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._domain = domain_of(operation.time)
        # bounds of the other side's time relative to the row's own time
        self._bounds = ((-operation.upper_ms, -operation.lower_ms), (operation.lower_ms, operation.upper_ms))
        self._sides = JoinInputs(operation.kind, operation.widths, keys)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Join a row with the buffered rows of the other input, and buffer it."""
        columns, now = row[1:], self.keyed_context.watermark if self._is_event_time else self.keyed_context.clock()
        time = time_ms(columns[self._times[side]]) if self._is_event_time else now
        earliest, latest = (time + reach for reach in self._bounds[side])
        stored = self.stored_row(columns)
        if not self._sides.matches_none(side, columns):
            for other_time, others in sorted(self._buffer(1 - side).items()):
                for other in others if earliest <= other_time <= latest else ():
                    self.join_rows(side, stored, other, out)
                    self.keyed_context.changed()
        if now < latest:
            self.keyed_context.entry.setdefault(_SIDES[side], {}).setdefault(time, []).append(stored)
            self.keyed_context.changed()
            self.keyed_context.namespace = (side, time)
            self.keyed_context.register(self._domain, latest + 1)
        else:
            self.finish_row(side, stored, out)
            self._remove_empty_sides()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove rows that can no longer match, and emit those without a match if the join is outer."""
        side, time = timer.namespace
        for stored in self._buffer(side).pop(time, ()):
            self.finish_row(side, stored, out)
        self._remove_empty_sides()

    def stored_row(self, columns: Columns) -> list[Any]:
        """Return the stored form of a row: its columns, and whether it has been joined."""
        return [columns, False]

    def join_rows(self, side: int, row: list[Any], other: list[Any], out: Emitted) -> None:
        """Join a row of ``side`` with a row of the other side."""
        emit(out, INSERT, self._sides.joined(side, row[0], other[0]))
        row[1] = other[1] = True

    def finish_row(self, side: int, row: list[Any], out: Emitted) -> None:
        """Emit a row that can no longer match, if the join is outer and the row had no match."""
        if not row[1] and self._sides.is_outer(side):
            emit(out, INSERT, self._sides.padded(side, row[0]))

    def _remove_empty_sides(self) -> None:
        """Remove empty entries."""
        entry = self.keyed_context.entry
        for side in _SIDES:
            if not entry.get(side, True):
                del entry[side]
        if not entry.keys() & set(_SIDES):
            entry.clear()
        self.keyed_context.changed()

    def _buffer(self, side: int) -> Buffer:
        buffer: Buffer = self.keyed_context.entry.get(_SIDES[side], {})
        return buffer
