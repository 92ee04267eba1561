"""Schemas of plain text and bytes, at PyFlink's path."""

from kafkastream.spec.formats import ByteArraySchema, DeserializationSchema, SerializationSchema, SimpleStringSchema

__all__ = ["ByteArraySchema", "DeserializationSchema", "SerializationSchema", "SimpleStringSchema"]
