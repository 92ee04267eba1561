"""Which module reads and writes a format."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.avro_messages import avro_decoder, avro_encoder
from kafkastream.spark.sql.formats.cdc_reading import change_reader
from kafkastream.spark.sql.formats.cdc_writing import change_message
from kafkastream.spark.sql.formats.csv_reading import csv_reader
from kafkastream.spark.sql.formats.csv_writing import csv_message
from kafkastream.spark.sql.formats.flattening import nested
from kafkastream.spark.sql.formats.json_reading import json_reader
from kafkastream.spark.sql.formats.json_writing import json_message, json_value
from kafkastream.spark.sql.formats.message_reading import Reader
from kafkastream.spark.sql.formats.protobuf_messages import protobuf_decoder, protobuf_encoder
from kafkastream.spark.sql.formats.python_formats import plain_row, python_reader
from kafkastream.spark.sql.formats.python_steps import MessageEncoder
from kafkastream.spark.sql.formats.raw_bytes import raw_message, raw_reader
from kafkastream.sql.connectors.record_parts import RecordPart
from kafkastream.sql.formats import (
    AvroConfluentFormat,
    AvroFormat,
    CanalJsonFormat,
    CsvFormat,
    DebeziumJsonFormat,
    JsonFormat,
    MaxwellJsonFormat,
    ProtobufFormat,
    RawFormat,
)

__all__ = ["encoder_of", "message_of", "reader_of"]

_NO_MESSAGE = "Failed to deserialize PB object: there is none"


def reader_of(part: RecordPart, metadata: Sequence[str] = ()) -> Reader:
    """How a key or a value is read.

    Args:
        part: Its fields and its format.
        metadata: What else is wanted of a value, by its keys.

    Raises:
        DefinitionError: What the format names is not there, or does not fit.
        UnsupportedFeatureError: The format cannot hold a field.
    """
    match part.format:
        case JsonFormat():
            return json_reader(part.row_type, part.format)
        case CsvFormat():
            return csv_reader(part.row_type, part.format)
        case RawFormat():
            return raw_reader(part.row_type.fields[0], part.format)
        case DebeziumJsonFormat() | CanalJsonFormat() | MaxwellJsonFormat():
            return change_reader(part.row_type, part.format, metadata)
        case AvroFormat() | AvroConfluentFormat() as format_:
            return python_reader(part.row_type, avro_decoder(part, format_))
        case ProtobufFormat() as format_:
            problem = None if format_.ignore_parse_errors else _NO_MESSAGE
            return python_reader(part.row_type, protobuf_decoder(part, format_), problem)
        case other:
            raise AssertionError(other)


def message_of(part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
    """A key or a value as bytes; as a struct of plain values, where ``encoder_of`` knows what encodes it.

    Args:
        part: Its fields and its format.
        columns: The fields' values.
        kind: The kind of a row, which formats of change events write; None where all are new.

    Raises:
        UnsupportedFeatureError: The format cannot hold a field.
    """
    match part.format:
        case JsonFormat():
            values = [
                json_value(column, field.type, part.format).alias(field.name)
                for column, field in zip(columns, part.fields, strict=True)
            ]
            if part.format.flatten_nested_columns:
                values = nested([field.name for field in part.fields], values)
            row = functions.struct(*values)
            return json_message(row, part.row_type, part.format, ignores_nulls=part.format.encode_ignore_null_fields)
        case CsvFormat():
            return csv_message(columns, part.row_type, part.format)
        case RawFormat():
            return raw_message(columns[0], part.row_type.fields[0], part.format)
        case DebeziumJsonFormat() | CanalJsonFormat() | MaxwellJsonFormat():
            return change_message(columns, part.row_type, part.format, kind)
        case _:
            return plain_row(part.row_type, columns)


def encoder_of(part: RecordPart) -> MessageEncoder | None:
    """What encodes a key or a value that Spark's expressions cannot encode; None if they can.

    Raises:
        DefinitionError: What the format names is not there, or does not fit.
    """
    match part.format:
        case AvroFormat() | AvroConfluentFormat() as format_:
            return avro_encoder(part, format_)
        case ProtobufFormat() as format_:
            return protobuf_encoder(part, format_)
        case _:
            return None
