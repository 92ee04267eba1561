"""Protobuf schema of records; Flink has Protobuf only for tables."""

from kafkastream.model.formats import ProtobufDeserializationSchema, ProtobufSerializationSchema

__all__ = ["ProtobufDeserializationSchema", "ProtobufSerializationSchema"]
