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
    """Frames that move over the rows of each key: a row enters them when its turn has come.

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
                self._add_one(row)
                self._emit([row], out)
        else:
            self._add_all(time, rows)
            self._emit(rows, out)

    def _emit(self, rows: Iterable[Columns], out: Emitted) -> None:
        results = self._aggregates.results(self._group())
        for row in rows:
            emit(out, INSERT, (*row, *results))

    def _add_one(self, row: Columns) -> None:
        """Add a row to a frame of rows, which loses its first one if it is full."""
        group = self._group()
        if self._preceding is not None:
            kept: list[Columns] = self.keyed_context.entry.setdefault(_KEPT, [])
            if len(kept) > self._preceding:
                self._aggregates.add(group, (DELETE, *kept.pop(0)))
            kept.append(row)
        self._aggregates.add(group, (INSERT, *row))

    def _add_all(self, time: int, rows: Sequence[Columns]) -> None:
        """Add rows to a range of time, which loses those that are too old."""
        group = self._group()
        if self._preceding is not None:
            kept: list[tuple[int, Columns]] = self.keyed_context.entry.setdefault(_KEPT, [])
            old = 0
            while old < len(kept) and time - kept[old][0] > self._preceding:
                self._aggregates.add(group, (DELETE, *kept[old][1]))
                old += 1
            del kept[:old]
            kept.extend((time, row) for row in rows)
        for row in rows:
            self._aggregates.add(group, (INSERT, *row))


@final
class _InOrderOfArrival(_Frames):
    """Frames by processing time that count rows, or have no first one: a row is emitted at once."""

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Emit a row with the aggregates of its frame."""
        self._add_one(row[1:])
        self._emit([row[1:]], out)
        self.written()


class _Waiting(_Frames):
    """Frames whose rows wait until no other row of the same time can come."""

    _delay_ms = 0
    _domain: TimeDomain

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the rows of a time that is over; remove the state of a range of time that is empty."""
        entry = self.keyed_context.entry
        if entry.get(_CLEANUP, timer.timestamp + 1) <= timer.timestamp:
            self.forget()
            return
        time = timer.timestamp - self._delay_ms
        rows = entry.get(_WAITING, {}).pop(time, None)
        if rows is not None:
            self._emit_with_earlier(time, rows, out)
        self._passed(time)
        self.written()

    @final
    def may_expire(self) -> bool:
        """Return whether no row waits."""
        return not self.keyed_context.entry.get(_WAITING)

    @abstractmethod
    def _passed(self, time: int) -> None:
        """Note the time of rows that were emitted."""

    @final
    def _wait(self, time: int, row: Columns) -> None:
        waiting: dict[int, list[Columns]] = self.keyed_context.entry.setdefault(_WAITING, {})
        if time not in waiting:
            self.keyed_context.register(self._domain, time + self._delay_ms)
        waiting.setdefault(time, []).append(row)
        if self._preceding is not None and not self._is_rows:
            self._await_cleanup(time, self._preceding)
        self.written()

    def _await_cleanup(self, time: int, preceding: int) -> None:
        """Register a timer that removes the state when the last row has left its range of time, as Flink does."""
        entry = self.keyed_context.entry
        if _CLEANUP not in entry or entry[_CLEANUP] < time + preceding + 1:
            entry[_CLEANUP] = time + int(preceding * 1.5) + 1
            self.keyed_context.register(self._domain, entry[_CLEANUP])


@final
class _ByEventTime(_Waiting):
    """Frames by event time: rows wait for the watermark, and late ones are counted, and dropped.

    As in Flink, a row is late for a frame without a first row if the watermark has passed its time; for other frames,
    if a later row of the same key has been emitted, or if its time is before 1970.
    """

    _domain = TimeDomain.EVENT_TIME

    def __init__(self, operation: OverAggregate) -> None:
        super().__init__(operation)
        assert operation.column is not None
        self._time = 1 + operation.column

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Let a row wait for the watermark."""
        time = time_ms(row[self._time])
        bounded = self._preceding is not None
        if time <= (self.keyed_context.entry.get(_LAST, 0) if bounded else self.keyed_context.watermark):
            self.count_late()
        else:
            self._wait(time, row[1:])

    def _passed(self, time: int) -> None:
        if self._preceding is not None:
            self.keyed_context.entry[_LAST] = time


@final
class _ByClock(_Waiting):
    """Ranges of processing time: the rows of a millisecond wait until it is over."""

    _domain = TimeDomain.PROCESSING_TIME
    _delay_ms = 1

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Let a row wait for the end of its millisecond."""
        self._wait(self.keyed_context.clock(), row[1:])

    def _passed(self, time: int) -> None:
        """Do nothing: no row is late."""


def over_operator(operation: OverAggregate) -> KeyedOperator:
    """Return the operator of aggregates over the rows before each row."""
    if operation.time is None:
        return OverChangesOperator(operation)
    if operation.time is TimeAttribute.EVENT:
        return _ByEventTime(operation)
    return (_InOrderOfArrival if operation.is_rows or operation.preceding is None else _ByClock)(operation)
