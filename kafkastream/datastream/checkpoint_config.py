"""``CheckpointConfig``: checkpoint interval, checkpoint directory, and Flink's settings without effect on Spark."""

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
    """Checkpoint settings, stored in the environment's configuration.

    Interval and directory take effect. All others are accepted and returned, but change nothing: a checkpoint here is
    what Spark writes of each micro-batch before the next one begins.
    """

    _j_checkpoint_config = Refused()

    def is_checkpointing_enabled(self) -> bool:
        """Return whether a checkpoint interval is set."""
        return self._get(options.CHECKPOINT_INTERVAL) is not None

    isCheckpointingEnabled = is_checkpointing_enabled

    def set_checkpoint_interval(self, checkpoint_interval: int) -> CheckpointConfig:
        """Set the interval at which exactly-once output is committed, and offsets are committed to Kafka.

        Args:
            checkpoint_interval: Time in ms, 1 or more.

        Raises:
            DefinitionError: ``checkpoint_interval`` is less than 1.
        """
        if checkpoint_interval < 1:
            raise DefinitionError(
                f"checkpoint interval {checkpoint_interval} ms is not positive", now="Give 1 ms or more."
            )
        return self._set(options.CHECKPOINT_INTERVAL, checkpoint_interval)

    setCheckpointInterval = set_checkpoint_interval

    def get_checkpoint_interval(self) -> int:
        """Return the checkpoint interval in ms, or -1 if checkpointing is disabled."""
        return self._get(options.CHECKPOINT_INTERVAL) or -1

    getCheckpointInterval = get_checkpoint_interval

    def set_checkpoint_storage_dir(self, checkpoint_path: str) -> CheckpointConfig:
        """Set the checkpoint directory, in which each job has a folder named after it.

        Args:
            checkpoint_path: Path or URL that the driver and all workers can write to.
        """
        return self._set(options.CHECKPOINT_DIR, checkpoint_path)

    setCheckpointStorageDir = set_checkpoint_storage_dir

    def set_checkpoint_storage(self, storage: CheckpointStorage | str) -> CheckpointConfig:
        """Set the checkpoint directory.

        Args:
            storage: Path, or ``FileSystemCheckpointStorage``; other storages have no effect.
        """
        match storage:
            case str() as path:
                return self.set_checkpoint_storage_dir(path)
            case FileSystemCheckpointStorage(checkpoint_path=path):
                return self.set_checkpoint_storage_dir(path)
            case _:
                return self

    setCheckpointStorage = set_checkpoint_storage

    def get_checkpoint_storage(self) -> CheckpointStorage | None:
        """Return the checkpoint directory as a storage, or None if none is set."""
        path = self._get(options.CHECKPOINT_DIR)
        return None if path is None else FileSystemCheckpointStorage(path)

    getCheckpointStorage = get_checkpoint_storage

    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> CheckpointConfig:
        """No effect: Spark's progress is always exactly-once; a sink's delivery guarantee is its own setting."""
        return self._set(options.CHECKPOINT_MODE, checkpointing_mode.name)

    setCheckpointingMode = set_checkpointing_mode

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """Return the checkpointing mode; without effect."""
        return CheckpointingMode[self._get(options.CHECKPOINT_MODE)]

    getCheckpointingMode = get_checkpointing_mode

    def set_checkpoint_timeout(self, checkpoint_timeout: int) -> CheckpointConfig:
        """No effect: a checkpoint is part of its micro-batch, which has no time limit.

        Args:
            checkpoint_timeout: Time in ms, 1 or more.
        """
        return self._set_at_least(1, options.CHECKPOINT_TIMEOUT, checkpoint_timeout)

    setCheckpointTimeout = set_checkpoint_timeout

    def get_checkpoint_timeout(self) -> int:
        """Return the checkpoint timeout in ms; without effect."""
        return self._get(options.CHECKPOINT_TIMEOUT)

    getCheckpointTimeout = get_checkpoint_timeout

    def set_min_pause_between_checkpoints(self, min_pause_between_checkpoints: int) -> CheckpointConfig:
        """No effect: only the interval counts.

        Args:
            min_pause_between_checkpoints: Time in ms, 0 or more.
        """
        return self._set_at_least(0, options.MIN_PAUSE, min_pause_between_checkpoints)

    setMinPauseBetweenCheckpoints = set_min_pause_between_checkpoints

    def get_min_pause_between_checkpoints(self) -> int:
        """Return the minimum pause between checkpoints in ms; without effect."""
        return self._get(options.MIN_PAUSE)

    getMinPauseBetweenCheckpoints = get_min_pause_between_checkpoints

    def set_max_concurrent_checkpoints(self, max_concurrent_checkpoints: int) -> CheckpointConfig:
        """No effect: there is never more than one checkpoint in progress."""
        return self._set_at_least(1, options.MAX_CONCURRENT_CHECKPOINTS, max_concurrent_checkpoints)

    setMaxConcurrentCheckpoints = set_max_concurrent_checkpoints

    def get_max_concurrent_checkpoints(self) -> int:
        """Return the maximum number of concurrent checkpoints; without effect."""
        return self._get(options.MAX_CONCURRENT_CHECKPOINTS)

    getMaxConcurrentCheckpoints = get_max_concurrent_checkpoints

    def set_tolerable_checkpoint_failure_number(self, tolerable_checkpoint_failure_number: int) -> CheckpointConfig:
        """No effect: a checkpoint that cannot be written fails the job."""
        return self._set_at_least(0, options.TOLERABLE_FAILED_CHECKPOINTS, tolerable_checkpoint_failure_number)

    setTolerableCheckpointFailureNumber = set_tolerable_checkpoint_failure_number

    def get_tolerable_checkpoint_failure_number(self) -> int:
        """Return the tolerable number of failed checkpoints; without effect."""
        return self._get(options.TOLERABLE_FAILED_CHECKPOINTS)

    getTolerableCheckpointFailureNumber = get_tolerable_checkpoint_failure_number

    def set_fail_on_checkpointing_errors(self, fail_on_checkpointing_errors: bool) -> CheckpointConfig:
        """No effect: a checkpoint that cannot be written fails the job. Flink 1.x only."""
        return self.set_tolerable_checkpoint_failure_number(0 if fail_on_checkpointing_errors else _ANY_NUMBER)

    setFailOnCheckpointingErrors = set_fail_on_checkpointing_errors

    def is_fail_on_checkpointing_errors(self) -> bool:
        """Return whether no failed checkpoint is tolerated; without effect."""
        return self.get_tolerable_checkpoint_failure_number() == 0

    isFailOnCheckpointingErrors = is_fail_on_checkpointing_errors

    def set_externalized_checkpoint_retention(
        self, retention_mode: ExternalizedCheckpointRetention
    ) -> CheckpointConfig:
        """No effect: checkpoints are always retained in the checkpoint directory."""
        return self._set(options.CHECKPOINT_RETENTION, retention_mode.name)

    setExternalizedCheckpointRetention = set_externalized_checkpoint_retention
    set_externalized_checkpoint_cleanup = set_externalized_checkpoint_retention
    setExternalizedCheckpointCleanup = set_externalized_checkpoint_retention
    enable_externalized_checkpoints = set_externalized_checkpoint_retention
    enableExternalizedCheckpoints = set_externalized_checkpoint_retention

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        """Return the retention of externalized checkpoints; without effect."""
        return ExternalizedCheckpointRetention[self._get(options.CHECKPOINT_RETENTION)]

    getExternalizedCheckpointRetention = get_externalized_checkpoint_retention
    get_externalized_checkpoint_cleanup = get_externalized_checkpoint_retention
    getExternalizedCheckpointCleanup = get_externalized_checkpoint_retention

    def is_externalized_checkpoints_enabled(self) -> bool:
        """Return whether a retention of externalized checkpoints is set; without effect."""
        retention = self.get_externalized_checkpoint_retention()
        return retention is not ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS

    isExternalizedCheckpointsEnabled = is_externalized_checkpoints_enabled

    def enable_unaligned_checkpoints(self, enabled: bool = True) -> CheckpointConfig:
        """No effect: no elements are in flight between two micro-batches."""
        return self._set(options.UNALIGNED, enabled)

    enableUnalignedCheckpoints = enable_unaligned_checkpoints

    def disable_unaligned_checkpoints(self) -> CheckpointConfig:
        """No effect: no elements are in flight between two micro-batches."""
        return self.enable_unaligned_checkpoints(False)

    disableUnalignedCheckpoints = disable_unaligned_checkpoints

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Return whether unaligned checkpoints are enabled; without effect."""
        return self._get(options.UNALIGNED)

    isUnalignedCheckpointsEnabled = is_unaligned_checkpoints_enabled

    def set_force_unaligned_checkpoints(self, force_unaligned_checkpoints: bool = True) -> CheckpointConfig:
        """No effect: no elements are in flight between two micro-batches."""
        return self._set(options.FORCED_UNALIGNED, force_unaligned_checkpoints)

    setForceUnalignedCheckpoints = set_force_unaligned_checkpoints

    def is_force_unaligned_checkpoints(self) -> bool:
        """Return whether unaligned checkpoints are forced; without effect."""
        return self._get(options.FORCED_UNALIGNED)

    isForceUnalignedCheckpoints = is_force_unaligned_checkpoints

    def set_aligned_checkpoint_timeout(self, alignment_timeout: Duration) -> CheckpointConfig:
        """No effect: no elements are in flight between two micro-batches."""
        return self._set(options.ALIGNED_TIMEOUT, alignment_timeout.to_millis())

    setAlignedCheckpointTimeout = set_aligned_checkpoint_timeout
    set_alignment_timeout = set_aligned_checkpoint_timeout
    setAlignmentTimeout = set_aligned_checkpoint_timeout

    def get_aligned_checkpoint_timeout(self) -> Duration:
        """Return the timeout of aligned checkpoints; without effect."""
        return Duration.of_millis(self._get(options.ALIGNED_TIMEOUT))

    getAlignedCheckpointTimeout = get_aligned_checkpoint_timeout
    get_alignment_timeout = get_aligned_checkpoint_timeout
    getAlignmentTimeout = get_aligned_checkpoint_timeout
