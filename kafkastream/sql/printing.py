"""Text of values and rows, as Flink prints them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from kafkastream.model.common.row import RowKind
from kafkastream.model.common.value_printing import java_double, java_float
from kafkastream.sql.types import DataType, Kind

__all__ = ["printed_row", "printed_value", "shown_value"]


def shown_value(value: Any, kind: DataType) -> str:
    """Return a value as in the SQL client's tables; nested NULL is ``NULL``.

    Example:
        >>> shown_value([1.5, None], DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.DOUBLE),)))
        '[1.5, NULL]'
    """
    if value is None:
        return "NULL"
    match kind.kind:
        case Kind.BOOLEAN:
            return str(value).upper()
        case Kind.DOUBLE:
            return java_double(value)
        case Kind.FLOAT:
            return java_float(value)
        case Kind.DECIMAL:
            return f"{Decimal(value):f}"
        case Kind.BINARY | Kind.VARBINARY:
            return f"x'{bytes(value).hex()}'"
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            return _timestamp(value, kind.size or 0)
        case Kind.ARRAY | Kind.MAP | Kind.MULTISET | Kind.ROW:
            return _whole(value, kind, shown_value, "()")
        case _:
            return str(value)


def _timestamp(value: datetime.datetime, digits: int) -> str:
    fraction = f"{value.microsecond:06}".ljust(digits, "0")[:digits]
    return f"{value.replace(microsecond=0, tzinfo=None)}{'.' if fraction else ''}{fraction}"


def printed_row(kind: RowKind, values: Iterable[Any], types: Iterable[DataType]) -> str:
    """Return a row as the print connector writes it: with Java's ``toString`` of values.

    Example:
        >>> row = [datetime.datetime(2024, 5, 1, 12, 30), None, 1e10]
        >>> types = list(map(DataType.of, (Kind.TIMESTAMP, Kind.INT, Kind.DOUBLE)))
        >>> printed_row(RowKind.INSERT, row, types)
        '+I[2024-05-01T12:30, null, 1.0E10]'
    """
    return f"{kind}[{', '.join(map(printed_value, values, types))}]"


def printed_value(value: Any, kind: DataType) -> str:
    """Return a value as Java's ``toString`` does."""
    if value is None:
        return "null"
    match kind.kind:
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.DOUBLE:
            return java_double(value)
        case Kind.FLOAT:
            return java_float(value)
        case Kind.BINARY | Kind.VARBINARY:
            return str([(byte + 128) % 256 - 128 for byte in value])
        case Kind.TIMESTAMP:
            return f"{value.date()}T{_time(value.time())}"
        case Kind.TIMESTAMP_LTZ:
            utc = value.astimezone(datetime.timezone.utc)
            return f"{utc.date()}T{_time(utc.time(), always_seconds=True)}Z"
        case Kind.TIME:
            return _time(value)
        case Kind.ARRAY | Kind.MAP | Kind.MULTISET | Kind.ROW:
            return _whole(value, kind, printed_value, ("+I[", "]"))
        case _:
            return str(value)


def _whole(value: Any, kind: DataType, part: Callable[[Any, DataType], str], row: Sequence[str]) -> str:
    """Return a nested value, with its parts formatted by ``part``."""
    match kind.kind:
        case Kind.ARRAY:
            return f"[{', '.join(part(one, kind.parts[0]) for one in value)}]"
        case Kind.MAP | Kind.MULTISET:
            key, item = kind.parts if kind.kind is Kind.MAP else (kind.parts[0], DataType.of(Kind.INT))
            pairs = value.items() if isinstance(value, Mapping) else value
            return f"{{{', '.join(f'{part(k, key)}={part(v, item)}' for k, v in pairs)}}}"
        case _:
            values = value.values() if isinstance(value, Mapping) else value
            inner = (part(one, field.type) for one, field in zip(values, kind.fields, strict=True))
            return f"{row[0]}{', '.join(inner)}{row[1]}"


def _time(value: datetime.time, *, always_seconds: bool = False) -> str:
    """Return a time as Java's ``toString``: without zero seconds, with 0, 3 or 6 digits of a second."""
    if value.microsecond:
        return value.isoformat("milliseconds" if value.microsecond % 1000 == 0 else "microseconds")
    return value.isoformat("seconds" if value.second or always_seconds else "minutes")
