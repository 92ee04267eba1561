"""Dead letters: records that cannot be read, or made, are kept in a topic of their own, and the job goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from kafkastream.spec.record import Headers
from kafkastream.spec.record_serialization import KafkaRecordSerializationSchema, KafkaSinkContext, ProducerRecord
from kafkastream.spec.record_size import batch_bytes
from kafkastream.spec.sink import ON_EXPIRED_MARKER, DeliveryGuarantee, KafkaSink

if TYPE_CHECKING:
    from kafkastream.spec.source import KafkaSource

__all__ = ["DeadLetter", "DeadLetterSchema", "SourceRecord", "dead_letter_sink"]

_HEADER: Final = "kafkastream.error."
_CONNECTION: Final = ("bootstrap.servers", "client.dns.lookup", "sasl.", "security.", "ssl.")


@final
@attrs.frozen
class SourceRecord:
    """A record as it was read; without a topic, an element of a collection.

    Args:
        value: Its bytes.
        key: Its key's bytes.
        headers: Its headers.
        timestamp: In ms.
        topic: Where it was read.
        partition: Where in the topic.
        offset: Where in the partition.
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
    """Why a record came to nothing.

    Args:
        record: The source's record, which is kept as it was read.
        operator: The source or sink that failed.
        reason: What was raised.
        element: What the sink was to write, for eyes; None when the source failed.
    """

    record: SourceRecord
    operator: str
    reason: str
    element: str | None = None

    def to_record(self, topic: str, limit: int | None = None) -> ProducerRecord:
        """The record with headers that say where it was read and what has happened.

        Args:
            topic: Where it goes.
            limit: The most bytes that it may have; beyond them its value is left out. None for any number.

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
        headers = (*record.headers, *self._headers())
        whole = ProducerRecord(
            topic,
            record.value,
            key=record.key,
            timestamp=timestamp if timestamp is not None and timestamp > 0 else None,
            headers=headers,
        )
        size = batch_bytes(record.key, record.value, headers)
        if limit is None or size <= limit:
            return whole
        left_out = f"the value, {len(record.value or b''):,} bytes"
        return attrs.evolve(whole, value=None, headers=(*headers, (f"{_HEADER}left.out", left_out.encode())))

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


@final
@attrs.frozen
class DeadLetterSchema(KafkaRecordSerializationSchema[DeadLetter]):
    """Writes dead letters to their topic.

    Args:
        topic: Its name.
        limit: The most bytes that it takes at once; None where that is not known.
    """

    topic: str
    limit: int | None = None

    def serialize(self, element: DeadLetter, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
        """The record of a letter."""
        return element.to_record(self.topic, self.limit)


def dead_letter_sink(topic: str, source: KafkaSource[Any], sinks: Collection[KafkaSink[Any]]) -> KafkaSink[Any]:
    """The sink of a source's dead letters: on the source's brokers, as sure as the surest of the job's sinks.

    Args:
        topic: Where the letters go.
        source: Whose they are.
        sinks: The Kafka sinks that the source reaches.
    """
    surest = next((sink for sink in sinks if sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE), None)
    if surest is None:
        return KafkaSink(
            record_serializer=DeadLetterSchema(topic),
            delivery_guarantee=DeliveryGuarantee.AT_LEAST_ONCE,
            properties=_connection(source.properties),
        )
    decided = {key: value for key, value in surest.properties.items() if key == ON_EXPIRED_MARKER}
    return KafkaSink(
        record_serializer=DeadLetterSchema(topic),
        delivery_guarantee=DeliveryGuarantee.EXACTLY_ONCE,
        transactional_id_prefix=surest.transactional_id_prefix,
        properties={**_connection(source.properties), **decided},
    )


def _connection(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that say how to reach the brokers."""
    return {key: value for key, value in properties.items() if key.startswith(_CONNECTION)}
