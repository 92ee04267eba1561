"""Decodes Arrow batches of source records to elements, on a worker."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain
from types import NoneType
from typing import Any, final

import attrs
import pyarrow as pa

from kafkastream.model.common.mutable_values import detached
from kafkastream.model.connectors.dead_letter_topics import SourceRecord
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.record_deserialization import (
    ConsumerRecord,
    Headers,
    KafkaDeserializerSchema,
    KafkaRecordDeserializationSchema,
    TimestampType,
    ValueOnlySchema,
)
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats import InitializationContext
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import CollectionSource, SourceNode
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.reports import Report
from kafkastream.spark.worker.value_decoders import decode_values, deserialize_values

__all__ = [
    "CollectionDecoder",
    "Decoder",
    "DeserializerDecoder",
    "KafkaDecoder",
    "RecordDecoder",
    "ValueDecoder",
    "columns_of",
    "decoder_of",
    "owner_subtask",
    "source_record",
    "split_name",
    "subtask_of",
    "without_record",
]


class Decoder(ABC):
    """Decodes the Arrow batches of one source to elements."""

    @property
    def rows_at_once(self) -> int:
        """Return the number of rows that batches are joined to; 0 to take them as they come."""
        return 0

    def open(self, context: RuntimeContext) -> None:
        """Prepare for records."""

    def batches(self, arrived: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        """Return the batches of records that ``decode`` takes, from those that have arrived: the same, unless rows of the
        source stand for several records.
        """
        return arrived

    @abstractmethod
    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the elements of a batch."""

    @abstractmethod
    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Describe the position of a row's record, for errors."""

    @property
    def stopped_at(self) -> int | None:
        """Return the offset of the task's first record that it leaves for a later task; None if it decodes all."""
        return None

    def begin(self) -> None:
        """Begin a task."""

    def skipped(self, number: int) -> None:
        """Count records of the task that could not be decoded and are skipped."""

    def finish(self) -> Iterator[Report]:
        """End a task; return its report for the driver, if any."""
        return iter(())


class KafkaDecoder(Decoder):
    """Base of decoders of Kafka records."""

    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the record's topic, partition and offset."""
        topic, partition, offset = (arrow[column][row].as_py() for column in ("topic", "partition", "offset"))
        return f"topic {topic}, partition {partition}, offset {offset}"


@final
@attrs.frozen
class ValueDecoder(KafkaDecoder):
    """Decodes values by a ``DeserializationSchema``."""

    schema: ValueOnlySchema[Any]

    def open(self, context: RuntimeContext) -> None:
        """Open the schema."""
        self.schema.open(InitializationContext())

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return one element per record; None drops the record."""
        values = decode_values(self.schema.schema, arrow["value"])
        batch = Batch(values, arrow["timestamp"].to_pylist(), range(len(values)))
        return _without_dropped(batch)


@final
@attrs.frozen
class DeserializerDecoder(KafkaDecoder):
    """Decodes values as a deserializer class of Kafka's Java client does."""

    schema: KafkaDeserializerSchema

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return one element per record, None for a tombstone."""
        values = deserialize_values(self.schema.deserializer, arrow["value"])
        return Batch(values, arrow["timestamp"].to_pylist(), range(len(values)))


@final
@attrs.frozen
class RecordDecoder(KafkaDecoder):
    """Decodes whole records by the user's ``KafkaRecordDeserializationSchema``."""

    schema: KafkaRecordDeserializationSchema[Any]

    def open(self, context: RuntimeContext) -> None:
        """Open the schema."""
        self.schema.open(InitializationContext())

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return any number of elements per record, each with the record's timestamp."""
        results = each(lambda row: tuple(map(detached, self.schema.deserialize(_record(row)))), arrow.to_pylist())
        origin = [row for row, elements in enumerate(results) for _ in elements]
        timestamps = arrow["timestamp"].to_pylist()
        return Batch(list(chain.from_iterable(results)), [timestamps[row] for row in origin], origin)


