"""Where Flink keeps checkpoints, at PyFlink's path; of a directory only its path counts here."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "CheckpointStorage",
    "CustomCheckpointStorage",
    "FileSystemCheckpointStorage",
    "JobManagerCheckpointStorage",
]


class CheckpointStorage:
    """Where checkpoints are kept."""


@final
@checked_methods
@attrs.frozen
class FileSystemCheckpointStorage(CheckpointStorage):
    """A directory, below which each job keeps its progress.

    Args:
        checkpoint_path: The directory.
        file_state_size_threshold: Has no effect.
        write_buffer_size: Has no effect.
    """

    MAX_FILE_STATE_THRESHOLD: ClassVar = 1024**2

    checkpoint_path: str
    file_state_size_threshold: int | None = None
    write_buffer_size: int = -1

    def get_checkpoint_path(self) -> str:
        """The directory."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path

    def get_min_file_size_threshold(self) -> int | None:
        """As it was given."""
        return self.file_state_size_threshold

    getMinFileSizeThreshold = get_min_file_size_threshold

    def get_write_buffer_size(self) -> int:
        """As it was given."""
        return self.write_buffer_size

    getWriteBufferSize = get_write_buffer_size

    def get_savepoint_path(self) -> None:
        """None: there are no savepoints."""

    getSavepointPath = get_savepoint_path


@final
@checked_methods
@attrs.frozen
class JobManagerCheckpointStorage(CheckpointStorage):
    """The memory of Flink's JobManager.

    Differs from Flink: it has no effect; without a checkpoint directory, progress lasts as long as the job.

    Args:
        checkpoint_path: Has no effect.
        max_state_size: Has no effect.
    """

    DEFAULT_MAX_STATE_SIZE: ClassVar = 5 * 1024**2

    checkpoint_path: str | None = None
    max_state_size: int | None = None

    def get_checkpoint_path(self) -> str | None:
        """The path as it was given."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path

    def get_max_state_size(self) -> int:
        """As it was given."""
        return self.DEFAULT_MAX_STATE_SIZE if self.max_state_size is None else self.max_state_size

    getMaxStateSize = get_max_state_size

    def get_savepoint_path(self) -> None:
        """None: there are no savepoints."""

    getSavepointPath = get_savepoint_path


class CustomCheckpointStorage(
    StandIn, instead="Give a directory: execution.checkpointing.dir, or FileSystemCheckpointStorage."
):
    """Holds one of Java's storages."""
