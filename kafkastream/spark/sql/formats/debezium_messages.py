"""The format ``debezium-json`` of tables, by Spark expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs
from pyspark.sql import Column, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.change_messages import (
    SCHEMA,
    TEXTS,
    Change,
    ChangeFormat,
    EventField,
    event_fields,
    milliseconds,
    unknown,
)
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Fail
from kafkastream.sql.formats import DebeziumJsonFormat
from kafkastream.sql.types import DataType, Kind, RowField

__all__: list[str] = []

_INCOMPLETE: Final = (
    'The "before" field of {} message is null, if you are using Debezium Postgres Connector, please check the Postgres '
    "table has been set REPLICA IDENTITY to FULL level."
)


def _of_source(*names: str) -> EventField:
    return EventField("source", TEXTS, lambda source: functions.coalesce(*(source[name] for name in names)))


@final
@attrs.frozen
class _Debezium(ChangeFormat):
    metadata: ClassVar[Mapping[str, EventField]] = {
        "schema": EventField(SCHEMA),
        "ingestion-timestamp": EventField("ts_ms", DataType.of(Kind.BIGINT), milliseconds),
        "source.timestamp": EventField("source", TEXTS, lambda source: milliseconds(source["ts_ms"])),
        "source.database": _of_source("db"),
        "source.schema": _of_source("schema"),
        "source.table": _of_source("table", "collection"),
        "source.properties": EventField("source", TEXTS),
    }
    settings: DebeziumJsonFormat

    @property
    def is_enveloped(self) -> bool:
        """True if events have a schema (``debezium-json.schema-include``)."""
        return self.settings.schema_include

    def fields(self, row: DataType) -> tuple[RowField, ...]:
        """``before``, ``after`` and ``op``."""
        return event_fields(before=row, after=row, op=DataType.string())

    def changes(self, row: DataType, event: Column, message: Column, change: Change, fail: Fail) -> Column:
        """Distinguish inserts, updates and deletes by ``op``."""
        before, after, op = event.getField("before"), event.getField("after"), event.getField("op")

        def missing(name: str) -> Column:
            return fail(functions.lit(_INCOMPLETE.format(name)))

        return (
            functions.when(op.isin("c", "r") & after.isNotNull(), functions.array(change(RowKind.INSERT, after)))
            .when((op == "u") & before.isNull(), missing("UPDATE"))
            .when(
                (op == "u") & after.isNotNull(),
                functions.array(change(RowKind.UPDATE_BEFORE, before), change(RowKind.UPDATE_AFTER, after)),
            )
            .when((op == "d") & before.isNull(), missing("DELETE"))
            .when(op == "d", functions.array(change(RowKind.DELETE, before)))
            .otherwise(fail(unknown("op", op, "Debezium")))
        )

    def event(self, data: Column, is_new: Column) -> tuple[Column, ...]:
        """``before`` or ``after``, and ``op``."""
        return (
            functions.when(~is_new, data).alias("before"),
            functions.when(is_new, data).alias("after"),
            functions.when(is_new, "c").otherwise("d").alias("op"),
        )


@message_format.register
def _(settings: DebeziumJsonFormat) -> MessageFormat:
    return _Debezium(settings)
