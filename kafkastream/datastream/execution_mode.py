"""``RuntimeExecutionMode``, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["RuntimeExecutionMode"]


class RuntimeExecutionMode(enum.Enum):
    """Runtime mode of a job: STREAMING, BATCH for bounded sources only, or AUTOMATIC, which chooses by the sources."""

    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2
