"""Types of PostgreSQL's columns: the type for a new column, and which types can store the values of another type."""

from __future__ import annotations

import re
from typing import final

import attrs

from kafkastream.cdc.spec.postgres_sink import TypeNormalization
from kafkastream.sql.types import DataType, Kind

__all__ = ["ColumnType", "column_type", "holds", "may_lose_digits", "takes"]

_LONGEST_TEXT = 10_485_760  # https://www.postgresql.org/docs/current/datatype-character.html
_MOST_TIME_DIGITS = 6  # https://www.postgresql.org/docs/current/datatype-datetime.html

_WHOLE_DIGITS = {"smallint": 5, "integer": 10, "bigint": 19}
_DOUBLE_HOLDS = {"smallint", "integer", "real", "double precision"}
_REAL_HOLDS = {"smallint", "real"}
_TEXTS = {"text", "varchar", "char"}
_DOCUMENTS = {"json", "jsonb", "uuid"}
_TIMES = {"date": 0, "timestamp": 1, "timestamptz": 2}

_NUMBERS = {"numeric", "real", "double precision"}
_TAKES = {
    **{name: {*_WHOLE_DIGITS, *_NUMBERS} for name in _WHOLE_DIGITS},
    **dict.fromkeys(_NUMBERS, _NUMBERS),
    "boolean": {"boolean"},
    "bytea": {"bytea"},
    "date": {"date", "timestamp", "timestamptz"},
    "time": {"time"},
    "timestamp": {"timestamp", "timestamptz"},
    "timestamptz": {"timestamptz"},
}
_ARRAY = "[]"

_SPELLED = re.compile(r"([a-z_ ]+?)(?:\((\d+)(?:,(-?\d+))?\))?(| with time zone| without time zone)")
_NAMES = {
    "character varying": "varchar",
    "character": "char",
    "bpchar": "char",
    "time without time zone": "time",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
}


@final
@attrs.frozen
class ColumnType:
    """Type of PostgreSQL; ``str`` gives its SQL.

    Args:
        name: Name of the type.
        size: Length of texts, precision of numbers and times; None without limit.
        scale: Scale of a NUMERIC.

    Example:
        >>> ColumnType.parse("timestamp(3) without time zone")
        ColumnType(name='timestamp', size=3, scale=None)
        >>> str(ColumnType("numeric", 10, 2))
        'numeric(10,2)'
    """

    name: str
    size: int | None = None
    scale: int | None = None

    @staticmethod
    def parse(text: str) -> ColumnType:
        """Return a type as PostgreSQL's ``format_type`` spells it."""
        match = _SPELLED.fullmatch(text)
        if match is None:
            return ColumnType(text)
        name, size, scale, zone = match.groups()
        type_name = _NAMES.get(name + zone, name + zone)
        return ColumnType(type_name, int(size) if size else None, int(scale) if scale else None)

    def __str__(self) -> str:
        if self.size is None:
            return self.name
        return f"{self.name}({self.size})" if self.scale is None else f"{self.name}({self.size},{self.scale})"


def column_type(type_: DataType, normalization: TypeNormalization = TypeNormalization.STANDARD) -> ColumnType:
    """Return the PostgreSQL type of a created column.

    Nested values are TEXT, which keeps their JSON unchanged, unlike JSONB. PostgreSQL keeps at most six digits of a
    second and rounds further ones.

    Args:
        type_: Type of the column's values.
        normalization: STANDARD for the narrowest type. BROADEN for a type that takes later changes within its family:
            BIGINT for integers, DOUBLE PRECISION for FLOAT and DOUBLE, NUMERIC without limits for DECIMAL, TEXT for
            texts, and all digits for times.

    Example:
        >>> str(column_type(DataType.of(Kind.TINYINT))), str(column_type(DataType.string()))
        ('smallint', 'text')
        >>> str(column_type(DataType.of(Kind.INT), TypeNormalization.BROADEN))
        'bigint'
    """
    standard = _narrowest_type(type_)
    match normalization:
        case TypeNormalization.STANDARD:
            return standard
        case TypeNormalization.BROADEN:
            return _broaden(standard)
        case TypeNormalization.ONLY_BIGINT_OR_TEXT:
            return ColumnType("bigint" if standard.name in _WHOLE_DIGITS else "text")


