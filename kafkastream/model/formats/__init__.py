"""Formats of the DataStream API: bytes become elements and elements bytes, one module or more per format."""

from __future__ import annotations

from kafkastream.model.formats.avro_row import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.model.formats.confluent_avro import (
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from kafkastream.model.formats.confluent_json import ConfluentRegistryJsonSerializationSchema
from kafkastream.model.formats.csv_row import (
    CsvRowDeserializationSchema,
    CsvRowDeserializationSchemaBuilder,
    CsvRowSerializationSchema,
    CsvRowSerializationSchemaBuilder,
)
from kafkastream.model.formats.json_row import (
    JsonRowDeserializationSchema,
    JsonRowDeserializationSchemaBuilder,
    JsonRowSerializationSchema,
    JsonRowSerializationSchemaBuilder,
)
from kafkastream.model.formats.kafka_serializers import KafkaSerializerSchema
from kafkastream.model.formats.plain import ByteArraySchema, SimpleStringSchema
from kafkastream.model.formats.protobuf import ProtobufDeserializationSchema, ProtobufSerializationSchema
from kafkastream.model.formats.schema import DeserializationSchema, InitializationContext, SerializationSchema

__all__ = [
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "ByteArraySchema",
    "ConfluentRegistryAvroDeserializationSchema",
    "ConfluentRegistryAvroSerializationSchema",
    "ConfluentRegistryJsonSerializationSchema",
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
    "KafkaSerializerSchema",
    "ProtobufDeserializationSchema",
    "ProtobufSerializationSchema",
    "SerializationSchema",
    "SimpleStringSchema",
]
