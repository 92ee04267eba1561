"""Time attributes of columns."""

from __future__ import annotations

import enum

__all__ = ["TimeAttribute"]


class TimeAttribute(enum.Enum):
    """Event time or processing time."""

    EVENT = "rowtime"
    PROCESSING = "proctime"
