"""Rows of session windows, with the bounds of their session (Flink's UnalignedWindowTableFunctionOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.session_operator import Session, SessionOperator
from kafkastream.operators.table.table_rows import INSERT, Columns, TableRow, emit
from kafkastream.sql.plan.operations import SessionRows

__all__ = ["SessionRowsOperator"]


@final
class SessionRowsOperator(SessionOperator[list[Columns]]):
    """Buffers the rows of each session until it is over, and emits them with its bounds.

    Args:
        operation: The operation.
    """

    def __init__(self, operation: SessionRows) -> None:
        super().__init__(operation, 1 + operation.column)

    def merge_rows(self, contents: Sequence[list[Columns]], row: TableRow) -> list[Columns]:
        """Return the rows of earlier sessions and a row."""
        return [*(columns for rows in contents for columns in rows), row[1:]]

    def emit_session(self, session: Session, content: list[Columns], out: Emitted) -> None:
        """Emit the rows."""
        for columns in content:
            emit(out, INSERT, (*columns, *session))
