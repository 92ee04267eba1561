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
_NEXT_FIRING: Final = 0


@final
class PartitionCommitOperator(TableOperator):
    """Forwards rows, and emits a DELETE with the columns of a partition when the partition is complete.

    A row that arrives after its partition was committed commits it again, in the same micro-batch. The end of the input
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
        """Forward a row, and schedule the commit of its partition."""
        out.values.append(row)
        out.timestamps.append(None)
        if _PENDING not in self.keyed_context.entry:
            self.keyed_context.entry[_PENDING] = (len(row) - 1, tuple(row[1 + column] for column in self._columns))
            self.keyed_context.changed()
            self._register_timer(row[1:])

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the partition, unless another timer has already emitted it."""
        pending = self.keyed_context.entry.get(_PENDING)
        if pending is not None:
            width, values = pending
            values_by_column = dict(zip(self._columns, values, strict=True))
            emit(out, DELETE, map(values_by_column.get, range(width)))
            self.clear_state()

    def _register_timer(self, columns: Columns) -> None:
        context = self.keyed_context
        if self._time is None:
            context.register(TimeDomain.PROCESSING_TIME, context.clock() + self._delay_ms + 1)
            context.register(TimeDomain.EVENT_TIME, MAX_WATERMARK)
            return
        # as Flink, commit when the watermark is past this time: PartitionTimeCommitPredicate.watermarkHasPassedWithDelay
        commit_time = min(
            self._time.of([columns[column] for column in self._columns]) + self._delay_ms + 1, MAX_WATERMARK
        )
        if commit_time <= context.watermark:
            # processing-time timers fire at the end of each micro-batch, event-time timers only when the watermark advances
            context.register(TimeDomain.PROCESSING_TIME, _NEXT_FIRING)
        else:
            context.register(TimeDomain.EVENT_TIME, commit_time)
