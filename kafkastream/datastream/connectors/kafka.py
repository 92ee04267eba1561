"""The Kafka connector, at PyFlink's path, under PyFlink's names and Java's."""

from __future__ import annotations

from kafkastream.spec.endpoints import SinkFunction, SourceFunction
from kafkastream.spec.formats import DeserializationSchema, SerializationSchema
from kafkastream.spec.legacy import FlinkKafkaConsumer, FlinkKafkaProducer, Semantic
from kafkastream.spec.offsets import OffsetResetStrategy, OffsetsInitializer, PartitionOffsetsRetriever
from kafkastream.spec.partitioning import FlinkFixedPartitioner, KafkaPartitioner, RoundRobinPartitioner
from kafkastream.spec.record import (
    ConsumerRecord,
    JSONKeyValueDeserializationSchema,
    KafkaRecordDeserializationSchema,
    TimestampType,
)
from kafkastream.spec.record_building import KafkaRecordSerializationSchemaBuilder
from kafkastream.spec.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
    TopicSelector,
)
from kafkastream.spec.row import Row
from kafkastream.spec.sink import DeliveryGuarantee, KafkaSink, KafkaSinkBuilder, TransactionNamingStrategy
from kafkastream.spec.source import Boundedness, KafkaSource, KafkaSourceBuilder
from kafkastream.spec.subscription import KafkaSubscriber, TopicPartition
from kafkastream.spec.types import TypeInformation, Types

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
