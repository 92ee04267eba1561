"""Dead letters: records that cannot be read or written are kept in a topic of their own, and the job continues."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from kafkastream.model.connectors.kafka_sink import ON_EXPIRED_MARKER, DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.connectors.record_serialization import (
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.model.connectors.record_size import batch_bytes

if TYPE_CHECKING:
    from kafkastream.model.connectors.kafka_source import KafkaSource

__all__ = ["DeadLetter", "DeadLetterSchema", "SourceRecord", "dead_letter_sink", "fitting"]

_HEADER: Final = "kafkastream.error."
_CONNECTION: Final = ("bootstrap.servers", "client.dns.lookup", "sasl.", "security.", "ssl.")


@final
@attrs.frozen
class SourceRecord:
    """A record as it was read; without a topic, an element of a collection.

    Args:
        value: Bytes of the value.
        key: Bytes of the key.
        headers: Pairs of name and bytes.
        timestamp: Timestamp in ms since 1970.
        topic: Topic that it was read from; None for an element of a collection.
        partition: Partition of the topic.
        offset: Offset in the partition.
    """

    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    timestamp: int | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None


@final
@attrs.frozen
class DeadLetter:
    """Dead letter: a record that could not be processed, with the reason.

    Args:
        record: Source record, kept as it was read.
        operator: The source or sink that failed.
        reason: Error that was raised.
        element: Text of the element that the sink failed to write; None if the source failed.
    """

    record: SourceRecord
    operator: str
    reason: str
    element: str | None = None

    def to_record(self, topic: str) -> ProducerRecord:
        """Return the record with headers for its position and the error.

        Example:
            >>> record = SourceRecord(b"{", topic="orders", partition=3, offset=7)
            >>> for name, value in DeadLetter(record, "orders", "ValueError: no JSON").to_record("dead").headers:
            ...     print(name, value.decode())
            kafkastream.error.topic orders
            kafkastream.error.partition 3
            kafkastream.error.offset 7
            kafkastream.error.operator orders
            kafkastream.error.reason ValueError: no JSON
        """
        record, timestamp = self.record, self.record.timestamp
        return ProducerRecord(
            topic,
            record.value,
            key=record.key,
            timestamp=timestamp if timestamp is not None and timestamp > 0 else None,
            headers=(*record.headers, *self._headers()),
        )

    def _headers(self) -> Iterator[tuple[str, bytes]]:
        told = {
            "topic": self.record.topic,
            "partition": self.record.partition,
            "offset": self.record.offset,
            "operator": self.operator,
            "reason": self.reason,
            "element": self.element,
        }
        for name, value in told.items():
            if value is not None:
                yield f"{_HEADER}{name}", str(value).encode(errors="replace")


def fitting(letter: ProducerRecord, limit_for: Callable[[int], int | None]) -> ProducerRecord:
    """Return a letter that fits its topic: without its value, if it would be too large.

    Args:
        letter: Record of a letter.
        limit_for: Function from the record's size to the maximum, both in bytes; None for no limit.
    """
    size = batch_bytes(letter.key, letter.value, letter.headers)
    limit = limit_for(size)
    if limit is None or size <= limit:
        return letter
    left_out = f"the value, {len(letter.value or b''):,} bytes"
    return attrs.evolve(letter, value=None, headers=(*letter.headers, (f"{_HEADER}left.out", left_out.encode())))


@final
@attrs.frozen
class DeadLetterSchema(KafkaRecordSerializationSchema[DeadLetter]):
    """Writes dead letters to their topic.

    Args:
        topic: Name of the topic.
        limit: Maximum size of a record in bytes; None if unknown.
    """

    topic: str
    limit: int | None = None

    def serialize(self, element: DeadLetter, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
        """Return the record of a letter."""
        return fitting(element.to_record(self.topic), lambda _: self.limit)


def dead_letter_sink(topic: str, source: KafkaSource[Any], sinks: Collection[KafkaSink[Any]]) -> KafkaSink[Any]:
    """Return the sink of a source's dead letters, on its brokers, with the strongest guarantee of the job's sinks.

    Args:
        topic: Topic of the letters.
        source: Source of the records.
        sinks: Kafka sinks that the source's elements reach.
    """
    surest = next((sink for sink in sinks if sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE), None)
    connection = {key: value for key, value in source.properties.items() if key.startswith(_CONNECTION)}
    letters = KafkaSink(
        record_serializer=DeadLetterSchema(topic),
        delivery_guarantee=DeliveryGuarantee.AT_LEAST_ONCE,
        properties=connection,
    )
    if surest is None:
        return letters
    return attrs.evolve(
        letters,
        delivery_guarantee=surest.delivery_guarantee,
        transactional_id_prefix=surest.transactional_id_prefix,
        properties={**connection, ON_EXPIRED_MARKER: surest.on_expired_marker.value},
    )
