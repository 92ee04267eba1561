"""The format ``maxwell-json`` of tables, by Spark expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, final

import attrs
from pyspark.sql import Column, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.change_messages import (
    FIELD_NAMES,
    Change,
    ChangeFormat,
    EventField,
    before_update,
    event_fields,
    fields_of,
    unknown,
)
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Fail
from kafkastream.sql.formats import MaxwellJsonFormat
from kafkastream.sql.types import DataType, Kind, RowField

__all__: list[str] = []


@final
@attrs.frozen
class _Maxwell(ChangeFormat):
    metadata: ClassVar[Mapping[str, EventField]] = {
        "database": EventField("database"),
        "table": EventField("table"),
        "primary-key-columns": EventField("primary_key_columns", DataType.of(Kind.ARRAY, parts=(DataType.string(),))),
        "ingestion-timestamp": EventField("ts", DataType.of(Kind.BIGINT), functions.timestamp_seconds),
    }
    settings: MaxwellJsonFormat

    def fields(self, row: DataType) -> tuple[RowField, ...]:
        """``data``, ``old`` and ``type``."""
        return event_fields(data=row, old=row, type=DataType.string())

    def changes(self, row: DataType, event: Column, message: Column, change: Change, fail: Fail) -> Column:
        """Distinguish inserts, updates and deletes by ``type``; ``old`` holds only the fields that have changed."""
        data, old, type_ = event.getField("data"), event.getField("old"), event.getField("type")

        def was(names: Column) -> Column:
            columns = [field.name for field in row.fields]
            return functions.struct(
                *(before_update(old, data, name, functions.map_contains_key(names, name)) for name in columns)
            )

        names = fields_of(message, "old", FIELD_NAMES)
        before = functions.get(functions.transform(functions.array(names), was), functions.lit(0))
        return (
            functions.when((type_ == "insert") & data.isNotNull(), functions.array(change(RowKind.INSERT, data)))
            .when(
                (type_ == "update") & data.isNotNull() & old.isNotNull(),
                functions.array(change(RowKind.UPDATE_BEFORE, before), change(RowKind.UPDATE_AFTER, data)),
            )
            .when((type_ == "delete") & data.isNotNull(), functions.array(change(RowKind.DELETE, data)))
            .otherwise(fail(unknown("type", type_, "Maxwell")))
        )

    def event(self, data: Column, is_new: Column) -> tuple[Column, ...]:
        """``data`` and ``type``."""
        return data.alias("data"), functions.when(is_new, "insert").otherwise("delete").alias("type")


@message_format.register
def _(settings: MaxwellJsonFormat) -> MessageFormat:
    return _Maxwell(settings)
