"""The settings of an environment, by its own methods: a view of its configuration, as its other views are."""

from __future__ import annotations

import logging
import os

from typing_extensions import Self

from kafkastream.datastream.checkpoint_config import CheckpointConfig
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.slot_sharing_group import SlotSharingGroup
from kafkastream.datastream.state_backend import EmbeddedRocksDBStateBackend, HashMapStateBackend, StateBackend
from kafkastream.datastream.time_characteristic import TimeCharacteristic
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.parallelism import checked_parallelism
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.configuration_view import ConfigurationView
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.job.restart_strategies import RestartStrategyConfiguration
from kafkastream.options import checkpoints
from kafkastream.options import job as options
from kafkastream.options.option import Option

__all__ = ["EnvironmentSettings"]

log = logging.getLogger("kafkastream")


@checked_methods
class EnvironmentSettings(ConfigurationView):
    """What is set for a job as a whole; what has no effect here says so."""

    def configure(self, configuration: Configuration) -> Self:
        """Take over all settings of ``configuration``."""
        self._configuration.add_all(configuration)
        return self

    def get_configuration(self) -> Configuration:
        """The environment's settings."""
        return self._configuration

    getConfiguration = get_configuration

    def get_config(self) -> ExecutionConfig:
        """The settings of the job; parameters for its functions, too."""
        return ExecutionConfig(self._configuration)

    getConfig = get_config

    def set_parallelism(self, parallelism: int) -> Self:
        """The parallelism of operators without one of their own; the number of Spark's cores if not set."""
        return self._set(options.PARALLELISM, checked_parallelism(parallelism))

    setParallelism = set_parallelism

    def get_parallelism(self) -> int:
        """The default parallelism, or -1 when Spark's cores decide."""
        return self.get_config().get_parallelism()

    getParallelism = get_parallelism

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """How many subtasks an operator may have at most.

        Differs from Flink: keys are not sorted into so many groups, so a job may go on with another maximum.
        """
        self.get_config().set_max_parallelism(max_parallelism)
        return self

    setMaxParallelism = set_max_parallelism

    def get_max_parallelism(self) -> int:
        """The maximum parallelism, or -1 when none is set."""
        return self.get_config().get_max_parallelism()

    getMaxParallelism = get_max_parallelism

    def get_default_local_parallelism(self) -> int:
        """The number of this machine's cores."""
        return os.cpu_count() or 1

    getDefaultLocalParallelism = get_default_local_parallelism

    def set_default_local_parallelism(self, parallelism: int) -> None:
        """Has no effect: without ``set_parallelism``, Spark's cores decide."""
        checked_parallelism(parallelism)

    setDefaultLocalParallelism = set_default_local_parallelism

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> Self:
        """STREAMING, BATCH or AUTOMATIC; BATCH asks for bounded sources. The results are the same."""
        return self._set(options.RUNTIME_MODE, execution_mode.name)

    setRuntimeMode = set_runtime_mode

    def set_restart_strategy(self, restart_strategy_configuration: RestartStrategyConfiguration) -> None:
        """What becomes of the job when it has failed; of Flink 1.x, since 2.0 there are only settings for it.

        Differs from Flink: without a strategy a job that has failed ends with its error, also with checkpointing.
        """
        self.get_config().set_restart_strategy(restart_strategy_configuration)

    setRestartStrategy = set_restart_strategy

    def get_restart_strategy(self) -> RestartStrategyConfiguration:
        """What becomes of the job when it has failed."""
        return self.get_config().get_restart_strategy()

    getRestartStrategy = get_restart_strategy

    def enable_checkpointing(self, interval: int, mode: CheckpointingMode = CheckpointingMode.EXACTLY_ONCE) -> Self:
        """Keep the job's progress across restarts, in the checkpoint directory; ``interval`` is in ms."""
        self.get_checkpoint_config().set_checkpoint_interval(interval).set_checkpointing_mode(mode)
        return self

    enableCheckpointing = enable_checkpointing

    def get_checkpoint_config(self) -> CheckpointConfig:
        """The settings of checkpointing."""
        return CheckpointConfig(self._configuration)

    getCheckpointConfig = get_checkpoint_config

    def get_checkpoint_interval(self) -> int:
        """The interval of checkpoints in ms, or -1 when checkpointing is off."""
        return self.get_checkpoint_config().get_checkpoint_interval()

    getCheckpointInterval = get_checkpoint_interval

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """The mode of checkpoints as it was set."""
        return self.get_checkpoint_config().get_checkpointing_mode()

    getCheckpointingMode = get_checkpointing_mode
    get_checkpointing_consistency_mode = get_checkpointing_mode
    getCheckpointingConsistencyMode = get_checkpointing_mode

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """As it was set."""
        return self.get_checkpoint_config().is_unaligned_checkpoints_enabled()

    isUnalignedCheckpointsEnabled = is_unaligned_checkpoints_enabled

    def is_force_unaligned_checkpoints(self) -> bool:
        """As it was set."""
        return self.get_checkpoint_config().is_force_unaligned_checkpoints()

    isForceUnalignedCheckpoints = is_force_unaligned_checkpoints

    def set_state_backend(self, state_backend: StateBackend) -> Self:
        """Has no effect: state is in Spark's RocksDB state stores."""
        if isinstance(state_backend, EmbeddedRocksDBStateBackend):
            self._set(checkpoints.INCREMENTAL, state_backend.is_incremental_checkpoints_enabled())
            return self._set(checkpoints.STATE_BACKEND, "rocksdb")
        return self._set(checkpoints.STATE_BACKEND, "hashmap")

    setStateBackend = set_state_backend

    def get_state_backend(self) -> StateBackend:
        """As it was set."""
        if self._get(checkpoints.STATE_BACKEND) == "rocksdb":
            return EmbeddedRocksDBStateBackend(self._get(checkpoints.INCREMENTAL))
        return HashMapStateBackend()

    getStateBackend = get_state_backend

    def enable_changelog_state_backend(self, enabled: bool) -> Self:
        """Has no effect: ``spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled`` is Spark's like."""
        return self._set(checkpoints.CHANGELOG, enabled)

    enableChangelogStateBackend = enable_changelog_state_backend

    def is_changelog_state_backend_enabled(self) -> bool:
        """As it was set."""
        return self._get(checkpoints.CHANGELOG)

    isChangelogStateBackendEnabled = is_changelog_state_backend_enabled

    def set_default_savepoint_directory(self, directory: str) -> Self:
        """Has no effect: there are no savepoints."""
        return self._set(checkpoints.SAVEPOINT_DIR, directory)

    setDefaultSavepointDirectory = set_default_savepoint_directory

    def get_default_savepoint_directory(self) -> str | None:
        """As it was set."""
        return self._get(checkpoints.SAVEPOINT_DIR)

    getDefaultSavepointDirectory = get_default_savepoint_directory

    def register_slot_sharing_group(self, slot_sharing_group: SlotSharingGroup) -> Self:
        """Has no effect: Spark shares its cores among all operators."""
        return self

    registerSlotSharingGroup = register_slot_sharing_group

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Has no effect: elements go on in batches. In ms; -1 switches it off."""
        self._set(options.BUFFER_TIMEOUT_ENABLED, timeout_millis >= 0)
        return self._set(options.BUFFER_TIMEOUT, max(timeout_millis, 0))

    setBufferTimeout = set_buffer_timeout

    def get_buffer_timeout(self) -> int:
        """As it was set, in ms."""
        return self._get(options.BUFFER_TIMEOUT) if self._get(options.BUFFER_TIMEOUT_ENABLED) else -1

    getBufferTimeout = get_buffer_timeout

    def disable_operator_chaining(self) -> Self:
        """Has no effect: which operators share a task changes no result."""
        return self._set(options.OPERATOR_CHAINING, False)

    disableOperatorChaining = disable_operator_chaining

    def is_chaining_enabled(self) -> bool:
        """As it was set."""
        return self._get(options.OPERATOR_CHAINING)

    isChainingEnabled = is_chaining_enabled

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        """As it was set."""
        return self._get(options.CHAINS_OTHER_MAX_PARALLELISM)

    isChainingOfOperatorsWithDifferentMaxParallelismEnabled = (
        is_chaining_of_operators_with_different_max_parallelism_enabled
    )

    def set_stream_time_characteristic(self, characteristic: TimeCharacteristic) -> None:
        """Has no effect: windows and timers say which time they go by. Of Flink 1.x.

        Raises:
            UnsupportedFeatureError: ``IngestionTime``, by the job's start.
        """
        self._set(options.TIME_CHARACTERISTIC, characteristic.name)

    setStreamTimeCharacteristic = set_stream_time_characteristic

    def get_stream_time_characteristic(self) -> TimeCharacteristic:
        """As it was set."""
        return TimeCharacteristic[self._get(options.TIME_CHARACTERISTIC)]

    getStreamTimeCharacteristic = get_stream_time_characteristic

    def add_jars(self, *jars_path: str) -> None:
        """Has no effect: no jar of Flink is needed here."""
        log.info("add_jars: not needed on Spark: %s", ", ".join(jars_path))

    addJars = add_jars

    def add_classpaths(self, *classpaths: str) -> None:
        """Has no effect: no jar of Flink is needed here."""
        log.info("add_classpaths: not needed on Spark: %s", ", ".join(classpaths))

    addClasspaths = add_classpaths

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """Has no effect: as in PyFlink, functions written in Python do not reach such files."""
        log.info("register_cached_file: functions in Python do not reach %s; SparkContext.addFile ships files", name)

    registerCachedFile = register_cached_file

    def add_python_file(self, file_path: str) -> None:
        """Ship a Python file, or a zip archive of packages, to the workers, where functions can import it.

        Differs from Flink: a directory has to be zipped.
        """
        self._append(options.PYTHON_FILES, file_path)

    addPythonFile = add_python_file

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Has no effect: the workers' Python must have what functions import; what it lacks is told by name."""
        self._set(options.PYTHON_REQUIREMENTS, requirements_file_path)

    setPythonRequirements = set_python_requirements

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Refused when the job starts: Spark unpacks archives where it is started.

        Raises:
            UnsupportedFeatureError: By the job's start.
        """
        self._append(options.PYTHON_ARCHIVES, archive_path if target_dir is None else f"{archive_path}#{target_dir}")

    addPythonArchive = add_python_archive

    def set_python_executable(self, python_exec: str) -> None:
        """The workers' Python, with all packages that the job needs; where Spark runs already, the job is refused."""
        self._set(options.PYTHON_EXECUTABLE, python_exec)

    setPythonExecutable = set_python_executable

    def _append(self, option: Option[tuple[str, ...]], name: str) -> None:
        self._set(option, ",".join((*self._get(option), name)))
