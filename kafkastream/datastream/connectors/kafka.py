"""Kafka source and sink, at PyFlink's path, under PyFlink's and Java's names."""

from __future__ import annotations

from kafkastream.model.common.endpoints import SinkFunction, SourceFunction
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.connectors.kafka_sink import (
    DeliveryGuarantee,
    KafkaSink,
    KafkaSinkBuilder,
    TransactionNamingStrategy,
)
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.legacy_connectors import FlinkKafkaConsumer, FlinkKafkaProducer, Semantic
from kafkastream.model.connectors.offsets_initializers import (
    OffsetResetStrategy,
    OffsetsInitializer,
    PartitionOffsetsRetriever,
)
from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner, RoundRobinPartitioner
from kafkastream.model.connectors.record_builders import KafkaRecordSerializationSchemaBuilder
from kafkastream.model.connectors.record_deserialization import (
    ConsumerRecord,
    JSONKeyValueDeserializationSchema,
    KafkaRecordDeserializationSchema,
    TimestampType,
)
from kafkastream.model.connectors.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
    TopicSelector,
)
from kafkastream.model.connectors.subscription import KafkaSubscriber, TopicPartition
from kafkastream.model.formats import DeserializationSchema, SerializationSchema

FlinkKafkaConsumerBase = FlinkKafkaConsumer
FlinkKafkaPartitioner = KafkaPartitioner
FlinkKafkaProducerBase = FlinkKafkaProducer
KafkaOffsetResetStrategy = OffsetResetStrategy
KafkaOffsetsInitializer = OffsetsInitializer
KafkaTopicPartition = TopicPartition
KafkaTopicSelector = TopicSelector


__all__ = [
    "Boundedness",
    "ConsumerRecord",
    "DeliveryGuarantee",
    "DeserializationSchema",
    "FlinkFixedPartitioner",
    "FlinkKafkaConsumer",
    "FlinkKafkaConsumerBase",
    "FlinkKafkaPartitioner",
    "FlinkKafkaProducer",
    "FlinkKafkaProducerBase",
    "HeaderProvider",
    "JSONKeyValueDeserializationSchema",
    "KafkaOffsetResetStrategy",
    "KafkaOffsetsInitializer",
    "KafkaPartitioner",
    "KafkaRecordDeserializationSchema",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSinkContext",
    "KafkaSource",
    "KafkaSourceBuilder",
    "KafkaSubscriber",
    "KafkaTopicPartition",
    "KafkaTopicSelector",
    "OffsetResetStrategy",
    "OffsetsInitializer",
    "PartitionOffsetsRetriever",
    "ProducerRecord",
    "RoundRobinPartitioner",
    "Row",
    "Semantic",
    "SerializationSchema",
    "SinkFunction",
    "SourceFunction",
    "TimestampType",
    "TopicPartition",
    "TopicSelector",
    "TransactionNamingStrategy",
    "TypeInformation",
    "Types",
]
