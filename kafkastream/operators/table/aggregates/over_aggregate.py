"""Aggregates of the rows before each row (Flink's RowTime and ProcTime functions of OVER windows)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Final, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted, KeyedOperator
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.aggregates.over_changes import OverChangesOperator
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, TableRow, emit
from kafkastream.operators.table.time_columns import time_ms
from kafkastream.sql.plan.operations import OverAggregate, TimeAttribute

__all__ = ["over_operator"]

_WAITING: Final = "waiting"
_GROUP: Final = "group"
_KEPT: Final = "kept"
_LAST: Final = "last"
_CLEANUP: Final = "cleanup"


class _Frames(TableOperator):
    """Base of frames that move over the rows of each key in time order.

    Args:
        operation: The aggregation.
    """

    def __init__(self, operation: OverAggregate) -> None:
        self._aggregates = Aggregates(operation.calls, operation.preceding is not None)
        super().__init__(operation.ttl_ms, self._aggregates.functions)
        self._is_rows = operation.is_rows
        self._preceding = operation.preceding

    def _group(self) -> Group:
        group: Group | None = self.keyed_context.entry.get(_GROUP)
        if group is None:
            group = self.keyed_context.entry[_GROUP] = self._aggregates.new()
        return group

    def _emit_with_earlier(self, time: int, rows: Sequence[Columns], out: Emitted) -> None:
        """Emit rows of the same time, each with the aggregates of its frame."""
        if self._is_rows:
            for row in rows:
                self._add_to_rows(row)
                self._emit([row], out)
        else:
            self._add_to_range(time, rows)
            self._emit(rows, out)

    def _emit(self, rows: Iterable[Columns], out: Emitted) -> None:
        results = self._aggregates.results(self._group())
        for row in rows:
            emit(out, INSERT, (*row, *results))

    def _add_to_rows(self, row: Columns) -> None:
        """Add a row to a ROWS frame; a full frame drops its first row."""
        group = self._group()
        if self._preceding is not None:
            frame: list[Columns] = self.keyed_context.entry.setdefault(_KEPT, [])
            if len(frame) > self._preceding:
                self._aggregates.add(group, (DELETE, *frame.pop(0)))
            frame.append(row)
        self._aggregates.add(group, (INSERT, *row))

    def _add_to_range(self, time: int, rows: Sequence[Columns]) -> None:
        """Add rows to a RANGE frame, and drop the rows that are too old."""
        group = self._group()
        if self._preceding is not None:
            frame: list[tuple[int, Columns]] = self.keyed_context.entry.setdefault(_KEPT, [])
            expired = 0
            while expired < len(frame) and time - frame[expired][0] > self._preceding:
                self._aggregates.add(group, (DELETE, *frame[expired][1]))
                expired += 1
            del frame[:expired]
            frame.extend((time, row) for row in rows)
        for row in rows:
            self._aggregates.add(group, (INSERT, *row))


@final
class _ByArrival(_Frames):
    """Processing-time frames of ROWS, or UNBOUNDED PRECEDING: each row is emitted at once."""

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Emit a row with the aggregates of its frame."""
        self._add_to_rows(row[1:])
        self._emit([row[1:]], out)
        self.mark_written()


class _WaitingFrames(_Frames):
    """Frames whose rows are buffered until no other row of the same time can arrive."""

    _delay_ms = 0
    _domain: TimeDomain

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the buffered rows of a time that has passed, or remove the state of an empty RANGE frame."""
        entry = self.keyed_context.entry
        if entry.get(_CLEANUP, timer.timestamp + 1) <= timer.timestamp:
            self.clear_state()
            return
        time = timer.timestamp - self._delay_ms
        rows = entry.get(_WAITING, {}).pop(time, None)
        if rows is not None:
            self._emit_with_earlier(time, rows, out)
        self._note_emitted(time)
        self.mark_written()

    @final
    def may_expire(self) -> bool:
        """Return whether no row is buffered."""
        return not self.keyed_context.entry.get(_WAITING)

    @abstractmethod
    def _note_emitted(self, time: int) -> None:
        """Record the time of emitted rows."""

    @final
    def _buffer_row(self, time: int, row: Columns) -> None:
        waiting: dict[int, list[Columns]] = self.keyed_context.entry.setdefault(_WAITING, {})
        if time not in waiting:
            self.keyed_context.register(self._domain, time + self._delay_ms)
        waiting.setdefault(time, []).append(row)
        if self._preceding is not None and not self._is_rows:
            self._register_cleanup(time, self._preceding)
        self.mark_written()

    def _register_cleanup(self, time: int, preceding: int) -> None:
        """Register a timer that removes the state when the last row has left the RANGE frame, as Flink does."""
        entry = self.keyed_context.entry
        if _CLEANUP not in entry or entry[_CLEANUP] < time + preceding + 1:
            entry[_CLEANUP] = time + int(preceding * 1.5) + 1
            self.keyed_context.register(self._domain, entry[_CLEANUP])


@final
class _ByEventTime(_WaitingFrames):
    """Event-time frames: rows are buffered until the watermark passes them; late rows are counted and dropped.

    As in Flink, a row is late for a frame without a first row if the watermark has passed its time; for other frames,
    if a later row of the same key has been emitted, or if its time is before 1970.
    """

    _domain = TimeDomain.EVENT_TIME

    def __init__(self, operation: OverAggregate) -> None:
        super().__init__(operation)
        assert operation.column is not None
        self._time = 1 + operation.column

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Buffer a row until the watermark reaches its time."""
        time = time_ms(row[self._time])
        bounded = self._preceding is not None
        if time <= (self.keyed_context.entry.get(_LAST, 0) if bounded else self.keyed_context.watermark):
            self.count_late()
        else:
            self._buffer_row(time, row[1:])

    def _note_emitted(self, time: int) -> None:
        if self._preceding is not None:
            self.keyed_context.entry[_LAST] = time


@final
class _ByProcessingTime(_WaitingFrames):
    """Processing-time RANGE frames: the rows of a millisecond are buffered until it is over."""

    _domain = TimeDomain.PROCESSING_TIME
    _delay_ms = 1

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Buffer a row until the end of its millisecond."""
        self._buffer_row(self.keyed_context.clock(), row[1:])

    def _note_emitted(self, time: int) -> None:
        """Do nothing: by processing time, no row is late."""


def over_operator(operation: OverAggregate) -> KeyedOperator:
    """Return the operator of aggregates over the rows before each row."""
    if operation.time is None:
        return OverChangesOperator(operation)
    if operation.time is TimeAttribute.EVENT:
        return _ByEventTime(operation)
    return (_ByArrival if operation.is_rows or operation.preceding is None else _ByProcessingTime)(operation)
