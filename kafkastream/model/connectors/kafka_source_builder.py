"""Builder of a ``KafkaSource``, with Flink's methods and PyFlink's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Generic, cast, final

from typing_extensions import Self, TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.connectors.client_properties import ClientBuilder
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.model.connectors.record_deserialization import KafkaRecordDeserializationSchema, ValueOnlySchema
from kafkastream.model.connectors.subscription import (
    KafkaSubscriber,
    PartitionSet,
    Subscription,
    TopicList,
    TopicPartition,
    TopicPattern,
    java_pattern,
)
from kafkastream.model.formats import DeserializationSchema

__all__ = ["KafkaSourceBuilder"]

OUT = TypeVar("OUT", default=Any)
T = TypeVar("T")


@final
@checked_methods
class KafkaSourceBuilder(ClientBuilder, Generic[OUT]):
    """Builder of a ``KafkaSource``; setters change it and return it, and ``build`` checks all settings at once."""

    def __init__(self) -> None:
        super().__init__()
        self._subscription: Subscription | None = None
        self._deserializer: KafkaRecordDeserializationSchema[Any] | None = None
        self._starting: OffsetsInitializer = OffsetsInitializer.earliest()
        self._stopping: OffsetsInitializer | None = None
        self._boundedness = Boundedness.CONTINUOUS_UNBOUNDED
        self._dead_letters: str | None = None

    def set_group_id(self, group_id: str) -> Self:
        """Set the consumer group whose offsets are read and committed.

        Offsets are committed after completed micro-batches, for other tools to see. A job that restarts continues from
        its checkpoint, not from them.

        Args:
            group_id: Name of the group; required by ``OffsetsInitializer.committed_offsets``.
        """
        return self.set_property("group.id", group_id)

    setGroupId = set_group_id

    def set_topics(self, *topics: str | Iterable[str]) -> Self:
        """Read all partitions of these topics, also those that are added later.

        Args:
            *topics: Names, or collections of names.

        Raises:
            DefinitionError: Topics, a pattern, partitions or a subscriber are set already.
        """
        names = [name for topic in topics for name in ((topic,) if isinstance(topic, str) else topic)]
        return self._subscribe(TopicList(names))

    setTopics = set_topics

    def set_topic_pattern(self, topic_pattern: str | re.Pattern[str]) -> Self:
        """Read every topic whose whole name matches a pattern, also topics that are created later.

        Args:
            topic_pattern: Regular expression in Java's syntax; a compiled Python pattern is translated.

        Raises:
            DefinitionError: The pattern is not valid, or topics, partitions or a subscriber are set already.
        """
        return self._subscribe(java_pattern(topic_pattern))

    setTopicPattern = set_topic_pattern

    def set_partitions(self, partitions: Iterable[TopicPartition]) -> Self:
        """Read only these partitions.

        Args:
            partitions: Partitions by topic and number.

        Raises:
            DefinitionError: Topics, a pattern, partitions or a subscriber are set already.
        """
        return self._subscribe(PartitionSet(partitions))

    setPartitions = set_partitions

    def set_kafka_subscriber(self, kafka_subscriber: KafkaSubscriber) -> Self:
        """Read the partitions that a rule of your own selects.

        Differs from Flink: the subscriber is asked once, when the job starts, so partition discovery must be off
        (property ``partition.discovery.interval.ms`` below 1) or the source bounded.

        Args:
            kafka_subscriber: Subscriber as implemented by you.

        Raises:
            DefinitionError: Topics, a pattern, partitions or a subscriber are set already.
        """
        return self._subscribe(kafka_subscriber)

    setKafkaSubscriber = set_kafka_subscriber

    def set_starting_offsets(self, starting_offsets_initializer: OffsetsInitializer) -> Self:
        """Set where to begin when the job starts without a checkpoint; the earliest offsets if not called.

        A checkpoint takes precedence: a job that restarts continues from it. Partitions that appear later are read from
        their earliest offset.

        Args:
            starting_offsets_initializer: For example ``OffsetsInitializer.latest()``.
        """
        self._starting = starting_offsets_initializer
        return self

    setStartingOffsets = set_starting_offsets

    def set_bounded(self, stopping_offsets_initializer: OffsetsInitializer) -> Self:
        """End at these offsets, which are not read themselves; the source is bounded, so BATCH mode is possible.

        Args:
            stopping_offsets_initializer: Offsets as they are when the job starts; ``OffsetsInitializer.latest()`` is all
                that is there then.
        """
        self._stopping, self._boundedness = stopping_offsets_initializer, Boundedness.BOUNDED
        return self

    setBounded = set_bounded

    def set_unbounded(self, stopping_offsets_initializer: OffsetsInitializer) -> Self:
        """End at these offsets, as a streaming source; the job ends when all partitions have reached them.

        Args:
            stopping_offsets_initializer: Offsets as they are when the job starts.
        """
        self._stopping, self._boundedness = stopping_offsets_initializer, Boundedness.CONTINUOUS_UNBOUNDED
        return self

    setUnbounded = set_unbounded

    def set_deserializer(self, record_deserializer: KafkaRecordDeserializationSchema[T]) -> KafkaSourceBuilder[T]:
        """Set how records are decoded: key, value, headers, position and timestamp.

        Args:
            record_deserializer: Schema that fixes the type of the source's elements.
        """
        self._deserializer = record_deserializer
        return cast("KafkaSourceBuilder[T]", self)

    setDeserializer = set_deserializer

    def set_value_only_deserializer(self, deserialization_schema: DeserializationSchema[T]) -> KafkaSourceBuilder[T]:
        """Set how the values of records are decoded; keys and headers are ignored.

        Args:
            deserialization_schema: For example ``SimpleStringSchema()``; it fixes the type of the source's elements.
        """
        return self.set_deserializer(ValueOnlySchema(deserialization_schema))

    setValueOnlyDeserializer = set_value_only_deserializer

    def set_dead_letter_topic(self, topic: str) -> Self:
        """Write records that cannot be deserialized to ``topic``, and continue; in Flink the job fails.

        The dead letter is the record as it was read, with headers: see "Dead letters" in the documentation. It goes to
        the source's own brokers, with the strongest guarantee of the Kafka sinks that the source's elements reach, and
        at least once. The topic must exist, or be created by the brokers.

        Args:
            topic: Topic that the source itself does not read.
        """
        self._dead_letters = topic
        return self

    setDeadLetterTopic = set_dead_letter_topic

    def set_client_id_prefix(self, prefix: str) -> Self:
        """Set the beginning of the ``client.id`` of the source's Kafka clients; the group id if not called.

        Args:
            prefix: Text, as brokers show it in logs and quotas.
        """
        return self.set_property("client.id.prefix", prefix)

    setClientIdPrefix = set_client_id_prefix

    def set_property(self, key: str, value: str) -> Self:
        """Set a property of Kafka's consumer, or of the source, by its Java name.

        Args:
            key: Name as in the documentation of Kafka's consumer, or of Flink's source, or ``spark.`` and an option of
                Spark's Kafka source, such as ``spark.maxOffsetsPerTrigger``.
            value: Text; durations in milliseconds.
        """
        return self._set({key: value})

    setProperty = set_property

    def set_properties(self, props: Mapping[str, str]) -> Self:
        """Set several properties; later values replace earlier ones of the same name.

        Args:
            props: Properties by their names, as for ``set_property``.
        """
        return self._set(props)

    setProperties = set_properties

    def build(self) -> KafkaSource[OUT]:
        """Return the source.

        Raises:
            DefinitionError: Settings are missing, or contradict each other; the message lists all problems.
            UnsupportedFeatureError: A subscriber of your own is to discover partitions while the job runs.
        """
        return KafkaSource(
            subscription=self._subscription,
            deserializer=self._deserializer,
            starting_offsets=self._starting,
            stopping_offsets=self._stopping,
            boundedness=self._boundedness,
            dead_letter_topic=self._dead_letters,
            properties=self._properties,
        )

    def _subscribe(self, subscription: Subscription) -> Self:
        if self._subscription is not None:
            raise DefinitionError(
                f"Cannot use {_kind(subscription)[0]} for consumption because a {_kind(self._subscription)[1]} "
                f"({self._subscription}) is already set for consumption",
                where="KafkaSource.builder()",
                now="Keep one of set_topics, set_topic_pattern, set_partitions and set_kafka_subscriber.",
            )
        self._subscription = subscription
        return self


_KINDS: Mapping[type[Subscription], tuple[str, str]] = {
    TopicList: ("topics", "TopicListSubscriber"),
    TopicPattern: ("topic pattern", "TopicPatternSubscriber"),
    PartitionSet: ("partitions", "PartitionSetSubscriber"),
}


def _kind(subscription: Subscription) -> tuple[str, str]:
    return _KINDS.get(type(subscription), ("custom", type(subscription).__name__))
