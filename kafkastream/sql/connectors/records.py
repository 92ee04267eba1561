"""Record schemas of Kafka tables, which leave the bytes to the table's formats."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.model.connectors.partitioners import KafkaPartitioner
from kafkastream.model.connectors.record_deserialization import ConsumerRecord, KafkaRecordDeserializationSchema
from kafkastream.model.connectors.record_serialization import (
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.model.formats import InitializationContext

__all__ = ["RecordsAsEncoded", "RecordsAsRead"]


@final
@attrs.frozen
class RecordsAsRead(KafkaRecordDeserializationSchema[ConsumerRecord]):
    """Deserialization schema that returns records undecoded; the table's formats decode them.

    Args:
        with_headers: Whether to read their headers.
    """

    with_headers: bool = True

    @property
    def _columns(self) -> tuple[str, ...]:
        return tuple(name for name in super()._columns if self.with_headers or name != "headers")

    def deserialize(self, record: ConsumerRecord) -> tuple[ConsumerRecord]:
        """Return the record."""
        return (record,)


@final
@attrs.frozen
class RecordsAsEncoded(KafkaRecordSerializationSchema[ProducerRecord]):
    """Serialization schema of encoded records; only chooses topic and partition.

    Differs from Flink: the partitioner gets the encoded record, not the row.

    Args:
        topics: Topics that a record may be written to.
        partitioner: Chooses the partition; without one, the key does, as in Java's producer.

    Example:
        >>> schema = RecordsAsEncoded(("orders",))
        >>> schema.topic
        'orders'
    """

    topics: tuple[str, ...]
    partitioner: KafkaPartitioner[ProducerRecord] | None = None
    topic: str | None = attrs.field(init=False)

    @topic.default
    def _only_topic(self) -> str | None:
        return self.topics[0] if len(self.topics) == 1 else None

    def open(self, context: InitializationContext, sink_context: KafkaSinkContext) -> None:
        """Open the partitioner."""
        if self.partitioner is not None:
            self.partitioner.open(
                sink_context.get_parallel_instance_id(), sink_context.get_number_of_parallel_instances()
            )

    def serialize(self, element: ProducerRecord, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
        """Return the record, with its partition.

        Raises:
            ValueError: Its topic is not one of the table's.
        """
        if element.topic not in self.topics:
            raise ValueError(
                "The topic of the sink record is not valid. "
                f"Expected topic to be in: [{', '.join(self.topics)}] but was: {element.topic}"
            )
        if self.partitioner is None:
            return element
        partitions = context.get_partitions_for_topic(element.topic)
        chosen = self.partitioner.partition(element, element.key, element.value, element.topic, partitions)
        return attrs.evolve(element, partition=chosen)
