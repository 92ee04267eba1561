"""Aggregates of each key and session window (Flink's WindowAggOperator of session windows)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.aggregates.session_operator import Session, SessionOperator
from kafkastream.operators.table.table_rows import INSERT, TableRow, emit
from kafkastream.sql.plan.operations import SessionAggregate

__all__ = ["SessionAggregateOperator"]

_KEY: Final = "key"


@final
class SessionAggregateOperator(SessionOperator[Group]):
    """Aggregates the rows of each session.

    Args:
        operation: The aggregation.
        retracts: Whether rows may be retracted.
    """

    def __init__(self, operation: SessionAggregate, *, retracts: bool) -> None:
        self._aggregates = Aggregates(operation.calls, retracts)
        self._key = slice(1, 1 + operation.keys)
        super().__init__(operation, self._key.stop, self._aggregates.functions)

    def merge_rows(self, contents: Sequence[Group], row: TableRow) -> Group:
        """Return the aggregates of earlier sessions and a row."""
        group = contents[0] if contents else self._aggregates.new()
        for other in contents[1:]:
            self._aggregates.merge(group, other)
        self._aggregates.add(group, row)
        self.keyed_context.entry[_KEY] = row[self._key]
        return group

    def emit_session(self, session: Session, content: Group, out: Emitted) -> None:
        """Emit the aggregates, unless all rows were retracted."""
        if content[0]:
            emit(out, INSERT, (*self.keyed_context.entry[_KEY], *self._aggregates.results(content), *session))
