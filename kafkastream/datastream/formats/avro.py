"""Avro records, at PyFlink's path; beside its classes those that Flink has in Java only."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
    DeserializationSchema,
    SerializationSchema,
)
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
