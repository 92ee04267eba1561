"""The ends of a chain on a worker: Kafka, the terminal, the calling program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.errors import JobError
from kafkastream.metrics.groups import Counter
from kafkastream.spark.batches import Batch, ElementError, each
from kafkastream.spark.failures import not_encoded
from kafkastream.spark.operators import Operator
from kafkastream.spark.reports import Report, ReportKind
from kafkastream.spec.formats import ByteArraySchema, SerializationSchema, SimpleStringSchema
from kafkastream.spec.functions import RuntimeContext
from kafkastream.spec.graph import PrintSink
from kafkastream.spec.printing import printed
from kafkastream.spec.sink import KafkaRecordSerializationSchema
from kafkastream.spec.types import TypeInformation
from kafkastream.spec.values import FrozenMap

if TYPE_CHECKING:
    from kafkastream.kafka.producer import RecordProducer

__all__ = ["CollectOperator", "KafkaOperator", "PrintOperator", "SinkOperator"]

_NOTHING = Batch((), (), ())


@attrs.define(eq=False)
class SinkOperator(Operator):
    """An operator that nothing comes out of; what it has to tell the driver is drained and reported."""

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Take in a batch."""

    def apply(self, batch: Batch) -> Batch:
        """Write the batch; nothing comes out."""
        self.write(batch)
        return _NOTHING

    def drain(self) -> Iterator[Report]:
        """What has to be reported of the batches so far."""
        return iter(())

    def finish(self) -> Iterator[Report]:
        """End the task: make sure of what was written, and report the rest."""
        return self.drain()


@attrs.define(eq=False)
class _ReportingOperator(SinkOperator):
    node: int
    _pending: list[Any] = attrs.field(factory=list, init=False)

    def _take(self, kind: ReportKind) -> Iterator[Report]:
        if self._pending:
            yield Report(kind, self.node, self._pending)
            self._pending = []


@final
@attrs.define(eq=False)
class CollectOperator(_ReportingOperator):
    """Sends elements to the calling program."""

    def write(self, batch: Batch) -> None:
        """Keep the elements for the next report."""
        self._pending.extend(batch.values)

    def drain(self) -> Iterator[Report]:
        """The elements so far."""
        return self._take(ReportKind.ELEMENTS)


@final
@attrs.define(eq=False)
class PrintOperator(_ReportingOperator):
    """Sends lines to the program's terminal, in Flink's format."""

    sink: PrintSink
    output_type: TypeInformation[Any] | None
    _prefix: str = attrs.field(default="", init=False)

    def open(self, context: RuntimeContext) -> None:
        """Fix the prefix: identifier, and the subtask when there are several (Flink's PrintSinkOutputWriter)."""
        identifier = self.sink.identifier
        subtask = str(context.subtask + 1) if context.parallelism > 1 else ""
        prefix = ":".join(filter(None, (identifier, subtask)))
        self._prefix = f"{prefix}> " if prefix else ""

    def write(self, batch: Batch) -> None:
        """Format the elements."""
        self._pending.extend(self._prefix + printed(value, self.output_type) for value in batch.values)

    def drain(self) -> Iterator[Report]:
        """The lines so far."""
        return self._take(ReportKind.LINES)


@final
@attrs.define(eq=False)
class KafkaOperator(SinkOperator):
    """Writes records to Kafka with the worker's producer."""

    node: int
    run_id: str
    schema: KafkaRecordSerializationSchema[Any]
    properties: FrozenMap[str, str]
    flush_each_task: bool
    _written: tuple[Counter, ...] = attrs.field(default=(), init=False)
    _producer: RecordProducer | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Take the worker's producer; newer Flink counts records under both names."""
        from kafkastream.kafka.producer import shared_producer

        self._producer = shared_producer(self.run_id, self.node, self.name, self.properties)
        group = context.get_metrics_group()
        self._written = (group._own_counter("numRecordsOut"), group._own_counter("numRecordsSend"))

    def write(self, batch: Batch) -> None:
        """Encode the elements and hand them to the producer, with their event time as the record's timestamp."""
        schema, values, producer = self.schema, batch.values, self._producer
        assert producer is not None
        topics = repeat(schema.topic) if schema.topic is not None else _topics(schema, values)
        keys = repeat(None) if schema.key_schema is None else _encode(schema.key_schema, values)
        encoded = _encode(schema.value_schema, values)
        timestamps = _written_times(batch.timestamps)
        if schema.header_provider is None:
            producer.send(topics, encoded, keys, timestamps)
        else:
            headers = each(schema.header_provider.get_headers, values)
            producer.send_with_headers(zip(topics, encoded, keys, timestamps, headers, strict=False))
        for counter in self._written:
            counter.inc(len(values))

    def finish(self) -> Iterator[Report]:
        """Make sure of what was written, as far as the guarantee asks."""
        if self.flush_each_task and self._producer is not None:
            self._producer.flush()
        yield from self.drain()

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """An element could not be made a record."""
        return not_encoded(self.name, element, position, error)


def _encode(schema: SerializationSchema[Any] | None, values: Sequence[Any]) -> Iterable[bytes | str | None]:
    assert schema is not None
    if isinstance(schema, SimpleStringSchema) and schema.is_utf8:
        return _checked(values, "the schema writes str, the element is", str)
    if isinstance(schema, ByteArraySchema):
        return _checked(values, "the schema writes bytes, the element is", bytes)
    return _checked(
        each(schema.serialize, values), "serialize returned no bytes, its result is", bytes, str, type(None)
    )


def _written_times(timestamps: Sequence[int | None]) -> Iterable[int]:
    """Event times as the client takes them: none and negative ones become 0, which stands for the time of writing."""
    known = [timestamp for timestamp in timestamps if timestamp is not None]
    if len(known) == len(timestamps) and min(known) > 0:
        return known
    if 0 in timestamps:
        raise ElementError(timestamps.index(0)) from ValueError(
            "event time 0 (1970-01-01) cannot be written: Kafka's C client takes it for the time of writing"
        )
    return [max(timestamp or 0, 0) for timestamp in timestamps]


def _topics(schema: KafkaRecordSerializationSchema[Any], values: Sequence[Any]) -> Sequence[str]:
    return _checked(each(schema.topic_of, values), "the topic selector returned no name of a topic, its result is", str)


def _checked(values: Sequence[Any], what: str, *kinds: type) -> Sequence[Any]:
    """Check types by the handful that occur, and look for the culprit only when there is one."""

    def check(value: object) -> None:
        if not isinstance(value, kinds):
            raise TypeError(f"{what} of type {type(value).__name__}")

    if not all(issubclass(found, kinds) for found in set(map(type, values))):
        each(check, values)
    return values
