"""Connectors, at PyFlink's path; before Flink 1.16, those of Flink 1.x were here too."""

from __future__ import annotations

from kafkastream.datastream.connectors.base import DeliveryGuarantee
from kafkastream.datastream.connectors.file_system import (
    BucketAssigner,
    FileEnumeratorProvider,
    FileSink,
    FileSource,
    FileSourceBuilder,
    FileSplitAssignerProvider,
    OutputFileConfig,
    RollingPolicy,
    StreamFormat,
    StreamingFileSink,
)
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink
from kafkastream.datastream.connectors.kafka import (
    FlinkKafkaConsumer,
    FlinkKafkaProducer,
    KafkaSink,
    KafkaSource,
    Semantic,
)
from kafkastream.datastream.connectors.number_seq import NumberSequenceSource
from kafkastream.datastream.connectors.pulsar import PulsarSource, PulsarSourceBuilder, StartCursor, StopCursor
from kafkastream.datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSource
from kafkastream.model.common.endpoints import Sink, Source

__all__ = [
    "BucketAssigner",
    "DeliveryGuarantee",
    "FileEnumeratorProvider",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "FlinkKafkaConsumer",
    "FlinkKafkaProducer",
    "JdbcConnectionOptions",
    "JdbcExecutionOptions",
    "JdbcSink",
    "KafkaSink",
    "KafkaSource",
    "NumberSequenceSource",
    "OutputFileConfig",
    "PulsarSource",
    "PulsarSourceBuilder",
    "RMQConnectionConfig",
    "RMQSink",
    "RMQSource",
    "RollingPolicy",
    "Semantic",
    "Sink",
    "Source",
    "StartCursor",
    "StopCursor",
    "StreamFormat",
    "StreamingFileSink",
]
