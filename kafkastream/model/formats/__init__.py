"""Formats of the DataStream API: bytes become elements and elements bytes, one module or more per format.

Begin with ``schema``, the base classes that users may implement, and ``plain``, the smallest schemas.

- JSON: ``json_row``, with ``json_reading``, ``json_writing``, ``json_nodes`` and ``json_schema``.
- CSV: ``csv_row``, with ``csv_reading``, ``csv_writing`` and ``csv_text``.
- Avro: ``avro_row`` and ``avro_schema``; Protobuf: ``protobuf``.
- A Confluent schema registry: ``confluent_avro``, ``confluent_json``, ``confluent_wire``, ``confluent_writing``,
  ``schema_registry``.
- Kafka's own serializers by their Java names: ``kafka_classes``, ``kafka_serializers``, ``kafka_deserializers``.
- Shared rules: ``java_text``, ``charsets``, ``ignore_errors``, and ``malformed``, which has the limits for records.

A schema's ``deserialize`` defines the result; a column decoder of the engine may be faster. Re-exported in
``kafkastream.datastream.formats``.
"""

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
from kafkastream.model.formats.json_objects import (
    JsonDeserializationSchema,
    JsonSerializationSchema,
    object_of_json,
    resolve_annotations,
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
    "JsonDeserializationSchema",
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
    "JsonSerializationSchema",
    "KafkaSerializerSchema",
    "ProtobufDeserializationSchema",
    "ProtobufSerializationSchema",
    "SerializationSchema",
    "SimpleStringSchema",
    "object_of_json",
    "resolve_annotations",
]
