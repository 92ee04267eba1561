"""Columns of CSV to the elements of a type, by Flink's rules: one converter per field, made once."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row, named_rows
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind
from kafkastream.model.common.value_printing import single
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.model.formats.ignore_errors import or_none
from kafkastream.model.formats.java_text import (
    java_boolean,
    java_decimal,
    java_floating,
    java_whole,
    trimmed,
    whole_match,
)
from kafkastream.model.formats.json_nodes import decoded_text
from kafkastream.model.formats.json_reading import INT_BITS, json_bytes
from kafkastream.model.formats.malformed import malformed

__all__ = ["CsvReading", "csv_unsupported"]

Convert = Callable[[Any], Any]

_NESTED: Final = frozenset({TypeKind.OBJECT_ARRAY, TypeKind.BASIC_ARRAY, TypeKind.ROW})
_DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)", re.ASCII)
_TIME = re.compile(r"(\d+):(\d+):(\d+)", re.ASCII)
_TIMESTAMP = re.compile(r"(\d{4})-(\d\d?)-(\d\d?) (\d+):(\d+):(\d+)(?:\.(\d{1,9}))?", re.ASCII)


@final
@attrs.frozen(kw_only=True)
class CsvReading:
    """Settings of a reader of CSV, and the reader they make.

    Attributes:
        type_info: The rows' type.
        dialect: Delimiter, quote and escape characters.
        array_delimiter: Delimiter of array elements and of fields of nested rows.
        null_literal: Text for None.
        ignore_parse_errors: Whether a column that does not fit its field becomes None; otherwise it is an error.
    """

    type_info: RowTypeInfo
    dialect: CsvDialect
    array_delimiter: str
    null_literal: str | None
    ignore_parse_errors: bool

    def reader(self) -> Callable[[bytes], Row | None]:
        """Return the function from a message to a row; None for errors that are to be ignored.

        Raises:
            UnsupportedFeatureError: The type has a part that CSV rows cannot hold.
        """
        names = self.type_info.get_field_names()
        converters = [self._column(kind) for kind in self.type_info.elements]

        def read(message: bytes) -> Row:
            columns = self.dialect.columns(decoded_text(message))
            if len(columns) == len(names) + 1 and not columns[-1]:  # the line ends with a delimiter
                columns.pop()
            if len(columns) > len(names):  # Jackson refuses it, before Flink can ignore it
                raise _mismatch(names, columns)
            try:
                return named_rows(names, (self._converted(converters, columns),))[0]
            except Exception as error:
                raise malformed(error) from error

        return or_none(read) if self.ignore_parse_errors else read

    def _converted(self, converters: list[Convert], texts: list[str]) -> list[Any]:
        if len(texts) != len(converters) and not self.ignore_parse_errors:
            raise _mismatch(converters, texts)
        found = [convert(text) for convert, text in zip(converters, texts, strict=False)]
        return found + [None] * (len(converters) - len(found))

    def _nullable(self, convert: Convert) -> Convert:
        def strict(text: str) -> Any:
            return None if text == self.null_literal else convert(text)

        return or_none(strict) if self.ignore_parse_errors else strict

    def _column(self, type_info: TypeInformation[Any]) -> Convert:
        if type_info.kind not in _NESTED:
            return self._nullable(_simple(type_info))
        convert = self._nested(type_info)  # Flink compares their parts with the null literal, never the whole
        return or_none(convert) if self.ignore_parse_errors else convert

    def _nested(self, type_info: TypeInformation[Any]) -> Convert:
        if not isinstance(type_info, RowTypeInfo):
            return partial(self._array, self._nullable(_simple(type_info.elements[0])))
        converters = [self._nullable(_simple(kind)) for kind in type_info.elements]
        return partial(self._row, type_info.get_field_names(), converters)

    def _array(self, convert: Convert, text: str) -> list[Any]:
        return list(map(convert, self._elements(text)))

    def _row(self, names: list[str], converters: list[Convert], text: str) -> Row | None:
        elements = self._elements(text)
        if not elements:
            return None
        return named_rows(names, (self._converted(converters, elements),))[0]

    def _elements(self, text: str) -> list[str]:
        return text.split(self.array_delimiter) if text else []


def _mismatch(expected: Sequence[object], found: Sequence[str]) -> ValueError:
    return ValueError(f"Row length mismatch. {len(expected)} fields expected but was {len(found)}.")


def csv_unsupported(type_info: TypeInformation[Any], where: str) -> UnsupportedFeatureError:
    """Return the error for a type that Flink refuses, too: CSV has columns of numbers, text, SQL dates, and arrays and rows of those."""
    return UnsupportedFeatureError(
        f"CSV rows cannot hold {type_info!r} here",
        where=where,
        now="Numbers, text, SQL dates and times, and arrays or rows of those work.",
    )


def _simple(type_info: TypeInformation[Any]) -> Convert:
    if type_info.kind is TypeKind.PRIMITIVE_ARRAY and type_info.elements[0].kind is TypeKind.BYTE:
        return json_bytes
    if type_info.kind not in _SIMPLE:
        raise csv_unsupported(type_info, "CsvRowDeserializationSchema")
    return _SIMPLE[type_info.kind]


def _whole(bits: int, text: str) -> int:
    number = java_whole(trimmed(text))
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ValueError(f"{number} does not fit into {bits} bits")
    return number


def _decimal(text: str) -> Decimal:
    return java_decimal(trimmed(text))


def _date(text: str) -> datetime.date:
    found = whole_match(_DATE, text, "date (2024-02-29)")
    return _day(*map(int, found.groups()))


def _time(text: str) -> datetime.time:
    """Numbers beyond their bounds run over, as in Java."""
    hour, minute, second = map(int, whole_match(_TIME, text, "time (12:30:01)").groups())
    total = datetime.timedelta(hours=hour, minutes=minute, seconds=second)
    return (datetime.datetime.combine(datetime.date.min, datetime.time()) + total).time()


def _timestamp(text: str) -> datetime.datetime:
    """Digits beyond microseconds are cut off, as Python has none."""
    found = whole_match(_TIMESTAMP, text, "timestamp (2024-02-29 12:30:01.5)")
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    micros = int((found[7] or "").ljust(6, "0")[:6])
    time = datetime.timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)
    return datetime.datetime.combine(_day(year, month, day), datetime.time()) + time


def _day(year: int, month: int, day: int) -> datetime.date:
    """A day after the month's last runs over into the next, as in Java."""
    if not 1 <= day <= 31:
        raise ValueError(f"{day} is not a day of the month")
    return datetime.date(year, month, 1) + datetime.timedelta(days=day - 1)


_SIMPLE: Final[Mapping[TypeKind, Convert]] = {
    TypeKind.VOID: lambda _: None,
    TypeKind.STRING: str,
    TypeKind.BOOLEAN: lambda text: java_boolean(trimmed(text)),
    **{kind: partial(_whole, bits) for kind, bits in INT_BITS.items()},
    TypeKind.FLOAT: lambda text: single(java_floating(trimmed(text))),
    TypeKind.DOUBLE: lambda text: java_floating(trimmed(text)),
    TypeKind.BIG_INT: lambda text: java_whole(trimmed(text)),
    TypeKind.BIG_DEC: _decimal,
    TypeKind.SQL_DATE: _date,
    TypeKind.SQL_TIME: _time,
    TypeKind.SQL_TIMESTAMP: _timestamp,
}
