"""Builder of record schemas from parts: topic, key, value, headers and partition, each computed from the element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, final

import attrs
from typing_extensions import Self, TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.connectors.partitioners import KafkaPartitioner
from kafkastream.model.connectors.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
    TopicSelector,
)
from kafkastream.model.formats import InitializationContext, SerializationSchema

__all__ = ["BuiltRecordSerializationSchema", "KafkaRecordSerializationSchemaBuilder"]

IN = TypeVar("IN", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
T = TypeVar("T")

_BUILDER = "KafkaRecordSerializationSchema.builder()"


@final
@attrs.frozen(kw_only=True)
class BuiltRecordSerializationSchema(KafkaRecordSerializationSchema[IN_contra]):
    """Serialization schema built from parts, as ``KafkaRecordSerializationSchema.builder()`` collects them.

    Args:
        topic: Topic of all records, unless ``topic_selector`` is given.
        topic_selector: Chooses the topic of each element.
        key_schema: Schema of the key; without one, keys are null.
        value_schema: Schema of the value.
        header_provider: Returns the headers of each element.
        partitioner: Chooses the partition; without one, the key does, as in Java's producer.
        writes_timestamps: Whether a record's timestamp is the element's event time; otherwise, or without an event
            time, it is the time of writing.

    Raises:
        DefinitionError: No value serializer, or no topic.
    """

    topic: str | None = None
    topic_selector: TopicSelector[IN_contra] | Callable[[IN_contra], str] | None = None
    key_schema: SerializationSchema[IN_contra] | None = None
    value_schema: SerializationSchema[IN_contra] | None = None
    header_provider: HeaderProvider[IN_contra] | None = None
    partitioner: KafkaPartitioner[IN_contra] | None = None
    writes_timestamps: bool = True

    def __attrs_post_init__(self) -> None:
        problems = []
        if self.value_schema is None:
            problems.append("No value serializer is configured")
        if self.topic is None and self.topic_selector is None:
            problems.append("No topic selector is configured")
        if problems:
            raise DefinitionError("; ".join(problems), where="KafkaRecordSerializationSchema")

    def open(self, context: InitializationContext, sink_context: KafkaSinkContext) -> None:
        """Open all parts."""
        for part in (self.value_schema, self.key_schema, self.header_provider):
            if part is not None:
                part.open(context)
        if self.partitioner is not None:
            self.partitioner.open(
                sink_context.get_parallel_instance_id(), sink_context.get_number_of_parallel_instances()
            )

    def serialize(self, element: IN_contra, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
        """Return the record of ``element``; no timestamp where the event time is negative, as in Flink."""
        assert self.value_schema is not None
        topic, value = self.topic_of(element), self.value_schema.serialize(element)
        key = None if self.key_schema is None else self.key_schema.serialize(element)
        partition = None
        if self.partitioner is not None:
            partitions = context.get_partitions_for_topic(topic)
            partition = self.partitioner.partition(element, key, value, topic, partitions)
        return ProducerRecord(
            topic,
            value,
            key=key,
            partition=partition,
            timestamp=timestamp if self.writes_timestamps and timestamp is not None and timestamp >= 0 else None,
            headers=() if self.header_provider is None else self.header_provider.get_headers(element),
        )

    def topic_of(self, element: IN_contra) -> str:
        """Return the topic that ``element`` goes to."""
        if self.topic is not None:
            return self.topic
        selector = self.topic_selector
        if isinstance(selector, TopicSelector):
            return selector.apply(element)
        assert selector is not None
        return selector(element)


@final
@checked_methods
class KafkaRecordSerializationSchemaBuilder(Generic[IN]):
    """Collects how a record is made; ``build`` checks it. The record's timestamp is the element's event time."""

    def __init__(self) -> None:
        self._topic: str | None = None
        self._selector: TopicSelector[Any] | Callable[[Any], str] | None = None
        self._key: SerializationSchema[Any] | None = None
        self._value: SerializationSchema[Any] | None = None
        self._headers: HeaderProvider[Any] | None = None
        self._partitioner: KafkaPartitioner[Any] | None = None

    def set_topic(self, topic: str) -> Self:
        """Write every element to this topic.

        Args:
            topic: Name of a topic that exists, or that the brokers create.
        """
        self._no_topic_yet()
        self._topic = topic
        return self

    setTopic = set_topic

    def set_topic_selector(self, topic_selector: TopicSelector[T] | Callable[[T], str]) -> Self:
        """Choose the topic of each element, with a function or a ``TopicSelector``.

        Args:
            topic_selector: Called with each element; gives the same topic for the same element.
        """
        self._no_topic_yet()
        self._selector = snapshot(topic_selector)
        return self

    setTopicSelector = set_topic_selector

    def set_key_serialization_schema(self, key_serialization_schema: SerializationSchema[Any]) -> Self:
        """Make the key of each element; without, keys are null.

        Args:
            key_serialization_schema: Schema that gets the whole element, and gives the bytes of the key.

        Raises:
            TypeError: It is not a ``SerializationSchema``.
        """
        _once("Key serializer", self._key)
        self._key = key_serialization_schema
        return self

    setKeySerializationSchema = set_key_serialization_schema

    def set_value_serialization_schema(
        self, value_serialization_schema: SerializationSchema[T]
    ) -> KafkaRecordSerializationSchemaBuilder[T]:
        """Make the value of each element.

        Args:
            value_serialization_schema: Schema that gives the bytes of the value; None for a tombstone.

        Raises:
            TypeError: It is not a ``SerializationSchema``.
        """
        _once("Value serializer", self._value)
        self._value = value_serialization_schema
        return self  # type: ignore[return-value]  # the value's schema fixes the element type

    setValueSerializationSchema = set_value_serialization_schema

    def set_kafka_key_serializer(self, key_serializer: str, configuration: Mapping[str, str] | None = None) -> Self:
        """Make the key of each element with a serializer of Kafka's Java client; PyFlink lacks it.

        As in Flink, the topic, or its selector, comes before.

        Args:
            key_serializer: Name of its class, such as ``org.apache.kafka.common.serialization.StringSerializer``.
            configuration: Settings of the serializer.

        Raises:
            DefinitionError: There is a key serializer already, or no topic yet.
            UnsupportedFeatureError: The class is not available.
        """
        _once("Key serializer", self._key)
        self._key = self._kafka_serializer("key", key_serializer, configuration)
        return self

    setKafkaKeySerializer = set_kafka_key_serializer

    def set_kafka_value_serializer(self, value_serializer: str, configuration: Mapping[str, str] | None = None) -> Self:
        r"""Make the value of each element with a serializer of Kafka's Java client; PyFlink lacks it.

        As in Flink, the topic, or its selector, comes before.

        Args:
            value_serializer: Name of its class, such as ``org.apache.kafka.common.serialization.LongSerializer``.
            configuration: Settings of the serializer.

        Raises:
            DefinitionError: There is a value serializer already, or no topic yet.
            UnsupportedFeatureError: The class is not available.

        Example:
            >>> schema = (
            ...     KafkaRecordSerializationSchemaBuilder()
            ...     .set_topic("counts")
            ...     .set_kafka_value_serializer("org.apache.kafka.common.serialization.LongSerializer")
            ...     .build()
            ... )
            >>> schema.value_schema.serialize(258)
            b'\x00\x00\x00\x00\x00\x00\x01\x02'
        """
        _once("Value serializer", self._value)
        self._value = self._kafka_serializer("value", value_serializer, configuration)
        return self

    setKafkaValueSerializer = set_kafka_value_serializer

    def set_header_provider(self, header_provider: HeaderProvider[Any]) -> Self:
        """Make the headers of each element's record.

        Args:
            header_provider: Called with each element; gives pairs of name and bytes.

        Raises:
            TypeError: The argument is not a ``HeaderProvider``.
        """
        self._headers = header_provider
        return self

    setHeaderProvider = set_header_provider

    def set_partitioner(self, partitioner: KafkaPartitioner[Any]) -> Self:
        """Choose the partition of each record; without, the key does, as in Java's producer. PyFlink lacks it.

        Args:
            partitioner: Called with each element, its key and value, and the numbers of the topic's partitions.

        Raises:
            TypeError: The argument is not a ``KafkaPartitioner``.
        """
        self._partitioner = partitioner
        return self

    setPartitioner = set_partitioner

    def build(self) -> BuiltRecordSerializationSchema[IN]:
        """Return the schema, checked.

        Raises:
            DefinitionError: No value serializer, or no topic.
        """
        return BuiltRecordSerializationSchema(
            topic=self._topic,
            topic_selector=self._selector,
            key_schema=self._key,
            value_schema=self._value,
            header_provider=self._headers,
            partitioner=self._partitioner,
        )

    def _no_topic_yet(self) -> None:
        _once("Topic selector", self._topic if self._selector is None else self._selector)

    def _kafka_serializer(
        self, part: str, class_name: str, config: Mapping[str, str] | None
    ) -> SerializationSchema[Any]:
        """Flink's wrapper of a serializer takes the topic when it is set, and fails without."""
        from kafkastream.model.formats.kafka_serializers import KafkaSerializerSchema

        if self._topic is None and self._selector is None:
            raise DefinitionError(
                f"set_kafka_{part}_serializer comes after set_topic or set_topic_selector",
                where=_BUILDER,
                now="Change their order.",
            )
        return KafkaSerializerSchema(class_name, config or {}, part == "key")


def _once(what: str, current: object) -> None:
    if current is not None:
        raise DefinitionError(f"{what} already set", where=_BUILDER)
