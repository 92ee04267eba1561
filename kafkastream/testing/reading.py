"""Reads a topic from its start to its current end."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, final

from kafkastream.errors import KafkaError, UnknownTopicError
from kafkastream.testing.records import ConsumedRecord, Headers, TimestampType
from kafkastream.testing.waiting import wait_until

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

__all__ = ["Isolation", "read_topic"]

Isolation: TypeAlias = Literal["read_committed", "read_uncommitted"]

_POLL_S = 0.1
_REQUEST_S = 10.0
_TIMESTAMP_TYPES: tuple[TimestampType, ...] = ("NoTimestampType", "CreateTime", "LogAppendTime")


def read_topic(
    client: Mapping[str, str], topic: str, count: int, isolation: Isolation, timeout_s: float
) -> list[ConsumedRecord]:
    """Return all records of a topic, once there are ``count``, ordered by partition and offset.

    Args:
        client: librdkafka properties.
        topic: Topic to read.
        count: Number of records to wait for; None for those that exist now.
        isolation: ``read_committed`` or ``read_uncommitted``.
        timeout_s: Time limit in s.

    Raises:
        UnknownTopicError: The topic does not exist.
        TimeoutError: Fewer records than ``count`` arrived, or the broker was too slow.
    """
    with _consumer(client, isolation) as consumer:
        reader = _TopicReader(consumer, topic, time.monotonic() + timeout_s)
        wait_until(lambda: reader.read_to_end() >= count, timeout_s, f"{count} records in topic {topic!r}")
    return sorted(reader.records, key=lambda record: (record.partition, record.offset))


def _consumer(client: Mapping[str, str], isolation: Isolation) -> Consumer:
    from confluent_kafka import Consumer

    return Consumer(
        {
            **client,
            # Required by librdkafka's consumer, even though partitions are assigned and the group is never joined:
            # https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
            "group.id": f"kafkastream-testing-{uuid.uuid4()}",
            "isolation.level": isolation,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 50,
            "log_level": 0,
        }
    )


@final
class _TopicReader:
    """Consumer that accumulates a topic's records with each ``read_to_end``."""

    def __init__(self, consumer: Consumer, topic: str, deadline: float) -> None:
        self.records: list[ConsumedRecord] = []
        self._consumer = consumer
        self._topic = topic
        self._deadline = deadline
        self._positions: dict[int, int] = {}

    def read_to_end(self) -> int:
        """Read to the current end of each partition, and return the total number of records.

        The end is compared with the consumer's position, since a partition may end with a transaction marker, which is
        never delivered as a record.
        """
        ends = self._ends()
        while any(self._positions[partition] < end for partition, end in ends.items()):
            if time.monotonic() > self._deadline:
                raise TimeoutError(f"topic {self._topic!r} ends at {ends}, but was read only to {self._positions}")
            message = self._consumer.poll(_POLL_S)
            if message is not None:  # not "if message": the Message of a tombstone has length 0, and is false
                self._take(message)
        return len(self.records)

    def _ends(self) -> dict[int, int]:
        return {partition: self._end(partition) for partition in self._partitions()}

    def _partitions(self) -> list[int]:
        metadata = self._consumer.list_topics(self._topic, timeout=_REQUEST_S).topics[self._topic]
        if metadata.error is not None:
            raise UnknownTopicError(f"topic {self._topic!r} cannot be read: {metadata.error.str()}")
        return list(metadata.partitions)

    def _end(self, partition: int) -> int:
        from confluent_kafka import TopicPartition

        asked = TopicPartition(self._topic, partition)
        start, end = self._consumer.get_watermark_offsets(asked, timeout=_REQUEST_S)
        if partition not in self._positions:
            self._positions[partition] = start
            self._consumer.incremental_assign([TopicPartition(self._topic, partition, start)])
        return end

    def _take(self, message: Message) -> None:
        from confluent_kafka import KafkaError as ClientError

        error, partition, offset = message.error(), message.partition() or 0, message.offset() or 0
        if error is None:
            self.records.append(_consumed(message))
            self._positions[partition] = offset + 1
        elif error.code() == ClientError._PARTITION_EOF:
            self._positions[partition] = offset
        else:
            raise KafkaError(f"topic {self._topic!r} cannot be read: {error.str()}")


def _consumed(message: Message) -> ConsumedRecord:
    kind, timestamp_ms = message.timestamp()
    return ConsumedRecord(
        topic=message.topic() or "",
        partition=message.partition() or 0,
        offset=message.offset() or 0,
        key=message.key(),
        value=message.value(),
        headers=cast("Headers", tuple(message.headers() or ())),
        timestamp_ms=timestamp_ms,
        timestamp_type=_TIMESTAMP_TYPES[kind],
    )
