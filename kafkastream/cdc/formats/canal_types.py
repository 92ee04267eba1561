"""Column types in Canal messages, and conversion of their values, which are MySQL's text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from kafkastream.cdc.inference import MemberType
from kafkastream.cdc.values import Json, json_text
from kafkastream.sql.types import DataType, Kind

__all__ = ["member_of_mysql_type", "member_of_sql_type"]

Transform = Callable[[Json], Json]

_NUMBER: Final = re.compile(r"([+-]?)0*((?:[1-9]\d*|0)(?:\.\d+)?(?:[eE][+-]?\d+)?)", re.ASCII)
_TRUTHS: Final = {"0": b"false", "1": b"true", "false": b"false", "true": b"true"}
_MYSQL: Final = re.compile(r"(?P<name>[a-z]+)[^(]*(?:\((?P<size>\d+)(?:\s*,\s*(?P<scale>\d+))?\))?", re.ASCII)
_MOST_DIGITS: Final = 38
_MOST_FRACTION: Final = 9
_MOST_BITS: Final = 64
_MOST_LENGTH: Final = 2**31 - 1


def _number(value: Json) -> Json:
    """Return a number's text as a JSON number, without the leading zeros of ZEROFILL."""
    text = json_text(value)
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is not a number")
    return f"{found[1].removeprefix('+')}{found[2]}".encode()


def _truth(value: Json) -> Json:
    text = json_text(value)
    if text not in _TRUTHS:
        raise ValueError(f"{text[:100]!r} is not a boolean")
    return _TRUTHS[text]


def _bytes(value: Json) -> Json:
    """Return bytes, which Canal writes as ISO-8859-1 text, in base64."""
    return _base64(json_text(value).encode("iso-8859-1"))


def _bits(length: int, value: Json) -> Json:
    """Return a number as the bytes of a BIT column."""
    return _base64(int(bytes(_number(value))).to_bytes(length, "big"))


def _base64(value: bytes) -> bytes:
    return b'"' + base64.b64encode(value) + b'"'


_BOOLEAN: Final = MemberType(DataType.of(Kind.BOOLEAN), _truth)
_BYTES: Final = MemberType(DataType.bytes_(), _bytes)
_STRING: Final = MemberType(DataType.string())
_FLOAT: Final = MemberType(DataType.of(Kind.FLOAT), _number)
_DOUBLE: Final = MemberType(DataType.of(Kind.DOUBLE), _number)
_SQL_DECIMAL: Final = MemberType(DataType.of(Kind.DECIMAL, _MOST_DIGITS, 18), _number)
_TINYINT, _SMALLINT, _INT, _BIGINT = (
    MemberType(DataType.of(kind), _number) for kind in (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)
)
_UNSIGNED_BIGINT: Final = MemberType(DataType.of(Kind.DECIMAL, 20), _number)
_DATE: Final = MemberType(DataType.of(Kind.DATE))

_SQL_TYPES: Final[Mapping[int, MemberType]] = {
    -7: _BOOLEAN,
    16: _BOOLEAN,
    -6: _TINYINT,
    5: _SMALLINT,
    4: _INT,
    -5: _BIGINT,
    3: _SQL_DECIMAL,
    2: _SQL_DECIMAL,
    7: _FLOAT,
    6: _FLOAT,
    8: _DOUBLE,
    -2: _BYTES,
    -3: _BYTES,
    -4: _BYTES,
    2004: _BYTES,
    91: _DATE,
    92: MemberType(DataType.of(Kind.TIME)),
    93: MemberType(DataType.of(Kind.TIMESTAMP)),
}
"""Codes of ``java.sql.Types``; SMALLINT is 5, where the format's documentation prints -5, BIGINT's code."""

