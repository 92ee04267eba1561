"""Records that a consumer has fetched, as the Arrow batches that a source's task takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter, methodcaller
from typing import Any, Final, Protocol

import pyarrow as pa

from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["FetchedRecord", "arrow_of"]

_UNREADABLE: Final = {"key": None, "value": None}
_HEADERS: Final = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


class FetchedRecord(Protocol):
    """Record of Kafka's client."""

    def offset(self) -> int | None:
        """Offset in its partition."""

    def timestamp(self) -> tuple[int, int]:
        """Type of the timestamp, and its ms."""

    def key(self) -> Any:
        """Bytes of the key."""

    def value(self) -> Any:
        """Bytes of the value."""

    def headers(self) -> Any:
        """Pairs of a name and bytes; None if there are none."""


Column = Callable[[Sequence[FetchedRecord]], pa.Array]


def arrow_of(
    node: int, partition: TopicPartition, messages: Sequence[FetchedRecord], columns: Sequence[str]
) -> pa.RecordBatch:
    """Return records of a partition with the columns, and their types, that Spark's Kafka source gives.

    Args:
        node: Node of the source.
        partition: Partition of all records.
        messages: The records; at least one.
        columns: Names of the columns, besides that of the node.
    """
    number = len(messages)
    same = {
        "source": pa.scalar(node, pa.int32()),
        "topic": pa.scalar(partition.topic, pa.string()),
        "partition": pa.scalar(partition.partition, pa.int32()),
    }
    names = ["source", *columns]
    arrays = [pa.repeat(same[name], number) if name in same else _COLUMNS[name](messages) for name in names]
    return pa.RecordBatch.from_arrays(arrays, names)


def _column(name: str, kind: pa.DataType) -> Column:
    """Return the function that reads a column, record by record in C."""
    read = methodcaller(name)
    return lambda messages: pa.array([*map(read, messages)], kind)


def _timestamps(messages: Sequence[FetchedRecord]) -> pa.Array:
    return pa.array([*map(itemgetter(1), map(methodcaller("timestamp"), messages))], pa.int64())


def _timestamp_types(messages: Sequence[FetchedRecord]) -> pa.Array:
    """Return the types of the timestamps as Java numbers them, one less than librdkafka does."""
    return pa.array([one.timestamp()[0] - 1 for one in messages], pa.int32())


def _headers(messages: Sequence[FetchedRecord]) -> pa.Array:
    return pa.array(list(map(_headers_of, messages)), _HEADERS)


def _headers_of(message: FetchedRecord) -> list[dict[str, Any]]:
    try:
        return [{"key": key, "value": value} for key, value in message.headers() or ()]
    except SystemError:  # how the client fails if a name is not UTF-8; it gives none of the headers then
        return [_UNREADABLE]


_COLUMNS: Final[Mapping[str, Column]] = {
    "offset": _column("offset", pa.int64()),
    "timestamp": _timestamps,
    "value": _column("value", pa.binary()),
    "key": _column("key", pa.binary()),
    "headers": _headers,
    "timestampType": _timestamp_types,
}
