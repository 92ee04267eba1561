"""Writes elements to a PostgreSQL database, on a worker; those of streams by the user's statement."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, final

import attrs
import pyarrow as pa

from kafkastream.errors import DefinitionError
from kafkastream.model.common.time import Instant
from kafkastream.model.connectors.jdbc_sink import JdbcSink
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.sql_writer import SqlWriter, with_placeholders
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.spark.worker.batch_context import BatchContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.reports import Report
from kafkastream.spark.worker.slot_names import marker_owner

__all__ = ["JdbcOperator"]


@final
@attrs.define(eq=False)
class JdbcOperator(SinkOperator):
    """Writes a task's elements in one transaction, with the offset after the last record if the source has offsets.

    Args:
        identity: Identity of the sink among the job's sinks.
        make: Makes the writer, which connects at the first write.
        prepared: Converts elements for the writer.
    """

    identity: str
    make: Callable[[], SqlWriter | PostgresWriter]
    prepared: Callable[[Sequence[Any]], Sequence[Any]]
    _writer: SqlWriter | PostgresWriter | None = attrs.field(default=None, init=False)
    _origin: str = attrs.field(default="", init=False)
    _partition: TopicPartition | None = attrs.field(default=None, init=False)
    _is_begun: bool = attrs.field(default=False, init=False)
    _offsets: list[int] = attrs.field(factory=list, init=False)
    _reached: int = attrs.field(default=0, init=False)
    _end: int = attrs.field(default=0, init=False)

    def begin(self, task: TaskScope) -> None:
        """Note the origin of the task's elements."""
        self._origin, self._partition, self._is_begun = task.origin, None, False
        self._offsets, self._reached, self._end = [], 0, 0

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Note the offsets of the next elements' source records."""
        if "offset" in arrow.schema.names and "partition" in arrow.schema.names:
            self._offsets = arrow["offset"].to_pylist()
            self._partition = TopicPartition(self._origin, arrow["partition"][0].as_py())
            self._end = self._offsets[-1] + 1

    def write(self, batch: Batch) -> None:
        """Write the elements that no earlier attempt has written."""
        writer = self._begun()
        left = batch.from_offset(self._offsets, self._reached)
        writer.write(self.prepared(left.values))

    def stops(self, offset: int) -> None:
        """Leave records from this offset on to a later task."""
        self._end = offset

    def finish(self) -> Iterator[Report]:
        """Commit the transaction."""
        if self._is_begun:
            reached = {} if self._partition is None else {self._partition: max(self._end, self._reached)}
            self._begun().commit(reached)
        return self.drain()

    def abandon(self) -> None:
        """Roll back the transaction."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _begun(self) -> SqlWriter | PostgresWriter:
        if self._writer is None:
            self._writer = self.make()
        if not self._is_begun:
            told = BatchContext.of_task()
            partitions = [] if told is None or self._partition is None else [self._partition]
            self._partition = partitions[0] if partitions else None
            reached = self._writer.begin(marker_owner(told.slots if told else "", self.identity), partitions)
            self._reached = max(reached.values(), default=0)
            self._is_begun = True
        return self._writer


def _writer(sink: JdbcSink) -> SqlWriter:
    settings = PostgresSettings.of_jdbc(sink.connection, sink.execution)
    return SqlWriter(settings, sink.statement, sink.execution.batch_size or settings.flush_rows)


def _parameters(values: Sequence[Any]) -> Sequence[Any]:
    return [tuple(map(_bound, value)) for value in values]


def _bound(value: Any) -> Any:
    """Return a value as a parameter for psycopg."""
    if isinstance(value, Instant):
        return datetime.datetime.fromtimestamp(value.seconds, datetime.timezone.utc).replace(
            microsecond=value.nanos // 1000
        )
    return value


@sink_operator.register
def _(sink: JdbcSink, place: SinkPlace) -> SinkOperator:
    _, wanted = with_placeholders(sink.statement)
    given = len(sink.type_info.field_names)
    if wanted != given:
        raise DefinitionError(
            f"the statement has {wanted} placeholders, and the rows have {given} fields",
            where=f"JdbcSink {place.name!r}: {sink.statement}",
            now="Write one ? for each field.",
        )
    return JdbcOperator(place.name, place.identity, partial(_writer, sink), _parameters)
