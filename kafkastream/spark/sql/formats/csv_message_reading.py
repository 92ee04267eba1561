"""Reads CSV as rows, by Spark expressions, as Flink does with Jackson."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from pyspark.sql import Column, functions

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.spark.sql.formats.message_reading import Fail, Reader, or_fail
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.formats.value_texts import is_decimal, of_text
from kafkastream.sql.formats import CsvFormat
from kafkastream.sql.type_families import CONSTRUCTED, MAPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["check_csv", "csv_reader"]

_COMMENTS: Final = r"^[ \r\n]*+(?:#[^\n]*+(?:\n[ \r\n]*+)?+)*+"
"""Comments and blank lines before a line; possessive, as Java would otherwise recurse for each comment."""
_BOM: Final = "\ufeff"
_BLANKS: Final = " \t"
_MAX_LENGTH: Final = 2**31 - 1
_UNESCAPED: Final = (("0", "\0"), ("n", "\n"), ("r", "\r"), ("t", "\t"))
_PROBLEM: Final = "Failed to deserialize CSV row."


def check_csv(row: DataType) -> None:
    """Refuse columns that Flink's format refuses.

    Raises:
        UnsupportedFeatureError: A column is a map, or has parts that have parts.
    """
    for field in row.fields:
        parts = (*field.type.parts, *(inner.type for inner in field.type.fields))
        if field.type.kind in MAPS or any(part.kind in CONSTRUCTED for part in parts):
            raise UnsupportedFeatureError(
                f"CSV has no columns of type {field.type}: {field.name}",
                now="Arrays and rows of numbers, texts and times work; use the format json for others.",
            )


def csv_reader(row: DataType, settings: CsvFormat) -> Reader:
    """Return the reader of CSV: the first line of a message is a row; columns are assigned by position.

    Differs from Flink: a date must have two digits for month and day.

    Raises:
        UnsupportedFeatureError: A column is a map, or has parts that have parts.
    """
    check_csv(row)
    return Reader(
        partial(_columns, settings),
        finished=partial(_finished, row, settings),
        others=partial(_others, row, settings),
        is_plain=partial(_is_plain, row),
    )


def _is_plain(row: DataType, columns: Column) -> Column:
    return (functions.array_size(columns) <= len(row.fields)) | _is_ended(row, columns)


def _is_ended(row: DataType, columns: Column) -> Column:
    """Return the condition that a line ends with a delimiter, after which no column begins."""
    return (functions.array_size(columns) == len(row.fields) + 1) & (functions.element_at(columns, -1) == "")


def _columns(settings: CsvFormat, message: Column) -> Column:
    """Return the columns of a line as text; NULL if it is malformed. Lines without quotes or escapes are split."""
    dialect = settings.dialect
    text = functions.try_validate_utf8(message.cast("string"))
    text = functions.when(text.startswith(_BOM), functions.substring(text, 2, _MAX_LENGTH)).otherwise(text)
    if dialect.comments:
        text = functions.regexp_replace(text, _COMMENTS, "")
    has_line_end = functions.contains(text, functions.lit("\n")) | functions.contains(text, functions.lit("\r"))
    line = functions.when(has_line_end, functions.regexp_extract(text, r"^[^\r\n]*+", 0)).otherwise(text)
    columns = functions.split(line, re.escape(dialect.delimiter), -1)
    for character in (dialect.quote, dialect.escape):
        if character is not None:
            is_special = functions.contains(text, functions.lit(character))
            columns = functions.when(is_special, _special_columns(settings, text)).otherwise(columns)
    # Jackson reads a message with a zero among its first bytes as UTF-16 or UTF-32, whose text this would not be.
    is_wide = functions.contains(functions.substring(text, 1, 2), functions.lit("\0"))
    return functions.when((text != "") & ~is_wide, columns)


def _special_columns(settings: CsvFormat, text: Column) -> Column:
    """Return the columns of a line with quotes or escapes; NULL if it is malformed."""
    begun = functions.concat(functions.lit(settings.dialect.delimiter), text)
    column = _pattern(settings)
    raw = functions.regexp_extract_all(begun, functions.lit(rf"\G{column}"), 0)
    is_line = begun.rlike(rf"^(?:{column})*+(?:[\r\n]|$)")
    return functions.when(is_line, functions.transform(raw, partial(_content, settings)))


def _pattern(settings: CsvFormat) -> str:
    """Return the regular expression of a delimiter and the column after it.

    Its quantifiers are possessive: it never backtracks, and Java matches it without recursion.
    """
    dialect = settings.dialect
    delimiter, special = re.escape(dialect.delimiter), re.escape(dialect.escape or "")
    escaped = rf"{special}[\s\S]" if special else ""
    plain = rf"[^{delimiter}\r\n{special}]*+"
    if escaped:
        plain = rf"{plain}(?:{escaped}{plain})*+"
    if dialect.quote is None:
        return delimiter + plain
    quote = re.escape(dialect.quote)
    blanks = "".join(sorted({" ", "\t"} - {dialect.delimiter}))
    literal = rf"[^{quote}{special}]*+"
    either = f"(?:{quote}{quote}|{escaped})" if escaped else quote * 2
    quoted = rf"{quote}{literal}(?:{either}{literal})*+{quote}[{blanks}]*+"
    return rf"{delimiter}(?:{quoted}|(?!{quote}){plain})"


def _content(settings: CsvFormat, raw: Column) -> Column:
    """Return the content of a column, without delimiter, quotes and escapes."""
    dialect = settings.dialect
    text = functions.substring(raw, 2, _MAX_LENGTH)
    if dialect.quote is not None:
        quoted = functions.when(raw.endswith(dialect.quote), raw).otherwise(
            functions.rtrim(raw, functions.lit(_BLANKS))
        )
        inner = functions.substring(quoted, functions.lit(3), functions.length(quoted) - 3)
        doubled = functions.replace(inner, functions.lit(dialect.quote * 2), functions.lit(dialect.quote))
        text = functions.when(raw.startswith(dialect.delimiter + dialect.quote), doubled).otherwise(text)
    if dialect.escape is not None:
        escape = re.escape(dialect.escape)
        literal = text
        for letter, character in _UNESCAPED:
            # An even number of escape characters before it are literal ones.
            literal = functions.regexp_replace(
                literal, f"((?<!{escape})(?:{escape * 2})*+){escape}{letter}", f"$1{character}"
            )
        literal = functions.regexp_replace(literal, rf"{escape}([\s\S])", "$1")
        text = functions.when(functions.contains(text, functions.lit(dialect.escape)), literal).otherwise(text)
    return text


def _finished(row: DataType, settings: CsvFormat, columns: Column, _: Column, fail: Fail) -> list[Column]:
    fields = []
    for index, field in enumerate(row.fields):
        problem = functions.lit(f"{_PROBLEM} Fail to deserialize at field: {field.name}.")
        failure = None if settings.ignore_parse_errors else fail(problem)
        text = functions.get(columns, functions.lit(index))
        fields.append(_column(text, field.type, settings, failure).alias(field.name))
    return fields


def _others(row: DataType, settings: CsvFormat, columns: Column, message: Column, fail: Fail) -> Column:
    """Return the rows of a line that is malformed or has too many columns: none, since Jackson refuses it."""
    expected, found = len(row.fields), functions.array_size(columns)
    nothing = functions.array().cast("array<array<string>>")
    if settings.ignore_parse_errors:
        return functions.when(found.isNull() | ~_is_plain(row, columns), nothing)
    count = functions.concat(
        functions.lit(f"{_PROBLEM} Row length mismatch. {expected} fields expected but was "), found, functions.lit(".")
    )
    return (
        functions.when(
            message.isNotNull() & columns.isNull(),
            fail(functions.lit(f"{_PROBLEM} A quote is not closed, or there is no line.")),
        )
        .when((found != expected) & ~_is_ended(row, columns), fail(count))
        .otherwise(functions.lit(None).cast("array<array<string>>"))
    )


def _column(text: Column, kind: DataType, settings: CsvFormat, failure: Column | None) -> Column:
    """Return the value of a column; of an array or a row only the parts are compared with the null literal, as in Flink."""
    match kind.kind:
        case Kind.ARRAY:
            return functions.transform(
                _elements(text, settings), lambda element: _value(element, kind.parts[0], settings, failure)
            )
        case Kind.ROW:
            elements = _elements(text, settings)
            values = (
                _value(functions.get(elements, functions.lit(index)), field.type, settings, failure).alias(field.name)
                for index, field in enumerate(kind.fields)
            )
            found = functions.when(text != "", functions.struct(*values))
            if failure is not None:
                found = functions.when(
                    (text != "") & (functions.size(elements) != len(kind.fields)), failure
                ).otherwise(found)
            return found.cast(spark_type(kind))
        case _:
            return _value(text, kind, settings, failure)


def _value(text: Column, kind: DataType, settings: CsvFormat, failure: Column | None) -> Column:
    value = of_text(text, kind)
    # Flink's DecimalData.fromBigDecimal is null for a number with more digits than the type has.
    malformed = functions.when(~is_decimal(text), text) if kind.kind is Kind.DECIMAL else text
    return _unless_null(text, or_fail(value, malformed, failure), settings)


def _unless_null(text: Column, value: Column, settings: CsvFormat) -> Column:
    return value if settings.null_literal is None else functions.when(text != settings.null_literal, value)


def _elements(text: Column, settings: CsvFormat) -> Column:
    split = functions.split(text, re.escape(settings.array_element_delimiter), -1)
    return functions.when(text == "", functions.array().cast("array<string>")).otherwise(split)
