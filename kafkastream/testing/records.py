"""Records that tests produce and consume."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, final

import attrs

__all__ = ["ConsumedRecord", "Headers", "Record", "TimestampType"]

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]
TimestampType: TypeAlias = Literal["CreateTime", "LogAppendTime", "NoTimestampType"]


def _encoded(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _headers(headers: Iterable[tuple[str, str | bytes | None]]) -> Headers:
    return tuple((name, _encoded(value)) for name, value in headers)


@final
@attrs.frozen
class Record:
    """Record to produce; text is encoded as UTF-8.

    Args:
        value: Value; None for a tombstone.
        key: Key.
        headers: Pairs of name and value; names may repeat.
        partition: Partition; by default, chosen by key as Java's producer does.
        timestamp_ms: Timestamp in ms since 1970; by default, the current time.
    """

    value: bytes | None = attrs.field(converter=_encoded)
    key: bytes | None = attrs.field(default=None, converter=_encoded)
    headers: Headers = attrs.field(default=(), converter=_headers)
    partition: int | None = None
    timestamp_ms: int | None = None


@final
@attrs.frozen
class ConsumedRecord:
    """Record as consumed from a topic.

    Args:
        topic: Topic.
        partition: Partition.
        offset: Offset in the partition.
        key: Key.
        value: Value; None for a tombstone.
        headers: Headers in the order in which they were written.
        timestamp_ms: Timestamp in ms since 1970.
        timestamp_type: ``CreateTime`` if set by the producer, ``LogAppendTime`` if set by the broker.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int
    timestamp_type: TimestampType
