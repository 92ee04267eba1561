"""Sinks that the driver writes to by DataFrames, one transaction for each table and micro-batch."""

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
"""Column of the rows of a micro-batch that tells their order."""


class MicroBatch(NamedTuple):
    """Lasting identity of a micro-batch, by which a sink knows whether it has written it.

    Attributes:
        query: What counts the micro-batches: a Spark query, or the start of a job that reads none.
        number: Grows from one micro-batch to the next; the same when one is repeated.
    """

    query: str
    number: int


class FrameSink(Protocol):
    """A sink that takes whole micro-batches as DataFrames, on the driver."""

    @property
    def applier(self) -> MetadataApplier:
        """Changes the tables."""
        ...

    def write(self, rows: DataFrame, book: SchemaBook, batch: MicroBatch) -> None:
        """Write a micro-batch; a repeated one changes nothing.

        Args:
            rows: Changes with the columns of ``messages.MESSAGE_SCHEMA`` and ``ORDER``: tables of the sink, rows as JSON.
            book: Schemas of the tables.
            batch: The micro-batch.

        Raises:
            SinkError: The sink refuses a change, or does not answer.
        """
        ...


@Registry
def frame_sink(sink: PipelineSink, session: SparkSession) -> FrameSink | None:
    """Return what writes DataFrames to a sink; None for one that workers write to.

    A module that knows a class of sinks registers its own.
    """
    return None


@final
@attrs.define(eq=False)
class RowHandOver(SinkOperator, FollowsSchemas):
    """Hands the changes of a micro-batch over to the driver's frames, as messages.

    Args:
        node: Number of the sink.
        book: Schemas of the tables.
    """

    node: int
    book: SchemaBook = attrs.field(factory=SchemaBook)
    _messages: ChangeHandOver | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Know the sink's tables."""
        tables: Mapping[TableId, TableSchema] = self.book.sinks
        self._messages = ChangeHandOver(self.name, self.node, tables, {})
        self._messages.open(context)

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Keep the records that the next changes come of."""
        assert self._messages is not None
        self._messages.arrives(arrow)

    def write(self, batch: Batch) -> None:
        """Make messages."""
        assert self._messages is not None
        self._messages.write(batch)

    def drain(self) -> Iterator[Report]:
        """Hand over the messages so far."""
        assert self._messages is not None
        return self._messages.drain()
