"""What change events tell beside their rows, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, final

import attrs
from pyspark.sql import Column, functions

from kafkastream.sql.formats import CanalJsonFormat, DebeziumJsonFormat
from kafkastream.sql.formats.json import JsonSettings
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["MetadataOf", "metadata_of"]

_STRING: Final = DataType.string()
_NUMBER: Final = DataType.of(Kind.BIGINT)
_NAMES: Final = DataType.of(Kind.ARRAY, parts=(_STRING,))
_TEXTS: Final = DataType.of(Kind.MAP, parts=(_STRING, _STRING))
_SCHEMA: Final = "schema"


class _Told(NamedTuple):
    """A field of an event, and what becomes of it."""

    field: str
    type: DataType
    value: Callable[[Column], Column] = lambda column: column


def _time(column: Column) -> Column:
    return functions.timestamp_millis(column.cast("bigint"))


def _seconds(column: Column) -> Column:
    return functions.timestamp_seconds(column)


def _of_source(*names: str) -> _Told:
    return _Told("source", _TEXTS, lambda source: functions.coalesce(*(source[name] for name in names)))


_DEBEZIUM: Final = {
    "schema": _Told(_SCHEMA, _STRING),
    "ingestion-timestamp": _Told("ts_ms", _NUMBER, _time),
    "source.timestamp": _Told("source", _TEXTS, lambda source: _time(source["ts_ms"])),
    "source.database": _of_source("db"),
    "source.schema": _of_source("schema"),
    "source.table": _of_source("table", "collection"),
    "source.properties": _Told("source", _TEXTS),
}
_CANAL: Final = {
    "database": _Told("database", _STRING),
    "table": _Told("table", _STRING),
    "sql-type": _Told("sqlType", DataType.of(Kind.MAP, parts=(_STRING, DataType.of(Kind.INT)))),
    "pk-names": _Told("pkNames", _NAMES),
    "ingestion-timestamp": _Told("ts", _NUMBER, _time),
    "event-timestamp": _Told("es", _NUMBER, _time),
}
_MAXWELL: Final = {
    "database": _Told("database", _STRING),
    "table": _Told("table", _STRING),
    "primary-key-columns": _Told("primary_key_columns", _NAMES),
    "ingestion-timestamp": _Told("ts", _NUMBER, _seconds),
}


@final
@attrs.frozen
class MetadataOf:
    """What is wanted of events.

    Args:
        told: It, by its keys.
        is_enveloped: Whether events stand in ``payload``, beside their schema.
    """

    told: dict[str, _Told]
    is_enveloped: bool

    @property
    def fields(self) -> tuple[RowField, ...]:
        """The fields of an event that hold it; only events with a schema have one."""
        types = {one.field: one.type for one in self.told.values() if self.is_enveloped or one.field != _SCHEMA}
        return tuple(RowField(name, type_) for name, type_ in types.items())

    def is_outside(self, field: RowField) -> bool:
        """Whether a field stands beside the payload."""
        return self.is_enveloped and field.name == _SCHEMA

    def values(self, event: Column, envelope: Column) -> Column:
        """A struct of it, with its keys for names."""

        def value(one: _Told) -> Column:
            if one.field != _SCHEMA:
                return one.value(event.getField(one.field))
            return envelope.getField(_SCHEMA) if self.is_enveloped else functions.lit(None).cast("string")

        return functions.struct(
            *(value(one).alias(key) for key, one in self.told.items()), functions.lit(None).cast("tinyint").alias("")
        )


def metadata_of(settings: JsonSettings, keys: Sequence[str]) -> MetadataOf:
    """What is wanted of a format's events."""
    match settings:
        case DebeziumJsonFormat():
            known, is_enveloped = _DEBEZIUM, settings.schema_include
        case CanalJsonFormat():
            known, is_enveloped = _CANAL, False
        case _:
            known, is_enveloped = _MAXWELL, False
    return MetadataOf({key: known[key] for key in keys}, is_enveloped)
