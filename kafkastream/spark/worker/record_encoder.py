"""Encodes batches of elements to Kafka records by a sink's record schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from types import NoneType
from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.partitioners import KafkaPartitioner
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.connectors.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    MessagesAsEncoded,
    ProducerRecord,
)
from kafkastream.model.formats import ByteArraySchema, InitializationContext, SerializationSchema, SimpleStringSchema
from kafkastream.model.formats.rows_by_position import by_position
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch, ElementError, each

if TYPE_CHECKING:
    from kafkastream.kafka.producer import Records

__all__ = ["RecordEncoder", "records_of", "schema_for_elements"]

Admit = Callable[["str", "bytes | str | None", "bytes | str | None", Headers], None]

_TIME_OF_WRITING = 0
_TIME_ZERO = "event time 0 (1970-01-01) cannot be written, which Kafka's C client takes for the time of writing: use 1 ms or more"


@final
@attrs.define(eq=False)
class RecordEncoder:
    """Encodes elements to records.

    The schema's ``serialize`` defines the result. Schemas from the builder are evaluated column by column, which is
    faster and gives the same records.

    Args:
        schema: Record schema of the sink.
    """

    schema: KafkaRecordSerializationSchema[Any]
    _context: KafkaSinkContext | None = attrs.field(default=None, init=False)
    _admit: Admit | None = attrs.field(default=None, init=False)

    def open(
        self, context: RuntimeContext, partitions_of: Callable[[str], list[int]], admit: Admit | None = None
    ) -> None:
        """Open the schema with all its parts.

        Args:
            context: The subtask.
            partitions_of: Looks up the partitions of a topic on the brokers.
            admit: Raises if a record with this topic, key, value and headers must not be written.
        """
        self._admit = admit
        self._context = KafkaSinkContext(context.subtask, context.parallelism, partitions_of)
        self.schema.open(InitializationContext(), self._context)

    def encode(self, batch: Batch) -> Records:
        """Return the records of a batch, in its order.

        Raises:
            ElementError: An element cannot be encoded.
            DeliveryError: The partitions of a topic cannot be looked up.
        """
        assert self._context is not None
        if isinstance(self.schema, MessagesAsEncoded):
            return _changes(batch, self._admit)
        if isinstance(self.schema, BuiltRecordSerializationSchema):
            return _built(self.schema, self._context, batch, self._admit)
        return _own(self.schema, self._context, batch, self._admit)


def _changes(batch: Batch, admit: Admit | None) -> Records:
    """Return the records that a pipeline has encoded."""
    from kafkastream.kafka.producer import Records

    topics, values, keys, partitions, headers = zip(*batch.values, strict=True) if batch.values else ((),) * 5
    if admit is not None:
        each(_by_value(admit), values, topics, keys, headers)
    return Records(topics, values, keys, partitions, repeat(_TIME_OF_WRITING), headers if any(headers) else None)


def _built(
    schema: BuiltRecordSerializationSchema[Any], context: KafkaSinkContext, batch: Batch, admit: Admit | None
) -> Records:
    """Encode column by column; no Python code of this package runs per element, unless there is a partitioner."""
    from kafkastream.kafka.producer import BY_KEY, Records

    elements, partitioner = batch.values, schema.partitioner
    topics = None if schema.topic is not None else _topics(schema, elements)
    values = _encode(schema.value_schema, elements)
    keys = None if schema.key_schema is None else _encode(schema.key_schema, elements)
    records = Records(
        topics=repeat(schema.topic or "") if topics is None else topics,
        values=values,
        keys=repeat(None) if keys is None else keys,
        partitions=repeat(BY_KEY),
        timestamps=_written_times(batch.timestamps) if schema.writes_timestamps else repeat(_TIME_OF_WRITING),
        headers=None if schema.header_provider is None else each(_headers_of(schema.header_provider), elements),
    )
    if admit is not None:
        each(_by_value(admit), records.values, records.topics, records.keys, records.headers or repeat(()))
    return records if partitioner is None else _placed(records, partitioner, context, elements)


def _headers_of(provider: HeaderProvider[Any]) -> Callable[[Any], Headers]:
    def checked(element: Any) -> Headers:
        headers = provider.get_headers(element)
        _check_headers(headers)
        return headers

    return checked


def _by_value(admit: Admit) -> Callable[..., None]:
    return lambda value, topic, key, headers: admit(topic, key, value, headers)


def _placed(
    records: Records, partitioner: KafkaPartitioner[Any], context: KafkaSinkContext, elements: Sequence[Any]
) -> Records:
    """Return the records with the partitioner's partitions."""
    topics = [topic for topic, _ in zip(records.topics, elements, strict=False)]
    known = {topic: context.get_partitions_for_topic(topic) for topic in dict.fromkeys(topics)}
    allowed = {topic: frozenset(partitions) for topic, partitions in known.items()}

    def one(element: Any, key: bytes | str | None, value: bytes | str | None, topic: str) -> int:
        partition: object = partitioner.partition(element, _bytes(key), _bytes(value), topic, known[topic])
        if not isinstance(partition, int) or isinstance(partition, bool) or partition not in allowed[topic]:
            raise ValueError(
                f"the partitioner {type(partitioner).__name__} chose {partition!r} for topic {topic!r}, whose "
                f"partitions are {', '.join(map(str, known[topic]))}"
            )
        return partition

    return records._replace(partitions=each(one, elements, records.keys, records.values, topics))


