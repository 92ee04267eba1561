"""Settings of a job, read from its configuration when it starts."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.metrics.reporters import reporters_of
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.parallelism import checked_max_parallelism, checked_parallelism
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.job_result import JobSettings, LatencySettings
from kafkastream.model.job.page_settings import page_settings_of
from kafkastream.model.job.restart_strategies import restart_strategy_of
from kafkastream.options import checkpoints, latency, records
from kafkastream.options import job as options
from kafkastream.options.flink_settings import check_setting

__all__ = ["job_settings"]

log = logging.getLogger("kafkastream")


def job_settings(configuration: Configuration, job_name: str | None) -> JobSettings:
    """Return the settings of a job.

    Args:
        configuration: Flink's keys, with their values.
        job_name: Name of the job; None for the configuration's.

    Raises:
        DefinitionError: A value cannot be read, or contradicts another one.
        UnsupportedFeatureError: A value asks for a feature that is not supported.

    Example:
        >>> job_settings(Configuration().set_integer("parallelism.default", 2), "copy").parallelism
        2
    """
    _refuse_unsupported(configuration)
    read = configuration.get
    if read(options.PYTHON_REQUIREMENTS) is not None:
        log.warning(
            "%s has no effect: what functions import must be there for the workers' Python, %s",
            options.PYTHON_REQUIREMENTS.key,
            read(options.PYTHON_EXECUTABLE) or "which is the program's own unless PYSPARK_PYTHON names another",
        )
    parallelism, max_parallelism = read(options.PARALLELISM), read(options.MAX_PARALLELISM)
    if max_parallelism is not None and checked_max_parallelism(max_parallelism) < (parallelism or 1):
        raise DefinitionError(
            f"parallelism {parallelism} is more than the maximum parallelism {max_parallelism}", now="Lower it."
        )
    name = job_name or read(options.JOB_NAME)
    return JobSettings(
        name=name,
        parallelism=None if parallelism is None else checked_parallelism(parallelism),
        max_parallelism=max_parallelism,
        parameters=FrozenMap(read(options.JOB_PARAMETERS)),
        checkpoint_dir=read(checkpoints.CHECKPOINT_DIR),
        checkpoint_interval_ms=read(checkpoints.CHECKPOINT_INTERVAL),
        ignores_unclaimed_state=read(checkpoints.IGNORE_UNCLAIMED_STATE),
        allows_code_in_state=read(checkpoints.ALLOW_CODE),
        accepts_changed_operators=read(checkpoints.ACCEPT_CHANGED_OPERATORS),
        program=Path(sys.argv[0]).name if name == options.JOB_NAME.default else None,
        restarts=restart_strategy_of(configuration),
        python_files=read(options.PYTHON_FILES),
        python_executable=read(options.PYTHON_EXECUTABLE),
        chains_operators=read(options.OPERATOR_CHAINING) and read(options.PYTHON_CHAINING),
        reporters=reporters_of(configuration.to_dict()),
        progress=read(options.PROGRESS),
        latency=_latency(configuration),
        page=page_settings_of(configuration.to_dict()),
        limits=_record_limits(configuration),
        configuration=FrozenMap(configuration.to_dict()),
    )


def _latency(configuration: Configuration) -> LatencySettings | None:
    """Return the settings of the latency mode; None unless the program has set a buffer timeout."""
    if not any(map(configuration.contains_key, options.BUFFER_TIMEOUT.keys)):
        return None
    if configuration.get(options.BUFFER_TIMEOUT) < 0 or not configuration.get(options.BUFFER_TIMEOUT_ENABLED):
        return None
    epoch_ms, transaction_ms = configuration.get(latency.EPOCH), configuration.get(latency.TRANSACTION_INTERVAL)
    if epoch_ms <= 0:
        raise DefinitionError(f"{latency.EPOCH.key} = {epoch_ms} ms is too short for an epoch", now="Set 1 s or more.")
    checkpoint_ms = configuration.get(checkpoints.CHECKPOINT_INTERVAL) or LatencySettings().checkpoint_ms
    return LatencySettings(
        epoch_ms=epoch_ms,
        transaction_ms=transaction_ms,
        checkpoint_ms=checkpoint_ms,
        ports=configuration.get(latency.PORT),
    )


def _record_limits(configuration: Configuration) -> RecordLimits:
    return RecordLimits(
        depth=configuration.get(records.MAX_DEPTH),
        digits=configuration.get(records.MAX_DIGITS),
        empty_items=configuration.get(records.MAX_EMPTY_ITEMS),
        schema_bytes=configuration.get(records.MAX_SCHEMA_SIZE),
    )


def _refuse_unsupported(configuration: Configuration) -> None:
    for key, value in configuration.to_dict().items():
        check_setting(key, value)
    if configuration.get(options.PYTHON_ARCHIVES):
        raise UnsupportedFeatureError(
            "archives for the workers are unpacked where Spark is started, not by the job",
            where=options.PYTHON_ARCHIVES.key,
            now="Start with: spark-submit --archives data.zip#data …   Code in a zip file: add_python_file.",
        )
    if configuration.get(options.TIME_CHARACTERISTIC) == "IngestionTime":
        raise UnsupportedFeatureError(
            "there is no ingestion time on Spark, where a record is read when its micro-batch begins",
            where=options.TIME_CHARACTERISTIC.key,
            now="Use the records' own timestamps with a WatermarkStrategy, or processing-time windows.",
        )
