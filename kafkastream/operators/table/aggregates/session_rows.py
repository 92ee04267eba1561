"""Rows of session windows, with the bounds of their session (Flink's UnalignedWindowTableFunctionOperator)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.session_aggregate import Session, merged_session
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, Columns, TableRow, emit
from kafkastream.operators.table.time_columns import local_of, time_ms
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.operations import SessionRows, TimeAttribute

__all__ = ["SessionRowsOperator"]

_SESSIONS: Final = "sessions"


@final
class SessionRowsOperator(TableOperator):
    """Keeps the rows of each session until it is over, and emits them with its bounds; late rows are counted, and
    dropped.

    Args:
        operation: The operation.
    """

    def __init__(self, operation: SessionRows) -> None:
        super().__init__()
        self._column = operation.column
        self._gap_ms = operation.gap_ms
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._local = local_of(operation.zone)
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its session, which may be a new one."""
        columns = row[1:]
        start = self._local(time_ms(columns[self._column]) if self._is_event_time else self.keyed_context.clock())
        sessions: dict[Session, list[Columns]] = self.keyed_context.entry.get(_SESSIONS, {})
        session, parts = merged_session((start * 1_000, (start + self._gap_ms) * 1_000), sessions)
        if self._end.is_over(session[1]):
            self.count_late()
            return
        sessions[session] = [*(one for part in parts for one in sessions.pop(part)), columns]
        self.keyed_context.entry[_SESSIONS] = sessions
        self.keyed_context.changed()
        if session not in parts:
            self._end.await_(session[1], session)

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the rows of a session that is over, unless it has been merged into another one."""
        sessions: dict[Session, list[Columns]] = self.keyed_context.entry.get(_SESSIONS, {})
        for columns in sessions.pop(timer.namespace, ()):
            emit(out, INSERT, (*columns, *timer.namespace))
        if sessions:
            self.keyed_context.changed()
        else:
            self.forget()