def _own(
    schema: KafkaRecordSerializationSchema[Any], context: KafkaSinkContext, batch: Batch, admit: Admit | None
) -> Records:
    """Encode record by record by the user's schema; elements for which it returns None are dropped."""

    def one(element: Any, timestamp: int | None) -> ProducerRecord | None:
        record = schema.serialize(element, context, timestamp)
        if record is not None:
            _check(record)
            if admit is not None:
                admit(record.topic, record.key, record.value, record.headers)
        return record

    return records_of([record for record in each(one, batch.values, batch.timestamps) if record is not None])


def records_of(made: Sequence[ProducerRecord]) -> Records:
    """Yield encoded records column by column."""
    from kafkastream.kafka.producer import BY_KEY, Records

    return Records(
        topics=[record.topic for record in made],
        values=[record.value for record in made],
        keys=[record.key for record in made],
        partitions=[BY_KEY if record.partition is None else record.partition for record in made],
        timestamps=[_TIME_OF_WRITING if record.timestamp is None else record.timestamp for record in made],
        headers=[record.headers for record in made] if any(record.headers for record in made) else None,
    )


def schema_for_elements(
    schema: KafkaRecordSerializationSchema[Any], element_type: TypeInformation[Any] | None
) -> KafkaRecordSerializationSchema[Any]:
    """Return the schema that writes elements of a declared type: rows by position, as in Flink."""
    if not isinstance(schema, BuiltRecordSerializationSchema):
        return schema
    key, value = (by_position(part, element_type) for part in (schema.key_schema, schema.value_schema))
    return attrs.evolve(schema, key_schema=key, value_schema=value)


_FIELDS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("topic", (str,), "str"),
    ("value", (bytes, NoneType), "bytes or None"),
    ("key", (bytes, NoneType), "bytes or None"),
    ("partition", (int, NoneType), "int or None"),
    ("timestamp", (int, NoneType), "int or None"),
)


def _check(record: object) -> None:
    """Check the types of a ``ProducerRecord``, as Java's compiler would, and the limits of Kafka's C client."""
    if not isinstance(record, ProducerRecord):
        raise TypeError(f"serialize returned neither a ProducerRecord nor None, its result is of type {_type(record)}")
    for field, kinds, wanted in _FIELDS:
        found = getattr(record, field)
        if not isinstance(found, kinds):
            raise TypeError(f"the record's {field} is of type {_type(found)}, not {wanted}")
    if record.timestamp == 0:
        raise ValueError(_TIME_ZERO)
    if record.headers:
        _check_headers(record.headers)


def _check_headers(headers: object) -> None:
    if not isinstance(headers, (tuple, list)):
        raise TypeError(f"the headers are of type {_type(headers)}, not pairs of str and bytes")
    for header in headers:
        match header:
            case (str(), bytes() | None):
                pass
            case _:
                raise TypeError(f"a header is a pair of str and bytes, or None, not {header!r}")


def _encode(schema: SerializationSchema[Any] | None, values: Sequence[Any]) -> Sequence[bytes | str | None]:
    assert schema is not None
    if isinstance(schema, SimpleStringSchema) and schema.is_utf8:
        texts = _checked(values, "the schema writes str, the element is", str)
        return texts if _has_utf8(texts) else each(schema.serialize, texts)
    if isinstance(schema, ByteArraySchema):
        return _checked(values, "the schema writes bytes, the element is", bytes)
    return _checked(
        each(schema.serialize, values), "serialize returned no bytes, its result is", bytes, str, type(None)
    )


def _has_utf8(texts: Sequence[str]) -> bool:
    """Return whether UTF-8 has all characters of texts, in which it lacks only halves of surrogate pairs."""
    whole = "".join(texts)
    if whole.isascii():
        return True
    try:
        whole.encode()
    except UnicodeEncodeError:
        return False
    return True


def _written_times(timestamps: Sequence[int | None]) -> Iterable[int]:
    """Return event times for the client: none and negative ones become 0, which means the time of writing."""
    known = [timestamp for timestamp in timestamps if timestamp is not None]
    if len(known) == len(timestamps) and min(known) > 0:
        return known
    if 0 in timestamps:
        raise ElementError(timestamps.index(0)) from ValueError(_TIME_ZERO)
    return [max(timestamp or _TIME_OF_WRITING, _TIME_OF_WRITING) for timestamp in timestamps]


def _topics(schema: BuiltRecordSerializationSchema[Any], values: Sequence[Any]) -> Sequence[str]:
    return _checked(each(schema.topic_of, values), "the topic selector returned no name of a topic, its result is", str)


def _checked(values: Sequence[Any], what: str, *kinds: type) -> Sequence[Any]:
    """Check the set of types that occur, and search for the bad value only if one is wrong."""

    def check(value: object) -> None:
        if not isinstance(value, kinds):
            raise TypeError(f"{what} of type {_type(value)}")

    if not all(issubclass(found, kinds) for found in set(map(type, values))):
        each(check, values)
    return values


def _bytes(value: bytes | str | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _type(value: object) -> str:
    return type(value).__name__
