"""Which module reads and writes a format."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, functions

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.spark.tables.cdc_reading import change_reader
from kafkastream.spark.tables.cdc_writing import change_message
from kafkastream.spark.tables.csv_reading import csv_reader
from kafkastream.spark.tables.csv_writing import csv_message
from kafkastream.spark.tables.json_reading import json_reader
from kafkastream.spark.tables.json_writing import json_message, json_value
from kafkastream.spark.tables.raw import raw_message, raw_reader
from kafkastream.spark.tables.reading import Reader
from kafkastream.sql.connectors.record_parts import RecordPart
from kafkastream.sql.formats import (
    CanalJsonFormat,
    CsvFormat,
    DebeziumJsonFormat,
    Format,
    JsonFormat,
    MaxwellJsonFormat,
    RawFormat,
)

__all__ = ["message_of", "reader_of"]


def reader_of(part: RecordPart, metadata: Sequence[str] = ()) -> Reader:
    """How a key or a value is read.

    Args:
        part: Its fields and its format.
        metadata: What else is wanted of a value, by its keys.

    Raises:
        UnsupportedFeatureError: The format is not read by Spark's expressions, or it cannot hold a field.
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
        case _:
            raise _unsupported(part.format)


def message_of(part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
    """A key or a value as bytes.

    Args:
        part: Its fields and its format.
        columns: The fields' values.
        kind: The kind of a row, which formats of change events write; None where all are new.

    Raises:
        UnsupportedFeatureError: The format is not written by Spark's expressions, or it cannot hold a field.
    """
    match part.format:
        case JsonFormat():
            values = (
                json_value(column, field.type, part.format).alias(field.name)
                for column, field in zip(columns, part.fields, strict=True)
            )
            row = functions.struct(*values)
            return json_message(row, part.format, ignores_nulls=part.format.encode_ignore_null_fields)
        case CsvFormat():
            return csv_message(columns, part.row_type, part.format)
        case RawFormat():
            return raw_message(columns[0], part.row_type.fields[0], part.format)
        case DebeziumJsonFormat() | CanalJsonFormat() | MaxwellJsonFormat():
            return change_message(columns, part.row_type, part.format, kind)
        case _:
            raise _unsupported(part.format)


def _unsupported(format_: Format) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"the format {format_.identifier!r} is not supported in tables yet", now="Use 'json' or 'csv'."
    )
