"""Kafka sinks on a worker: encode elements to records and produce them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, final

import attrs
import pyarrow as pa

from kafkastream.errors import JobError
from kafkastream.kafka.properties import STATISTICS_INTERVAL
from kafkastream.kafka.statistics import PRODUCER_METRICS, ProducerStatistics
from kafkastream.metrics.groups import Counter, MetricGroup
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.dead_letter_topics import SourceRecord
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batch_context import BatchContext
from kafkastream.spark.worker.batches import Batch, ElementError, salvaged
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.failures import not_encoded
from kafkastream.spark.worker.record_decoders import source_record, without_record
from kafkastream.spark.worker.record_encoder import RecordEncoder, records_of
from kafkastream.spark.worker.rejected_records import DeadLetters
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import WORKER_CACHE, JobAttempt, tried_before

if TYPE_CHECKING:
    from kafkastream.kafka.producer import RecordProducer, Records
    from kafkastream.kafka.properties import TransactionProperties
    from kafkastream.spark.worker.transactional_writer import SlotCounters, TransactionalWriter

__all__ = ["KafkaOperator", "ProducingOperator", "TransactionalOperator", "slot_name"]

"""Producers of this worker by sink, shared by its tasks."""


@attrs.define(eq=False)
class KafkaOperator(SinkOperator):
    """Writes elements as records; subclasses implement the delivery guarantees.

    Args:
        encoder: Encodes elements to records.
        dead_letters: Takes elements that cannot be encoded; without it they fail the job.
    """

    encoder: RecordEncoder
    dead_letters: DeadLetters | None = attrs.field(kw_only=True)
    _arrow: pa.RecordBatch | None = attrs.field(default=None, init=False)
    _written: tuple[Counter, ...] = attrs.field(default=(), init=False)
    _written_bytes: tuple[Counter, ...] = attrs.field(default=(), init=False)
    _errors: tuple[Counter, ...] = attrs.field(default=(), init=False)

    def open(self, context: RuntimeContext) -> None:
        """Prepare the encoder and the metrics, which newer Flink counts under both names."""
        if self.dead_letters is not None:
            self.dead_letters.open(self._knows, self._topic_limit)
        self.encoder.open(context, self._partitions_of, None if self.dead_letters is None else self.dead_letters.admit)
        group = context.get_metrics_group()
        self._written = (group._own_counter("numRecordsOut"), group._own_counter("numRecordsSend"))
        self._written_bytes = (group._own_counter("numBytesOut"), group._own_counter("numBytesSend"))
        self._errors = (group._own_counter("numRecordsOutErrors"), group._own_counter("numRecordsSendErrors"))
        if self.tells_of_producer:
            self._register_producer(group)

    @property
    @abstractmethod
    def tells_of_producer(self) -> bool:
        """True if the producer's own metrics are to be registered."""

    @property
    @abstractmethod
    def statistics(self) -> ProducerStatistics:
        """Statistics of the producer."""

    def _register_producer(self, group: MetricGroup) -> None:
        group.gauge("currentSendTime", lambda: self.statistics.send_time_ms)
        producer = group.add_group("KafkaProducer")
        for name in PRODUCER_METRICS:
            producer.gauge(name, partial(self.statistics.metric, name))

    @property
    @abstractmethod
    def asking(self) -> RecordProducer:
        """Return the producer that looks up topics and their partitions."""

    def _knows(self, topic: str) -> bool:
        return self.asking.knows(topic)

    def _topic_limit(self, topic: str) -> int | None:
        from kafkastream.kafka.admin import Cluster

        assert self.dead_letters is not None
        limit = Cluster(self.dead_letters.client).topic_setting(topic, "max.message.bytes")
        return None if limit is None else int(limit)

    def _partitions_of(self, topic: str) -> list[int]:
        return self.asking.partitions_of(topic)

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Keep the source records, if dead letters may need them; rows of a query have none."""
        if self.dead_letters is not None and "value" in arrow.schema.names:
            self._arrow = arrow

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the error of an element that cannot be encoded."""
        return not_encoded(self.name, element, position, error)

    def _encoded(self, batch: Batch) -> Iterator[tuple[Records, int]]:
        """Return the records of a batch, and their size in bytes."""
        if self.dead_letters is None:
            yield self._counted(self.encoder.encode(batch))
            return
        letters = []
        for index, found in salvaged(
            lambda begin, end: self.encoder.encode(batch.between(begin, end)), len(batch.values)
        ):
            if isinstance(found, ElementError):
                letters.append(self.dead_letters.letter(self._record(batch, index), batch.values[index], found))
            else:
                yield self._counted(found)
        if letters:
            for counter in self._errors:
                counter.inc(len(letters))
            records = records_of(letters)
            yield records, records.payload_bytes

    def _record(self, batch: Batch, index: int) -> SourceRecord:
        """Return the source record of an element; after keyed operators the element's text replaces it."""
        if self._arrow is None:
            return without_record(batch.values[index])
        return source_record(self._arrow, batch.origin[index])

    def _counted(self, records: Records) -> tuple[Records, int]:
        payload_bytes = records.payload_bytes
        for counter in self._written:
            counter.inc(records.number)
        for counter in self._written_bytes:
            counter.inc(payload_bytes)
        return records, payload_bytes


