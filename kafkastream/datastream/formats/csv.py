"""Rows as CSV, at PyFlink's path."""

from kafkastream.spec.formats import (
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchemaBuilder,
    CsvRowSerializationSchema,
    CsvRowSerializationSchemaBuilder,
)

__all__ = [
    "CsvRowDeserializationSchema",
    "CsvRowDeserializationSchemaBuilder",
    "CsvRowSerializationSchema",
    "CsvRowSerializationSchemaBuilder",
]
