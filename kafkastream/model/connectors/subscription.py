"""Subscriptions of a source: topics, a pattern of topics, or partitions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError

__all__ = [
    "INTERNAL_TOPICS",
    "KafkaSubscriber",
    "PartitionSet",
    "Subscription",
    "TopicList",
    "TopicPartition",
    "TopicPattern",
]


INTERNAL_TOPICS: Final = frozenset({"__consumer_offsets", "__share_group_state", "__transaction_state"})
"""Topics of Kafka itself, which brokers let no producer write to."""


@final
@attrs.frozen(order=True)
class TopicPartition:
    """A partition of a topic (PyFlink: ``KafkaTopicPartition``).

    Example:
        >>> str(TopicPartition("orders", 3))
        'orders-3'
    """

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def _some(instance: object, _: object, values: frozenset[object] | tuple[object, ...]) -> None:
    if not values:
        raise DefinitionError("nothing to read: the subscription is empty", where=type(instance).__name__)


def _distinct(topics: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(topics))


@final
@attrs.frozen
class TopicList:
    """All partitions of these topics; every topic must exist when the job starts."""

    topics: tuple[str, ...] = attrs.field(converter=_distinct, validator=_some)

    def __str__(self) -> str:
        return f"topics {', '.join(self.topics)}"


@final
@attrs.frozen
class TopicPattern:
    """All topics whose whole name matches a Java regular expression, also those created later."""

    pattern: str

    def __str__(self) -> str:
        return f"topic pattern {self.pattern}"


def _set(partitions: Iterable[TopicPartition]) -> frozenset[TopicPartition]:
    return frozenset(partitions)


@final
@attrs.frozen
class PartitionSet:
    """Just these partitions; each must exist when the job starts."""

    partitions: frozenset[TopicPartition] = attrs.field(converter=_set, validator=_some)

    def __str__(self) -> str:
        return f"partitions {', '.join(map(str, sorted(self.partitions)))}"


class KafkaSubscriber(ABC):
    """A rule of your own for which partitions a source reads.

    Differs from Java: the admin client is confluent-kafka's. The rule is asked once, when the job starts, so that
    ``partition.discovery.interval.ms`` must be -1, unless the source stops.

    Example:
        >>> class Evens(KafkaSubscriber):
        ...     def get_subscribed_topic_partitions(self, admin_client):
        ...         topic = admin_client.list_topics("orders").topics["orders"]
        ...         return {TopicPartition("orders", number) for number in topic.partitions if number % 2 == 0}
    """

    @abstractmethod
    def get_subscribed_topic_partitions(self, admin_client: Any) -> Collection[TopicPartition]:
        """Return the partitions to read.

        Args:
            admin_client: A ``confluent_kafka.admin.AdminClient`` of the source's brokers.
        """


Subscription = TopicList | TopicPattern | PartitionSet | KafkaSubscriber


def java_pattern(pattern: str | re.Pattern[str]) -> TopicPattern:
    """Return a pattern as text, whether given as text or as a compiled expression."""
    return TopicPattern(pattern if isinstance(pattern, str) else pattern.pattern)
