"""Which topics and partitions a source reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import final

import attrs

from kafkastream.errors import DefinitionError

__all__ = ["PartitionSet", "Subscription", "TopicList", "TopicPartition", "TopicPattern"]


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


Subscription = TopicList | TopicPattern | PartitionSet


def java_pattern(pattern: str | re.Pattern[str]) -> TopicPattern:
    """A pattern as text, whether given as text or as a compiled expression."""
    return TopicPattern(pattern if isinstance(pattern, str) else pattern.pattern)
