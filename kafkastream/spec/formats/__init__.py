"""How bytes become elements and elements bytes: one module per format."""

from __future__ import annotations

from kafkastream.spec.formats.avro_row import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.spec.formats.confluent_avro import ConfluentRegistryAvroDeserializationSchema
from kafkastream.spec.formats.csv_row import (
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchemaBuilder,
    CsvRowSerializationSchema,
    CsvRowSerializationSchemaBuilder,
)
from kafkastream.spec.formats.json_row import (
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
)
from kafkastream.spec.formats.plain import ByteArraySchema, SimpleStringSchema
from kafkastream.spec.formats.protobuf import ProtobufDeserializationSchema
from kafkastream.spec.formats.schema import DeserializationSchema, InitializationContext, SerializationSchema

__all__ = [
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "ByteArraySchema",
    "ConfluentRegistryAvroDeserializationSchema",
    "CsvRowDeserializationSchema",
    "CsvRowDeserializationSchemaBuilder",
    "CsvRowSerializationSchema",
    "CsvRowSerializationSchemaBuilder",
    "DeserializationSchema",
    "InitializationContext",
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
    "ProtobufDeserializationSchema",
    "SerializationSchema",
    "SimpleStringSchema",
]
