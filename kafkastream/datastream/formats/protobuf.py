"""Protobuf messages; Flink has no such schemas for streams."""

from kafkastream.model.formats import ProtobufDeserializationSchema, ProtobufSerializationSchema

__all__ = ["ProtobufDeserializationSchema", "ProtobufSerializationSchema"]
