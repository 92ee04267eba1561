"""Avro schemas and writers, at PyFlink's path, and those that Flink has only in Java."""

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
from kafkastream.sql.files.avro_file_format import AvroBulkWriters, AvroSchema, GenericRecordAvroTypeInfo

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
    """Input format of Avro files."""
