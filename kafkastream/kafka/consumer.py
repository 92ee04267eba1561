"""Consumer of assigned partitions, kept in a Python worker between epochs with its positions."""

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
from kafkastream.kafka.configuration import translate_refused_property
from kafkastream.kafka.refusals import Refusals
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["Fetched", "RecordConsumer"]

_FETCH_SIZE = 2_000
_TOPIC, _PARTITION, _ERROR = map(methodcaller, ("topic", "partition", "error"))
_NO_TOPIC_ERRORS = frozenset({"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "UNKNOWN_TOPIC_ID"})
_LOST_OFFSET_ERRORS = frozenset({"_AUTO_OFFSET_RESET", "OFFSET_OUT_OF_RANGE"})
_DENIED_ERRORS = frozenset({"TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED"})


class Fetched(NamedTuple):
    """Consecutive records of a partition.

    Args:
        partition: The partition.
        messages: Its records; empty if only the position advanced, past transaction markers.
        position: Offset after them.
    """

    partition: TopicPartition
    messages: Sequence[Message]
    position: int


@final
class RecordConsumer:
    """Consumer of explicitly assigned partitions; it neither joins a group nor commits.

    Args:
        properties: Properties from ``consumer_properties``.
        name: Name of the source, for errors.

    Raises:
        DefinitionError: Kafka's client refuses a property.
    """

    def __init__(self, properties: Mapping[str, str], name: str) -> None:
        self._where = f"source {name!r}, bootstrap.servers {properties['bootstrap.servers']}"
        self._refusals = Refusals(self._where)
        # librdkafka requires a group id; nothing is committed to it
        settings: dict[str, Any] = {"group.id": f"kafkastream-{uuid.uuid4().hex[:8]}", **properties}
        with translate_refused_property(f"source {name!r}"):
            self._client = Consumer({**settings, "error_cb": self._refusals, "log_level": 0}, logger=CLIENT_LOG)
        self._positions: dict[TopicPartition, int] = {}

    def assign(self, positions: Mapping[TopicPartition, int]) -> None:
        """Assign partitions with offsets; if these are the current positions, keep the records that are already fetched."""
        if positions != self._positions:
            self._client.assign([ClientPartition(p.topic, p.partition, offset) for p, offset in positions.items()])
            self._positions = dict(positions)

    def leave(self, partition: TopicPartition) -> None:
        """Stop reading a partition."""
        if self._positions.pop(partition, None) is not None:
            self._client.incremental_unassign([_client_partition(partition)])

    def fetch(self, timeout_s: float) -> Iterator[Fetched]:
        """Yield the records that have arrived, by partition; if there are none, wait up to ``timeout_s`` for the first.

        Raises:
            UnknownTopicError: A topic has been deleted.
            KafkaError: Records were deleted before they were read, or the brokers refuse to send them.
            AuthenticationError: The brokers refuse the credentials.
        """
        messages = self._client.consume(_FETCH_SIZE, 0)
        if not messages and timeout_s:
            first = self._client.poll(timeout_s)
            messages = [] if first is None else [first, *self._client.consume(_FETCH_SIZE, 0)]
        self._refusals.check()
        yield from self._by_partition(messages)

    def _by_partition(self, messages: list[Message]) -> Iterator[Fetched]:
        """Yield runs of messages of one partition; topics, partitions and errors are read by C code, for throughput."""
        topics, partitions = map(_TOPIC, messages), map(_PARTITION, messages)
        has_events = any(map(_ERROR, messages))
        begin = 0
        for (topic, partition), group in groupby(zip(topics, partitions, strict=True)):
            end = begin + len(list(group))
            run, begin = messages[begin:end], end
            if has_events and (topic is None or partition is None):
                self._raise_error(next(filter(None, map(_ERROR, run))), run[0])
            yield from self._take_records(TopicPartition(topic, partition), run, has_events=has_events)

    def _take_records(
        self, partition: TopicPartition, messages: list[Message], *, has_events: bool
    ) -> Iterator[Fetched]:
        if partition not in self._positions:  # no longer assigned
            return
        records, position = messages, self._positions[partition]
        if has_events:
            records = []
            for message in messages:
                error = message.error()
                if error is None:
                    records.append(message)
                elif error.code() == ClientError._PARTITION_EOF:
                    position = max(position, message.offset() or 0)
                else:
                    self._raise_error(error, message)
        if records:
            position = max(position, (records[-1].offset() or 0) + 1)
        self._positions[partition] = position
        yield Fetched(partition, records, position)

    def ends(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the end offset of each partition, as of the last fetch response; omits partitions without one."""
        watermarks = {p: self._client.get_watermark_offsets(_client_partition(p), cached=True) for p in partitions}
        return {p: offsets[1] for p, offsets in watermarks.items() if offsets is not None and offsets[1] >= 0}

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _raise_error(self, error: ClientError, message: Message) -> NoReturn:
        """Raise the error of a message, translated for the user."""
        name, location = error.name(), f"topic {message.topic()}, partition {message.partition()}"
        if name in _NO_TOPIC_ERRORS:
            raise UnknownTopicError(
                f"topic {message.topic()} does not exist any more", where=self._where, now="Create it again."
            )
        if name in _LOST_OFFSET_ERRORS:
            raise KafkaError(
                f"records that the job has not read yet are gone: {location}: {error.str()}",
                where=self._where,
                now="The topic was deleted, created again, or its retention is shorter than the job's downtime.",
            )
        raise KafkaError(
            error.str(),
            where=f"{location}, {self._where}",
            now="Grant Read on the topic to the source's principal."
            if name in _DENIED_ERRORS
            else "Check the brokers.",
        )


def _client_partition(partition: TopicPartition) -> ClientPartition:
    return ClientPartition(partition.topic, partition.partition)
