"""What all Flink APIs share, at PyFlink's paths: ``pyflink.common`` becomes ``kafkastream.common``."""

from __future__ import annotations

from concurrent.futures import Future as CompletableFuture

from kafkastream.common.input_dependency_constraint import InputDependencyConstraint
from kafkastream.common.serialization import Encoder
from kafkastream.common.watermark_strategy import AssignerWithPeriodicWatermarksWrapper
from kafkastream.options.config_options import ConfigOptions
from kafkastream.options.option import Option as ConfigOption
from kafkastream.spec.configuration import Configuration
from kafkastream.spec.execution_config import ExecutionConfig
from kafkastream.spec.formats import (
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
from kafkastream.spec.job import JobClient, JobExecutionResult, JobID, JobStatus
from kafkastream.spec.restart import RestartStrategies, RestartStrategyConfiguration
from kafkastream.spec.row import Row, RowKind
from kafkastream.spec.serializer import TypeSerializer
from kafkastream.spec.time import Duration, Instant, Time
from kafkastream.spec.types import TypeInformation, Types
from kafkastream.spec.watermark import TimestampAssigner, WatermarkGenerator, WatermarkOutput, WatermarkStrategy

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
