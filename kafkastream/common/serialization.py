"""Serialization schemas, at PyFlink's path; before Flink 1.16, those of JSON, CSV and Avro rows were here too."""

from __future__ import annotations

from kafkastream.model.connectors.file_formats import BulkWriterFactory
from kafkastream.model.connectors.file_sink_settings import Encoder
from kafkastream.model.formats import (
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
from kafkastream.sql.files.parquet_file_format import RowDataBulkWriterFactory

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
