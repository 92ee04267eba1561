"""JSON schemas of rows, at PyFlink's path; those of objects, which Java has; one of our own for a Confluent schema registry."""

from __future__ import annotations

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats import (
    ConfluentRegistryJsonSerializationSchema,
    DeserializationSchema,
    JsonDeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
    JsonSerializationSchema,
    SerializationSchema,
    object_of_json,
    resolve_annotations,
)

__all__ = [
    "ConfluentRegistryJsonSerializationSchema",
    "DeserializationSchema",
    "JsonDeserializationSchema",
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
    "JsonSerializationSchema",
    "SerializationSchema",
    "TypeInformation",
    "object_of_json",
    "resolve_annotations",
]