_MYSQL_TYPES: Final[Mapping[str, tuple[MemberType, MemberType]]] = {
    "tinyint": (_TINYINT, _SMALLINT),
    "smallint": (_SMALLINT, _INT),
    "mediumint": (_INT, _INT),
    "int": (_INT, _BIGINT),
    "integer": (_INT, _BIGINT),
    "bigint": (_BIGINT, _UNSIGNED_BIGINT),
    "year": (_INT, _INT),
    "bool": (_BOOLEAN, _BOOLEAN),
    "boolean": (_BOOLEAN, _BOOLEAN),
    "real": (_DOUBLE, _DOUBLE),
    "double": (_DOUBLE, _DOUBLE),
    "date": (_DATE, _DATE),
    "tinyblob": (_BYTES, _BYTES),
    "blob": (_BYTES, _BYTES),
    "mediumblob": (_BYTES, _BYTES),
    "longblob": (_BYTES, _BYTES),
}
"""Types of MySQL that map to one type, signed or unsigned."""


def member_of_sql_type(code: int) -> MemberType:
    """Return the type of a column by its ``sqlType``; STRING for unknown codes.

    Example:
        >>> [str(member_of_sql_type(code).type) for code in (4, 3, 93, 1111)]
        ['INT', 'DECIMAL(38, 18)', 'TIMESTAMP(6)', 'STRING']
    """
    return _SQL_TYPES.get(code, _STRING)


def member_of_mysql_type(text: str, *, timestamp_is_local: bool, tinyint1_is_boolean: bool) -> MemberType:
    """Return the type of a column by its ``mysqlType``, as Flink CDC reads MySQL; STRING for unknown types.

    Args:
        text: Type such as ``int(11) unsigned``.
        timestamp_is_local: Map TIMESTAMP to TIMESTAMP_LTZ.
        tinyint1_is_boolean: Map TINYINT(1) to BOOLEAN.

    Example:
        >>> read = partial(member_of_mysql_type, timestamp_is_local=False, tinyint1_is_boolean=True)
        >>> [str(read(text).type) for text in ("int(10) unsigned", "decimal(10,2)", "datetime(3)", "tinyint(1)")]
        ['BIGINT', 'DECIMAL(10, 2)', 'TIMESTAMP(3)', 'BOOLEAN']
    """
    lower = text.strip().lower()
    found = _MYSQL.match(lower)
    if found is None:
        return _STRING
    name, size = found["name"], None if found["size"] is None else int(found["size"])
    if name == "tinyint" and size == 1 and tinyint1_is_boolean:
        return _BOOLEAN
    if name in _MYSQL_TYPES:
        signed, unsigned = _MYSQL_TYPES[name]
        return unsigned if "unsigned" in lower else signed
    if name == "timestamp" and (size or 0) <= _MOST_FRACTION:
        return MemberType(DataType.of(Kind.TIMESTAMP_LTZ if timestamp_is_local else Kind.TIMESTAMP, size or 0))
    return _sized(name, size, int(found["scale"] or 0))


def _sized(name: str, size: int | None, scale: int) -> MemberType:
    match name:
        case "bit" if (size or 1) <= _MOST_BITS:
            return _BOOLEAN if size in {None, 1} else _bit_column(size or 1)
        case "float":
            return _FLOAT if size is None else _DOUBLE
        case "decimal" | "numeric" | "dec" | "fixed":
            digits = 10 if size is None else size
            is_valid = 0 < digits <= _MOST_DIGITS and scale <= digits
            return MemberType(DataType.of(Kind.DECIMAL, digits, scale), _number) if is_valid else _STRING
        case "time" if (size or 0) <= _MOST_FRACTION:
            return MemberType(DataType.of(Kind.TIME, size or 0))
        case "datetime" if (size or 0) <= _MOST_FRACTION:
            return MemberType(DataType.of(Kind.TIMESTAMP, size or 0))
        case "char" | "varchar" if (size or 1) <= _MOST_LENGTH:
            return MemberType(DataType.of(Kind.CHAR if name == "char" else Kind.VARCHAR, size or 1))
        case "binary" | "varbinary" if (size or 1) <= _MOST_LENGTH:
            return MemberType(DataType.of(Kind.BINARY if name == "binary" else Kind.VARBINARY, size or 1), _bytes)
        case _:
            return _STRING


def _bit_column(bits: int) -> MemberType:
    length = (bits + 7) // 8
    return MemberType(DataType.of(Kind.BINARY, length), partial(_bits, length))
