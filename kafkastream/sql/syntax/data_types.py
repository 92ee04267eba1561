"""Parser of data types."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.reserved_words import TYPE_WORDS
from kafkastream.sql.syntax.tokens import Token, TokenKind
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["parse_type", "read_type"]

_DEEPEST = 100
"""Maximum nesting of types."""


class _Limit(NamedTuple):
    """Flink's limit of a length, precision or scale, with its name in errors."""

    what: str
    low: int
    high: int


_SIZES = {
    Kind.CHAR: _Limit("Character string length", 1, 2**31 - 1),
    Kind.VARCHAR: _Limit("Variable character string length", 1, 2**31 - 1),
    Kind.BINARY: _Limit("Binary string length", 1, 2**31 - 1),
    Kind.VARBINARY: _Limit("Variable binary string length", 1, 2**31 - 1),
    Kind.TIME: _Limit("Time precision", 0, 9),
    Kind.TIMESTAMP: _Limit("Timestamp precision", 0, 9),
    Kind.TIMESTAMP_LTZ: _Limit("Timestamp with local time zone precision", 0, 9),
}
_PRECISION = _Limit("Decimal precision", 1, 38)
_INTERVALS = {
    "YEAR": _Limit("Interval year precision", 1, 4),
    "DAY": _Limit("Interval day precision", 1, 6),
    "SECOND": _Limit("Interval fractional precision", 0, 9),
}
_YEAR_MONTH = ("YEAR", "MONTH")
_DAY_SECOND = ("DAY", "HOUR", "MINUTE", "SECOND")

_REFUSED = {
    "RAW": "Use BYTES, and decode them in a function.",
    "STRUCTURED": "Use ROW<...>.",
    "VARIANT": "Use STRING, and JSON functions in the query.",
    "REAL": "Use FLOAT, which is the same.",
}


def parse_type(text: str, of: str = "") -> DataType:
    """Parse a type as in Flink's DDL.

    Args:
        text: The text.
        of: Owner of the text, for errors.

    Raises:
        DefinitionError: The text is not a type, or a length or precision exceeds Flink's limits.
        UnsupportedFeatureError: The type is RAW, STRUCTURED, VARIANT or user-defined.

    Example:
        >>> str(parse_type("row<id int not null, tags varchar(9) array>"))
        'ROW<`id` INT NOT NULL, `tags` ARRAY<VARCHAR(9)>>'
    """
    cursor = Cursor(text, of, TYPE_WORDS)
    return cursor.last(read_type(cursor), "the end of the type")


def read_type(cursor: Cursor, depth: int = 0) -> DataType:
    """Read a type, followed by an optional NULL or NOT NULL.

    Differs from ``DataType.of`` as Flink SQL does: VARCHAR and VARBINARY without a length are STRING and BYTES.
    The precisions of intervals are checked but not kept, since no format has intervals.
    """
    start = cursor.token
    parsed = _nullability(cursor, _bare(cursor, depth))
    while is_word(cursor.token, "ARRAY") or is_word(cursor.token, "MULTISET"):
        depth += 1
        _not_too_deep(cursor, start, depth)
        parsed = _nullability(cursor, DataType.of(Kind[cursor.advance().value], parts=(parsed,)))
    return parsed


def _nullability(cursor: Cursor, parsed: DataType) -> DataType:
    if cursor.take("NOT", "NULL"):
        return parsed.not_null()
    cursor.take("NULL")
    return parsed


def _bare(cursor: Cursor, depth: int) -> DataType:
    token = cursor.token
    _not_too_deep(cursor, token, depth)
    if is_word(cursor.ahead(), "."):
        raise cursor.refused(token, "A user-defined type cannot be a column's type.", "Use ROW<...>.")
    if token.kind is TokenKind.WORD and token.value in _REFUSED:
        raise cursor.refused(token, f"{token.value} cannot be a column's type.", _REFUSED[token.value])
    if token.kind is not TokenKind.WORD or token.value not in _FLAT.keys() | _NESTED.keys():
        raise _unknown(cursor, token)
    cursor.advance()
    return _FLAT[token.value](cursor) if token.value in _FLAT else _NESTED[token.value](cursor, depth + 1)


def _unknown(cursor: Cursor, token: Token) -> DefinitionError:
    if token.kind is TokenKind.WORD:
        now = did_you_mean(token.value, (*_FLAT, *_NESTED)) or "Take a type such as STRING, INT or ROW<a INT>."
        return cursor.error(token, f"{cursor.found(token)} is not a type.", now)
    cursor.missing("a type")
    return cursor.unexpected()


def _not_too_deep(cursor: Cursor, token: Token, depth: int) -> None:
    if depth > _DEEPEST:
        raise cursor.error(token, f"Types are nested more than {_DEEPEST} deep here.")


def _limited(cursor: Cursor, limit: _Limit) -> int:
    token = cursor.token
    value = cursor.integer()
    if not limit.low <= value <= limit.high:
        raise cursor.error(token, f"{limit.what} must be between {limit.low} and {limit.high} (both inclusive).")
    return value


def _size(cursor: Cursor, limit: _Limit) -> int | None:
    if not cursor.take("("):
        return None
    size = _limited(cursor, limit)
    cursor.expect(")")
    return size


def _plain(kind: Kind, cursor: Cursor) -> DataType:
    return DataType.of(kind)


