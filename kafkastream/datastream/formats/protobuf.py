"""Protobuf messages; Flink has no such schema for streams."""

from kafkastream.spec.formats import ProtobufDeserializationSchema

__all__ = ["ProtobufDeserializationSchema"]
