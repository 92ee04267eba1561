"""CSV schemas, readers and writers of rows, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats import (
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchemaBuilder,
    CsvRowSerializationSchema,
    CsvRowSerializationSchemaBuilder,
    DeserializationSchema,
    SerializationSchema,
)
from kafkastream.sql.files.csv_file_format import CsvBulkWriters, CsvReaderFormat, CsvSchema, CsvSchemaBuilder

__all__ = [
    "CsvBulkWriters",
    "CsvReaderFormat",
    "CsvRowDeserializationSchema",
    "CsvRowDeserializationSchemaBuilder",
    "CsvRowSerializationSchema",
    "CsvRowSerializationSchemaBuilder",
    "CsvSchema",
    "CsvSchemaBuilder",
    "DeserializationSchema",
    "SerializationSchema",
    "TypeInformation",
]
