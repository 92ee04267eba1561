"""Apache Flink's Kafka connectors and DataStream API, in Python, on Spark.

The names that most jobs start with; all others are at PyFlink's paths, with ``kafkastream`` for ``pyflink``:
``kafkastream.common``, ``kafkastream.datastream``, ``kafkastream.datastream.connectors.kafka``.
"""

from __future__ import annotations

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.common.serialization import SimpleStringSchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

__all__ = [
    "DeliveryGuarantee",
    "KafkaOffsetsInitializer",
    "KafkaRecordSerializationSchema",
    "KafkaSink",
    "KafkaSource",
    "SimpleStringSchema",
    "StreamExecutionEnvironment",
    "Types",
    "WatermarkStrategy",
]
