"""Elements as Kafka records: what a sink's record schema makes of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.spark.batches import Batch, ElementError, each
from kafkastream.spec.formats import ByteArraySchema, SerializationSchema, SimpleStringSchema
from kafkastream.spec.functions import RuntimeContext
from kafkastream.spec.sink import KafkaRecordSerializationSchema

if TYPE_CHECKING:
    from kafkastream.kafka.producer import Records

__all__ = ["RecordEncoder"]


@final
@attrs.frozen
class RecordEncoder:
    """Makes records of elements, with their event time as the records' timestamp.

    Args:
        schema: What makes topic, key, value and headers.
    """

    schema: KafkaRecordSerializationSchema[Any]

    def open(self, context: RuntimeContext) -> None:
        """Prepare for elements."""

    def encode(self, batch: Batch) -> Records:
        """The records of a batch, in its order.

        Raises:
            ElementError: No record can be made of an element.
        """
        from kafkastream.kafka.producer import BY_KEY, Records

        schema, values = self.schema, batch.values
        return Records(
            topics=repeat(schema.topic) if schema.topic is not None else _topics(schema, values),
            values=_encode(schema.value_schema, values),
            keys=repeat(None) if schema.key_schema is None else _encode(schema.key_schema, values),
            partitions=repeat(BY_KEY),
            timestamps=_written_times(batch.timestamps),
            headers=None if schema.header_provider is None else each(schema.header_provider.get_headers, values),
        )


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