_PLAIN = {
    Kind.BOOLEAN: "boolean",
    Kind.TINYINT: "smallint",
    Kind.SMALLINT: "smallint",
    Kind.INT: "integer",
    Kind.BIGINT: "bigint",
    Kind.FLOAT: "real",
    Kind.DOUBLE: "double precision",
    Kind.DATE: "date",
    Kind.BINARY: "bytea",
    Kind.VARBINARY: "bytea",
}
_SIZED = {Kind.CHAR: "char", Kind.VARCHAR: "varchar"}
_TIMED = {Kind.TIME: "time", Kind.TIMESTAMP: "timestamp", Kind.TIMESTAMP_LTZ: "timestamptz"}


def _narrowest_type(type_: DataType) -> ColumnType:
    if type_.kind in _PLAIN:
        return ColumnType(_PLAIN[type_.kind])
    if type_.kind in _SIZED and (type_.size or 0) <= _LONGEST_TEXT:
        return ColumnType(_SIZED[type_.kind], type_.size)
    if type_.kind in _TIMED:
        return ColumnType(_TIMED[type_.kind], min(type_.size or 0, _MOST_TIME_DIGITS))
    if type_.kind is Kind.DECIMAL:
        return ColumnType("numeric", type_.size, type_.scale)
    return ColumnType("text")


def _broaden(type_: ColumnType) -> ColumnType:
    if type_.name in _WHOLE_DIGITS:
        return ColumnType("bigint")
    if type_.name == "real":
        return ColumnType("double precision")
    return ColumnType("text" if type_.name in _TEXTS else type_.name)


def holds(column: ColumnType, values: ColumnType) -> bool:
    """Return whether a column can store all values of a type without loss; text columns store any value as text.

    Args:
        column: Type of the column.
        values: Type of the values.

    Example:
        >>> holds(ColumnType("bigint"), ColumnType("integer")), holds(ColumnType("integer"), ColumnType("bigint"))
        (True, False)
    """
    match column.name:
        case "text":
            return True
        case "varchar" | "char":
            is_text = values.name in _TEXTS and not (column.name == "char" and values.name != "char")
            return (column.name == "varchar" and column.size is None) or (is_text and _text_fits(column, values))
        case "smallint" | "integer" | "bigint":
            return _WHOLE_DIGITS.get(values.name, 99) <= _WHOLE_DIGITS[column.name]
        case "numeric":
            return _numeric_holds(column, values)
        case "double precision":
            return values.name in _DOUBLE_HOLDS
        case "real":
            return values.name in _REAL_HOLDS
        case "timestamp" | "timestamptz":
            return _TIMES.get(values.name, 99) <= _TIMES[column.name] and _second_digits(column) >= _second_digits(
                values
            )
        case "time":
            return values.name == "time" and _second_digits(column) >= _second_digits(values)
        case "json" | "jsonb" | "uuid":
            return values.name in {*_TEXTS, *_DOCUMENTS}
        case _:
            return column == values


def takes(column: ColumnType, type_: DataType) -> bool:
    """Return whether a column accepts values of a type; some values may still be too long or too large.

    Text is accepted by types that PostgreSQL parses from text and SQL has no type for, such as JSONB.

    Example:
        >>> takes(ColumnType("integer"), DataType.of(Kind.BIGINT)), takes(ColumnType("integer"), DataType.string())
        (True, False)
    """
    if type_.kind is Kind.ARRAY:
        element = type_
        while element.kind is Kind.ARRAY:
            element = element.parts[0]
        return column.name.endswith(_ARRAY) and takes(ColumnType.parse(column.name.removesuffix(_ARRAY)), element)
    values = column_type(type_)
    if values.name in _TEXTS:
        return column.name not in _TAKES and not column.name.endswith(_ARRAY)
    if values.name == "numeric" and not values.scale and column.name in _WHOLE_DIGITS:
        return True
    return column.name in _TAKES[values.name]


def may_lose_digits(column: ColumnType, values: ColumnType) -> bool:
    """Return whether a column stores values with a loss of digits: integers and decimals as DOUBLE."""
    return column.name == "double precision" and values.name in {"bigint", "numeric"}


def _text_fits(column: ColumnType, values: ColumnType) -> bool:
    return column.size is None or (values.size is not None and values.size <= column.size)


def _second_digits(time: ColumnType) -> int:
    if time.name == "date":
        return 0
    return _MOST_TIME_DIGITS if time.size is None else time.size


def _numeric_holds(column: ColumnType, values: ColumnType) -> bool:
    whole_digits = _WHOLE_DIGITS.get(values.name)
    if whole_digits is None and values.name != "numeric":
        return False
    if column.size is None:
        return True
    if values.name == "numeric" and values.size is None:
        return False
    scale = values.scale or 0
    digits = (values.size or 0) - scale if whole_digits is None else whole_digits
    return (column.scale or 0) >= scale and column.size - (column.scale or 0) >= digits
