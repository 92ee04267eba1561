"""Committers of sinks: what makes the output of a micro-batch visible, in the words of Flink's Sink V2."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar

__all__ = ["Committer", "CommitterInitContext"]

COMM_contra = TypeVar("COMM_contra", contravariant=True, default=Any)


class Committer(Generic[COMM_contra], ABC):
    """Makes the output of micro-batches visible, on the driver."""

    @abstractmethod
    def commit(self, committables: Sequence[COMM_contra], checkpoint_id: int) -> None:
        """Make the output of a micro-batch visible, after all its tasks have ended and before Spark saves its progress.

        If the program dies in between, the micro-batch runs again under the same number, with new committables. For
        exactly-once, recognize the number: keep it with the output, in one transaction, or replace what was committed
        under it.

        Args:
            committables: What the writers of all subtasks have returned.
            checkpoint_id: Number of the micro-batch; it grows, also from one start of the job to the next.
        """

    def close(self) -> None:
        """Release resources, when the job ends or restarts."""


@final
@attrs.frozen
class CommitterInitContext:
    """Context of a committer.

    Args:
        sink_name: Name of the sink, for errors.
        sink_id: Identity of the sink and its job, unique, and the same as long as the job's checkpoint exists.
            ``checkpoint_id`` grows within it.
    """

    sink_name: str
    sink_id: str
