"""Last row of each primary key (Flink's SinkUpsertMaterializer)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, UPDATE_AFTER, Columns, TableRow, adds, emit
from kafkastream.sql.plan.operations import Materialize

__all__ = ["MaterializeOperator"]

_ROWS: Final = "rows"


@final
class MaterializeOperator(TableOperator):
    """Stores all rows of a key in the order of their arrival, and emits the last one.

    Same as in Flink: a deletion of an unknown row is ignored.
    """

    def __init__(self, operation: Materialize) -> None:
        super().__init__(operation.ttl_ms)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add or remove a row."""
        rows: list[Columns] = self.keyed_context.entry.get(_ROWS, [])
        if adds(row[0]):
            emit(out, UPDATE_AFTER if rows else INSERT, row[1:])
            self.keyed_context.entry[_ROWS] = [*rows, row[1:]]
            self.mark_written()
        elif row[1:] in rows:
            self._remove(rows, row[1:], out)

    def _remove(self, rows: list[Columns], removed: Columns, out: Emitted) -> None:
        index = len(rows) - 1 - rows[::-1].index(removed)
        remaining = rows[:index] + rows[index + 1 :]
        if not remaining:
            emit(out, DELETE, removed)
            self.clear_state()
            return
        if index == len(remaining):
            emit(out, UPDATE_AFTER, remaining[-1])
        self.keyed_context.entry[_ROWS] = remaining
        self.mark_written()
