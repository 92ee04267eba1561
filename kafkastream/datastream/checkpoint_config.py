"""The settings of checkpointing."""

from __future__ import annotations

from typing import final

from kafkastream.datastream.checkpoint_storage import CheckpointStorage, FileSystemCheckpointStorage
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.externalized_checkpoint_retention import ExternalizedCheckpointRetention
from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.time import Duration
from kafkastream.model.job.configuration_view import ConfigurationView
from kafkastream.options import checkpoints as options

__all__ = [
    "CheckpointConfig",
    "CheckpointingMode",
    "Duration",
    "ExternalizedCheckpointCleanup",
    "ExternalizedCheckpointRetention",
]

ExternalizedCheckpointCleanup = ExternalizedCheckpointRetention
_ANY_NUMBER = 2**31 - 1


@final
@checked_methods
class CheckpointConfig(ConfigurationView):
    """The settings of checkpointing: a view of the environment's configuration.

    Directory and interval count. All else is given back as it was set, and changes nothing: here a checkpoint is what
    Spark writes of each micro-batch, before the next one begins.
    """

    _j_checkpoint_config = Refused()

    def is_checkpointing_enabled(self) -> bool:
        """Whether an interval is set."""
        return self._get(options.CHECKPOINT_INTERVAL) is not None

    isCheckpointingEnabled = is_checkpointing_enabled

    def set_checkpoint_interval(self, checkpoint_interval: int) -> CheckpointConfig:
        """How often exactly-once output becomes visible and offsets are committed, in ms."""
        if checkpoint_interval < 1:
            raise DefinitionError(f"checkpoint interval {checkpoint_interval} ms is not positive")
        return self._set(options.CHECKPOINT_INTERVAL, checkpoint_interval)

    setCheckpointInterval = set_checkpoint_interval

    def get_checkpoint_interval(self) -> int:
        """The interval in ms, or -1 when checkpointing is off."""
        return self._get(options.CHECKPOINT_INTERVAL) or -1

    getCheckpointInterval = get_checkpoint_interval

    def set_checkpoint_storage_dir(self, checkpoint_path: str) -> CheckpointConfig:
        """The directory below which each job keeps its progress, in a folder named after the job."""
        return self._set(options.CHECKPOINT_DIR, checkpoint_path)

    setCheckpointStorageDir = set_checkpoint_storage_dir

    def set_checkpoint_storage(self, storage: CheckpointStorage | str) -> CheckpointConfig:
        """The directory below which each job keeps its progress; a storage that is none has no effect."""
        match storage:
            case str() as path:
                return self.set_checkpoint_storage_dir(path)
            case FileSystemCheckpointStorage(checkpoint_path=path):
                return self.set_checkpoint_storage_dir(path)
            case _:
                return self

    setCheckpointStorage = set_checkpoint_storage

    def get_checkpoint_storage(self) -> CheckpointStorage | None:
        """The directory, if one is set."""
        path = self._get(options.CHECKPOINT_DIR)
        return None if path is None else FileSystemCheckpointStorage(path)

    getCheckpointStorage = get_checkpoint_storage

    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> CheckpointConfig:
        """Has no effect: Spark's own progress is always exact."""
        return self._set(options.CHECKPOINT_MODE, checkpointing_mode.name)

    setCheckpointingMode = set_checkpointing_mode

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """The mode as it was set."""
        return CheckpointingMode[self._get(options.CHECKPOINT_MODE)]

    getCheckpointingMode = get_checkpointing_mode

    def set_checkpoint_timeout(self, checkpoint_timeout: int) -> CheckpointConfig:
        """Has no effect: a micro-batch takes as long as it takes. In ms."""
        return self._set_at_least(1, options.CHECKPOINT_TIMEOUT, checkpoint_timeout)

    setCheckpointTimeout = set_checkpoint_timeout

    def get_checkpoint_timeout(self) -> int:
        """The time as it was set, in ms."""
        return self._get(options.CHECKPOINT_TIMEOUT)

    getCheckpointTimeout = get_checkpoint_timeout

    def set_min_pause_between_checkpoints(self, min_pause_between_checkpoints: int) -> CheckpointConfig:
        """Has no effect: the interval says how often. In ms."""
        return self._set_at_least(0, options.MIN_PAUSE, min_pause_between_checkpoints)

    setMinPauseBetweenCheckpoints = set_min_pause_between_checkpoints

    def get_min_pause_between_checkpoints(self) -> int:
        """The pause as it was set, in ms."""
        return self._get(options.MIN_PAUSE)

    getMinPauseBetweenCheckpoints = get_min_pause_between_checkpoints

    def set_max_concurrent_checkpoints(self, max_concurrent_checkpoints: int) -> CheckpointConfig:
        """Has no effect: there is one at a time."""
        return self._set_at_least(1, options.MAX_CONCURRENT_CHECKPOINTS, max_concurrent_checkpoints)

    setMaxConcurrentCheckpoints = set_max_concurrent_checkpoints

    def get_max_concurrent_checkpoints(self) -> int:
        """The number as it was set."""
        return self._get(options.MAX_CONCURRENT_CHECKPOINTS)

    getMaxConcurrentCheckpoints = get_max_concurrent_checkpoints

    def set_tolerable_checkpoint_failure_number(self, tolerable_checkpoint_failure_number: int) -> CheckpointConfig:
        """Has no effect: a checkpoint that cannot be written fails the job."""
        return self._set_at_least(0, options.TOLERABLE_FAILED_CHECKPOINTS, tolerable_checkpoint_failure_number)

    setTolerableCheckpointFailureNumber = set_tolerable_checkpoint_failure_number

    def get_tolerable_checkpoint_failure_number(self) -> int:
        """The number as it was set."""
        return self._get(options.TOLERABLE_FAILED_CHECKPOINTS)

    getTolerableCheckpointFailureNumber = get_tolerable_checkpoint_failure_number

    def set_fail_on_checkpointing_errors(self, fail_on_checkpointing_errors: bool) -> CheckpointConfig:
        """Has no effect: a checkpoint that cannot be written fails the job."""
        return self.set_tolerable_checkpoint_failure_number(0 if fail_on_checkpointing_errors else _ANY_NUMBER)

    setFailOnCheckpointingErrors = set_fail_on_checkpointing_errors

    def is_fail_on_checkpointing_errors(self) -> bool:
        """As it was set."""
        return self.get_tolerable_checkpoint_failure_number() == 0

    isFailOnCheckpointingErrors = is_fail_on_checkpointing_errors

    def set_externalized_checkpoint_retention(
        self, retention_mode: ExternalizedCheckpointRetention
    ) -> CheckpointConfig:
        """Has no effect: what is in the checkpoint directory stays there."""
        return self._set(options.CHECKPOINT_RETENTION, retention_mode.name)

    setExternalizedCheckpointRetention = set_externalized_checkpoint_retention
    set_externalized_checkpoint_cleanup = set_externalized_checkpoint_retention
    setExternalizedCheckpointCleanup = set_externalized_checkpoint_retention
    enable_externalized_checkpoints = set_externalized_checkpoint_retention
    enableExternalizedCheckpoints = set_externalized_checkpoint_retention

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        """As it was set."""
        return ExternalizedCheckpointRetention[self._get(options.CHECKPOINT_RETENTION)]

    getExternalizedCheckpointRetention = get_externalized_checkpoint_retention
    get_externalized_checkpoint_cleanup = get_externalized_checkpoint_retention
    getExternalizedCheckpointCleanup = get_externalized_checkpoint_retention

    def is_externalized_checkpoints_enabled(self) -> bool:
        """Whether a retention is set."""
        retention = self.get_externalized_checkpoint_retention()
        return retention is not ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS

    isExternalizedCheckpointsEnabled = is_externalized_checkpoints_enabled

    def enable_unaligned_checkpoints(self, enabled: bool = True) -> CheckpointConfig:
        """Has no effect: no element is on its way between two micro-batches."""
        return self._set(options.UNALIGNED, enabled)

    enableUnalignedCheckpoints = enable_unaligned_checkpoints

    def disable_unaligned_checkpoints(self) -> CheckpointConfig:
        """Has no effect."""
        return self.enable_unaligned_checkpoints(False)

    disableUnalignedCheckpoints = disable_unaligned_checkpoints

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """As it was set."""
        return self._get(options.UNALIGNED)

    isUnalignedCheckpointsEnabled = is_unaligned_checkpoints_enabled

    def set_force_unaligned_checkpoints(self, force_unaligned_checkpoints: bool = True) -> CheckpointConfig:
        """Has no effect."""
        return self._set(options.FORCED_UNALIGNED, force_unaligned_checkpoints)

    setForceUnalignedCheckpoints = set_force_unaligned_checkpoints

    def is_force_unaligned_checkpoints(self) -> bool:
        """As it was set."""
        return self._get(options.FORCED_UNALIGNED)

    isForceUnalignedCheckpoints = is_force_unaligned_checkpoints

    def set_aligned_checkpoint_timeout(self, alignment_timeout: Duration) -> CheckpointConfig:
        """Has no effect: no element is on its way between two micro-batches."""
        return self._set(options.ALIGNED_TIMEOUT, alignment_timeout.to_millis())

    setAlignedCheckpointTimeout = set_aligned_checkpoint_timeout
    set_alignment_timeout = set_aligned_checkpoint_timeout
    setAlignmentTimeout = set_aligned_checkpoint_timeout

    def get_aligned_checkpoint_timeout(self) -> Duration:
        """The time as it was set."""
        return Duration.of_millis(self._get(options.ALIGNED_TIMEOUT))

    getAlignedCheckpointTimeout = get_aligned_checkpoint_timeout
    get_alignment_timeout = get_aligned_checkpoint_timeout
    getAlignmentTimeout = get_aligned_checkpoint_timeout
