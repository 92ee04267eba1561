"""``ExternalizedCheckpointRetention``, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = ["ExternalizedCheckpointRetention"]


class ExternalizedCheckpointRetention(enum.Enum):
    """Retention of the last checkpoint when a job is cancelled.

    No effect: checkpoints are always retained.
    """

    DELETE_ON_CANCELLATION = 0
    RETAIN_ON_CANCELLATION = 1
    NO_EXTERNALIZED_CHECKPOINTS = 2
