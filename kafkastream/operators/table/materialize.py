"""Last row of each primary key, among the rows that exist (Flink's SinkUpsertMaterializer)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import AFTER, DELETE, INSERT, Columns, TableRow, adds, emit
from kafkastream.sql.plan.operations import Materialize

__all__ = ["MaterializeOperator"]

_ROWS: Final = "rows"


@final
class MaterializeOperator(TableOperator):
    """Keeps all rows of a key in the order in which they came, and emits the last one.

    Same as in Flink: a deletion of a row that is not there is ignored.
    """

    def __init__(self, operation: Materialize) -> None:
        super().__init__(operation.ttl_ms)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add or remove a row."""
        rows: list[Columns] = self.keyed_context.entry.get(_ROWS, [])
        if adds(row[0]):
            emit(out, AFTER if rows else INSERT, row[1:])
            self.keyed_context.entry[_ROWS] = [*rows, row[1:]]
            self.written()
        elif row[1:] in rows:
            self._remove(rows, row[1:], out)

    def _remove(self, rows: list[Columns], gone: Columns, out: Emitted) -> None:
        place = len(rows) - 1 - rows[::-1].index(gone)
        left = rows[:place] + rows[place + 1 :]
        if not left:
            emit(out, DELETE, gone)
            self.forget()
            return
        if place == len(left):
            emit(out, AFTER, left[-1])
        self.keyed_context.entry[_ROWS] = left
        self.written()
