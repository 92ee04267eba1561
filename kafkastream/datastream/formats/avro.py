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
from kafkastream.spec.stand_in import StandIn
from kafkastream.spec.types import TypeInformation
from kafkastream.sql.files.avro import AvroBulkWriters, AvroSchema, GenericRecordAvroTypeInfo

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


class AvroInputFormat(
    StandIn, instead="Read lines or rows: FileSource, with CsvReaderFormat or ParquetColumnarRowInputFormat."
):
    """Reads Avro files."""
