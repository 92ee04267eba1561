"""Which time Flink 1.x goes by, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["TimeCharacteristic"]


class TimeCharacteristic(enum.Enum):
    """Which time a job of Flink 1.x goes by where it does not say so; since Flink 1.12, windows say so themselves."""

    ProcessingTime = 0
    IngestionTime = 1
    EventTime = 2
