"""The execution mode, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["RuntimeExecutionMode"]


class RuntimeExecutionMode(enum.Enum):
    """How a job with bounded sources may run; the results are the same."""

    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2
