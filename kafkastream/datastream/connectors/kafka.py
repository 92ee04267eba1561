"""The Kafka connector, at PyFlink's path, under PyFlink's names and Java's."""

from kafkastream.spec.offsets import OffsetResetStrategy, OffsetsInitializer
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
from kafkastream.spec.subscription import TopicPartition

KafkaOffsetResetStrategy = OffsetResetStrategy
KafkaOffsetsInitializer = OffsetsInitializer
KafkaTopicPartition = TopicPartition
KafkaTopicSelector = TopicSelector

__all__ = [
    "Boundedness",
    "ConsumerRecord",
    "DeliveryGuarantee",
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
    "KafkaTopicPartition",
    "KafkaTopicSelector",
    "OffsetResetStrategy",
    "OffsetsInitializer",
    "TimestampType",
    "TopicPartition",
    "TopicSelector",
]
