"""Consumer of assigned partitions that lives in a Python worker between epochs, and knows how far it has read."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import methodcaller
from typing import Any, NamedTuple, NoReturn, final

from confluent_kafka import Consumer, Message
from confluent_kafka import KafkaError as ClientError
from confluent_kafka import TopicPartition as ClientPartition

from kafkastream.errors import KafkaError, UnknownTopicError
from kafkastream.kafka.client_log import CLIENT_LOG
from kafkastream.kafka.configuration import refused_properties
from kafkastream.kafka.refusals import Refusals
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["Fetched", "RecordConsumer"]

_AT_ONCE = 2_000
_TOPIC, _PARTITION, _ERROR = map(methodcaller, ("topic", "partition", "error"))
_NO_TOPIC = frozenset({"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "UNKNOWN_TOPIC_ID"})
_LOST = frozenset({"_AUTO_OFFSET_RESET", "OFFSET_OUT_OF_RANGE"})
_DENIED = frozenset({"TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED"})


class Fetched(NamedTuple):
    """Consecutive records of a partition.

    Args:
        partition: The partition.
        messages: Its records; none if only the position has moved.
        position: Offset behind them.
    """

    partition: TopicPartition
    messages: Sequence[Message]
    position: int


@final
class RecordConsumer:
    """Consumer of partitions that are assigned to it; it neither joins a group nor commits.

    Args:
        properties: Properties from ``consumer_properties``.
        name: Name of the source, for errors.

    Raises:
        DefinitionError: Kafka's client refuses a property.
    """

    def __init__(self, properties: Mapping[str, str], name: str) -> None:
        self._where = f"source {name!r}, bootstrap.servers {properties['bootstrap.servers']}"
        self._refusals = Refusals(self._where)
        # librdkafka wants a group, which nothing is committed to.
        settings: dict[str, Any] = {"group.id": f"kafkastream-{uuid.uuid4().hex[:8]}", **properties}
        with refused_properties(f"source {name!r}"):
            self._client = Consumer({**settings, "error_cb": self._refusals, "log_level": 0}, logger=CLIENT_LOG)
        self._stands: dict[TopicPartition, int] = {}

    def assign(self, positions: Mapping[TopicPartition, int]) -> None:
        """Read these partitions from these offsets; a consumer that is already there keeps the records that it has fetched."""
        if positions != self._stands:
            self._client.assign([ClientPartition(p.topic, p.partition, offset) for p, offset in positions.items()])
            self._stands = dict(positions)

    def leave(self, partition: TopicPartition) -> None:
        """Read no more of a partition."""
        if self._stands.pop(partition, None) is not None:
            self._client.incremental_unassign([_of_client(partition)])

    def fetch(self, timeout_s: float) -> Iterator[Fetched]:
        """Return what has arrived, by partition; if nothing has, wait for the first record at most so many seconds.

        Raises:
            UnknownTopicError: A topic has been deleted.
            KafkaError: Records were deleted before they were read, or the brokers refuse to send them.
            AuthenticationError: The brokers refuse the credentials.
        """
        messages = self._client.consume(_AT_ONCE, 0)
        if not messages and timeout_s:
            first = self._client.poll(timeout_s)
            messages = [] if first is None else [first, *self._client.consume(_AT_ONCE, 0)]
        self._refusals.check()
        yield from self._by_partition(messages)

    def _by_partition(self, messages: list[Message]) -> Iterator[Fetched]:
        """Yield runs of messages of one partition; each column is read in C, for the sake of full load."""
        topics, partitions = map(_TOPIC, messages), map(_PARTITION, messages)
        has_events = any(map(_ERROR, messages))
        begin = 0
        for (topic, partition), several in groupby(zip(topics, partitions, strict=True)):
            end = begin + len(list(several))
            found, begin = messages[begin:end], end
            if has_events and (topic is None or partition is None):
                self._fail(next(filter(None, map(_ERROR, found))), found[0])
            yield from self._of_partition(TopicPartition(topic, partition), found, has_events=has_events)

    def _of_partition(
        self, partition: TopicPartition, messages: list[Message], *, has_events: bool
    ) -> Iterator[Fetched]:
        if partition not in self._stands:  # it was left, or is no longer assigned
            return
        records, position = messages, self._stands[partition]
        if has_events:
            records = []
            for one in messages:
                error = one.error()
                if error is None:
                    records.append(one)
                elif error.code() == ClientError._PARTITION_EOF:
                    position = max(position, one.offset() or 0)
                else:
                    self._fail(error, one)
        if records:
            position = max(position, (records[-1].offset() or 0) + 1)
        self._stands[partition] = position
        yield Fetched(partition, records, position)

    def ends(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the end of each partition, as far as the brokers have told it with records."""
        found = {p: self._client.get_watermark_offsets(_of_client(p), cached=True) for p in partitions}
        return {p: marks[1] for p, marks in found.items() if marks is not None and marks[1] >= 0}

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _fail(self, error: ClientError, message: Message) -> NoReturn:
        """Raise the error of a message; errors that pass are ignored."""
        name, place = error.name(), f"topic {message.topic()}, partition {message.partition()}"
        if name in _NO_TOPIC:
            raise UnknownTopicError(
                f"topic {message.topic()} does not exist any more", where=self._where, now="Create it again."
            )
        if name in _LOST:
            raise KafkaError(
                f"records that the job has not read yet are gone: {place}: {error.str()}",
                where=self._where,
                now="The topic was deleted, created again, or its retention is shorter than the job's downtime.",
            )
        raise KafkaError(
            error.str(),
            where=f"{place}, {self._where}",
            now="Grant Read on the topic to the source's principal." if name in _DENIED else "Check the brokers.",
        )


def _of_client(partition: TopicPartition) -> ClientPartition:
    return ClientPartition(partition.topic, partition.partition)
