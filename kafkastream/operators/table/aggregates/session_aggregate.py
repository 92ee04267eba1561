"""Aggregates of each key and session window (Flink's WindowAggOperator of session windows)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, TableRow, emit
from kafkastream.operators.table.time_columns import local_of, time_ms
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.operations import SessionAggregate, TimeAttribute

__all__ = ["Session", "SessionAggregateOperator", "merged_session"]

_SESSIONS: Final = "sessions"
_KEY: Final = "key"

Session = tuple[int, int]
"""Start and end, in microseconds of the zone's wall clock."""


@final
class SessionAggregateOperator(TableOperator):
    """Sessions of each key; a row between two sessions merges them.

    Args:
        operation: The aggregation.
        retracts: Whether rows may be retracted.
    """

    def __init__(self, operation: SessionAggregate, *, retracts: bool) -> None:
        self._aggregates = Aggregates(operation.calls, retracts)
        super().__init__(functions=self._aggregates.functions)
        self._key, self._time = slice(1, 1 + operation.keys), 1 + operation.keys
        self._gap_ms = operation.gap_ms
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._local = local_of(operation.zone)
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its session, which may be a new one."""
        start = self._local(time_ms(row[self._time]) if self._is_event_time else self.keyed_context.clock())
        entry = self.keyed_context.entry
        sessions: dict[Session, Group] = entry.get(_SESSIONS, {})
        session, parts = merged_session((start * 1_000, (start + self._gap_ms) * 1_000), sessions)
        if self._end.is_over(session[1]):
            self.count_late()
            return
        group = sessions.pop(parts[0]) if parts else self._aggregates.new()
        for part in parts[1:]:
            self._aggregates.merge(group, sessions.pop(part))
        self._aggregates.add(group, row)
        sessions[session] = group
        entry[_SESSIONS], entry[_KEY] = sessions, row[self._key]
        self.keyed_context.changed()
        if session not in parts:
            self._end.await_(session[1], session)

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit a session that is over, unless it has been merged into another one."""
        entry = self.keyed_context.entry
        sessions: dict[Session, Group] = entry.get(_SESSIONS, {})
        group = sessions.pop(timer.namespace, None)
        if group is None:
            return
        if group[0]:
            emit(out, INSERT, (*entry[_KEY], *self._aggregates.results(group), *timer.namespace))
        if sessions:
            self.keyed_context.changed()
        else:
            self.forget()


def merged_session(session: Session, others: Iterable[Session]) -> tuple[Session, list[Session]]:
    """Return the session that results from merging one with those it touches, and these from the earliest to the last."""
    parts = sorted(other for other in others if other[0] <= session[1] and session[0] <= other[1])
    starts, ends = zip(session, *parts, strict=True)
    return (min(starts), max(ends)), parts
