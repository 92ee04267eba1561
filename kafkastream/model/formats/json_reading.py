"""JSON values to the elements of a type, by Flink's rules: one converter per field, made once."""

from __future__ import annotations

import base64
import calendar
import datetime
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row, named_rows
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind
from kafkastream.model.common.value_printing import single
from kafkastream.model.formats.ignore_errors import or_none
from kafkastream.model.formats.java_text import (
    bounded_whole,
    java_boolean,
    java_decimal,
    java_floating,
    java_whole,
    trimmed,
    whole_match,
)
from kafkastream.model.formats.json_nodes import as_text, deep_recursion, json_parser, json_text
from kafkastream.model.formats.malformed import malformed

__all__ = ["INT_BITS", "JsonReading", "has_decimals", "json_bytes", "json_date", "json_time", "json_timestamp"]

Convert = Callable[[Any], Any]

INT_BITS: Final = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64}
_TRUNCATED: Final = frozenset({TypeKind.INT, TypeKind.LONG})

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_CLOCK = r"(\d\d):(\d\d):(\d\d)(?:\.(\d{0,9}))?Z"
_TIME = re.compile(_CLOCK, re.ASCII)
_TIMESTAMP = re.compile(rf"{_DATE.pattern}T{_CLOCK}", re.ASCII)
_USUAL_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}|\.\d{6})?Z", re.ASCII)
_BASE64 = re.compile(
    r"(?:[\0- ]*[A-Za-z0-9+/]{4})*(?:[\0- ]*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))?[\0- ]*", re.ASCII
)
_DAY, _NO_DAY = datetime.timedelta(days=1), datetime.timedelta(0)


@final
@attrs.frozen
class JsonReading:
    """Settings of a reader of JSON, and the reader they make.

    Attributes:
        type_info: The rows' type.
        fail_on_missing_field: Whether a field that is not there is an error; otherwise it is None.
        ignore_parse_errors: Whether a value that does not fit its field becomes None; otherwise it is an error.
    """

    type_info: RowTypeInfo
    fail_on_missing_field: bool
    ignore_parse_errors: bool

    def parser(self) -> Callable[[bytes], Any]:
        """Return the function from a message to the JSON value that the converters take."""
        return json_parser(decimals=has_decimals(self.type_info))

    def reader(self, parse: Callable[[bytes], Any]) -> Callable[[bytes], Row | None]:
        """Return the function from a message to a row; None for ``null``, and for errors that are to be ignored.

        Raises:
            UnsupportedFeatureError: The type has a part that JSON rows cannot hold.
        """
        convert = self.converter(self.type_info)

        def read(message: bytes) -> Row | None:
            try:
                row: Row | None = convert(parse(message))
            except Exception as error:
                raise malformed(error) from error
            return row

        return or_none(read) if self.ignore_parse_errors else read

    def converter(self, type_info: TypeInformation[Any]) -> Convert:
        """Return the function from a JSON value, as ``json_parser`` gives it, to an element of ``type_info``."""
        convert = self._of_values(type_info)

        def strict(node: Any) -> Any:
            return None if node is None else convert(node)

        return or_none(strict) if self.ignore_parse_errors else strict

    def _of_values(self, type_info: TypeInformation[Any]) -> Convert:
        match type_info.kind:
            case TypeKind.ROW:
                assert isinstance(type_info, RowTypeInfo)
                return self._row(type_info)
            case TypeKind.OBJECT_ARRAY | TypeKind.BASIC_ARRAY | TypeKind.LIST:
                return partial(_array, self.converter(type_info.elements[0]))
            case TypeKind.PRIMITIVE_ARRAY if type_info.elements[0].kind is not TypeKind.BYTE:
                return partial(_array, _primitive(type_info.elements[0]))
            case TypeKind.PRIMITIVE_ARRAY:
                return _bytes
            case TypeKind.MAP:
                return partial(_map, *map(self.converter, type_info.elements))
            case kind if kind in _SIMPLE:
                return _SIMPLE[kind]
            case _:
                raise _unsupported(type_info)

    def _row(self, type_info: RowTypeInfo) -> Convert:
        names = type_info.get_field_names()
        value_of = operator.getitem if self.fail_on_missing_field else dict.get
        fields = tuple(zip(names, map(self.converter, type_info.elements), strict=True))

        def one_by_one(node: dict[str, Any]) -> Iterator[Any]:
            for name, convert in fields:
                if self.fail_on_missing_field and name not in node:
                    raise ValueError(f"field {name!r} is missing")
                try:
                    yield convert(node.get(name))
                except (ValueError, ArithmeticError) as error:
                    raise ValueError(f"field {name!r}: {malformed(error)}") from error

        def row(node: Any) -> Row:
            _expect(dict, node, "object")
            try:
                values = [convert(value_of(node, name)) for name, convert in fields]
            except (KeyError, ValueError, ArithmeticError):
                values = list(one_by_one(node))  # to name the field
            return named_rows(names, (values,))[0]

        return row


def has_decimals(type_info: TypeInformation[Any]) -> bool:
    """Return whether a type contains BIG_DEC at any depth; then all numbers of a message are read as decimals."""
    return type_info.kind is TypeKind.BIG_DEC or any(map(has_decimals, type_info.elements))


def _unsupported(type_info: TypeInformation[Any]) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"JSON rows cannot hold {type_info!r}",
        where="JsonRowDeserializationSchema",
        now="Types.ROW_NAMED, Types.OBJECT_ARRAY, Types.MAP, numbers, text, SQL dates and times work.",
    )


