"""Values of rows in keyed operators: plain Python values, comparable, with the same hash in every process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pyarrow as pa
from pyarrow import types

__all__ = ["KIND", "array_of", "column_names", "kinds_of", "numbers_of", "rows_of", "typed", "values_of"]

KIND: Final = "__kind"
"""Column with the numbers of row kinds (``RowKind``); without it all rows are inserts."""


def column_names(width: int) -> list[str]:
    """Return the names of so many columns."""
    return [f"c{index}" for index in range(width)]


def kinds_of(arrow: pa.RecordBatch) -> list[int]:
    """Return the number of each row's kind; 0 (INSERT) without the column."""
    kinds: list[int] = arrow[KIND].to_pylist() if KIND in arrow.schema.names else [0] * arrow.num_rows
    return kinds


def rows_of(arrow: pa.RecordBatch, width: int) -> list[tuple[Any, ...]]:
    """Return the rows of a batch: number of the row kind, then the columns."""
    return list(zip(kinds_of(arrow), *(values_of(arrow[name]) for name in column_names(width)), strict=True))


def values_of(array: pa.Array) -> list[Any]:
    """Return the values of a column: times and dates as numbers, nested values as tuples."""
    if not types.is_nested(array.type):
        return numbers_of(array).to_pylist()
    whole = _plain(array.type)
    return [None if value is None else whole(value) for value in array.to_pylist()]


def array_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return an Arrow column of such values."""
    if types.is_nested(kind):
        rich = _rich(kind)
        return pa.array([None if value is None else rich(value) for value in values], kind)
    number = _number(kind)
    return pa.array(values, kind) if number is None else typed(pa.array(values, number), kind)


def numbers_of(values: pa.Array) -> pa.Array:
    """Return a column with dates and times as integers: days and µs."""
    number = _number(values.type)
    return values if number is None else values.cast(_counted(values.type)).cast(number)


def typed(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column of such numbers, or of other values, as one of a type."""
    number = _number(kind)
    if number is not None:
        return values.cast(number).cast(_counted(kind)).cast(kind)
    return values if values.type == kind else values.cast(kind, safe=False)


def _number(kind: pa.DataType) -> pa.DataType | None:
    if types.is_timestamp(kind) or types.is_time64(kind):
        return pa.int64()
    return pa.int32() if types.is_date32(kind) else None


def _counted(kind: pa.DataType) -> pa.DataType:
    """Return the type of times in µs."""
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    return pa.time64("us") if types.is_time64(kind) else kind


def _plain(kind: pa.DataType) -> Callable[[Any], Any]:
    """Return the converter of nested values to tuples."""
    if types.is_struct(kind):
        fields = [(field.name, _plain(field.type)) for field in kind]
        return lambda value: tuple(None if value[name] is None else plain(value[name]) for name, plain in fields)
    if types.is_map(kind):
        key, item = _plain(kind.key_type), _plain(kind.item_type)
        return lambda value: tuple((key(k), None if v is None else item(v)) for k, v in value)
    if types.is_list(kind):
        part = _plain(kind.value_type)
        return lambda value: tuple(None if one is None else part(one) for one in value)
    return lambda value: value


def _rich(kind: pa.DataType) -> Callable[[Any], Any]:
    """Return the converter of such tuples to values for Arrow."""
    if types.is_struct(kind):
        fields = [(field.name, _rich(field.type)) for field in kind]
        return lambda value: {
            name: None if one is None else rich(one) for (name, rich), one in zip(fields, value, strict=True)
        }
    if types.is_map(kind):
        key, item = _rich(kind.key_type), _rich(kind.item_type)
        return lambda value: [(key(k), None if v is None else item(v)) for k, v in value]
    if types.is_list(kind):
        part = _rich(kind.value_type)
        return lambda value: [None if one is None else part(one) for one in value]
    return lambda value: value
