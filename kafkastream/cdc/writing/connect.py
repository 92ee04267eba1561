"""Kafka Connect schemas and values of rows, with the type mapping of Flink CDC's Kafka sink."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext
from functools import partial
from typing import Any, Final

import msgspec

from kafkastream.cdc.changes import Row
from kafkastream.cdc.tables import Column, TableSchema
from kafkastream.sql.types import DataType, Kind

__all__ = ["connect_rows", "connect_schema"]

_PLAIN: Final[Mapping[Kind, str]] = {
    Kind.BOOLEAN: "boolean",
    Kind.TINYINT: "int16",
    Kind.SMALLINT: "int16",
    Kind.INT: "int32",
    Kind.BIGINT: "int64",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
}
_EPOCH: Final = datetime.date(1970, 1, 1)
_PLENTY: Final = Context(prec=80)


def connect_schema(schema: TableSchema) -> dict[str, Any]:
    """Return the schema of a table's events, as Connect's ``JsonConverter`` writes it."""
    fields = [_field(column) for column in schema.columns]
    rows = [{"type": "struct", "fields": fields, "optional": True, "field": half} for half in ("before", "after")]
    return {"type": "struct", "fields": rows, "optional": False}


def _field(column: Column) -> dict[str, Any]:
    comment = {"doc": column.comment} if column.comment else {}
    return {**_type(column.type), "optional": column.type.is_nullable, **comment, "field": column.name}


def _type(kind: DataType) -> dict[str, Any]:
    match kind.kind:
        case Kind.DECIMAL:
            parameters = {"scale": str(kind.scale), "connect.decimal.precision": str(kind.size)}
            return {**_named("bytes", "org.apache.kafka.connect.data.Decimal"), "parameters": parameters}
        case Kind.DATE:
            return _named("int32", "io.debezium.time.Date")
        case Kind.TIME:
            return _named("int64", "io.debezium.time.MicroTime")
        case Kind.TIMESTAMP:
            return _named("int64", f"io.debezium.time.{'MicroTimestamp' if _is_fine(kind) else 'Timestamp'}")
        case Kind.TIMESTAMP_LTZ:
            return _named("string", "io.debezium.time.ZonedTimestamp")
        case Kind.BINARY | Kind.VARBINARY:
            return {**_named("bytes", "io.debezium.data.Bits"), "parameters": {"length": str(kind.size)}}
        case other:
            return {"type": _PLAIN.get(other, "string")}


def _named(type_: str, name: str) -> dict[str, Any]:
    return {"type": type_, "name": name, "version": 1}


def _is_fine(kind: DataType) -> bool:
    """Return whether a timestamp is more precise than milliseconds."""
    return (kind.size or 0) > 3


def connect_rows(schema: TableSchema) -> Callable[[Row | None], dict[str, Any] | None]:
    """Return the function from a row to its values in Connect's form; None stays None.

    Example:
        >>> from kafkastream.cdc.rows import row_class
        >>> days = TableSchema.of([("day", DataType.of(Kind.DATE)), ("price", DataType.of(Kind.DECIMAL, 5, 2))])
        >>> connect_rows(days)(row_class(days.columns)("1970-01-03", Decimal("1.5")))
        {'day': 2, 'price': 'AJY='}
    """
    forms = [_form(column.type) for column in schema.columns]
    return partial(_in_form, schema.names, forms)


def _in_form(
    names: tuple[str, ...], forms: list[Callable[[Any], Any] | None], row: Row | None
) -> dict[str, Any] | None:
    if row is None:
        return None
    values = zip(names, forms, msgspec.structs.astuple(row), strict=True)
    return {name: value if form is None or value is None else form(value) for name, form, value in values}


def _form(kind: DataType) -> Callable[[Any], Any] | None:
    match kind.kind:
        case Kind.DECIMAL:
            return partial(_unscaled, kind.scale or 0)
        case Kind.DATE:
            return _days
        case Kind.TIME:
            return _time_micros
        case Kind.TIMESTAMP:
            return _timestamp_micros if _is_fine(kind) else (lambda text: _timestamp_micros(text) // 1000)
        case Kind.TIMESTAMP_LTZ:
            return lambda text: text.replace(" ", "T")
        case _:
            return None


def _unscaled(scale: int, value: Decimal) -> str:
    """Return the unscaled number as big-endian bytes in base64, the form of Connect's Decimal."""
    with localcontext(_PLENTY):
        whole = int(value.scaleb(scale).to_integral_value())
    return base64.b64encode(whole.to_bytes(whole.bit_length() // 8 + 1, "big", signed=True)).decode()


def _days(text: str) -> int:
    return (datetime.date.fromisoformat(text) - _EPOCH).days


def _time_micros(text: str) -> int:
    whole, _, fraction = text.partition(".")
    hours, minutes, seconds = [*map(int, whole.split(":")), 0][:3]
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + int(f"{fraction:0<6.6}")


def _timestamp_micros(text: str) -> int:
    date, _, time = text.partition(" ")
    return _days(date) * 86_400_000_000 + _time_micros(time)
