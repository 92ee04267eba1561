"""Conversion of rows from the source's schema to that of the sink's table."""

from __future__ import annotations

import base64
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from functools import partial
from typing import Any, Final

import msgspec

from kafkastream.cdc.changes import Row
from kafkastream.cdc.rows import ENCODER, row_class
from kafkastream.cdc.tables import TableSchema
from kafkastream.model.common.value_printing import java_double, java_float
from kafkastream.sql.types import DataType, Kind

__all__ = ["Convert", "conversion", "row_fitting"]

Convert = Callable[[Any], Any]
"""Function from a value of one type to a value of another; never called with None."""

_WHOLE: Final = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)
_FLOATING: Final = (Kind.FLOAT, Kind.DOUBLE)
_TEXTS: Final = (Kind.CHAR, Kind.VARCHAR)
_PLENTY: Final = Context(prec=80)


def row_fitting(of: TableSchema, to: TableSchema) -> Callable[[Row], Row] | None:
    """Return the function from rows of one schema to rows of another; None if no conversion is needed.

    Columns are matched by name; missing ones are NULL. A value that the other type cannot hold is NULL, too, as with
    Flink CDC's tolerance (``SchemaMergingUtils.coerceRow``); only a sink that has refused or ignored a change has such
    columns.

    Example:
        >>> from kafkastream.cdc.tables import TableSchema
        >>> narrow = TableSchema.of([("id", DataType.of(Kind.INT))])
        >>> wide = TableSchema.of([("note", DataType.string()), ("id", DataType.string())])
        >>> fit = row_fitting(narrow, wide)
        >>> msgspec.structs.astuple(fit(row_class(narrow.columns)(7)))
        (None, '7')
    """
    places = {column.name: place for place, column in enumerate(of.columns)}
    columns: list[tuple[int, Convert | None] | None] = []
    for column in to.columns:
        place = places.get(column.name)
        columns.append(None if place is None else (place, conversion(of.columns[place].type, column.type)))
    if of.names == to.names and all(column is not None and column[1] is None for column in columns):
        return None
    return partial(_fitted, row_class(to.columns), columns)


def _fitted(target: type[Row], columns: list[tuple[int, Convert | None] | None], row: Row) -> Row:
    values = msgspec.structs.astuple(row)
    return target(*[None if one is None else _converted(values[one[0]], one[1]) for one in columns])


def _converted(value: Any, convert: Convert | None) -> Any:
    return value if convert is None or value is None else convert(value)


def conversion(of: DataType, to: DataType) -> Convert | None:
    """Return the function from values of one type to values of another; None if no conversion is needed.

    Args:
        of: Type of the values.
        to: Type of the results.

    Example:
        >>> conversion(DataType.of(Kind.DATE), DataType.of(Kind.TIMESTAMP, 3))("2024-05-01")
        '2024-05-01 00:00:00'
        >>> conversion(DataType.of(Kind.INT), DataType.of(Kind.BIGINT)) is None
        True
    """
    if of.kind is to.kind:
        return _same_kind(of, to)
    if to.kind in _TEXTS:
        return _as_text(of)
    if of.kind in _WHOLE:
        return _of_whole(of.kind, to)
    match of.kind, to.kind:
        case (Kind.FLOAT, Kind.DOUBLE) | (Kind.BINARY, Kind.VARBINARY):
            return None
        case Kind.DECIMAL, (Kind.FLOAT | Kind.DOUBLE):
            return float
        case Kind.DATE, Kind.TIMESTAMP:
            return lambda date: f"{date} 00:00:00"
        case Kind.DATE, Kind.TIMESTAMP_LTZ:
            return lambda date: f"{date} 00:00:00Z"
        case Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ:
            return lambda time: f"{time}Z"
        case _:
            return _null


def _null(_: Any) -> None:
    return None


def _same_kind(of: DataType, to: DataType) -> Convert | None:
    """Return the function that narrows a value to a smaller length, precision or range; None for a larger one."""
    is_smaller = (to.size or 0) < (of.size or 0)
    if to.kind is Kind.DECIMAL and ((to.scale or 0) < (of.scale or 0) or is_smaller):
        return partial(_decimal, to)
    if to.kind in _TEXTS and is_smaller:
        return lambda text: text if len(text) <= (to.size or 0) else None
    return None


def _decimal(to: DataType, value: Any) -> Decimal | None:
    """Round a number half up to a DECIMAL's scale; None if it has too many integer digits."""
    with localcontext(_PLENTY):
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-(to.scale or 0)), rounding="ROUND_HALF_UP")
    return rounded if len(rounded.as_tuple().digits) <= (to.size or 0) else None


def _of_whole(kind: Kind, to: DataType) -> Convert | None:
    if to.kind in _WHOLE:
        return None if _WHOLE.index(kind) < _WHOLE.index(to.kind) else _null
    if to.kind in _FLOATING:
        return float
    return partial(_decimal, to) if to.kind is Kind.DECIMAL else _null


def _as_text(of: DataType) -> Convert | None:
    match of.kind:
        case Kind.BOOLEAN:
            return lambda value: "true" if value else "false"
        case Kind.DECIMAL:
            return lambda value: format(value, "f")
        case Kind.BINARY | Kind.VARBINARY:
            return lambda value: base64.b64encode(value).decode()
        case Kind.TINYINT | Kind.SMALLINT | Kind.INT | Kind.BIGINT:
            return str
        case Kind.FLOAT:
            return java_float
        case Kind.DOUBLE:
            return java_double
        case Kind.ARRAY | Kind.MAP | Kind.MULTISET | Kind.ROW:
            return lambda value: ENCODER.encode(value).decode()
        case _:
            return None
