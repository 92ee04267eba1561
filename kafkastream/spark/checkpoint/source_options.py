"""Options of Spark's Kafka source for a ``KafkaSource``; pure functions, tested without Spark."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from typing import Any

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import (
    PartitionSet,
    Subscription,
    TopicList,
    TopicPartition,
    TopicPattern,
)

__all__ = ["from_condition", "offsets_json", "offsets_of_json", "source_options", "start_condition", "stop_condition"]

# Spark refuses these properties, or they are the source's own and not the client's. group.id is left out for another
# reason: Spark caches consumers by group and partition for minutes, and fails with a text that shows secrets when their
# properties have changed since. Its consumers neither join the group nor commit, so the group id that Spark generates
# does no harm.
_NOT_FOR_SPARK = frozenset(
    {
        "auto.offset.reset",
        "check.duplicated.group.id",
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
# Spark reads only offsets that exist. After the last one its consumer still sends another fetch, though, and all later
# requests on the connection wait for it: for half a second per task, by Kafka's default of fetch.max.wait.ms. See poll in
# https://github.com/apache/kafka/blob/3.9.2/clients/src/main/java/org/apache/kafka/clients/consumer/internals/ClassicKafkaConsumer.java
_AT_ONCE = {"kafka.fetch.max.wait.ms": "10"}


def source_options(
    source: KafkaSource[Any], starts: Mapping[TopicPartition, int], *, headers: bool = False
) -> FrozenMap[str, str]:
    """Return the options of Spark's Kafka source.

    Args:
        source: Source as the user defined it.
        starts: First offset of each existing partition.
        headers: Whether to read the records' headers.
    """
    properties = source.consumer_properties
    client = {f"kafka.{key}": value for key, value in properties.items() if key not in _NOT_FOR_SPARK}
    return FrozenMap(
        {
            **_AT_ONCE,
            **client,
            **_client_id(properties),
            **source.spark_options,
            **_subscription(source.subscription, None if source.discovers_partitions else starts),
            "startingOffsets": offsets_json(starts),
            "includeHeaders": str(headers).lower(),
        }
    )


def offsets_json(offsets: Mapping[TopicPartition, int]) -> str:
    """Return offsets as JSON in Spark's form.

    Example:
        >>> offsets_json({TopicPartition("t", 1): 7, TopicPartition("t", 0): 3})
        '{"t": {"0": 3, "1": 7}}'
    """
    return json.dumps({topic: {str(p.partition): offsets[p] for p in group} for topic, group in _by_topic(offsets)})


def offsets_of_json(text: str | None) -> dict[TopicPartition, int]:
    """Parse offsets in Spark's JSON; JSON's null, None, and "-" in the log, mean no offsets.

    Example:
        >>> offsets_of_json('{"t": {"1": 7}}'), offsets_of_json("null"), offsets_of_json(None)
        ({TopicPartition(topic='t', partition=1): 7}, {}, {})
    """
    topics = json.loads("null" if text in (None, "", "-") else text) or {}
    return {TopicPartition(topic, int(p)): offset for topic, group in topics.items() for p, offset in group.items()}


def stop_condition(stops: Mapping[TopicPartition, int]) -> str:
    """Return the SQL condition for records before their partition's stopping offset; NULL for partitions without one.

    Example:
        >>> stop_condition({TopicPartition("t", 0): 5, TopicPartition("t", 1): 7})
        "offset < CASE topic WHEN 't' THEN CASE partition WHEN 0 THEN 5 WHEN 1 THEN 7 END END"
    """
    return f"offset < {_by_partition(stops)}" if stops else "false"


def start_condition(starts: Mapping[TopicPartition, int]) -> str:
    """Return the SQL condition for records from the starting offset of their partition on; others have none and pass.

    Example:
        >>> start_condition({TopicPartition("t", 0): 5, TopicPartition("t", 1): 0})
        "offset >= coalesce(CASE topic WHEN 't' THEN CASE partition WHEN 0 THEN 5 END END, 0)"
    """
    later = {partition: offset for partition, offset in starts.items() if offset > 0}
    return f"offset >= coalesce({_by_partition(later)}, 0)" if later else "true"


def from_condition(begins: Mapping[TopicPartition, int]) -> str:
    """Return the SQL condition for records of these partitions from their offset on.

    Example:
        >>> from_condition({TopicPartition("t", 0): 5})
        "coalesce(offset >= CASE topic WHEN 't' THEN CASE partition WHEN 0 THEN 5 END END, false)"
    """
    return f"coalesce(offset >= {_by_partition(begins)}, false)" if begins else "false"


def _by_partition(offsets: Mapping[TopicPartition, int]) -> str:
    """Return the SQL expression for the offset of a record's partition; NULL if it has none."""
    topics = (
        f"WHEN '{topic}' THEN CASE partition {' '.join(f'WHEN {p.partition} THEN {offsets[p]}' for p in group)} END"
        for topic, group in _by_topic(offsets)
    )
    return f"CASE topic {' '.join(topics)} END"


def _client_id(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the client id: all consumers of Spark share one, where Flink's end with the subtask index."""
    name = properties.get("client.id.prefix", properties.get("client.id"))
    return {} if name is None else {"kafka.client.id": name}


def _subscription(subscription: Subscription | None, fixed: Collection[TopicPartition] | None) -> dict[str, str]:
    """Return the options that name the partitions; ``fixed`` ones if partition discovery is off."""
    if fixed:
        return {"assign": _assignment(fixed)}
    match subscription:
        case TopicPattern(pattern=pattern):
            return {"subscribePattern": f"^(?:{pattern})$"}  # Spark searches in a name, Flink matches all of it
        case TopicList(topics=topics):
            return {"subscribe": ",".join(topics)}
        case PartitionSet(partitions=partitions):
            return {"assign": _assignment(partitions)}
        case _:
            return {"assign": _assignment(fixed or ())}


def _assignment(partitions: Iterable[TopicPartition]) -> str:
    return json.dumps({topic: [p.partition for p in group] for topic, group in _by_topic(partitions)})


def _by_topic(partitions: Iterable[TopicPartition]) -> Iterable[tuple[str, Iterable[TopicPartition]]]:
    return groupby(sorted(partitions), key=lambda partition: partition.topic)
