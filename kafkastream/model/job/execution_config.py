"""Execution configuration: settings of a job other than its checkpoints and sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.parallelism import checked_max_parallelism, checked_parallelism
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.job.configuration_view import ConfigurationView
from kafkastream.model.job.restart_strategies import RestartStrategyConfiguration, restart_strategy_of
from kafkastream.options import job as options
from kafkastream.options.checkpoints import SNAPSHOT_COMPRESSION
from kafkastream.options.parsers import text_of_map

__all__ = ["ExecutionConfig"]


@final
@checked_methods
class ExecutionConfig(ConfigurationView):
    """Settings of a job: a view of its environment's configuration, returned by ``env.get_config()``.

    Parallelism, job parameters and the restart strategy take effect. All other settings are about Java objects, buffers
    and threads that Spark does not have: they are accepted, returned as they were set, and change nothing.

    Example:
        >>> from kafkastream.datastream import StreamExecutionEnvironment
        >>> config = StreamExecutionEnvironment.get_execution_environment().get_config()
        >>> config.set_global_job_parameters({"region": "north"}).get_global_job_parameters()
        {'region': 'north'}
    """

    _j_execution_config = Refused()

    PARALLELISM_DEFAULT = -1
    PARALLELISM_UNKNOWN = -2

    def get_parallelism(self) -> int:
        """Return the default parallelism, or -1 if Spark's cores decide."""
        return self._get(options.PARALLELISM) or self.PARALLELISM_DEFAULT

    getParallelism = get_parallelism

    def set_parallelism(self, parallelism: int) -> ExecutionConfig:
        """Set the parallelism of operators that set none; ``PARALLELISM_DEFAULT`` lets Spark's cores decide."""
        if parallelism == self.PARALLELISM_DEFAULT:
            self._configuration.remove_config(options.PARALLELISM.key)
        elif parallelism != self.PARALLELISM_UNKNOWN:
            self._set(options.PARALLELISM, checked_parallelism(parallelism))
        return self

    setParallelism = set_parallelism

    def get_max_parallelism(self) -> int:
        """Return the maximum parallelism, or -1 if none is set."""
        return self._get(options.MAX_PARALLELISM) or -1

    getMaxParallelism = get_max_parallelism

    def set_max_parallelism(self, max_parallelism: int) -> ExecutionConfig:
        """Set the maximum parallelism of operators.

        Differs from Flink: keys are not hashed into that many key groups, so a job may restart with another maximum.

        Args:
            max_parallelism: Number from 1 on.

        Raises:
            DefinitionError: The number is out of Flink's range.
        """
        return self._set(options.MAX_PARALLELISM, checked_max_parallelism(max_parallelism))

    setMaxParallelism = set_max_parallelism

    def get_global_job_parameters(self) -> dict[str, str]:
        """Return the parameters that functions read by ``RuntimeContext.get_job_parameter``."""
        parameters = self._get(options.JOB_PARAMETERS)
        return dict(parameters)

    getGlobalJobParameters = get_global_job_parameters

    def set_global_job_parameters(self, global_job_parameters_dict: Mapping[str, object]) -> ExecutionConfig:
        """Set the parameters that functions read by ``RuntimeContext.get_job_parameter``; values are kept as text.

        Args:
            global_job_parameters_dict: Values by their names; they replace those set before.
        """
        texts = {key: str(value) for key, value in global_job_parameters_dict.items()}
        return self._set(options.JOB_PARAMETERS, text_of_map(texts))

    setGlobalJobParameters = set_global_job_parameters

    def get_restart_strategy(self) -> RestartStrategyConfiguration:
        """Return the restart strategy; removed in Flink 2.0."""
        return restart_strategy_of(self._configuration)

    getRestartStrategy = get_restart_strategy

    def set_restart_strategy(self, restart_strategy_configuration: RestartStrategyConfiguration) -> ExecutionConfig:
        """Set the restart strategy; removed in Flink 2.0, where configurations have ``restart-strategy.type``."""
        restart_strategy_configuration.set_in(self._configuration)
        return self

    setRestartStrategy = set_restart_strategy

    def get_auto_watermark_interval(self) -> int:
        """Return the interval as it was set, in ms."""
        return self._get(options.AUTO_WATERMARK_INTERVAL)

    getAutoWatermarkInterval = get_auto_watermark_interval

    def set_auto_watermark_interval(self, interval: int) -> ExecutionConfig:
        """Accept an interval in ms, without effect: watermarks advance between micro-batches."""
        return self._set_at_least(0, options.AUTO_WATERMARK_INTERVAL, interval)

    setAutoWatermarkInterval = set_auto_watermark_interval

    def get_latency_tracking_interval(self) -> int:
        """Return the interval as it was set, in ms."""
        return self._get(options.LATENCY_INTERVAL)

    getLatencyTrackingInterval = get_latency_tracking_interval

    def set_latency_tracking_interval(self, interval: int) -> ExecutionConfig:
        """Accept an interval in ms, without effect: there are no latency markers."""
        return self._set(options.LATENCY_INTERVAL, max(interval, 0))

    setLatencyTrackingInterval = set_latency_tracking_interval

    def get_task_cancellation_interval(self) -> int:
        """Return the interval as it was set, in ms."""
        return self._get(options.TASK_CANCELLATION_INTERVAL)

    getTaskCancellationInterval = get_task_cancellation_interval

    def set_task_cancellation_interval(self, interval: int) -> ExecutionConfig:
        """Accept an interval in ms, without effect: Spark ends its tasks."""
        return self._set_at_least(0, options.TASK_CANCELLATION_INTERVAL, interval)

    setTaskCancellationInterval = set_task_cancellation_interval

    def get_task_cancellation_timeout(self) -> int:
        """Return the timeout as it was set, in ms."""
        return self._get(options.TASK_CANCELLATION_TIMEOUT)

    getTaskCancellationTimeout = get_task_cancellation_timeout

    def set_task_cancellation_timeout(self, timeout: int) -> ExecutionConfig:
        """Accept a timeout in ms, without effect: Spark ends its tasks."""
        return self._set_at_least(0, options.TASK_CANCELLATION_TIMEOUT, timeout)

    setTaskCancellationTimeout = set_task_cancellation_timeout

    def enable_closure_cleaner(self) -> ExecutionConfig:
        """Accept, without effect: functions are pickled by cloudpickle."""
        return self._set(options.CLOSURE_CLEANER, options.CLOSURE_CLEANER.default)

    enableClosureCleaner = enable_closure_cleaner

    def disable_closure_cleaner(self) -> ExecutionConfig:
        """Accept, without effect."""
        return self._set(options.CLOSURE_CLEANER, "NONE")

    disableClosureCleaner = disable_closure_cleaner

    def is_closure_cleaner_enabled(self) -> bool:
        """Return the setting."""
        return self._get(options.CLOSURE_CLEANER) != "NONE"

    isClosureCleanerEnabled = is_closure_cleaner_enabled

    def enable_object_reuse(self) -> ExecutionConfig:
        """Accept, without effect: functions get the elements themselves in any case."""
        return self._set(options.OBJECT_REUSE, True)

    enableObjectReuse = enable_object_reuse

    def disable_object_reuse(self) -> ExecutionConfig:
        """Accept, without effect."""
        return self._set(options.OBJECT_REUSE, False)

    disableObjectReuse = disable_object_reuse

    def is_object_reuse_enabled(self) -> bool:
        """Return the setting."""
        return self._get(options.OBJECT_REUSE)

    isObjectReuseEnabled = is_object_reuse_enabled

    def enable_generic_types(self) -> ExecutionConfig:
        """Accept, without effect: elements of any type are pickled."""
        return self._set(options.GENERIC_TYPES, True)

    enableGenericTypes = enable_generic_types

    def disable_generic_types(self) -> ExecutionConfig:
        """Accept, without effect: elements of any type are pickled."""
        return self._set(options.GENERIC_TYPES, False)

    disableGenericTypes = disable_generic_types

    def has_generic_types_disabled(self) -> bool:
        """Return the setting."""
        return not self._get(options.GENERIC_TYPES)

    hasGenericTypesDisabled = has_generic_types_disabled

    def enable_force_kryo(self) -> ExecutionConfig:
        """Accept, without effect: elements are not Java objects."""
        return self._set(options.FORCE_KRYO, True)

    enableForceKryo = enable_force_kryo

    def disable_force_kryo(self) -> ExecutionConfig:
        """Accept, without effect."""
        return self._set(options.FORCE_KRYO, False)

    disableForceKryo = disable_force_kryo

    def is_force_kryo_enabled(self) -> bool:
        """Return the setting."""
        return self._get(options.FORCE_KRYO)

    isForceKryoEnabled = is_force_kryo_enabled

    def enable_force_avro(self) -> ExecutionConfig:
        """Accept, without effect: elements are not Java objects."""
        return self._set(options.FORCE_AVRO, True)

    enableForceAvro = enable_force_avro

    def disable_force_avro(self) -> ExecutionConfig:
        """Accept, without effect."""
        return self._set(options.FORCE_AVRO, False)

    disableForceAvro = disable_force_avro

    def is_force_avro_enabled(self) -> bool:
        """Return the setting."""
        return self._get(options.FORCE_AVRO)

    isForceAvroEnabled = is_force_avro_enabled

    def enable_auto_generated_uids(self) -> ExecutionConfig:
        """Accept operators without a uid; their state is found again by their names."""
        return self._set(options.AUTO_GENERATED_UIDS, True)

    enableAutoGeneratedUids = enable_auto_generated_uids

    def disable_auto_generated_uids(self) -> ExecutionConfig:
        """Require a uid of every operator: a job with one that has none is refused when it starts.

        Use it for jobs in production, so that renaming an operator does not lose its state.
        """
        return self._set(options.AUTO_GENERATED_UIDS, False)

    disableAutoGeneratedUids = disable_auto_generated_uids

    def has_auto_generated_uids_enabled(self) -> bool:
        """Return the setting."""
        return self._get(options.AUTO_GENERATED_UIDS)

    hasAutoGeneratedUidsEnabled = has_auto_generated_uids_enabled

    def is_use_snapshot_compression(self) -> bool:
        """Return the setting."""
        return self._get(SNAPSHOT_COMPRESSION)

    isUseSnapshotCompression = is_use_snapshot_compression

    def set_use_snapshot_compression(self, use_snapshot_compression: bool) -> ExecutionConfig:
        """Accept, without effect: Spark compresses state by settings of its own."""
        return self._set(SNAPSHOT_COMPRESSION, use_snapshot_compression)

    setUseSnapshotCompression = set_use_snapshot_compression

    def get_default_kryo_serializer_classes(self) -> dict[str, str]:
        """Return an empty mapping: elements are not Java objects."""
        return {}

    getDefaultKryoSerializerClasses = get_default_kryo_serializer_classes

    def get_registered_kryo_types(self) -> list[str]:
        """Return an empty list: elements are not Java objects."""
        return []

    getRegisteredKryoTypes = get_registered_kryo_types

    def get_registered_pojo_types(self) -> list[str]:
        """Return an empty list: elements are not Java objects."""
        return []

    getRegisteredPojoTypes = get_registered_pojo_types
