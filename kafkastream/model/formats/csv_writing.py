"""The elements of a type to a line of CSV, as Flink and its Jackson write it: one writer per field, made once."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, final

import attrs

from kafkastream.model.common.row import Row, field_values
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind, Types
from kafkastream.model.common.value_printing import flink_string, java_double, java_float
from kafkastream.model.formats.csv_reading import csv_unsupported
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.model.formats.json_writing import NUMBERS, real

__all__ = ["CsvWriting"]

Write = Callable[[Any], str]

_UNQUOTED: Final = frozenset({*NUMBERS, TypeKind.FLOAT, TypeKind.DOUBLE})


@final
@attrs.frozen(kw_only=True)
class CsvWriting:
    """Settings of a writer of CSV, and the writer they make.

    Attributes:
        type_info: The rows' type.
        dialect: Delimiter, quote and escape characters.
        array_delimiter: Delimiter of array elements and of fields of nested rows.
        null_literal: Text for None.
        line_delimiter: Line end.
    """

    type_info: RowTypeInfo
    dialect: CsvDialect
    array_delimiter: str
    null_literal: str
    line_delimiter: str

    def writer(self) -> Callable[[Row], str]:
        """Return the function from a row to its line.

        Raises:
            UnsupportedFeatureError: The type has a part that CSV rows cannot hold.
        """
        names = self.type_info.get_field_names()
        columns = tuple(zip(names, map(self._column, self.type_info.elements), strict=True))

        def write(row: Row) -> str:
            values = zip(columns, _values(row, names), strict=True)
            return self.dialect.line([_named(name, column, value) for (name, column), value in values]) + (
                self.line_delimiter
            )

        return write

    def _column(self, type_info: TypeInformation[Any]) -> Callable[[Any], tuple[str, bool]]:
        write, is_text = self._of_fields(type_info), type_info.kind not in _UNQUOTED
        return lambda value: (self.null_literal, False) if value is None else (write(value), is_text)

    def _of_fields(self, type_info: TypeInformation[Any]) -> Write:
        match type_info.kind:
            case TypeKind.OBJECT_ARRAY | TypeKind.BASIC_ARRAY:
                write = self._element(type_info.elements[0])
                return lambda values: self.array_delimiter.join(map(write, values))
            case TypeKind.ROW:
                assert isinstance(type_info, RowTypeInfo)
                writers = list(map(self._element, type_info.elements))
                return partial(self._row, type_info.get_field_names(), writers)
            case _:
                return _simple(type_info)

    def _element(self, type_info: TypeInformation[Any]) -> Write:
        write = _simple(type_info)
        return lambda value: self.null_literal if value is None else write(value)

    def _row(self, names: list[str], writers: list[Write], row: Row) -> str:
        values = zip(writers, _values(row, names), strict=True)
        return self.array_delimiter.join(write(value) for write, value in values)


def _values(row: Row, names: list[str]) -> list[Any]:
    if not isinstance(row, Row):
        raise TypeError(f"the schema writes rows, got a {type(row).__name__}")
    values = field_values(row, names)
    if len(values) != len(names):
        raise ValueError(f"Row length mismatch. {len(names)} fields expected but was {len(values)}.")
    return values


def _named(name: str, column: Callable[[Any], tuple[str, bool]], value: Any) -> tuple[str, bool]:
    try:
        return column(value)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"field {name!r}: {error}") from error


def _simple(type_info: TypeInformation[Any]) -> Write:
    if type_info.kind is TypeKind.PRIMITIVE_ARRAY and type_info.elements[0].kind is TypeKind.BYTE:
        return lambda value: base64.b64encode(value).decode()
    if type_info.kind not in _SIMPLE:
        raise csv_unsupported(type_info, "CsvRowSerializationSchema")
    return _SIMPLE[type_info.kind]


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a str, got a {type(value).__name__}")
    return value


_SIMPLE: Final[Mapping[TypeKind, Write]] = {
    **NUMBERS,
    TypeKind.VOID: lambda _: "",
    TypeKind.STRING: _string,
    TypeKind.FLOAT: lambda value: java_float(real(value)),
    TypeKind.DOUBLE: lambda value: java_double(real(value)),
    TypeKind.SQL_DATE: lambda value: f"{value.year:04}-{value.month:02}-{value.day:02}",
    TypeKind.SQL_TIME: lambda value: flink_string(value, Types.SQL_TIME()),
    TypeKind.SQL_TIMESTAMP: lambda value: flink_string(value, Types.SQL_TIMESTAMP()),
}
