"""What all Flink APIs share, at PyFlink's paths: ``pyflink.common`` becomes ``kafkastream.common``."""

from __future__ import annotations

from kafkastream.options.config_options import ConfigOptions
from kafkastream.options.option import Option as ConfigOption
from kafkastream.spec.configuration import Configuration
from kafkastream.spec.execution_config import ExecutionConfig
from kafkastream.spec.formats import DeserializationSchema, SerializationSchema, SimpleStringSchema
from kafkastream.spec.job import JobClient, JobExecutionResult, JobID, JobStatus
from kafkastream.spec.restart import RestartStrategies, RestartStrategyConfiguration
from kafkastream.spec.row import Row, RowKind
from kafkastream.spec.time import Duration, Instant, Time
from kafkastream.spec.types import TypeInformation, Types
from kafkastream.spec.watermark import TimestampAssigner, WatermarkGenerator, WatermarkOutput, WatermarkStrategy

__all__ = [
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "DeserializationSchema",
    "Duration",
    "ExecutionConfig",
    "Instant",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
    "RestartStrategies",
    "RestartStrategyConfiguration",
    "Row",
    "RowKind",
    "SerializationSchema",
    "SimpleStringSchema",
    "Time",
    "TimestampAssigner",
    "TypeInformation",
    "Types",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]
