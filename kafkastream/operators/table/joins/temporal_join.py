"""Temporal join: rows with the version of a table at their time (Flink's TemporalRowTimeJoinOperator and its twin)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import UPDATE_BEFORE, TableRow, adds, emit
from kafkastream.operators.table.time_columns import time_ms
from kafkastream.sql.plan.operations import TemporalJoin, TimeAttribute

__all__ = ["TemporalJoinOperator"]

_LEFT: Final = "left"
_VERSIONS: Final = "versions"
_NAMESPACE: Final = ("join",)

Versions = dict[int, TableRow]
"""Versions of the right row of a key by time in ms; of those before the watermark, only the last is kept."""


@final
class TemporalJoinOperator(TableOperator):
    """Stores the versions of the right row of each key; by event time, buffers left rows until the watermark reaches
    their time.

    Same as in Flink: left rows are emitted with their own row kind. An UPDATE_BEFORE (-U) of a right row is
    ignored; the row that follows replaces the version.

    Args:
        operation: The join.
        keys: Columns of each input that are compared. By processing time, a row with NULL in one of them matches none;
            by event time, NULL equals NULL, as on Flink 2.2.
    """

    def __init__(self, operation: TemporalJoin, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__(operation.ttl_ms)
        self._times = operation.times
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._sides = JoinInputs(operation.kind, operation.widths, keys)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Store a version; join a left row, or buffer it until the watermark reaches its time."""
        if side == 1:
            self._store_version(row)
        elif self._is_event_time:
            time = self._time(0, row)
            self.keyed_context.entry.setdefault(_LEFT, []).append((time, row))
            self._register_timer(time)
        else:
            version = self._versions.get(0)
            if version is not None:
                self.mark_written()  # a read refreshes the time to live
            self._join(row, version, out)

    def due(self, timer: Timer, out: Emitted) -> None:
        """Join the left rows that the watermark has passed, in the order of their arrival."""
        entry, watermark = self.keyed_context.entry, self.keyed_context.watermark
        versions, waiting = self._versions, entry.pop(_LEFT, [])
        times = sorted(versions)
        for time, row in waiting:
            if time <= watermark:
                index = bisect_right(times, time)
                self._join(row, versions[times[index - 1]] if index else None, out)
        later_rows = [time_and_row for time_and_row in waiting if time_and_row[0] > watermark]
        if later_rows:
            entry[_LEFT] = later_rows
        for time in times[: max(bisect_right(times, watermark) - 1, 0)]:
            del versions[time]
        if entry:
            self.mark_written()

    @property
    def _versions(self) -> Versions:
        versions: Versions = self.keyed_context.entry.get(_VERSIONS, {})
        return versions

    def _store_version(self, row: TableRow) -> None:
        if row[0] == UPDATE_BEFORE:
            return
        versions: Versions = self.keyed_context.entry.setdefault(_VERSIONS, {})
        if self._is_event_time:
            time = self._version_time(row)
            versions[time] = row
            self._register_timer(time)
        elif adds(row[0]):
            versions[0] = row
            self.mark_written()
        else:
            self.clear_state()

    def _join(self, row: TableRow, version: TableRow | None, out: Emitted) -> None:
        columns = row[1:]
        may_match = self._is_event_time or not self._sides.matches_none(0, columns)
        if version is not None and adds(version[0]) and may_match:
            emit(out, row[0], self._sides.joined(0, columns, version[1:]))
        elif self._sides.is_outer(0):
            emit(out, row[0], self._sides.padded(0, columns))

    def _register_timer(self, time: int) -> None:
        self.mark_written()
        self.keyed_context.namespace = _NAMESPACE
        self.keyed_context.register(TimeDomain.EVENT_TIME, time)
        self.keyed_context.namespace = ()

    def _version_time(self, row: TableRow) -> int:
        """Return the time of a version; 0 for NULL, such as in a tombstone, which has only the key.

        Flink reads the time without checking for NULL, and a NULL of its ``BinaryRowData`` has the bits of 0
        (``TemporalRowTimeJoinOperator.getRightTime``).
        """
        column = self._times[1]
        assert column is not None
        return 0 if row[1 + column] is None else self._time(1, row)

    def _time(self, side: int, row: TableRow) -> int:
        column = self._times[side]
        assert column is not None
        return time_ms(row[1 + column])
