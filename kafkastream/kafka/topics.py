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
from kafkastream.kafka.configuration import refused_properties
from kafkastream.kafka.properties import client_properties, request_timeout_s
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.connectors.topic_sample import Message, TopicSample

__all__ = ["ClusterTopics", "NewestRecord", "shares"]

_GROUP: Final = "kafkastream-catalog"
"""Kafka's client wants a name; a consumer that is assigned its partitions makes no group of it."""
_POLL_S: Final = 0.1
_AT_ONCE: Final = 1000


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
        """Return some of a topic's newest messages; no consumer group is used, and nothing committed.

        Args:
            topic: Name of the topic.
            most: Number of offsets to read, in equal shares of each partition; transaction markers and compacted
                messages count, too.

        Raises:
            BrokerUnreachableError: The brokers did not answer, or give the messages, in time.
            KafkaError: The brokers refuse.
        """
        partitions = [TopicPartition(topic, number) for number in range(self._cluster.topics().get(topic, 0))]
        ends = self._cluster.readable_ends(partitions)
        begins = self._cluster.beginning_offsets(partitions)
        wanted = shares({one: ends[one] - begins[one] for one in partitions}, most)
        found = self._read({one: (ends[one] - count, ends[one]) for one, count in wanted.items() if count})
        messages = tuple(Message(one.key(), one.value()) for one in found)
        return TopicSample(messages, self._cluster.topic_setting(topic, "cleanup.policy") == "compact")

    def newest(self, partitions: Collection[TopicPartition], most: int) -> list[NewestRecord]:
        """Return the newest records of each partition, by topic, partition and offset; raises as ``sample`` does.

        Args:
            partitions: The partitions.
            most: Number of records of each.
        """
        ends, begins = self._cluster.readable_ends(partitions), self._cluster.beginning_offsets(partitions)
        ranges = {one: (max(begins[one], ends[one] - most), ends[one]) for one in partitions}
        found = self._read({one: (begin, end) for one, (begin, end) in ranges.items() if begin < end})
        return [NewestRecord(one.topic() or "", one.key(), one.value()) for one in found]

    def create(self, topic: str) -> None:
        """Create a topic with the brokers' default number of partitions and replicas, unless it exists.

        Raises:
            KafkaError: The brokers refuse, or do not answer.
        """
        if topic in self._cluster.topics():
            return
        with refused_properties(self._where):
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
        with refused_properties(self._where):
            consumer = Consumer(self._consumer_properties())
        try:
            consumer.assign([ClientPartition(one.topic, one.partition, begin) for one, (begin, _) in ranges.items()])
            found = self._until(consumer, {one: end for one, (_, end) in ranges.items()})
        finally:
            consumer.close()
        return sorted(found, key=lambda one: (one.topic() or "", one.partition() or 0, one.offset() or 0))

    def _until(self, consumer: Consumer, ends: Mapping[TopicPartition, int]) -> list[ClientMessage]:
        timeout_s = request_timeout_s(self._properties)
        deadline, left = time.monotonic() + timeout_s, set(ends)
        found: list[ClientMessage] = []
        while left:
            if time.monotonic() > deadline:
                raise BrokerUnreachableError(
                    f"the newest messages of partition {', '.join(map(str, sorted(left)))} did not come within "
                    f"{timeout_s:g} s",
                    where=self._where,
                    now="Check that the brokers can be reached from here, or raise properties.default.api.timeout.ms.",
                )
            for message in consumer.consume(_AT_ONCE, timeout=_POLL_S):
                if message.topic() is None:
                    continue  # about the group, which the user may have no right to
                one, offset = TopicPartition(message.topic() or "", message.partition() or 0), message.offset() or 0
                is_message = self._is_message(message)
                if is_message and offset < ends[one]:
                    found.append(message)
                if not is_message or offset >= ends[one] - 1:
                    left.discard(one)
        return found

    def _is_message(self, message: ClientMessage) -> bool:
        """Return whether a result of ``poll`` is a message, and not the end of a partition."""
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


def shares(there: Mapping[TopicPartition, int], most: int) -> dict[TopicPartition, int]:
    """Return the number of messages to take from each partition: equal shares; others make up for short partitions.

    Args:
        there: Number of messages of each partition.
        most: Number of messages in all.

    Example:
        >>> list(shares({TopicPartition("t", 0): 500, TopicPartition("t", 1): 3}, 10).values())
        [3, 7]
    """
    wanted, left = {}, most
    for place, (partition, count) in enumerate(sorted(there.items(), key=lambda pair: pair[1])):
        wanted[partition] = min(count, -(-left // (len(there) - place)))
        left -= wanted[partition]
    return wanted
