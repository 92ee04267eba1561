"""Base of operators on session windows, with the state of each session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final, Generic, TypeVar, final

from kafkastream.model.common.stream_functions import Function
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import TableRow
from kafkastream.operators.table.time_columns import local_of, time_ms
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.operations import SessionAggregate, SessionRows, TimeAttribute

__all__ = ["Session", "SessionOperator", "merge_session"]

_SESSIONS: Final = "sessions"

Session = tuple[int, int]
"""Start and end, in microseconds of the zone's wall clock."""

C = TypeVar("C")


class SessionOperator(TableOperator, Generic[C]):
    """Base of operators on session windows: a row between two sessions merges them; late rows are counted and dropped.

    Args:
        operation: The operation.
        time_column: Index of the time in a row.
        functions: Functions of the user.
    """

    def __init__(
        self, operation: SessionAggregate | SessionRows, time_column: int, functions: Sequence[Function] = ()
    ) -> None:
        super().__init__(functions=functions)
        self._time = time_column
        self._gap_ms = operation.gap_ms
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._local = local_of(operation.zone)
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    @abstractmethod
    def merge_rows(self, contents: Sequence[C], row: TableRow) -> C:
        """Return the content of a session that consists of earlier ones, in their order, and a row."""

    @abstractmethod
    def emit_session(self, session: Session, content: C, out: Emitted) -> None:
        """Emit a session that is over."""

    @final
    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its session, which may be a new one."""
        start = self._local(time_ms(row[self._time]) if self._is_event_time else self.keyed_context.clock())
        entry = self.keyed_context.entry
        sessions: dict[Session, C] = entry.get(_SESSIONS, {})
        session, parts = merge_session((start * 1_000, (start + self._gap_ms) * 1_000), sessions)
        if self._end.is_late(session[1]):
            self.count_late()
            return
        sessions[session] = self.merge_rows([sessions.pop(part) for part in parts], row)
        entry[_SESSIONS] = sessions
        self.keyed_context.changed()
        if session not in parts:
            self._end.register_timer(session[1], session)

    @final
    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit a session that is over, unless it has been merged into another one."""
        sessions: dict[Any, C] = self.keyed_context.entry.get(_SESSIONS, {})
        if timer.namespace not in sessions:
            return
        self.emit_session(timer.namespace, sessions.pop(timer.namespace), out)
        if sessions:
            self.keyed_context.changed()
        else:
            self.clear_state()


def merge_session(session: Session, others: Iterable[Session]) -> tuple[Session, list[Session]]:
    """Merge a session with the sessions that it overlaps; return the result, and the overlapped sessions in order."""
    parts = sorted(other for other in others if other[0] <= session[1] and session[0] <= other[1])
    starts, ends = zip(session, *parts, strict=True)
    return (min(starts), max(ends)), parts
