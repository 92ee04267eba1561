"""What a checkpoint promises, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["CheckpointingMode"]


class CheckpointingMode(enum.Enum):
    """What a restart means for the job's own state; sinks have their own guarantee."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1
