"""Table sinks on a worker: each task writes in one transaction, with a marker of the offset that it has reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, final

import attrs
import pyarrow as pa

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.sinks import ChangeWriter
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.change_router import FollowsSchemas
from kafkastream.spark.worker.reports import Report

__all__ = ["MakeWriter", "TableSinkOperator"]

MakeWriter: TypeAlias = Callable[[Mapping[TableId, TableSchema]], ChangeWriter]
"""Function from schemas to a writer of tables with these schemas."""

_DOCUMENT = TopicPartition("", 0)
"""Partition name of rows that the pipeline document contains; they are written at each start."""


@final
@attrs.define(eq=False)
class TableSinkOperator(SinkOperator, FollowsSchemas):
    """Writes the changes of each record exactly once, by a ``ChangeWriter``.

    A task that is repeated after a failure skips the records below the marker that the writer finds.

    Args:
        make: Makes the writer from the schemas.
        book: Schemas of the tables.
    """

    make: MakeWriter
    book: SchemaBook = attrs.field(factory=SchemaBook)
    _writer: ChangeWriter | None = attrs.field(default=None, init=False)
    _partition: TopicPartition | None = attrs.field(default=None, init=False)
    _written: int = attrs.field(default=0, init=False)
    _reached: int = attrs.field(default=0, init=False)
    _stops: int | None = attrs.field(default=None, init=False)
    _offsets: list[int] = attrs.field(factory=list, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Make the writer; it connects at the first write."""
        self._writer = self.make(self.book.sinks)

    def begin(self, task: TaskScope) -> None:
        """Begin a task; its partition is known from the first records."""
        self._partition = self._stops = None

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Note the source records of the next changes; the first ones of a task begin the transaction."""
        is_kafka = "topic" in arrow.schema.names
        if self._partition is None:
            self._begin(
                TopicPartition(arrow["topic"][0].as_py(), arrow["partition"][0].as_py()) if is_kafka else _DOCUMENT
            )
        self._offsets = arrow["offset"].to_pylist() if is_kafka else []
        if self._offsets:
            self._reached = max(self._reached, self._offsets[-1] + 1)

    def _begin(self, partition: TopicPartition) -> None:
        assert self._writer is not None
        self._partition = partition
        reached = self._writer.begin(self.book.job, [partition])
        self._written = self._reached = 0 if partition is _DOCUMENT else reached.get(partition, 0)

    def write(self, batch: Batch) -> None:
        """Write the changes of records that no earlier attempt has written."""
        assert self._writer is not None
        self._writer.write(batch.from_offset(self._offsets, self._written).values)

    def stops(self, offset: int) -> None:
        """Leave records from this offset on to a later task."""
        self._stops = offset

    def finish(self) -> Iterator[Report]:
        """Commit the transaction."""
        if self._partition is not None and self._writer is not None:
            reached = self._reached if self._stops is None else max(self._written, self._stops)
            self._writer.commit({} if self._partition is _DOCUMENT else {self._partition: reached})
        return self.drain()

    def abandon(self) -> None:
        """Roll back, and close the connection."""
        if self._writer is not None:
            self._writer.close()