@final
@attrs.define(eq=False)
class CollectionDecoder(Decoder):
    """Decodes the elements of a collection."""

    _before: int = attrs.field(default=0, init=False)
    _number: int = attrs.field(default=0, init=False)

    def begin(self) -> None:
        """Count from the first element."""
        self._before = self._number = 0

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the elements, without event time."""
        self._before, self._number = self._before + self._number, arrow.num_rows
        values = [pickle.loads(value) for value in arrow["value"].to_pylist()]
        return Batch(values, [None] * len(values), range(len(values)))

    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the element's number, counted from 1 over the batches of a task."""
        return f"element {self._before + row + 1} of the collection"


def decoder_of(node: SourceNode) -> Decoder:
    """Return the decoder of a source's records."""
    if isinstance(node.source, CollectionSource):
        return CollectionDecoder()
    if isinstance(node.source, Source):
        from kafkastream.spark.worker.split_decoder import SplitDecoder

        return SplitDecoder(node.name, node.source)
    match node.source.deserializer:
        case ValueOnlySchema() as schema:
            return ValueDecoder(schema)
        case KafkaDeserializerSchema() as schema:
            return DeserializerDecoder(schema)
        case schema:
            assert schema is not None
            return RecordDecoder(schema)


def columns_of(node: SourceNode) -> tuple[str, ...]:
    """Return the columns that a source's decoder reads from its stream."""
    if isinstance(node.source, Source):
        return "topic", "partition", "offset", "timestamp"
    assert isinstance(node.source, KafkaSource)
    assert node.source.deserializer is not None
    dead_letters = ("key", "headers") if node.keeps_records else ()
    return tuple(dict.fromkeys((*node.source.deserializer._columns, *dead_letters)))


def source_record(arrow: pa.RecordBatch, row: int) -> SourceRecord:
    """Return the record in a row, with the columns that were read."""
    if "topic" not in arrow.schema.names:
        return without_record(pickle.loads(arrow["value"][row].as_py()))
    record = arrow.slice(row, 1).to_pylist()[0]
    headers = _headers(record.pop("headers", None))
    fields = (field.name for field in attrs.fields(SourceRecord))
    return SourceRecord(headers=headers, **{name: record[name] for name in fields if name in record})


def without_record(element: object) -> SourceRecord:
    """Return a substitute for the record of an element that has none: the element's text."""
    return SourceRecord(repr(element).encode(errors="replace"))


def subtask_of(arrow: pa.RecordBatch, parallelism: int) -> int:
    """Return the subtask that reads these records in Flink; the first one, for a collection."""
    if "topic" not in arrow.schema.names:
        return 0
    return owner_subtask(arrow["topic"][0].as_py(), arrow["partition"][0].as_py(), parallelism)


def owner_subtask(topic: str, partition: int, parallelism: int) -> int:
    """Return the subtask that reads a partition (Flink's KafkaSourceEnumerator.getSplitOwner).

    Example:
        >>> [owner_subtask("orders", partition, 4) for partition in range(4)]
        [3, 0, 1, 2]
    """
    text = topic.encode("utf-16-be")
    units = (int.from_bytes(text[i : i + 2], "big") for i in range(0, len(text), 2))
    java_hash = 0
    for unit in units:
        java_hash = (31 * java_hash + unit) & 0xFFFFFFFF
    start = ((java_hash * 31) & 0x7FFFFFFF) % parallelism
    return (start + partition) % parallelism


def split_name(partition: TopicPartition) -> str:
    """Return the name of a partition as a split of watermarks."""
    return f"{partition.topic}-{partition.partition}"


def _without_dropped(batch: Batch) -> Batch:
    if NoneType not in set(map(type, batch.values)):
        return batch
    return batch.rows([row for row, value in enumerate(batch.values) if value is not None])


def _record(row: dict[str, Any]) -> ConsumerRecord:
    if any(header["key"] is None for header in row["headers"] or ()):
        raise ValueError("the name of a header is not UTF-8, and the client of latency mode cannot read it")
    return ConsumerRecord(
        topic=row["topic"],
        partition=row["partition"],
        offset=row["offset"],
        timestamp=row["timestamp"],
        timestamp_type=TimestampType(row["timestampType"]),
        key=row["key"],
        value=row["value"],
        headers=_headers(row["headers"]),
    )


def _headers(rows: Iterable[dict[str, Any]] | None) -> Headers:
    return tuple((header["key"], header["value"]) for header in rows or () if header["key"] is not None)
