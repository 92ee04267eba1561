"""Rows as JSON, at PyFlink's path; beside its classes one for a Confluent registry, which is ours."""

from __future__ import annotations

from kafkastream.spec.formats import (
    ConfluentRegistryJsonSerializationSchema,
    DeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
    SerializationSchema,
)
from kafkastream.spec.types import TypeInformation

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
