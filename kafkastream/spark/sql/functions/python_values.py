"""Converts columns to Python values as PyFlink passes them to functions and programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Final

import pyarrow as pa
from pyarrow import types

from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Instant

__all__ = ["user_values"]

_Convert = Callable[[Any], Any]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SECOND: Final = timedelta(seconds=1)


def user_values(column: pa.Array, *, instants: bool = False) -> list[Any]:
    """Return the values of a column in Python: lists, dicts and rows for nested types, None for NULL.

    Keys of a map or multiset that are arrays or maps are tuples, since a dict takes no lists as keys. A TIMESTAMP_LTZ that
    a ``datetime`` in the session's zone cannot have, in the first or last hours that it has in UTC, is in UTC.

    Args:
        column: The column.
        instants: Whether TIMESTAMP_LTZ values are ``Instant``, as in streams, or ``datetime``, as for functions.

    Example:
        >>> user_values(
        ...     pa.array(
        ...         [{"id": 7, "tags": [("a", 1)]}], pa.struct({"id": pa.int64(), "tags": pa.map_("string", "int8")})
        ...     )
        ... )
        [Row(id=7, tags={'a': 1})]
        >>> user_values(pa.array([[([1, 2], 1)]], pa.map_(pa.list_(pa.int64()), pa.int32())))
        [{(1, 2): 1}]
    """
    read, values = _reader(column.type, instants), _listed(column)
    return values if read is None else [None if value is None else read(value) for value in values]


def _listed(column: pa.Array) -> list[Any]:
    values: list[Any]
    try:
        values = column.to_pylist()
    except OverflowError:  # at an end of the years that datetime has, which the session's zone moves beyond it
        values = column.cast(_in_utc(column.type)).to_pylist()
    return values


def _in_utc(kind: pa.DataType) -> pa.DataType:
    """Return a type with all times that have a zone in UTC."""
    if types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, "UTC")
    if types.is_struct(kind):
        return pa.struct([field.with_type(_in_utc(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_in_utc(kind.key_type), _in_utc(kind.item_type))
    return pa.list_(_in_utc(kind.value_type)) if types.is_list(kind) else kind


def _reader(kind: pa.DataType, instants: bool) -> _Convert | None:
    """Return the converter of Arrow's values to the user's; None if they are the same."""
    if instants and types.is_timestamp(kind) and kind.tz is not None:
        return _instant
    if types.is_struct(kind):
        return _row_reader([field.name for field in kind], [_reader(field.type, instants) for field in kind])
    if types.is_map(kind):
        key = _reader(kind.key_type, instants)
        is_nested = types.is_nested(kind.key_type)
        return _map_reader(
            (lambda one: _hashable(_read(key, one))) if is_nested else key, _reader(kind.item_type, instants)
        )
    if types.is_list(kind):
        read = _reader(kind.value_type, instants)
        return read and (lambda value: [None if one is None else read(one) for one in value])
    return None


def _read(read: _Convert | None, value: Any) -> Any:
    return value if read is None or value is None else read(value)


def _row_reader(names: Sequence[str], reads: Sequence[_Convert | None]) -> _Convert:
    def row(value: Mapping[str, Any]) -> Row:
        made = Row(*(_read(read, value[name]) for name, read in zip(names, reads, strict=True)))
        made.set_field_names(names)
        return made

    return row


def _map_reader(key: _Convert | None, item: _Convert | None) -> _Convert:
    return lambda pairs: {_read(key, one): _read(item, other) for one, other in pairs}


def _hashable(value: Any) -> Any:
    match value:
        case list():
            return tuple(map(_hashable, value))
        case dict():
            return tuple((key, _hashable(one)) for key, one in value.items())
        case Row():
            return Row(**{name: _hashable(one) for name, one in value.as_dict().items()})
        case _:
            return value


def _instant(value: datetime) -> Instant:
    seconds, fraction = divmod(value - _EPOCH, _SECOND)
    return Instant(seconds, fraction.microseconds * 1000)
