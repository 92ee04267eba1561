"""Connectors, at PyFlink's path; those of Flink 1.x also stood here before Flink 1.16."""

from kafkastream.datastream.connectors.base import DeliveryGuarantee
from kafkastream.datastream.connectors.kafka import FlinkKafkaConsumer, FlinkKafkaProducer, KafkaSink, KafkaSource

__all__ = ["DeliveryGuarantee", "FlinkKafkaConsumer", "FlinkKafkaProducer", "KafkaSink", "KafkaSource"]
