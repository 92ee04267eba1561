"""Every snake_case method that Java has too is bound to its camelCase name as well."""

from __future__ import annotations

import inspect
import re

import pytest

from kafkastream.datastream import (
    AsyncDataStream,
    CheckpointConfig,
    DataStream,
    EmbeddedRocksDBStateBackend,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.environment_settings import EnvironmentSettings
from kafkastream.datastream.keyed_stream import UnsupportedOnKeyed
from kafkastream.datastream.operator_handle import OperatorHandle, StreamHandle
from kafkastream.datastream.slot_sharing_group import MemorySize, SlotSharingGroup
from kafkastream.datastream.stream_outputs import StreamOutputs
from kafkastream.metrics import Counter, Distribution, Gauge, Meter, MetricGroup, MetricsSnapshot
from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Duration, Instant, Time
from kafkastream.model.common.types import RowTypeInfo
from kafkastream.model.common.watermark_strategy import WatermarkOutput, WatermarkStrategy
from kafkastream.model.connectors.client_properties import ClientBuilder
from kafkastream.model.connectors.kafka_sink import KafkaSinkBuilder
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.legacy_connectors import FlinkKafkaConsumer, FlinkKafkaProducer
from kafkastream.model.connectors.number_sequence import NumberSequenceSource
from kafkastream.model.connectors.record_builders import KafkaRecordSerializationSchemaBuilder
from kafkastream.model.connectors.record_serialization import KafkaSinkContext
from kafkastream.model.formats import (
    AvroRowDeserializationSchema,
    ByteArraySchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
    ConfluentRegistryJsonSerializationSchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    ProtobufDeserializationSchema,
    SimpleStringSchema,
)
from kafkastream.model.formats.csv_row import CsvRowBuilder
from kafkastream.model.functions.join_functions import TaggedUnion
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.job.job_result import JobClient, JobExecutionResult
from kafkastream.model.job.restart_strategies import (
    ExponentialDelayRestart,
    FailureRateRestart,
    FallbackRestart,
    FixedDelayRestart,
    NoRestart,
    RestartStrategies,
)
from kafkastream.model.windows.evictor_interface import Evictor, TimestampedValue
from kafkastream.options.config_options import ConfigOptionBuilder, TypedConfigOptionBuilder
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import FunctionContext
from kafkastream.table import FormatDescriptor, Schema, TableDescriptor

CLASSES: list[type] = [
    AsyncDataStream,
    AvroRowDeserializationSchema,
    ByteArraySchema,
    CheckpointConfig,
    ConfigOptionBuilder,
    Configuration,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
    ConfluentRegistryJsonSerializationSchema,
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchema.Builder,
    CsvRowSerializationSchema.Builder,
    Counter,
    DataStream,
    DataType,
    Distribution,
    Duration,
    EmbeddedRocksDBStateBackend,
    Evictor.EvictorContext,
    ExecutionConfig,
    ExponentialDelayRestart,
    FailureRateRestart,
    FallbackRestart,
    FileSystemCheckpointStorage,
    FixedDelayRestart,
    FlinkKafkaConsumer,
    FlinkKafkaProducer,
    FormatDescriptor,
    Gauge,
    FunctionContext,
    Instant,
    JobClient,
    JobExecutionResult,
    JobManagerCheckpointStorage,
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchema.Builder,
    JsonRowSerializationSchema.Builder,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSinkBuilder,
    KafkaSinkContext,
    KafkaSource,
    KafkaSourceBuilder,
    ProtobufDeserializationSchema,
    Meter,
    MetricGroup,
    MetricsSnapshot,
    NoRestart,
    MemorySize,
    NumberSequenceSource,
    RestartStrategies,
    Row,
    RowTypeInfo,
    RuntimeContext,
    Schema,
    Schema.Builder,
    SimpleStringSchema,
    SlotSharingGroup,
    SlotSharingGroup.Builder,
    StreamExecutionEnvironment,
    TableDescriptor,
    TableDescriptor.Builder,
    TaggedUnion,
    Time,
    TimestampedValue,
    TypedConfigOptionBuilder,
    WatermarkOutput,
    WatermarkStrategy,
]
SHARED: list[type] = [
    ClientBuilder,
    CsvRowBuilder,
    EnvironmentSettings,
    OperatorHandle,
    StreamHandle,
    StreamOutputs,
    UnsupportedOnKeyed,
]
"""What final classes have in common."""


def camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def snake_methods(owner: type) -> list[str]:
    return [
        name
        for name, member in vars(owner).items()
        if "_" in name.strip("_")
        and not name.startswith("_")
        and name == name.lower()
        and (inspect.isfunction(member) or isinstance(member, (staticmethod, classmethod)))
    ]


@pytest.mark.parametrize("owner", [*CLASSES, *SHARED], ids=lambda owner: owner.__name__)
def test_every_method_has_its_java_name(owner: type) -> None:
    members = vars(owner)
    names = snake_methods(owner)
    assert names
    assert [name for name in names if members.get(camel_case(name)) is not members[name]] == []


@pytest.mark.parametrize("owner", CLASSES, ids=lambda owner: owner.__name__)
def test_a_class_with_two_names_per_method_is_final(owner: type) -> None:
    assert getattr(owner, "__final__", False)


def test_names_change_mechanically() -> None:
    assert camel_case("with_timestamp_assigner") == "withTimestampAssigner"
