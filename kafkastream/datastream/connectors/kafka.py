"""The Kafka connector, at PyFlink's path, under PyFlink's names and Java's."""

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
from kafkastream.spec.sink import DeliveryGuarantee, KafkaSink, KafkaSinkBuilder, TransactionNamingStrategy
from kafkastream.spec.source import Boundedness, KafkaSource, KafkaSourceBuilder
from kafkastream.spec.subscription import KafkaSubscriber, TopicPartition

FlinkKafkaPartitioner = KafkaPartitioner
KafkaOffsetResetStrategy = OffsetResetStrategy
KafkaOffsetsInitializer = OffsetsInitializer
KafkaTopicPartition = TopicPartition
KafkaTopicSelector = TopicSelector

__all__ = [
    "Boundedness",
    "ConsumerRecord",
    "DeliveryGuarantee",
    "FlinkFixedPartitioner",
    "FlinkKafkaConsumer",
    "FlinkKafkaPartitioner",
    "FlinkKafkaProducer",
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
    "Semantic",
    "TimestampType",
    "TopicPartition",
    "TopicSelector",
    "TransactionNamingStrategy",
]
