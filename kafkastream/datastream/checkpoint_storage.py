"""Checkpoint storages, at PyFlink's path; only a directory's path takes effect here."""

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
    """Base class of checkpoint storages."""


@final
@checked_methods
@attrs.frozen
class FileSystemCheckpointStorage(CheckpointStorage):
    """Checkpoint storage in a directory, in which each job has a folder named after it.

    Args:
        checkpoint_path: Path or URL of the directory.
        file_state_size_threshold: No effect; bytes in Flink.
        write_buffer_size: No effect; bytes in Flink.
    """

    MAX_FILE_STATE_THRESHOLD: ClassVar = 1024**2

    checkpoint_path: str
    file_state_size_threshold: int | None = None
    write_buffer_size: int = -1

    def get_checkpoint_path(self) -> str:
        """Return the path of the directory."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path

    def get_min_file_size_threshold(self) -> int | None:
        """Return ``file_state_size_threshold``; without effect."""
        return self.file_state_size_threshold

    getMinFileSizeThreshold = get_min_file_size_threshold

    def get_write_buffer_size(self) -> int:
        """Return ``write_buffer_size``; without effect."""
        return self.write_buffer_size

    getWriteBufferSize = get_write_buffer_size

    def get_savepoint_path(self) -> None:
        """Return None: there are no savepoints."""

    getSavepointPath = get_savepoint_path


@final
@checked_methods
@attrs.frozen
class JobManagerCheckpointStorage(CheckpointStorage):
    """Checkpoint storage in the memory of Flink's JobManager.

    Differs from Flink: no effect; without a checkpoint directory, progress lasts as long as the job.

    Args:
        checkpoint_path: No effect.
        max_state_size: No effect; bytes in Flink.
    """

    DEFAULT_MAX_STATE_SIZE: ClassVar = 5 * 1024**2

    checkpoint_path: str | None = None
    max_state_size: int | None = None

    def get_checkpoint_path(self) -> str | None:
        """Return ``checkpoint_path``; without effect."""
        return self.checkpoint_path

    getCheckpointPath = get_checkpoint_path

    def get_max_state_size(self) -> int:
        """Return ``max_state_size``, by default 5 MiB; without effect."""
        return self.DEFAULT_MAX_STATE_SIZE if self.max_state_size is None else self.max_state_size

    getMaxStateSize = get_max_state_size

    def get_savepoint_path(self) -> None:
        """Return None: there are no savepoints."""

    getSavepointPath = get_savepoint_path


class CustomCheckpointStorage(
    StandIn, instead="Set a checkpoint directory: execution.checkpointing.dir, or FileSystemCheckpointStorage."
):
    """Wrapper of a Java storage."""