def _sized(kind: Kind, cursor: Cursor) -> DataType:
    return DataType.of(kind, _size(cursor, _SIZES[kind]))


def _varying(kind: Kind, cursor: Cursor) -> DataType:
    return DataType.of(kind, _size(cursor, _SIZES[kind]) or _SIZES[kind].high)


def _fixed_or_varying(fixed: Kind, varying: Kind, cursor: Cursor) -> DataType:
    return _varying(varying, cursor) if cursor.take("VARYING") else _sized(fixed, cursor)


def _decimal(cursor: Cursor) -> DataType:
    if not cursor.take("("):
        return DataType.of(Kind.DECIMAL)
    precision = _limited(cursor, _PRECISION)
    scale = _limited(cursor, _Limit("Decimal scale", 0, precision)) if cursor.take(",") else 0
    cursor.expect(")")
    return DataType.of(Kind.DECIMAL, precision, scale)


def _double(cursor: Cursor) -> DataType:
    cursor.take("PRECISION")
    return DataType.of(Kind.DOUBLE)


def _time(cursor: Cursor) -> DataType:
    time = _sized(Kind.TIME, cursor)
    cursor.take("WITHOUT", "TIME", "ZONE")
    return time


def _timestamp(cursor: Cursor) -> DataType:
    timestamp, zone = _sized(Kind.TIMESTAMP, cursor), cursor.token
    if cursor.take("WITH", "LOCAL", "TIME", "ZONE"):
        return DataType.of(Kind.TIMESTAMP_LTZ, timestamp.size)
    if cursor.take("WITH", "TIME", "ZONE"):
        raise cursor.refused(zone, "Flink's tables have no TIMESTAMP WITH TIME ZONE.", "Use TIMESTAMP_LTZ.")
    cursor.take("WITHOUT", "TIME", "ZONE")
    return timestamp


def _interval(cursor: Cursor) -> DataType:
    first = cursor.choose(*_YEAR_MONTH, *_DAY_SECOND)
    units = _YEAR_MONTH if first in _YEAR_MONTH else _DAY_SECOND
    _interval_precision(cursor, first)
    if first != units[-1] and cursor.take("TO"):
        _interval_precision(cursor, cursor.choose(*units[units.index(first) + 1 :]))
    return DataType.of(Kind.INTERVAL_YEAR_MONTH if units is _YEAR_MONTH else Kind.INTERVAL_DAY_SECOND)


def _interval_precision(cursor: Cursor, unit: str) -> None:
    if unit in _INTERVALS:
        _size(cursor, _INTERVALS[unit])


def _collection(kind: Kind, cursor: Cursor, depth: int) -> DataType:
    cursor.expect("<")
    parts = [read_type(cursor, depth)]
    if kind is Kind.MAP:
        cursor.expect(",")
        parts.append(read_type(cursor, depth))
    cursor.expect(">")
    return DataType.of(kind, parts=tuple(parts))


def _row(cursor: Cursor, depth: int) -> DataType:
    start = cursor.before
    close = {"<": ">", "(": ")"}[cursor.choose("<", "(")]
    fields: list[RowField] = []
    if not cursor.take(close):
        fields.append(_field(cursor, depth))
        while cursor.take(","):
            fields.append(_field(cursor, depth))
        cursor.expect(close)
    names = [field.name for field in fields]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise cursor.error(start, f"Field names must be unique. Found duplicates: {', '.join(twice)}.")
    return DataType.of(Kind.ROW, fields=tuple(fields))


def _field(cursor: Cursor, depth: int) -> RowField:
    field = RowField(cursor.name(), read_type(cursor, depth))
    return attrs.evolve(field, comment=cursor.string()) if cursor.token.kind is TokenKind.STRING else field


_FLAT: dict[str, Callable[[Cursor], DataType]] = {
    "BIGINT": partial(_plain, Kind.BIGINT),
    "BINARY": partial(_fixed_or_varying, Kind.BINARY, Kind.VARBINARY),
    "BOOLEAN": partial(_plain, Kind.BOOLEAN),
    "BYTES": lambda _: DataType.bytes_(),
    "CHAR": partial(_fixed_or_varying, Kind.CHAR, Kind.VARCHAR),
    "CHARACTER": partial(_fixed_or_varying, Kind.CHAR, Kind.VARCHAR),
    "DATE": partial(_plain, Kind.DATE),
    "DEC": _decimal,
    "DECIMAL": _decimal,
    "DOUBLE": _double,
    "FLOAT": partial(_plain, Kind.FLOAT),
    "INT": partial(_plain, Kind.INT),
    "INTEGER": partial(_plain, Kind.INT),
    "INTERVAL": _interval,
    "NUMERIC": _decimal,
    "SMALLINT": partial(_plain, Kind.SMALLINT),
    "STRING": lambda _: DataType.string(),
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": partial(_sized, Kind.TIMESTAMP_LTZ),
    "TINYINT": partial(_plain, Kind.TINYINT),
    "VARBINARY": partial(_varying, Kind.VARBINARY),
    "VARCHAR": partial(_varying, Kind.VARCHAR),
}
_NESTED: dict[str, Callable[[Cursor, int], DataType]] = {
    "ARRAY": partial(_collection, Kind.ARRAY),
    "MAP": partial(_collection, Kind.MAP),
    "MULTISET": partial(_collection, Kind.MULTISET),
    "ROW": _row,
}
