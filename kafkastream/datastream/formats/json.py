"""JSON schemas of rows, at PyFlink's path, and one of our own for a Confluent schema registry."""

from __future__ import annotations

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats import (
    ConfluentRegistryJsonSerializationSchema,
    DeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
    SerializationSchema,
)

__all__ = [
    "ConfluentRegistryJsonSerializationSchema",
    "DeserializationSchema",
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
    "SerializationSchema",
    "TypeInformation",
]
