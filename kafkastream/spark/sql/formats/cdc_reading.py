"""Change events of Debezium, Canal and Maxwell as rows with their kinds, in Spark's expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from pyspark.sql import Column, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.cdc_metadata import MetadataOf, metadata_of
from kafkastream.spark.sql.formats.json_reading import json_reader
from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.sql.formats import CanalJsonFormat, DebeziumJsonFormat, MaxwellJsonFormat
from kafkastream.sql.formats.json import JsonSettings
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["change_reader"]

_STRING: Final = DataType.string()
_INCOMPLETE: Final = (
    'The "before" field of {} message is null, if you are using Debezium Postgres Connector, please check the Postgres '
    "table has been set REPLICA IDENTITY to FULL level."
)


def change_reader(row: DataType, settings: JsonSettings, metadata: Sequence[str]) -> Reader:
    """How change events are read: each is the changes of its rows, and a message without bytes is none.

    Differs from Flink: the rows of an event that ``database.include`` or ``table.include`` leaves out must fit, too.

    Args:
        row: The type of the rows.
        settings: The format.
        metadata: What else is wanted of the events, by its keys.

    Raises:
        UnsupportedFeatureError: A map's keys are no text.
    """
    wanted = metadata_of(settings, metadata)
    match settings:
        case DebeziumJsonFormat():
            fields, changes = _fields(before=row, after=row, op=_STRING), _debezium
        case CanalJsonFormat():
            rows = DataType.of(Kind.ARRAY, parts=(row,))
            include = {"database": settings.database_include, "table": settings.table_include}
            included = {name: pattern for name, pattern in include.items() if pattern is not None}
            fields = _fields(data=rows, old=rows, type=_STRING, **dict.fromkeys(included, _STRING))
            changes = partial(_canal, row, included)
        case _:
            assert isinstance(settings, MaxwellJsonFormat)
            fields, changes = _fields(data=row, old=row, type=_STRING), partial(_maxwell, row)
    known = {field.name for field in fields}
    payload = (*fields, *(field for field in wanted.fields if field.name not in known and not wanted.is_outside(field)))
    outside = tuple(filter(wanted.is_outside, wanted.fields))
    is_nested = isinstance(settings, DebeziumJsonFormat) and settings.schema_include
    if is_nested:
        envelope = DataType.of(Kind.ROW, fields=(RowField("payload", DataType.of(Kind.ROW, fields=payload)), *outside))
    else:
        envelope = DataType.of(Kind.ROW, fields=payload)
    events = json_reader(envelope, settings)
    return events._replace(changes=partial(_changed, changes, wanted, settings, is_nested))


def _fields(**types: DataType) -> tuple[RowField, ...]:
    return tuple(RowField(name, type_) for name, type_ in types.items())


def _changed(
    changes: Callable[[Column, Column, Callable[[RowKind, Column], Column], Fail], Column],
    wanted: MetadataOf,
    settings: JsonSettings,
    is_nested: bool,
    event: Column,
    message: Column,
    fail: Fail,
) -> Column:
    payload = event.getField("payload") if is_nested else event
    metadata = wanted.values(payload, event)

    def change(kind: RowKind, row: Column) -> Column:
        return functions.struct(
            functions.lit(kind.value).cast("tinyint").alias("kind"), row.alias("row"), metadata.alias("metadata")
        )

    def refuse(problem: Column) -> Column:
        return functions.lit(None) if settings.ignore_parse_errors else fail(problem)

    return changes(payload, message, change, refuse)


def _debezium(event: Column, _: Column, change: Callable[[RowKind, Column], Column], fail: Fail) -> Column:
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
        .otherwise(fail(_unknown("op", op, "Debezium")))
    )


def _canal(
    row: DataType,
    included: dict[str, str],
    event: Column,
    _: Column,
    change: Callable[[RowKind, Column], Column],
    fail: Fail,
) -> Column:
    data, old, type_ = event.getField("data"), event.getField("old"), event.getField("type")

    def each(kind: RowKind) -> Column:
        return functions.transform(data, lambda one: change(kind, one))

    def updated(after: Column, index: Column) -> Column:
        before = functions.get(old, index)
        was = (
            functions.coalesce(before.getField(field.name), after.getField(field.name)).alias(field.name)
            for field in row.fields
        )
        return functions.array(
            change(RowKind.UPDATE_BEFORE, functions.struct(*was)), change(RowKind.UPDATE_AFTER, after)
        )

    changes = (
        functions.when((type_ == "INSERT") & data.isNotNull(), each(RowKind.INSERT))
        .when(
            (type_ == "UPDATE") & (functions.size(data) <= functions.size(old)),
            functions.flatten(functions.transform(data, updated)),
        )
        .when((type_ == "DELETE") & data.isNotNull(), each(RowKind.DELETE))
        .when(type_ == "CREATE", None)
        .otherwise(fail(_unknown("type", type_, "Canal")))
    )
    for name, pattern in included.items():
        changes = functions.when(event.getField(name).rlike(f"^(?:{pattern})$"), changes)
    return changes


def _maxwell(
    row: DataType, event: Column, message: Column, change: Callable[[RowKind, Column], Column], fail: Fail
) -> Column:
    data, old, type_ = event.getField("data"), event.getField("old"), event.getField("type")
    named = functions.from_json(message.cast("string"), "old map<string,string>").getField("old")

    def was(names: Column) -> Column:
        return functions.struct(
            *(
                functions.when(functions.map_contains_key(names, field.name), old.getField(field.name))
                .otherwise(data.getField(field.name))
                .alias(field.name)
                for field in row.fields
            )
        )

    before = functions.get(functions.transform(functions.array(named), was), functions.lit(0))
    return (
        functions.when((type_ == "insert") & data.isNotNull(), functions.array(change(RowKind.INSERT, data)))
        .when(
            (type_ == "update") & data.isNotNull() & old.isNotNull(),
            functions.array(change(RowKind.UPDATE_BEFORE, before), change(RowKind.UPDATE_AFTER, data)),
        )
        .when((type_ == "delete") & data.isNotNull(), functions.array(change(RowKind.DELETE, data)))
        .otherwise(fail(_unknown("type", type_, "Maxwell")))
    )


def _unknown(field: str, value: Column, of: str) -> Column:
    return functions.concat(
        functions.lit(f'Corrupt {of} JSON message: unknown "{field}" value "'),
        functions.coalesce(value, functions.lit("null")),
        functions.lit('", or no row.'),
    )