@final
@attrs.define(eq=False)
class ProducingOperator(KafkaOperator):
    """Writes by the worker's producer: at least once, or without guarantee."""

    node: int
    run: JobAttempt
    properties: FrozenMap[str, str]
    flush_each_task: bool
    _producer: RecordProducer | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Get the worker's producer."""
        from kafkastream.kafka.producer import RecordProducer

        key = ("producer", self.node)
        self._producer = WORKER_CACHE.take(self.run, key, lambda: RecordProducer(self.properties, self.name))
        WORKER_CACHE.keep(self.run, key, self._producer)
        super().open(context)

    @property
    def asking(self) -> RecordProducer:
        """Return the producer that writes."""
        assert self._producer is not None
        return self._producer

    @property
    def tells_of_producer(self) -> bool:
        """True if the producer's own metrics are to be registered."""
        return STATISTICS_INTERVAL in self.properties

    @property
    def statistics(self) -> ProducerStatistics:
        """Statistics of the worker's producer."""
        return self.asking.statistics

    def write(self, batch: Batch) -> None:
        """Encode the elements and pass them to the producer."""
        assert self._producer is not None
        for records, _ in self._encoded(batch):
            self._producer.send(records)

    def flush(self) -> None:
        """Flush the producer, unless the guarantee is NONE."""
        if self.flush_each_task and self._producer is not None:
            self._producer.flush()

    def finish(self) -> Iterator[Report]:
        """Flush the producer, unless the guarantee is NONE."""
        self.flush()
        yield from self.drain()


@final
@attrs.define(eq=False)
class TransactionalOperator(KafkaOperator):
    """Writes exactly once: in transactions of a slot, each with the slot's new marker.

    Args:
        properties: Properties of its clients.
        prefix: The user's transactional id prefix, with which its slots' names begin.
        sink: Identity of the sink among the job's sinks, a part of its slots' names.
    """

    properties: TransactionProperties
    prefix: str
    sink: str
    statistics: ProducerStatistics = attrs.field(factory=ProducerStatistics, init=False)
    _asking: RecordProducer | None = attrs.field(default=None, init=False)
    _task: TransactionalWriter | None = attrs.field(default=None, init=False)
    _writers: dict[str, TransactionalWriter] = attrs.field(factory=dict, init=False)
    _counters: SlotCounters | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Prepare the encoder, and register counters of transactions."""
        from kafkastream.spark.worker.transactional_writer import SlotCounters

        super().open(context)
        self._counters = SlotCounters.of(context.get_metrics_group())

    @property
    def tells_of_producer(self) -> bool:
        """True if the producer's own metrics are to be registered."""
        return STATISTICS_INTERVAL in self.properties.producer

    @property
    def asking(self) -> RecordProducer:
        """Return a producer of this sink's own, as in Flink, to look up topics; most sinks never need it."""
        from kafkastream.kafka.producer import RecordProducer

        self._asking = self._asking or RecordProducer(self.properties.producer, self.name)
        return self._asking

    def begin(self, task: TaskScope) -> None:
        """Determine the slot, which is the same for the same records in every attempt.

        A task of an epoch has several partitions, and a writer for each, which it returns to.
        """
        if task.origin not in self._writers:
            self._writers[task.origin] = self._writer(task)
        self._task = self._writers[task.origin]

    def _writer(self, task: TaskScope) -> TransactionalWriter:
        from kafkastream.spark.worker.transactional_writer import TransactionalWriter

        assert self._counters is not None
        told = BatchContext.of_task()
        assert told is not None
        return TransactionalWriter(
            self.properties,
            slot_name(self.prefix, told.slots, self.sink, task.origin),
            self.name,
            self.encoder.schema.topic,
            told.batch,
            () if tried_before() else told.writers,  # the first attempt may have opened the slot
            self._counters,
            self.statistics,
        )

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Note the source records of the next elements; write the buffered ones if they are enough."""
        super().arrives(arrow)
        self._begun.arrives(arrow)

    def write(self, batch: Batch) -> None:
        """Encode the elements that were not written before, and buffer them."""
        left = self._begun.left_of(batch)
        if left.values:
            for records, payload_bytes in self._encoded(left):
                if records.number:
                    self._begun.add(records, payload_bytes)

    def stops(self, offset: int) -> None:
        """Leave records from this offset on to a later task of the same micro-batch."""
        self._begun.stops(offset)

    def publish(self, offset: int) -> None:
        """Write the buffered records in a transaction."""
        self._begun.stops(offset)
        self._begun.publish()

    def finish(self) -> Iterator[Report]:
        """Write the rest, and report the slots' writers."""
        for one in self._writers.values():
            one.finish()
        yield from self.drain()
        for one in self._writers.values():
            if one.writer is not None:
                yield Report(ReportKind.WRITER, self.scope.node, one.writer)
        self._writers.clear()

    def abandon(self) -> None:
        """Discard the rest of the task."""
        for one in self._writers.values():
            one.abandon()
        self._writers.clear()

    @property
    def _begun(self) -> TransactionalWriter:
        assert self._task is not None
        return self._task


def slot_name(prefix: str, slots: str, sink: str, origin: str) -> str:
    """Return the ``transactional.id`` of a slot, which is also the consumer group that holds its marker.

    Args:
        prefix: The user's transactional id prefix.
        slots: Common part of the names of the query's slots, unique to it (``SlotNames.id``).
        sink: Identity of the sink.
        origin: Origin of the records.

    Example:
        >>> slot_name("orders", "5d2f", "copy", "in-orders-3")
        'orders-5d2f-copy-in-orders-3'
    """
    return f"{prefix}-{slots}-{sink}-{origin}"
