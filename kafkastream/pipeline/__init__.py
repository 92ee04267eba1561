"""Pipelines: replicate many tables from Kafka to Kafka, PostgreSQL and Delta, described in YAML or in Python.

``Pipeline.from_file`` reads a YAML document in the format of Flink CDC; the classes here build the same pipeline in
Python.
"""

from __future__ import annotations

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation
from kafkastream.cdc.patterns import TablePattern
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, MessageFormat, PartitionStrategy, TopicMapping
from kafkastream.cdc.spec.kafka_source import InferenceStrategy, KafkaPipelineSource, KeyFormat
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.postgres_sink import PostgresSink, TypeNormalization
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule
from kafkastream.cdc.spec.settings import (
    KafkaCollector,
    LoggerCollector,
    PipelineFunction,
    PipelineSettings,
    RouteMode,
    RuntimeMode,
    SchemaChangeBehavior,
)
from kafkastream.cdc.spec.simple_sinks import DeltaSink, PrintSink, ValuesSink
from kafkastream.cdc.spec.sink import PipelineSink, SchemaChangeType
from kafkastream.cdc.spec.value_formats import CanalJson, DebeziumJson, Json
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.pipeline.pipeline import Pipeline, PipelineBuilder

__all__ = [
    "AddColumns",
    "AfterTransform",
    "AlterColumnTypes",
    "CanalJson",
    "Column",
    "CreateTable",
    "DebeziumJson",
    "DeltaSink",
    "InferenceStrategy",
    "Json",
    "KafkaCollector",
    "KafkaPipelineSink",
    "KafkaPipelineSource",
    "KeyFormat",
    "LoggerCollector",
    "MessageFormat",
    "Operation",
    "PartitionStrategy",
    "Pipeline",
    "PipelineBuilder",
    "PipelineFunction",
    "PipelineSettings",
    "PipelineSink",
    "PipelineSpec",
    "PostgresSink",
    "PrintSink",
    "RouteMode",
    "RouteRule",
    "RowChange",
    "RuntimeMode",
    "SchemaChangeBehavior",
    "SchemaChangeType",
    "TableId",
    "TablePattern",
    "TableSchema",
    "TopicMapping",
    "TransformRule",
    "TypeNormalization",
    "ValuesSink",
    "ValuesSource",
]
