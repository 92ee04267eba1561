"""The settings of checkpointing."""

from __future__ import annotations

import enum
from typing import final

from kafkastream.errors import DefinitionError
from kafkastream.options import job as options
from kafkastream.spec.configuration import Configuration

__all__ = ["CheckpointConfig", "CheckpointingMode"]


class CheckpointingMode(enum.Enum):
    """What a restart means for the job's own state; sinks have their own guarantee."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1


@final
class CheckpointConfig:
    """The settings of checkpointing: a view of the environment's configuration."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def is_checkpointing_enabled(self) -> bool:
        """Whether an interval is set."""
        return self._configuration.get(options.CHECKPOINT_INTERVAL) is not None

    isCheckpointingEnabled = is_checkpointing_enabled

    def set_checkpoint_interval(self, checkpoint_interval: int) -> CheckpointConfig:
        """How often the job's progress is kept, in ms."""
        if checkpoint_interval < 1:
            raise DefinitionError(f"checkpoint interval {checkpoint_interval} ms is not positive")
        self._configuration.set_string(options.CHECKPOINT_INTERVAL.key, f"{checkpoint_interval} ms")
        return self

    setCheckpointInterval = set_checkpoint_interval

    def get_checkpoint_interval(self) -> int:
        """The interval in ms, or -1 when checkpointing is off."""
        return self._configuration.get(options.CHECKPOINT_INTERVAL) or -1

    getCheckpointInterval = get_checkpoint_interval

    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> CheckpointConfig:
        """Accepted as given; Spark's own progress is always exact, so both modes run alike."""
        self._configuration.set_string(options.CHECKPOINT_MODE.key, checkpointing_mode.name)
        return self

    setCheckpointingMode = set_checkpointing_mode

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """The mode as it was set."""
        return CheckpointingMode[self._configuration.get(options.CHECKPOINT_MODE)]

    getCheckpointingMode = get_checkpointing_mode

    def set_checkpoint_storage_dir(self, checkpoint_path: str) -> CheckpointConfig:
        """The directory below which each job keeps its progress, in a folder named after the job."""
        self._configuration.set_string(options.CHECKPOINT_DIR.key, checkpoint_path)
        return self

    setCheckpointStorageDir = set_checkpoint_storage_dir
    setCheckpointStorage = set_checkpoint_storage_dir
    set_checkpoint_storage = set_checkpoint_storage_dir
