"""Records with a time, and what tells their keys."""

from __future__ import annotations

from typing import Any

from kafkastream.common import WatermarkStrategy
from kafkastream.testing import Record

T0 = 1_795_000_000_000
MONOTONOUS: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()


def at(second: float, key: str, partition: int = 0) -> Record:
    """A record of this second after T0; its value is ``key@second``."""
    return Record(f"{key}@{second:g}", key=key, partition=partition, timestamp_ms=T0 + round(second * 1000))


def key_of(value: str) -> str:
    """The key in a record's value."""
    return value.split("@", maxsplit=1)[0]
