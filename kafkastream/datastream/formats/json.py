"""Rows as JSON, at PyFlink's path; beside its classes one for a Confluent registry, which is ours."""

from kafkastream.spec.formats import (
    ConfluentRegistryJsonSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
)

__all__ = [
    "ConfluentRegistryJsonSerializationSchema",
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
]
