"""``TimeCharacteristic`` of Flink 1.x, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["TimeCharacteristic"]


class TimeCharacteristic(enum.Enum):
    """Notion of time of a Flink 1.x job; since Flink 1.12, each window and timer names its own."""

    ProcessingTime = 0
    IngestionTime = 1
    EventTime = 2
