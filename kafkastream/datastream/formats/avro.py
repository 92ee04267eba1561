"""Avro records, at PyFlink's path; beside its classes those that Flink has in Java only."""

from kafkastream.spec.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)

__all__ = [
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "ConfluentRegistryAvroDeserializationSchema",
    "ConfluentRegistryAvroSerializationSchema",
]
