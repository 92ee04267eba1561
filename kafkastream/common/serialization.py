"""Schemas, at PyFlink's path; rows as JSON, CSV and Avro also stood here before Flink 1.16."""

from __future__ import annotations

from kafkastream.spec.file_sink import Encoder
from kafkastream.spec.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ByteArraySchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    DeserializationSchema,
    InitializationContext,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    SerializationSchema,
    SimpleStringSchema,
)
from kafkastream.spec.stand_in import FILES, StandIn

__all__ = [
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "BulkWriterFactory",
    "ByteArraySchema",
    "CsvRowDeserializationSchema",
    "CsvRowSerializationSchema",
    "DeserializationSchema",
    "Encoder",
    "InitializationContext",
    "JsonRowDeserializationSchema",
    "JsonRowSerializationSchema",
    "RowDataBulkWriterFactory",
    "SerializationSchema",
    "SimpleStringSchema",
]


class BulkWriterFactory(StandIn, instead=FILES):
    """Writes elements to a file in batches."""


class RowDataBulkWriterFactory(StandIn, instead=FILES):
    """Writes rows to a file in batches."""
