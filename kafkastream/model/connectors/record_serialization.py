"""Serialization schemas: an element becomes a Kafka record; the classes that users implement, and their context."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.formats import InitializationContext

if TYPE_CHECKING:
    from kafkastream.model.connectors.record_builders import KafkaRecordSerializationSchemaBuilder

__all__ = [
    "HeaderProvider",
    "KafkaRecordSerializationSchema",
    "KafkaSinkContext",
    "MessagesAsEncoded",
    "ProducerRecord",
    "TopicSelector",
]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)


def _tuple(headers: Iterable[tuple[str, bytes | None]]) -> Headers:
    return tuple(headers)


@final
@attrs.frozen
class ProducerRecord:
    """A record to be written to Kafka.

    Differs from Java: fields, not methods, and all but topic and value are named.

    Args:
        topic: Topic of the record.
        value: Value; None for a tombstone.
        key: Key; None for no key.
        partition: Partition; None to choose it by the key, as Kafka's own partitioner does.
        timestamp: Timestamp in ms since 1970; None for the time of writing. 0 cannot be written: Kafka's C client
            treats it as None.
        headers: Pairs of name and bytes.

    Raises:
        ValueError: There is no topic, or partition or timestamp is negative.

    Example:
        >>> ProducerRecord("orders", b"7 apples", key=b"apples", timestamp=1000).partition is None
        True
    """

    topic: str
    value: bytes | None
    key: bytes | None = attrs.field(default=None, kw_only=True)
    partition: int | None = attrs.field(default=None, kw_only=True)
    timestamp: int | None = attrs.field(default=None, kw_only=True)
    headers: Headers = attrs.field(default=(), kw_only=True, converter=_tuple)

    def __attrs_post_init__(self) -> None:
        if not self.topic:
            raise ValueError("Topic cannot be null.")
        if self.timestamp is not None and self.timestamp < 0:
            raise ValueError(f"Invalid timestamp: {self.timestamp}. Timestamp should always be non-negative or null.")
        if self.partition is not None and self.partition < 0:
            raise ValueError(
                f"Invalid partition: {self.partition}. Partition number should always be non-negative or null."
            )


@final
@attrs.frozen
class KafkaSinkContext:
    """Context of a serialization schema: its subtask, and the partitions of topics.

    In tests of your own schema, make one with any function for the partitions.

    Args:
        parallel_instance_id: The number of this subtask, from 0.
        number_of_parallel_instances: Number of subtasks of the sink.
        partitions_of: The partitions of a topic; a job's are kept until it is started again.

    Example:
        >>> context = KafkaSinkContext(1, 4, lambda topic: [0, 1, 2])
        >>> context.get_parallel_instance_id(), context.get_partitions_for_topic("orders")
        (1, [0, 1, 2])
    """

    parallel_instance_id: int
    number_of_parallel_instances: int
    partitions_of: Callable[[str], list[int]] = attrs.field(eq=False, repr=False)

    def get_parallel_instance_id(self) -> int:
        """Return the number of this subtask, from 0 to parallelism - 1."""
        return self.parallel_instance_id

    getParallelInstanceId = get_parallel_instance_id

    def get_number_of_parallel_instances(self) -> int:
        """Return the number of subtasks of the sink."""
        return self.number_of_parallel_instances

    getNumberOfParallelInstances = get_number_of_parallel_instances

    def get_partitions_for_topic(self, topic: str) -> list[int]:
        """The numbers of a topic's partitions, in ascending order, as they were when a worker first asked in this run.

        Raises:
            DeliveryError: The topic does not exist, or the brokers do not answer (within ``max.block.ms``).
        """
        return self.partitions_of(topic)

    getPartitionsForTopic = get_partitions_for_topic


class TopicSelector(ABC, Generic[IN_contra]):
    """Chooses the topic of each element (PyFlink: ``KafkaTopicSelector``)."""

    @abstractmethod
    def apply(self, data: IN_contra) -> str:
        """Return the name of the topic that ``data`` goes to; always the same for the same element."""


class HeaderProvider(ABC, Generic[IN_contra]):
    """Chooses the headers of each element's record."""

    def open(self, context: InitializationContext) -> None:
        """Prepare, once per Python worker and subtask, before the first element. Flink lacks it.

        Args:
            context: Context of the provider, which holds nothing yet.
        """

    @abstractmethod
    def get_headers(self, element: IN_contra) -> Headers:
        """Return the headers of the record of ``element``, as pairs of name and bytes."""


class KafkaRecordSerializationSchema(ABC, Generic[IN_contra]):
    """Serializes elements to Kafka records: build one with ``builder()``, or implement ``serialize`` yourself.

    As in Flink, an element for which ``serialize`` returns None is not written and not counted.
    Differs from PyFlink: you may write one in Python.

    Attributes:
        topic: Topic of all records; None, the default, if each record has its own.

    Example:
        >>> class ByLength(KafkaRecordSerializationSchema[str]):
        ...     def serialize(self, element, context, timestamp):
        ...         if not element:
        ...             return None
        ...         partitions = context.get_partitions_for_topic("words")
        ...         return ProducerRecord("words", element.encode(), partition=len(element) % len(partitions))
        >>> context = KafkaSinkContext(0, 1, lambda topic: [0, 1])
        >>> ByLength().serialize("tea", context, None).partition
        1
    """

    topic: str | None = None

    def open(self, context: InitializationContext, sink_context: KafkaSinkContext) -> None:
        """Prepare for serialization: open connections, load schemas. Called once per Python worker and subtask, before
        the first element.

        Args:
            context: Context of the schema. Differs from Flink: it has no metric group.
            sink_context: Subtask, number of subtasks, and partitions of topics.
        """

    @abstractmethod
    def serialize(self, element: IN_contra, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        """Return the record of ``element``, or None to skip it; an exception fails the job with the element.

        Args:
            element: Element to write.
            context: The subtask, and the partitions of topics.
            timestamp: The element's event time in ms; None if it has none.
        """

    @staticmethod
    def builder() -> KafkaRecordSerializationSchemaBuilder[Any]:
        """Begin to define how records are made, of parts: topic, key, value, headers, partition.

        Example:
            >>> from kafkastream.common import SimpleStringSchema
            >>> schema = (
            ...     KafkaRecordSerializationSchema.builder()
            ...     .set_topic("out")
            ...     .set_value_serialization_schema(SimpleStringSchema())
            ...     .build()
            ... )
            >>> schema.topic
            'out'
        """
        from kafkastream.model.connectors.record_builders import KafkaRecordSerializationSchemaBuilder

        return KafkaRecordSerializationSchemaBuilder()


@final
@attrs.frozen
class MessagesAsEncoded(KafkaRecordSerializationSchema[ProducerRecord]):
    """Serialization schema for messages that the pipeline has already encoded.

    Args:
        topic: Topic of all messages; None if each table has its own.
    """

    topic: str | None = None

    def serialize(self, element: ProducerRecord, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
        """Return the message."""
        return element
