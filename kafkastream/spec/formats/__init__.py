"""How bytes become elements and elements bytes: one module per format."""

from __future__ import annotations

from kafkastream.spec.formats.avro_row import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.spec.formats.confluent_avro import (
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from kafkastream.spec.formats.confluent_json import ConfluentRegistryJsonSerializationSchema
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
from kafkastream.spec.formats.kafka_serializers import KafkaSerializerSchema
from kafkastream.spec.formats.plain import ByteArraySchema, SimpleStringSchema
from kafkastream.spec.formats.protobuf import ProtobufDeserializationSchema, ProtobufSerializationSchema
from kafkastream.spec.formats.schema import DeserializationSchema, InitializationContext, SerializationSchema

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
