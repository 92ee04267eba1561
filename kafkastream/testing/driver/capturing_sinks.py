"""Sinks of a driven job, which keep what the job's own sinks would write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, ClassVar, NoReturn, final

import attrs

from kafkastream.kafka.producer import BY_KEY, Records
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.graph.job_graph import JobGraph, Node, PrintSink, SinkNode
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.kafka_writer import KafkaOperator
from kafkastream.spark.worker.record_encoder import RecordEncoder, schema_for_elements
from kafkastream.spark.worker.rejected_records import DeadLetters
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["CapturingKafkaOperator", "CapturingKafkaSink", "WrittenRecord", "with_capturing_sinks"]


@final
@attrs.frozen
class WrittenRecord:
    """Record that a Kafka sink would send.

    Args:
        topic: Topic.
        key: Key.
        value: Value; None for a tombstone.
        headers: Headers in the order in which they are written.
        timestamp_ms: Timestamp in ms since 1970.
        partition: Partition, chosen by the sink, or by the key as Kafka's producer does; 0 for a record without either.
    """

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int
    partition: int


@final
@attrs.frozen
class CapturingKafkaSink(Sink[Any]):
    """Kafka sink of a driven job.

    Args:
        sink: The job's own sink.
        partitions: Number of partitions of each topic; others have one.
    """

    engine_module: ClassVar[str] = __name__
    sink: KafkaSink[Any]
    partitions: Mapping[str, int] = FrozenMap()


@final
@attrs.frozen
class CapturingElementsSink(Sink[Any]):
    """Any other sink of a driven job, except those for the terminal."""

    engine_module: ClassVar[str] = __name__


def with_capturing_sinks(graph: JobGraph, partitions: Mapping[str, int]) -> JobGraph:
    """Return the graph with sinks that keep records and elements; those for the terminal stay."""
    return JobGraph(tuple(_with_capturing_sink(node, partitions) for node in graph.nodes))


def _with_capturing_sink(node: Node, partitions: Mapping[str, int]) -> Node:
    match node:
        case SinkNode(sink=KafkaSink() as sink):
            return attrs.evolve(node, sink=CapturingKafkaSink(sink, FrozenMap(partitions)))
        case SinkNode(sink=PrintSink()):
            return node
        case SinkNode():
            return attrs.evolve(node, sink=CapturingElementsSink())
        case _:
            return node


@sink_operator.register
def _(captured: CapturingKafkaSink, place: SinkPlace) -> SinkOperator:
    sink = captured.sink
    assert sink.record_serializer is not None
    encoder = RecordEncoder(schema_for_elements(sink.record_serializer, place.element_type))
    topic = sink.dead_letter_topic
    letters = None if topic is None else DeadLetters(place.name, topic, sink.properties)
    return CapturingKafkaOperator(
        name=place.name, encoder=encoder, dead_letters=letters, node=place.node, partitions=captured.partitions
    )


@sink_operator.register
def _(_: CapturingElementsSink, place: SinkPlace) -> SinkOperator:
    return CapturingElementsOperator(name=place.name, node=place.node)


@final
@attrs.define(eq=False)
class CapturingElementsOperator(SinkOperator):
    """Reports elements with their timestamps."""

    node: int
    _elements: list[tuple[Any, int | None]] = attrs.field(factory=list, init=False)

    def write(self, batch: Batch) -> None:
        """Keep the elements."""
        self._elements.extend(zip(batch.values, batch.timestamps, strict=True))

    def drain(self) -> Iterator[Report]:
        """Return the elements so far."""
        if self._elements:
            yield Report(ReportKind.ELEMENTS, self.node, self._elements)
            self._elements = []


@final
@attrs.define(eq=False)
class CapturingKafkaOperator(KafkaOperator):
    """Encodes elements as the job's sink does, and reports the records."""

    node: int
    partitions: Mapping[str, int]
    _records: list[WrittenRecord] = attrs.field(factory=list, init=False)

    @property
    def tells_of_producer(self) -> bool:
        """Always false: nothing is sent."""
        return False

    @property
    def asking(self) -> NoReturn:
        """Fail: there is no producer."""
        raise AssertionError("a driven job has no producer")

    statistics = asking

    def _knows(self, topic: str) -> bool:
        return True

    def _partitions_of(self, topic: str) -> list[int]:
        return list(range(self.partitions.get(topic, 1)))

    def _topic_limit(self, topic: str) -> int | None:
        return None

    def arrives_without_records(self) -> None:
        """Note that the next elements come from no record: their dead letters hold the elements."""
        self._arrow = None

    def write(self, batch: Batch) -> None:
        """Encode the elements."""
        for records, _ in self._encoded(batch):
            self._records += _written_records(records, self.partitions)

    def drain(self) -> Iterator[Report]:
        """Return the records so far."""
        if self._records:
            yield Report(ReportKind.ELEMENTS, self.node, self._records)
            self._records = []


def _written_records(records: Records, partitions: Mapping[str, int]) -> Iterator[WrittenRecord]:
    """Yield the records of a batch as a broker would get them; those without a timestamp get the time of writing."""
    columns = (
        records.topics,
        records.keys,
        records.values,
        repeat(()) if records.headers is None else records.headers,
        records.timestamps,
        records.partitions,
    )
    for topic, key, value, headers, timestamp, partition in zip(*columns, strict=False):  # some columns are endless
        yield WrittenRecord(
            topic,
            _encode(key),
            _encode(value),
            tuple(headers),
            timestamp or wall_clock_ms(),
            partition_of(_encode(key), partitions.get(topic, 1)) if partition == BY_KEY else partition,
        )


def _encode(text: bytes | str | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def partition_of(key: bytes | None, partitions: int) -> int:
    """Return the partition that Kafka's producer chooses for a key.

    https://github.com/apache/kafka/blob/4.1.0/clients/src/main/java/org/apache/kafka/clients/producer/internals/BuiltInPartitioner.java

    Example:
        >>> [partition_of(key, 4) for key in (b"a", b"b", b"c", None)]
        [0, 0, 2, 0]
    """
    return 0 if key is None or partitions == 1 else (_murmur2(key) & 0x7FFFFFFF) % partitions


def _murmur2(data: bytes) -> int:
    """Return the hash of a key.

    https://github.com/apache/kafka/blob/4.1.0/clients/src/main/java/org/apache/kafka/common/utils/Utils.java, ``murmur2``
    """
    factor, mask, length = 0x5BD1E995, 0xFFFFFFFF, len(data)
    digest = 0x9747B28C ^ length
    for start in range(0, length - length % 4, 4):
        word = int.from_bytes(data[start : start + 4], "little") * factor & mask
        digest = (digest * factor & mask) ^ ((word ^ word >> 24) * factor & mask)
    if length % 4:
        digest = (digest ^ int.from_bytes(data[length - length % 4 :], "little")) * factor & mask
    digest = (digest ^ digest >> 13) * factor & mask
    return digest ^ digest >> 15
