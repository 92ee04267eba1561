"""Connectors, at PyFlink's path."""

from kafkastream.datastream.connectors.base import DeliveryGuarantee
from kafkastream.datastream.connectors.kafka import KafkaSink, KafkaSource

__all__ = ["DeliveryGuarantee", "KafkaSink", "KafkaSource"]
