"""Lookup join: each left row with the rows of a table that is read once (corresponds to Flink's LookupJoinRunner)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.multiset import Counts, add_count
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow, adds, emit
from kafkastream.sql.plan.join_operations import LookupJoin

__all__ = ["LookupJoinOperator"]

_TABLE: Final = "table"
_WAITING: Final = "waiting"
_NAMESPACE: Final = ("waiting",)


@final
class LookupJoinOperator(TableOperator):
    """Stores the rows of the table, and buffers left rows until the end of their micro-batch, when the table is complete.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: LookupJoin, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self._sides = JoinInputs(operation.kind, operation.widths, keys)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Store a row of the table, or buffer a left row."""
        entry, columns = self.keyed_context.entry, row[1:]
        if side == 1:
            if not self._sides.matches_none(1, columns):
                counts: Counts = entry.setdefault(_TABLE, {})
                add_count(counts, columns, 1 if adds(row[0]) else -1)
        else:
            waiting: list[TableRow] = entry.setdefault(_WAITING, [])
            waiting.append(row)
            self.keyed_context.namespace = _NAMESPACE
            self.keyed_context.register(TimeDomain.PROCESSING_TIME, 0)
            self.keyed_context.namespace = ()
        self.keyed_context.changed()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Join the buffered rows in the order of their arrival."""
        entry = self.keyed_context.entry
        table_rows: Counts = entry.get(_TABLE, {})
        for row in entry.pop(_WAITING, ()):
            self._join(row[0], row[1:], table_rows, out)
        self.keyed_context.changed()

    def _join(self, kind: int, row: Columns, table_rows: Counts, out: Emitted) -> None:
        others = {} if self._sides.matches_none(0, row) else table_rows
        for other, count in others.items():
            for _ in range(count):
                emit(out, kind, self._sides.joined(0, row, other))
        if not others and self._sides.is_outer(0):
            emit(out, kind, self._sides.padded(0, row))
