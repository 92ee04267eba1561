"""Setters and getters of ``StreamExecutionEnvironment``, stored in its ``Configuration`` under Flink's keys."""

from __future__ import annotations

import os
from typing import Final

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

_CACHED_FILES: Final = "pipeline.cached-files"


@checked_methods
class EnvironmentSettings(ConfigurationView):
    """Job-wide settings; the docstring of a setting without effect on Spark begins with "No effect"."""

    def configure(self, configuration: Configuration) -> Self:
        """Apply all settings of ``configuration``; earlier values under the same keys are replaced."""
        self._configuration.add_all(configuration)
        return self

    def get_configuration(self) -> Configuration:
        """Return the environment's configuration, which reflects later changes."""
        return self._configuration

    getConfiguration = get_configuration

    def get_config(self) -> ExecutionConfig:
        """Return the execution settings of the job, among them the global job parameters."""
        return ExecutionConfig(self._configuration)

    getConfig = get_config

    def set_parallelism(self, parallelism: int) -> Self:
        """Set the default parallelism of operators; by default, the number of Spark's cores.

        Args:
            parallelism: Number of subtasks, 1 or more.

        Raises:
            DefinitionError: ``parallelism`` is less than 1.
        """
        return self._set(options.PARALLELISM, checked_parallelism(parallelism))

    setParallelism = set_parallelism

    def get_parallelism(self) -> int:
        """Return the default parallelism, or -1 if the number of Spark's cores decides."""
        return self.get_config().get_parallelism()

    getParallelism = get_parallelism

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """Set the largest number of subtasks of an operator.

        Differs from Flink: there are no key groups, so a job may be restored with another maximum.

        Args:
            max_parallelism: Number of subtasks, from 1 to 32768.
        """
        self.get_config().set_max_parallelism(max_parallelism)
        return self

    setMaxParallelism = set_max_parallelism

    def get_max_parallelism(self) -> int:
        """Return the maximum parallelism, or -1 if none is set."""
        return self.get_config().get_max_parallelism()

    getMaxParallelism = get_max_parallelism

    def get_default_local_parallelism(self) -> int:
        """Return the number of cores of this machine."""
        return os.cpu_count() or 1

    getDefaultLocalParallelism = get_default_local_parallelism

    def set_default_local_parallelism(self, parallelism: int) -> None:
        """No effect: without ``set_parallelism``, the number of Spark's cores decides."""
        checked_parallelism(parallelism)

    setDefaultLocalParallelism = set_default_local_parallelism

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> Self:
        """Set the runtime mode.

        In BATCH mode all sources have to be bounded, and each key's elements are processed in the order of their
        timestamps.

        Args:
            execution_mode: STREAMING (the default), BATCH, or AUTOMATIC, which is BATCH if all sources are bounded.
        """
        return self._set(options.RUNTIME_MODE, execution_mode.name)

    setRuntimeMode = set_runtime_mode

    def set_restart_strategy(self, restart_strategy_configuration: RestartStrategyConfiguration) -> None:
        """Set the strategy by which a failed job is restarted.

        Flink 2 has only the option ``restart-strategy.type`` for it.

        Differs from Flink: without a strategy a failed job ends with its error, even if checkpointing is enabled.

        Args:
            restart_strategy_configuration: Strategy made by ``RestartStrategies``.
        """
        self.get_config().set_restart_strategy(restart_strategy_configuration)

    setRestartStrategy = set_restart_strategy

    def get_restart_strategy(self) -> RestartStrategyConfiguration:
        """Return the strategy by which a failed job is restarted."""
        return self.get_config().get_restart_strategy()

    getRestartStrategy = get_restart_strategy

    def enable_checkpointing(self, interval: int, mode: CheckpointingMode = CheckpointingMode.EXACTLY_ONCE) -> Self:
        """Enable checkpointing.

        At each checkpoint, exactly-once output is committed, and offsets are committed to Kafka.

        To resume after the program has ended, also set a checkpoint directory (``execution.checkpointing.dir``).

        Args:
            interval: Time between two checkpoints in ms.
            mode: No effect; Spark's progress is always exactly-once.

        Raises:
            DefinitionError: ``interval`` is less than 1.
        """
        self.get_checkpoint_config().set_checkpoint_interval(interval).set_checkpointing_mode(mode)
        return self

    enableCheckpointing = enable_checkpointing

    def get_checkpoint_config(self) -> CheckpointConfig:
        """Return the checkpoint settings."""
        return CheckpointConfig(self._configuration)

    getCheckpointConfig = get_checkpoint_config

    def get_checkpoint_interval(self) -> int:
        """Return the checkpoint interval in ms, or -1 if checkpointing is disabled."""
        return self.get_checkpoint_config().get_checkpoint_interval()

    getCheckpointInterval = get_checkpoint_interval

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """Return the checkpointing mode; without effect."""
        return self.get_checkpoint_config().get_checkpointing_mode()

    getCheckpointingMode = get_checkpointing_mode
    get_checkpointing_consistency_mode = get_checkpointing_mode
    getCheckpointingConsistencyMode = get_checkpointing_mode

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Return whether unaligned checkpoints are enabled; without effect."""
        return self.get_checkpoint_config().is_unaligned_checkpoints_enabled()

    isUnalignedCheckpointsEnabled = is_unaligned_checkpoints_enabled

    def is_force_unaligned_checkpoints(self) -> bool:
        """Return whether unaligned checkpoints are forced; without effect."""
        return self.get_checkpoint_config().is_force_unaligned_checkpoints()

    isForceUnalignedCheckpoints = is_force_unaligned_checkpoints

    def set_state_backend(self, state_backend: StateBackend) -> Self:
        """No effect: state is kept in Spark's RocksDB state stores."""
        if isinstance(state_backend, EmbeddedRocksDBStateBackend):
            self._set(checkpoints.INCREMENTAL, state_backend.is_incremental_checkpoints_enabled())
            return self._set(checkpoints.STATE_BACKEND, "rocksdb")
        return self._set(checkpoints.STATE_BACKEND, "hashmap")

    setStateBackend = set_state_backend

    def get_state_backend(self) -> StateBackend:
        """Return the state backend that was set; without effect."""
        if self._get(checkpoints.STATE_BACKEND) == "rocksdb":
            return EmbeddedRocksDBStateBackend(self._get(checkpoints.INCREMENTAL))
        return HashMapStateBackend()

    getStateBackend = get_state_backend

    def enable_changelog_state_backend(self, enabled: bool) -> Self:
        """No effect; Spark's counterpart is ``spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled``."""
        return self._set(checkpoints.CHANGELOG, enabled)

    enableChangelogStateBackend = enable_changelog_state_backend

    def is_changelog_state_backend_enabled(self) -> bool:
        """Return whether the changelog state backend is enabled; without effect."""
        return self._get(checkpoints.CHANGELOG)

    isChangelogStateBackendEnabled = is_changelog_state_backend_enabled

    def set_default_savepoint_directory(self, directory: str) -> Self:
        """No effect: there are no savepoints; a job resumes from its checkpoint directory."""
        return self._set(checkpoints.SAVEPOINT_DIR, directory)

    setDefaultSavepointDirectory = set_default_savepoint_directory

    def get_default_savepoint_directory(self) -> str | None:
        """Return the savepoint directory that was set; without effect."""
        return self._get(checkpoints.SAVEPOINT_DIR)

    getDefaultSavepointDirectory = get_default_savepoint_directory

    def register_slot_sharing_group(self, slot_sharing_group: SlotSharingGroup) -> Self:
        """No effect: all operators share Spark's cores."""
        return self

    registerSlotSharingGroup = register_slot_sharing_group

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Switch on the latency mode, in which each record passes through at once; -1 switches it off.

        Differs from Flink: the default is off, and elements travel in micro-batches; any time of 0 or more means at once.

        Args:
            timeout_millis: Time in ms, of which only the sign has an effect.
        """
        self._set(options.BUFFER_TIMEOUT_ENABLED, timeout_millis >= 0)
        return self._set(options.BUFFER_TIMEOUT, max(timeout_millis, 0))

    setBufferTimeout = set_buffer_timeout

    def get_buffer_timeout(self) -> int:
        """Return the buffer timeout in ms, or -1 if it is disabled."""
        return self._get(options.BUFFER_TIMEOUT) if self._get(options.BUFFER_TIMEOUT_ENABLED) else -1

    getBufferTimeout = get_buffer_timeout

    def disable_operator_chaining(self) -> Self:
        """No effect: the results do not depend on which operators share a task."""
        return self._set(options.OPERATOR_CHAINING, False)

    disableOperatorChaining = disable_operator_chaining

    def is_chaining_enabled(self) -> bool:
        """Return whether operator chaining is enabled; without effect."""
        return self._get(options.OPERATOR_CHAINING)

    isChainingEnabled = is_chaining_enabled

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        """Return whether operators with different maximum parallelism may be chained; without effect."""
        return self._get(options.CHAINS_OTHER_MAX_PARALLELISM)

    isChainingOfOperatorsWithDifferentMaxParallelismEnabled = (
        is_chaining_of_operators_with_different_max_parallelism_enabled
    )

    def set_stream_time_characteristic(self, characteristic: TimeCharacteristic) -> None:
        """No effect: windows and timers themselves say whether they use event time or processing time. Flink 1.x only.

        ``IngestionTime`` is refused with an ``UnsupportedFeatureError`` when the job starts.
        """
        self._set(options.TIME_CHARACTERISTIC, characteristic.name)

    setStreamTimeCharacteristic = set_stream_time_characteristic

    def get_stream_time_characteristic(self) -> TimeCharacteristic:
        """Return the time characteristic that was set; without effect."""
        return TimeCharacteristic[self._get(options.TIME_CHARACTERISTIC)]

    getStreamTimeCharacteristic = get_stream_time_characteristic

    def add_jars(self, *jars_path: str) -> None:
        """No effect: connectors need no Flink jars here. The start of the job warns of it."""
        self._set(options.JARS, ";".join((*self._get(options.JARS), *jars_path)))

    addJars = add_jars

    def add_classpaths(self, *classpaths: str) -> None:
        """No effect: connectors need no Flink jars here. The start of the job warns of it."""
        self._set(options.CLASSPATHS, ";".join((*self._get(options.CLASSPATHS), *classpaths)))

    addClasspaths = add_classpaths

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """No effect: as in PyFlink, Python functions cannot read cached files. The start of the job warns of it."""
        self._configuration.set_string(
            _CACHED_FILES, f"name:{name},path:{file_path},executable:{str(executable).lower()}"
        )

    registerCachedFile = register_cached_file

    def add_python_file(self, file_path: str) -> None:
        """Ship a Python file, or a zip archive of packages, to the workers, where functions can import it.

        Differs from Flink: a directory has to be zipped first.

        Args:
            file_path: Path of a ``.py`` or ``.zip`` file.
        """
        self._append(options.PYTHON_FILES, file_path)

    addPythonFile = add_python_file

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """No effect: install the packages into the workers' Python; an import that fails there is reported by name."""
        self._set(options.PYTHON_REQUIREMENTS, requirements_file_path)

    setPythonRequirements = set_python_requirements

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Not supported: pass archives to Spark with ``spark-submit --archives``.

        The job is refused with an ``UnsupportedFeatureError`` when it starts.
        """
        self._append(options.PYTHON_ARCHIVES, archive_path if target_dir is None else f"{archive_path}#{target_dir}")

    addPythonArchive = add_python_archive

    def set_python_executable(self, python_exec: str) -> None:
        """Set the Python interpreter of the workers, which needs every package that the job imports.

        The job is refused if a Spark session is already running in the program.

        Args:
            python_exec: Path of the interpreter.
        """
        self._set(options.PYTHON_EXECUTABLE, python_exec)

    setPythonExecutable = set_python_executable

    def _append(self, option: Option[tuple[str, ...]], name: str) -> None:
        self._set(option, ",".join((*self._get(option), name)))
