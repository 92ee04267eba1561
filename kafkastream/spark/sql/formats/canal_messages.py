"""The format ``canal-json`` of tables, by Spark expressions."""

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
    milliseconds,
    unknown,
)
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Fail
from kafkastream.sql.formats import CanalJsonFormat
from kafkastream.sql.types import DataType, Kind, RowField

__all__: list[str] = []


@final
@attrs.frozen
class _Canal(ChangeFormat):
    metadata: ClassVar[Mapping[str, EventField]] = {
        "database": EventField("database"),
        "table": EventField("table"),
        "sql-type": EventField("sqlType", DataType.of(Kind.MAP, parts=(DataType.string(), DataType.of(Kind.INT)))),
        "pk-names": EventField("pkNames", DataType.of(Kind.ARRAY, parts=(DataType.string(),))),
        "ingestion-timestamp": EventField("ts", DataType.of(Kind.BIGINT), milliseconds),
        "event-timestamp": EventField("es", DataType.of(Kind.BIGINT), milliseconds),
    }
    settings: CanalJsonFormat

    @property
    def _included(self) -> Mapping[str, str]:
        """Return the patterns of databases and tables to read, by the event's fields with their names."""
        patterns = {"database": self.settings.database_include, "table": self.settings.table_include}
        return {name: pattern for name, pattern in patterns.items() if pattern is not None}

    def fields(self, row: DataType) -> tuple[RowField, ...]:
        """``data`` and ``old``, both with several rows, ``type``, and the fields that name the table."""
        rows = DataType.of(Kind.ARRAY, parts=(row,))
        names = dict.fromkeys(self._included, DataType.string())
        return event_fields(data=rows, old=rows, type=DataType.string(), **names)

    def changes(self, row: DataType, event: Column, message: Column, change: Change, fail: Fail) -> Column:
        """Distinguish inserts, updates and deletes by ``type``."""
        data, old, type_ = event.getField("data"), event.getField("old"), event.getField("type")

        def each(kind: RowKind) -> Column:
            return functions.transform(data, lambda one: change(kind, one))

        def all_updated(names: Column) -> Column:
            def updated(after: Column, index: Column) -> Column:
                was = (
                    before_update(functions.get(old, index), after, name, has_changed(names, name)) for name in columns
                )
                return functions.array(
                    change(RowKind.UPDATE_BEFORE, functions.struct(*was)), change(RowKind.UPDATE_AFTER, after)
                )

            return functions.flatten(functions.transform(data, updated))

        def has_changed(names: Column, name: str) -> Column:
            # Flink looks for the name in all of "old", which may hold several rows (CanalJsonDeserializationSchema).
            return functions.exists(names, lambda row: functions.map_contains_key(row, name))

        columns = [field.name for field in row.fields]
        names = fields_of(message, "old", f"array<{FIELD_NAMES}>")
        changes = (
            functions.when((type_ == "INSERT") & data.isNotNull(), each(RowKind.INSERT))
            .when(
                (type_ == "UPDATE") & (functions.size(data) <= functions.size(old)),
                functions.get(functions.transform(functions.array(names), all_updated), functions.lit(0)),
            )
            .when((type_ == "DELETE") & data.isNotNull(), each(RowKind.DELETE))
            .when(type_ == "CREATE", None)
            .otherwise(fail(unknown("type", type_, "Canal")))
        )
        for name, pattern in self._included.items():
            changes = functions.when(event.getField(name).rlike(f"^(?:{pattern})$"), changes)
        return changes

    def event(self, data: Column, is_new: Column) -> tuple[Column, ...]:
        """``data`` and ``type``."""
        return functions.array(data).alias("data"), functions.when(is_new, "INSERT").otherwise("DELETE").alias("type")


@message_format.register
def _(settings: CanalJsonFormat) -> MessageFormat:
    return _Canal(settings)
