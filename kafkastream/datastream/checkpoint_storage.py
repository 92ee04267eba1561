"""Where Flink keeps checkpoints, at PyFlink's path; of a directory only its path counts here."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.spec.stand_in import StandIn

__all__ = [
    "CheckpointStorage",
    "CustomCheckpointStorage",
    "FileSystemCheckpointStorage",
    "JobManagerCheckpointStorage",
]


class CheckpointStorage:
    """Where checkpoints are kept."""


@final
@attrs.frozen
class FileSystemCheckpointStorage(CheckpointStorage):
    """A directory, below which each job keeps its progress.

    Args:
        checkpoint_path: The directory.
        file_state_size_threshold: Has no effect.
        write_buffer_size: Has no effect.
    """

    checkpoint_path: str
    file_state_size_threshold: int | None = None
    write_buffer_size: int = -1

    def get_checkpoint_path(self) -> str:
        """The directory."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path


@final
@attrs.frozen
class JobManagerCheckpointStorage(CheckpointStorage):
    """The memory of Flink's JobManager.

    Differs from Flink: it has no effect; without a checkpoint directory, progress lasts as long as the job.

    Args:
        checkpoint_path: Has no effect.
        max_state_size: Has no effect.
    """

    checkpoint_path: str | None = None
    max_state_size: int | None = None

    def get_checkpoint_path(self) -> str | None:
        """The path as it was given."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path


class CustomCheckpointStorage(
    StandIn, instead="Give a directory: execution.checkpointing.dir, or FileSystemCheckpointStorage."
):
    """Holds one of Java's storages."""
