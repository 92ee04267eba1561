"""Deduplication: one row of each key (Flink's ProcTimeDeduplicate and RowTimeDeduplicate functions)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow, replace
from kafkastream.operators.table.time_columns import time_ms
from kafkastream.sql.plan.operations import Deduplicate, Keep, TimeAttribute

__all__ = ["DeduplicateOperator"]

_ROW: Final = "row"


@final
class DeduplicateOperator(TableOperator):
    """Keeps the first or last row of each key."""

    def __init__(self, operation: Deduplicate) -> None:
        super().__init__(operation.ttl_ms)
        self._is_last = operation.keep is Keep.LAST
        self._column = operation.column if operation.time is TimeAttribute.EVENT else None

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Compare a row with the one of its key."""
        before: Columns | None = self.keyed_context.entry.get(_ROW)
        after = row[1:]
        if before is not None and not self._replaces(before, after):
            return
        # the first row by processing time is never compared again, so its columns are not stored
        self.keyed_context.entry[_ROW] = after if self._is_last or self._column is not None else ()
        self.mark_written()
        replace(out, before, after)

    def _replaces(self, before: Columns, after: Columns) -> bool:
        if self._column is None:
            return self._is_last and (before != after or bool(self.ttl_ms))
        old, new = time_ms(before[self._column]), time_ms(after[self._column])
        return new >= old if self._is_last else new < old
