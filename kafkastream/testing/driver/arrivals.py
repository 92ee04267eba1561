"""Records and elements that a test sends to a source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

import attrs

from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["Arrival", "SentRecord", "merge_by_partition"]


@final
@attrs.frozen
class SentRecord:
    """Record that a test sends to a source, as Kafka's client would have fetched it."""

    _offset: int
    _timestamp: int
    _key: bytes | None
    _value: bytes | None
    _headers: tuple[tuple[str, bytes | None], ...]

    def offset(self) -> int:
        """Offset in its partition."""
        return self._offset

    def timestamp(self) -> tuple[int, int]:
        """Type of the timestamp, and its ms."""
        return 1, self._timestamp  # TIMESTAMP_CREATE_TIME of librdkafka

    def key(self) -> bytes | None:
        """Bytes of the key."""
        return self._key

    def value(self) -> bytes | None:
        """Bytes of the value."""
        return self._value

    def headers(self) -> list[tuple[str, bytes | None]]:
        """Pairs of a name and bytes."""
        return list(self._headers)


@final
@attrs.frozen
class Arrival:
    """Records, or elements with their timestamps, that arrive from a partition in one micro-batch.

    Args:
        source: Node of the source.
        partition: Partition that they come from.
        records: Records, for the source's schema.
        elements: Elements that bypass the schema.
    """

    source: int
    partition: TopicPartition
    records: Sequence[SentRecord] = ()
    elements: Sequence[tuple[Any, int | None]] = ()


def merge_by_partition(arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
    """Yield one arrival for each partition of a source: on Spark, one task reads all its records of a micro-batch."""
    by_partition: dict[tuple[int, TopicPartition], list[Arrival]] = {}
    for arrival in arrivals:
        by_partition.setdefault((arrival.source, arrival.partition), []).append(arrival)
    for (source, partition), parts in by_partition.items():
        records = [record for part in parts for record in part.records]
        elements = [element for part in parts for element in part.elements]
        yield Arrival(source, partition, records, elements)
