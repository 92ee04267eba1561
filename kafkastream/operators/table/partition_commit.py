"""Commit of partitions of a table in files (Flink's PartitionCommitter)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, Columns, TableRow, emit
from kafkastream.sql.files.partition_commits import PartitionCommit

__all__ = ["PartitionCommitOperator"]

_PENDING: Final = "pending"
_AT_ONCE: Final = 0


@final
class PartitionCommitOperator(TableOperator):
    """Forwards rows, and emits a DELETE with the columns of a partition when that is complete.

    A row that comes after its partition was committed commits it again, with the same micro-batch. The end of the input
    commits all partitions.

    Args:
        operation: Moment of the commit.
        columns: Positions of the partition columns.
    """

    def __init__(self, operation: PartitionCommit, columns: Sequence[int]) -> None:
        super().__init__()
        self._time = operation.time
        self._delay_ms = operation.delay_ms
        self._columns = tuple(columns)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Forward a row, and note its partition."""
        out.values.append(row)
        out.timestamps.append(None)
        if _PENDING not in self.keyed_context.entry:
            self.keyed_context.entry[_PENDING] = (len(row) - 1, tuple(row[1 + place] for place in self._columns))
            self.keyed_context.changed()
            self._await(row[1:])

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the partition, unless another timer has."""
        pending = self.keyed_context.entry.get(_PENDING)
        if pending is not None:
            width, values = pending
            known = dict(zip(self._columns, values, strict=True))
            emit(out, DELETE, map(known.get, range(width)))
            self.forget()

    def _await(self, columns: Columns) -> None:
        context = self.keyed_context
        if self._time is None:
            context.register(TimeDomain.PROCESSING_TIME, context.clock() + self._delay_ms + 1)
            context.register(TimeDomain.EVENT_TIME, MAX_WATERMARK)
            return
        # The watermark must be later than this moment: PartitionTimeCommitPredicate.watermarkHasPassedWithDelay.
        at = min(self._time.of([columns[place] for place in self._columns]) + self._delay_ms + 1, MAX_WATERMARK)
        if at <= context.watermark:
            # Timers of the clock fire at the end of each micro-batch, those of the watermark only when it moves.
            context.register(TimeDomain.PROCESSING_TIME, _AT_ONCE)
        else:
            context.register(TimeDomain.EVENT_TIME, at)
