"""Avro records, at PyFlink's path; beside its classes those that Flink has in Java only."""

from __future__ import annotations

from kafkastream.spec.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
    DeserializationSchema,
    SerializationSchema,
)
from kafkastream.spec.stand_in import FILES, StandIn
from kafkastream.spec.types import TypeInformation

__all__ = [
    "AvroBulkWriters",
    "AvroInputFormat",
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "AvroSchema",
    "ConfluentRegistryAvroDeserializationSchema",
    "ConfluentRegistryAvroSerializationSchema",
    "DeserializationSchema",
    "GenericRecordAvroTypeInfo",
    "SerializationSchema",
    "TypeInformation",
]


class AvroSchema(StandIn, instead=FILES):
    """A schema of Avro files."""


class AvroInputFormat(StandIn, instead=FILES):
    """Reads Avro files."""


class AvroBulkWriters(StandIn, instead=FILES):
    """Write Avro files."""


class GenericRecordAvroTypeInfo(StandIn, instead=FILES):
    """The type of the records of Avro files."""
