"""Topics of a cluster, and their newest messages."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple, final

from confluent_kafka import Consumer, KafkaException
from confluent_kafka import KafkaError as ClientError
from confluent_kafka import Message as ClientMessage
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kafkastream.errors import BrokerUnreachableError, KafkaError
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.configuration import translate_refused_property
from kafkastream.kafka.properties import client_properties, request_timeout_s
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.connectors.topic_sample import Message, TopicSample

__all__ = ["ClusterTopics", "NewestRecord", "messages_per_partition"]

_GROUP: Final = "kafkastream-catalog"
"""Kafka's client requires a group id; with assigned partitions, no group is created."""
_POLL_S: Final = 0.1
_FETCH_SIZE: Final = 1000


class NewestRecord(NamedTuple):
    """Record that was read as a sample."""

    topic: str
    key: bytes | None
    value: bytes | None


@final
class ClusterTopics:
    """Topics behind ``bootstrap.servers`` (``kafkastream.sql.kafka_catalog.catalog.Topics``).

    Args:
        properties: Java client properties.

    Raises:
        DefinitionError: Kafka's client refuses a property.
        UnsupportedFeatureError: The security settings work in Java only.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._where = f"bootstrap.servers {properties['bootstrap.servers']}"
        self._cluster = Cluster(properties)

    def names(self) -> Collection[str]:
        """Return the names of the topics, without Kafka's internal ones.

        Raises:
            BrokerUnreachableError: No broker answered in time.
            AuthenticationError: The brokers refuse the credentials.
        """
        return self._cluster.topics().keys()

    def sample(self, topic: str, most: int) -> TopicSample:
        """Return some of a topic's newest messages, without joining a consumer group or committing.

        Args:
            topic: Name of the topic.
            most: Number of offsets to read, evenly from the partitions; includes transaction markers and compacted
                messages.

        Raises:
            BrokerUnreachableError: The brokers did not answer, or give the messages, in time.
            KafkaError: The brokers refuse.
        """
        partitions = [TopicPartition(topic, number) for number in range(self._cluster.topics().get(topic, 0))]
        ends = self._cluster.readable_ends(partitions)
        begins = self._cluster.beginning_offsets(partitions)
        counts = messages_per_partition(
            {partition: ends[partition] - begins[partition] for partition in partitions}, most
        )
        client_messages = self._read(
            {partition: (ends[partition] - count, ends[partition]) for partition, count in counts.items() if count}
        )
        messages = tuple(Message(message.key(), message.value()) for message in client_messages)
        return TopicSample(messages, self._cluster.topic_setting(topic, "cleanup.policy") == "compact")

    def newest(self, partitions: Collection[TopicPartition], most: int) -> list[NewestRecord]:
        """Return the newest records of each partition, by topic, partition and offset; raises as ``sample`` does.

        Args:
            partitions: The partitions.
            most: Number of records of each.
        """
        ends, begins = self._cluster.readable_ends(partitions), self._cluster.beginning_offsets(partitions)
        ranges = {
            partition: (max(begins[partition], ends[partition] - most), ends[partition]) for partition in partitions
        }
        messages = self._read({partition: (begin, end) for partition, (begin, end) in ranges.items() if begin < end})
        return [NewestRecord(message.topic() or "", message.key(), message.value()) for message in messages]

    def create(self, topic: str) -> None:
        """Create a topic with the brokers' default number of partitions and replicas, unless it exists.

        Raises:
            KafkaError: The brokers refuse, or do not answer.
        """
        if topic in self._cluster.topics():
            return
        with translate_refused_property(self._where):
            admin = AdminClient({**client_properties(self._properties), "log_level": 0})
        created = admin.create_topics([NewTopic(topic, -1, -1)], operation_timeout=request_timeout_s(self._properties))
        try:
            created[topic].result()
        except KafkaException as error:
            reason = error.args[0]
            if reason.code() != ClientError.TOPIC_ALREADY_EXISTS:
                raise KafkaError(
                    f"topic {topic!r} cannot be created: {reason.str()}",
                    where=self._where,
                    now="Create it beforehand, or allow the sink's principal to create topics.",
                ) from None

    def _read(self, ranges: Mapping[TopicPartition, tuple[int, int]]) -> list[ClientMessage]:
        """Return the messages of offset ranges, by topic, partition and offset."""
        if not ranges:
            return []
        with translate_refused_property(self._where):
            consumer = Consumer(self._consumer_properties())
        try:
            consumer.assign(
                [
                    ClientPartition(partition.topic, partition.partition, begin)
                    for partition, (begin, _) in ranges.items()
                ]
            )
            messages = self._read_until(consumer, {partition: end for partition, (_, end) in ranges.items()})
        finally:
            consumer.close()
        return sorted(
            messages, key=lambda message: (message.topic() or "", message.partition() or 0, message.offset() or 0)
        )

    def _read_until(self, consumer: Consumer, ends: Mapping[TopicPartition, int]) -> list[ClientMessage]:
        timeout_s = request_timeout_s(self._properties)
        deadline, remaining = time.monotonic() + timeout_s, set(ends)
        messages: list[ClientMessage] = []
        while remaining:
            if time.monotonic() > deadline:
                raise BrokerUnreachableError(
                    f"the newest messages of partition {', '.join(map(str, sorted(remaining)))} did not come within "
                    f"{timeout_s:g} s",
                    where=self._where,
                    now="Check that the brokers can be reached from here, or raise properties.default.api.timeout.ms.",
                )
            for message in consumer.consume(_FETCH_SIZE, timeout=_POLL_S):
                if message.topic() is None:
                    continue  # an error about the group, which the user may have no permission for
                partition, offset = (
                    TopicPartition(message.topic() or "", message.partition() or 0),
                    message.offset() or 0,
                )
                is_message = self._is_message(message)
                if is_message and offset < ends[partition]:
                    messages.append(message)
                if not is_message or offset >= ends[partition] - 1:
                    remaining.discard(partition)
        return messages

    def _is_message(self, message: ClientMessage) -> bool:
        """Return whether a result of ``consume`` is a message, not the end of a partition."""
        error = message.error()
        if error is not None and error.code() != ClientError._PARTITION_EOF:
            raise KafkaError(f"topic {message.topic()!r} cannot be read: {error.str()}", where=self._where)
        return error is None

    def _consumer_properties(self) -> dict[str, Any]:
        return {
            "isolation.level": "read_uncommitted",
            **client_properties(self._properties),
            "group.id": _GROUP,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }


def messages_per_partition(available: Mapping[TopicPartition, int], most: int) -> dict[TopicPartition, int]:
    """Divide a number of messages evenly among partitions; larger partitions make up for short ones.

    Args:
        available: Number of messages in each partition.
        most: Total number of messages.

    Example:
        >>> list(messages_per_partition({TopicPartition("t", 0): 500, TopicPartition("t", 1): 3}, 10).values())
        [3, 7]
    """
    counts, remaining = {}, most
    for index, (partition, count) in enumerate(sorted(available.items(), key=lambda pair: pair[1])):
        counts[partition] = min(count, -(-remaining // (len(available) - index)))
        remaining -= counts[partition]
    return counts
