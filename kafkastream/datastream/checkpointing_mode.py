"""``CheckpointingMode``, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["CheckpointingMode"]


class CheckpointingMode(enum.Enum):
    """Guarantee of checkpoints for the job's own state; a sink's delivery guarantee is its own setting."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1
