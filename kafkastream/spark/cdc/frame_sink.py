"""Sinks that the driver writes as DataFrames, in one transaction per table and micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol, final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.sinks import MetadataApplier
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.cdc.messages import ChangeHandOver
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.change_router import FollowsSchemas
from kafkastream.spark.worker.registry import Registry
from kafkastream.spark.worker.reports import Report

__all__ = ["ORDER", "FrameSink", "MicroBatch", "RowHandOver", "frame_sink"]

ORDER = "order"
"""Column with the position of a row in its micro-batch."""


class MicroBatch(NamedTuple):
    """Identity of a micro-batch, stable across restarts, by which a sink recognizes one that it has written.

    Attributes:
        query: Id of the run that numbers the micro-batches: a Spark query, or a start of a job that reads no stream.
        number: Number of the micro-batch; ascending, and the same when a micro-batch is repeated.
    """

    query: str
    number: int


class FrameSink(Protocol):
    """Protocol of a sink that the driver writes, one whole micro-batch at a time."""

    @property
    def applier(self) -> MetadataApplier:
        """Changes the tables."""
        ...

    def write(self, rows: DataFrame, book: SchemaBook, batch: MicroBatch) -> None:
        """Write a micro-batch; a repeated one changes nothing.

        Args:
            rows: Changes of the sink's tables with the columns of ``messages.MESSAGE_SCHEMA`` and ``ORDER``.
            book: Schemas of the tables.
            batch: The micro-batch.

        Raises:
            SinkError: The sink refuses a change, or does not answer.
        """
        ...


@Registry
def frame_sink(sink: PipelineSink, session: SparkSession) -> FrameSink | None:
    """Return the frame sink of a pipeline's sink; None if workers write to it.

    The sink's engine module registers it by class.
    """
    return None


@final
@attrs.define(eq=False)
class RowHandOver(SinkOperator, FollowsSchemas):
    """Serializes the changes of a micro-batch to messages, which the driver reads as a DataFrame.

    Args:
        node: Number of the sink.
        book: Schemas of the tables.
    """

    node: int
    book: SchemaBook = attrs.field(factory=SchemaBook)
    _messages: ChangeHandOver | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Index the sink's tables."""
        tables: Mapping[TableId, TableSchema] = self.book.sinks
        self._messages = ChangeHandOver(self.name, self.node, tables, {})
        self._messages.open(context)

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Keep the source records of the next changes."""
        assert self._messages is not None
        self._messages.arrives(arrow)

    def write(self, batch: Batch) -> None:
        """Make messages."""
        assert self._messages is not None
        self._messages.write(batch)

    def drain(self) -> Iterator[Report]:
        """Return the messages so far."""
        assert self._messages is not None
        return self._messages.drain()
