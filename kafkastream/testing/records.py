"""Records as tests write and read them."""

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
    """A record to be written; text becomes UTF-8.

    Args:
        value: Its value; None is a tombstone.
        key: Its key.
        headers: Pairs of a name and a value; a name may come twice.
        partition: Where it goes; None leaves that to its key, as Java's producer does.
        timestamp_ms: Its time, milliseconds since 1970; None is the time of writing.
    """

    value: bytes | None = attrs.field(converter=_encoded)
    key: bytes | None = attrs.field(default=None, converter=_encoded)
    headers: Headers = attrs.field(default=(), converter=_headers)
    partition: int | None = None
    timestamp_ms: int | None = None


@final
@attrs.frozen
class ConsumedRecord:
    """A record as it stands in its topic.

    Args:
        topic: Where it was read.
        partition: Its partition.
        offset: Its place there.
        key: Its key.
        value: Its value; None is a tombstone.
        headers: Its headers, in the order of writing.
        timestamp_ms: Its time, milliseconds since 1970.
        timestamp_type: Who set the time: the producer (``CreateTime``) or the broker (``LogAppendTime``).
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int
    timestamp_type: TimestampType
