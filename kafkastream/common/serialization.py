"""Schemas, at PyFlink's path; rows as JSON, CSV and Avro also stood here before Flink 1.16."""

from kafkastream.spec.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ByteArraySchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    DeserializationSchema,
    InitializationContext,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    SerializationSchema,
    SimpleStringSchema,
)

__all__ = [
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "ByteArraySchema",
    "CsvRowDeserializationSchema",
    "CsvRowSerializationSchema",
    "DeserializationSchema",
    "InitializationContext",
    "JsonRowDeserializationSchema",
    "JsonRowSerializationSchema",
    "SerializationSchema",
    "SimpleStringSchema",
]
