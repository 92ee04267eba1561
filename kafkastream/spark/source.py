"""A Kafka source spec as options of Spark's Kafka source: pure, so that it can be tested without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from kafkastream.spec.source import KafkaSource
from kafkastream.spec.subscription import PartitionSet, Subscription, TopicList, TopicPartition, TopicPattern
from kafkastream.spec.values import FrozenMap

__all__ = ["offsets_json", "source_options", "stop_condition"]

# Spark refuses these, or they are the source's own and not the client's. The group's is neither: Spark keeps consumers
# by group and partition for minutes, and fails when their properties have changed since, with a text that shows secrets.
# Its consumers neither join nor commit, so a name that Spark makes for each query changes nothing else.
_NOT_FOR_SPARK = frozenset(
    {
        "auto.offset.reset",
        "client.id",
        "client.id.prefix",
        "commit.offsets.on.checkpoint",
        "enable.auto.commit",
        "group.id",
        "interceptor.classes",
        "key.deserializer",
        "partition.discovery.interval.ms",
        "register.consumer.metrics",
        "value.deserializer",
    }
)


def source_options(
    source: KafkaSource[Any], starts: Mapping[TopicPartition, int] | str, *, headers: bool = False
) -> FrozenMap[str, str]:
    """The options to read ``source`` with.

    Args:
        source: What to read.
        starts: The first offset of each partition, or Spark's own word for all of them.
        headers: Whether the records' headers are wanted.
    """
    properties = source.consumer_properties
    client = {f"kafka.{key}": value for key, value in properties.items() if key not in _NOT_FOR_SPARK}
    fixed = None if isinstance(starts, str) or source.discovers_partitions else starts
    return FrozenMap(
        {
            **client,
            **_client_id(properties),
            **_subscription(source.subscription, fixed),
            "startingOffsets": starts if isinstance(starts, str) else offsets_json(starts),
            "includeHeaders": str(headers).lower(),
        }
    )


def offsets_json(offsets: Mapping[TopicPartition, int]) -> str:
    """Offsets as Spark writes them.

    Example:
        >>> offsets_json({TopicPartition("t", 1): 7, TopicPartition("t", 0): 3})
        '{"t": {"0": 3, "1": 7}}'
    """
    return json.dumps({topic: {str(p.partition): offsets[p] for p in group} for topic, group in _by_topic(offsets)})


def stop_condition(stops: Mapping[TopicPartition, int]) -> str:
    """The SQL condition that a record comes before its partition's stop; partitions without one are left out.

    Example:
        >>> stop_condition({TopicPartition("t", 0): 5})
        "(topic = 't' AND partition = 0 AND offset < 5)"
    """
    clauses = (f"(topic = '{p.topic}' AND partition = {p.partition} AND offset < {stops[p]})" for p in sorted(stops))
    return " OR ".join(clauses) or "false"


def _client_id(properties: Mapping[str, str]) -> dict[str, str]:
    """Spark's consumers share one name, since it makes them of one set of options; Flink's end with their subtask."""
    name = properties.get("client.id.prefix", properties.get("client.id"))
    return {} if name is None else {"kafka.client.id": name}


def _subscription(subscription: Subscription | None, fixed: Mapping[TopicPartition, int] | None) -> dict[str, str]:
    """How Spark finds the partitions; ``fixed`` ones when there is to be no discovery."""
    match subscription:
        case TopicPattern(pattern=pattern):
            return {"subscribePattern": f"^(?:{pattern})$"}  # Spark looks for it anywhere in a name, Flink matches all
        case PartitionSet(partitions=partitions):
            return {"assign": _assignment(partitions)}
        case TopicList(topics=topics) if fixed is None:
            return {"subscribe": ",".join(topics)}
        case _:
            return {"assign": _assignment(fixed or ())}


def _assignment(partitions: Iterable[TopicPartition]) -> str:
    return json.dumps({topic: [p.partition for p in group] for topic, group in _by_topic(partitions)})


def _by_topic(partitions: Iterable[TopicPartition]) -> Iterable[tuple[str, Iterable[TopicPartition]]]:
    return groupby(sorted(partitions), key=lambda partition: partition.topic)
