"""Classes shared by Flink's APIs, at PyFlink's paths: ``pyflink.common`` becomes ``kafkastream.common``.

Types and rows, watermark strategies, serialization schemas, configuration, and job handles; the modules re-export the
classes of ``kafkastream.model`` and ``kafkastream.options``.
"""

from __future__ import annotations

from concurrent.futures import Future as CompletableFuture

from kafkastream.common.input_dependency_constraint import InputDependencyConstraint
from kafkastream.common.serialization import Encoder
from kafkastream.common.watermark_strategy import AssignerWithPeriodicWatermarksWrapper
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Duration, Instant, Time
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.common.watermark_strategy import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from kafkastream.model.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ByteArraySchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    DeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    SerializationSchema,
    SimpleStringSchema,
)
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.job.job_result import JobClient, JobExecutionResult, JobID, JobStatus
from kafkastream.model.job.restart_strategies import RestartStrategies, RestartStrategyConfiguration
from kafkastream.model.windows.window_serializers import TypeSerializer
from kafkastream.options.config_options import ConfigOptions
from kafkastream.options.option import Option as ConfigOption

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "ByteArraySchema",
    "CompletableFuture",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "CsvRowDeserializationSchema",
    "CsvRowSerializationSchema",
    "DeserializationSchema",
    "Duration",
    "Encoder",
    "ExecutionConfig",
    "InputDependencyConstraint",
    "Instant",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
    "JsonRowDeserializationSchema",
    "JsonRowSerializationSchema",
    "RestartStrategies",
    "RestartStrategyConfiguration",
    "Row",
    "RowKind",
    "SerializationSchema",
    "SimpleStringSchema",
    "Time",
    "TimestampAssigner",
    "TypeInformation",
    "TypeSerializer",
    "Types",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]
