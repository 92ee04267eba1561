"""Converts columns of rows in keyed operators to the values that user-defined functions take and return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, Final
from zoneinfo import ZoneInfo

from kafkastream.model.common.row import Row
from kafkastream.sql.function_values import written
from kafkastream.sql.types import DataType, Kind

__all__ = ["Convert", "reader", "writer"]

Convert = Callable[[Any], Any]

_DAY: Final = date(1970, 1, 1)
_STAMP: Final = datetime(1970, 1, 1)  # noqa: DTZ001  # a wall clock's
_INSTANT: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICRO: Final = timedelta(microseconds=1)


def reader(kind: DataType, zone: str) -> Convert:
    """Return the converter of a column's value to that for a function, as ``user_values`` does for Arrow columns.

    Args:
        kind: Type of the column.
        zone: Time zone of the session, for TIMESTAMP_LTZ.

    Example:
        >>> pairs = DataType.of(Kind.MAP, parts=(DataType.string(), DataType.of(Kind.INT)))
        >>> reader(pairs, "UTC")((("a", 1),)), reader(DataType.of(Kind.DATE), "UTC")(1), reader(pairs, "UTC")(None)
        ({'a': 1}, datetime.date(1970, 1, 2), None)
    """
    return _optional(_time_reader(kind, zone) or _nested_reader(kind, zone))


def writer(kind: DataType) -> Convert:
    """Return the converter of a function's result to a column's value; raises one of ``NO_VALUE`` for another type.

    Example:
        >>> writer(DataType.of(Kind.TIMESTAMP, 3))(datetime(1970, 1, 1, 0, 0, 1)), writer(DataType.string())("a")
        (1000000, 'a')
    """
    check, plain = written(kind), _time_writer(kind) or _nested_writer(kind)
    return _optional(lambda value: plain(check(value)))


def _optional(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _identity(value: Any) -> Any:
    return value


def _time_reader(kind: DataType, zone: str) -> Convert | None:
    """Return the converter of numbers to times; None for other types."""
    match kind.kind:
        case Kind.DATE:
            return lambda days: _DAY + timedelta(days=days)
        case Kind.TIME:
            return lambda micros: (_STAMP + micros * _MICRO).time()
        case Kind.TIMESTAMP:
            return lambda micros: _STAMP + micros * _MICRO
        case Kind.TIMESTAMP_LTZ:
            rules = ZoneInfo(zone)
            return lambda micros: (_INSTANT + micros * _MICRO).astimezone(rules)
        case _:
            return None


def _time_writer(kind: DataType) -> Convert | None:
    """Return the converter of times to numbers; None for other types."""
    match kind.kind:
        case Kind.DATE:
            return lambda day: (day - _DAY).days
        case Kind.TIME:
            return lambda value: (datetime.combine(_DAY, time.replace(value, tzinfo=None)) - _STAMP) // _MICRO
        case Kind.TIMESTAMP:
            return lambda stamp: (stamp - _STAMP) // _MICRO
        case Kind.TIMESTAMP_LTZ:
            return lambda stamp: (stamp - _INSTANT) // _MICRO
        case _:
            return None


def _nested_reader(kind: DataType, zone: str) -> Convert:
    """Return the converter of tuples to lists, dicts and rows; times within them are not numbers."""
    inner = [_optional(_nested_reader(inner_type, zone)) for inner_type in kind.inner_types]
    match kind.kind:
        case Kind.ARRAY:
            return lambda values: list(map(inner[0], values))
        case Kind.MAP:
            return lambda pairs: {inner[0](key): inner[1](value) for key, value in pairs}
        case Kind.MULTISET:
            return lambda pairs: {inner[0](key): count for key, count in pairs}
        case Kind.ROW:
            return _row_reader([field.name for field in kind.fields], inner)
        case Kind.TIMESTAMP_LTZ:
            rules = ZoneInfo(zone)
            return lambda stamp: stamp.astimezone(rules)
        case _:
            return _identity


def _row_reader(names: Sequence[str], inner: Sequence[Convert]) -> Convert:
    def read(values: Iterable[Any]) -> Row:
        row_ = Row(*(convert(value) for convert, value in zip(inner, values, strict=True)))
        row_.set_field_names(list(names))
        return row_

    return read


def _nested_writer(kind: DataType) -> Convert:
    """Return the converter of Arrow's nested values to tuples."""
    inner = [_optional(_nested_writer(inner_type)) for inner_type in kind.inner_types]
    match kind.kind:
        case Kind.ARRAY:
            return lambda values: tuple(map(inner[0], values))
        case Kind.MAP:
            return lambda pairs: tuple((inner[0](key), inner[1](value)) for key, value in pairs)
        case Kind.MULTISET:
            return lambda pairs: tuple((inner[0](key), count) for key, count in pairs)
        case Kind.ROW:
            return lambda fields: _row_fields(fields, inner)
        case _:
            return _identity


def _row_fields(values: Mapping[str, Any], inner: Sequence[Convert]) -> tuple[Any, ...]:
    return tuple(convert(value) for convert, value in zip(inner, values.values(), strict=True))