def _expect(kind: type, node: Any, name: str) -> None:
    if not isinstance(node, kind):
        raise ValueError(f"{json_text(node)[:100]} is not a JSON {name}")  # noqa: TRY004 - of the message, not of a caller


def _array(convert: Convert, node: Any) -> list[Any]:
    _expect(list, node, "array")
    return list(map(convert, node))


def _map(key: Convert, value: Convert, node: Any) -> dict[Any, Any]:
    """Flink asks Jackson for the entries of any node: those that are not objects have none."""
    return {key(k): value(v) for k, v in node.items()} if isinstance(node, dict) else {}


def _primitive(type_info: TypeInformation[Any]) -> Convert:
    """Elements of Java's primitive arrays: null is 0 or false."""
    if type_info.kind is TypeKind.CHAR:
        raise _unsupported(type_info)
    convert, zero = _SIMPLE[type_info.kind], {TypeKind.BOOLEAN: False}.get(type_info.kind, 0)

    def element(node: Any) -> Any:
        if type_info.kind is TypeKind.BOOLEAN and type(node) is int:
            return node != 0
        return convert(zero if node is None else node)

    return element


def _whole(kind: TypeKind) -> Convert:
    bits = INT_BITS[kind]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def convert(node: Any) -> int:
        if type(node) is int:
            number = node
        elif kind in _TRUNCATED and isinstance(node, (float, Decimal)) and low <= node <= high:
            return int(node)
        else:
            number = java_whole(trimmed(as_text(node)))
        if not low <= number <= high:
            raise ValueError(f"{number} does not fit into {bits} bits")
        return number

    return convert


def _double(node: Any) -> float:
    return node if type(node) is float else java_floating(trimmed(as_text(node)))


def _float(node: Any) -> float:
    return single(_double(node))


def _decimal(node: Any) -> Decimal:
    return node if isinstance(node, Decimal) else java_decimal(trimmed(as_text(node)))


def _big_int(node: Any) -> int:
    if type(node) is int:
        return node if node.bit_length() <= INT_BITS[TypeKind.LONG] else bounded_whole(str(node))
    return java_whole(trimmed(as_text(node)))


def _boolean(node: Any) -> bool:
    return node if isinstance(node, bool) else java_boolean(trimmed(as_text(node)))


def _string(node: Any) -> str:
    if not isinstance(node, (dict, list)):
        return as_text(node)
    try:
        return json_text(node)
    except RecursionError:
        with deep_recursion():
            return json_text(node)


def _char(node: Any) -> str:
    character = chr(node) if type(node) is int and 0 <= node < 1 << 16 else node
    if not isinstance(character, str) or len(character) != 1:
        raise ValueError(f"{json_text(node)[:100]} is not a character")
    return character


def _bytes(node: Any) -> bytes | None:
    """Only strings are read; for any other value, Jackson silently returns no bytes."""
    return json_bytes(node) if isinstance(node, str) else None


def json_bytes(text: str) -> bytes:
    """Base64 with padding, blanks between groups of four allowed."""
    if _BASE64.fullmatch(text) is None:
        raise ValueError(f"{text[:100]!r} is not base64 with padding")
    return base64.b64decode(text)


def json_date(text: str) -> datetime.date:
    """Return a day as ``2024-02-29``."""
    found = whole_match(_DATE, text, "date (2024-02-29)")
    return datetime.date(*map(int, found.groups()))


def json_time(text: str) -> datetime.time:
    """Return a time as ``12:30:01Z``, without a fraction."""
    found = whole_match(_TIME, text, "time in UTC (12:30:01Z)")
    hour, minute, second = map(int, found.groups()[:3])
    if (found[4] or "").strip("0"):
        raise ValueError(f"{text!r} has a fraction of a second, which a SQL_TIME cannot hold")
    return datetime.time(0 if (hour, minute, second) == (24, 0, 0) else hour, minute, second)


def json_timestamp(text: str) -> datetime.datetime:
    """Return a timestamp as ``2024-02-29T12:30:01.123Z``.

    Digits beyond microseconds are cut off, as Python has none; a day after the month's last is the last, as in Java.
    """
    if _USUAL_TIMESTAMP.fullmatch(text):
        with suppress(ValueError):
            return datetime.datetime.fromisoformat(text[:-1])
    found = whole_match(_TIMESTAMP, text, "timestamp in UTC (2024-02-29T12:30:01Z)")
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    fraction = found[7] or ""
    midnight = (hour, minute, second, fraction.strip("0")) == (24, 0, 0, "")
    micros = int(fraction.ljust(6, "0")[:6])
    last = calendar.monthrange(year, month)[1] if day <= 31 else day
    time = datetime.time(0 if midnight else hour, minute, second, micros)
    day_found = datetime.date(year, month, min(day, last)) + (_DAY if midnight else _NO_DAY)
    return datetime.datetime.combine(day_found, time)


_SIMPLE: Final[Mapping[TypeKind, Convert]] = {
    TypeKind.VOID: lambda _: None,
    TypeKind.BOOLEAN: _boolean,
    TypeKind.STRING: _string,
    TypeKind.CHAR: _char,
    **{kind: _whole(kind) for kind in INT_BITS},
    TypeKind.FLOAT: _float,
    TypeKind.DOUBLE: _double,
    TypeKind.BIG_INT: _big_int,
    TypeKind.BIG_DEC: _decimal,
    TypeKind.SQL_DATE: lambda node: json_date(as_text(node)),
    TypeKind.SQL_TIME: lambda node: json_time(as_text(node)),
    TypeKind.SQL_TIMESTAMP: lambda node: json_timestamp(as_text(node)),
}
