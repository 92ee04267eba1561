"""Rows as CSV, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.formats import (
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchemaBuilder,
    CsvRowSerializationSchema,
    CsvRowSerializationSchemaBuilder,
    DeserializationSchema,
    SerializationSchema,
)
from kafkastream.spec.stand_in import FILES, StandIn
from kafkastream.spec.types import TypeInformation

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


class CsvSchema(StandIn, instead=FILES):
    """The columns of CSV files."""


class CsvSchemaBuilder(StandIn, instead=FILES):
    """Builds a ``CsvSchema``."""


class CsvReaderFormat(StandIn, instead=FILES):
    """Reads CSV files."""


class CsvBulkWriters(StandIn, instead=FILES):
    """Write CSV files."""
