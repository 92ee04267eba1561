"""Rows as JSON, at PyFlink's path; beside its classes one for a Confluent registry, which is ours."""

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
