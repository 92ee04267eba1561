"""The format ``json`` of tables, by Spark expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs
from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.flattening import nested
from kafkastream.spark.sql.formats.json_message_reading import json_reader
from kafkastream.spark.sql.formats.json_message_writing import json_message, json_value
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Reader
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import JsonFormat

__all__: list[str] = []


@final
@attrs.frozen
class _Json(MessageFormat):
    settings: JsonFormat

    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Parse JSON objects."""
        return json_reader(part.row_type, self.settings)

    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Write JSON objects."""
        settings = self.settings
        values = [
            json_value(column, field.type, settings).alias(field.name)
            for column, field in zip(columns, part.fields, strict=True)
        ]
        if settings.flatten_nested_columns:
            values = nested([field.name for field in part.fields], values)
        row = functions.struct(*values)
        return json_message(row, part.row_type, settings, ignores_nulls=settings.encode_ignore_null_fields)


@message_format.register
def _(settings: JsonFormat) -> MessageFormat:
    return _Json(settings)
