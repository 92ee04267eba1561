"""Partitions that a source of a driven job reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import (
    INTERNAL_TOPICS,
    KafkaSubscriber,
    PartitionSet,
    TopicList,
    TopicPartition,
    TopicPattern,
)

__all__ = ["subscribed_partitions"]


def subscribed_partitions(source: KafkaSource[Any], partitions: Mapping[str, int]) -> list[TopicPartition]:
    """Return the partitions that a source reads.

    Args:
        source: The source.
        partitions: Topics that exist, with their numbers of partitions; topics that the source names have one.

    Raises:
        UnsupportedFeatureError: Its pattern is one of Java that Python cannot read.
    """
    match source.subscription:
        case PartitionSet(partitions=chosen):
            return sorted(chosen)
        case TopicList(topics=topics):
            return [split for topic in topics for split in _partitions_of(topic, partitions.get(topic, 1))]
        case TopicPattern(pattern=pattern):
            matching = _matching(pattern, partitions.keys() - INTERNAL_TOPICS)
            return [split for topic in matching for split in _partitions_of(topic, partitions[topic])]
        case KafkaSubscriber() as subscriber:
            return sorted(subscriber.get_subscribed_topic_partitions(_TopicsOfTest(partitions)))
        case None:
            return []


def _partitions_of(topic: str, number: int) -> Iterable[TopicPartition]:
    return (TopicPartition(topic, partition) for partition in range(number))


def _matching(pattern: str, topics: Iterable[str]) -> list[str]:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UnsupportedFeatureError(
            f"a test driver reads patterns of topics with Python's regular expressions: {error}",
            where=f"topic pattern {pattern}",
            now="Write it so that Java and Python read it, or let the test's program subscribe to topics.",
        ) from None
    return [topic for topic in sorted(topics) if expression.fullmatch(topic)]


@final
class _TopicsOfTest:
    """Admin client that a ``KafkaSubscriber`` asks: lists the topics that the test has named."""

    def __init__(self, partitions: Mapping[str, int]) -> None:
        self._partitions = partitions

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> Any:
        """Return the topics in the form of confluent-kafka's ``AdminClient.list_topics``.

        Args:
            topic: The only topic to list; None for all.
            timeout: Has no effect.
        """
        from confluent_kafka.admin import ClusterMetadata, PartitionMetadata, TopicMetadata

        cluster = ClusterMetadata()
        for name, number in self._partitions.items():
            if topic in (None, name):
                cluster.topics[name] = metadata = TopicMetadata()
                metadata.topic = name
                for partition in range(number):
                    metadata.partitions[partition] = of_partition = PartitionMetadata()
                    of_partition.id = partition
        return cluster

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedFeatureError(
            f"a test driver has no brokers to ask: {name}",
            where="KafkaSubscriber",
            now="Use list_topics, which lists the topics of JobTestDriver.of(…, partitions={…}).",
        )
