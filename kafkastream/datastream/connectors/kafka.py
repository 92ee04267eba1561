"""The Kafka connector, at PyFlink's path, under PyFlink's names and Java's."""

from kafkastream.spec.legacy import FlinkKafkaConsumer
from kafkastream.spec.offsets import OffsetResetStrategy, OffsetsInitializer, PartitionOffsetsRetriever
from kafkastream.spec.record import (
    ConsumerRecord,
    JSONKeyValueDeserializationSchema,
    KafkaRecordDeserializationSchema,
    TimestampType,
)
from kafkastream.spec.sink import (
    DeliveryGuarantee,
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSink,
    KafkaSinkBuilder,
    TopicSelector,
)
from kafkastream.spec.source import Boundedness, KafkaSource, KafkaSourceBuilder
from kafkastream.spec.subscription import KafkaSubscriber, TopicPartition

KafkaOffsetResetStrategy = OffsetResetStrategy
KafkaOffsetsInitializer = OffsetsInitializer
KafkaTopicPartition = TopicPartition
KafkaTopicSelector = TopicSelector

__all__ = [
    "Boundedness",
    "ConsumerRecord",
    "DeliveryGuarantee",
    "FlinkKafkaConsumer",
    "HeaderProvider",
    "JSONKeyValueDeserializationSchema",
    "KafkaOffsetResetStrategy",
    "KafkaOffsetsInitializer",
    "KafkaRecordDeserializationSchema",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSource",
    "KafkaSourceBuilder",
    "KafkaSubscriber",
    "KafkaTopicPartition",
    "KafkaTopicSelector",
    "OffsetResetStrategy",
    "OffsetsInitializer",
    "PartitionOffsetsRetriever",
    "TimestampType",
    "TopicPartition",
    "TopicSelector",
]
