"""Changelog normalization: turns upserts into updates with the previous row (Flink's ChangelogNormalize)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow, adds, replace
from kafkastream.sql.plan.operations import Normalize

__all__ = ["NormalizeOperator"]

_ROW: Final = "row"


@final
class NormalizeOperator(TableOperator):
    """Stores the last row of each key; a deletion is emitted with the stored row, whatever values it has itself."""

    def __init__(self, operation: Normalize) -> None:
        super().__init__(operation.ttl_ms)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Compare a row with the last one of its key."""
        before: Columns | None = self.keyed_context.entry.get(_ROW)
        after = row[1:] if adds(row[0]) else None
        if before == after and (after is None or not self.ttl_ms):
            return
        if after is None:
            self.clear_state()
        else:
            self.keyed_context.entry[_ROW] = after
            self.mark_written()
        replace(out, before, after)
