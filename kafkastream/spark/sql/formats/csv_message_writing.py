"""Writes rows as CSV, by Spark expressions, as Flink does with Jackson."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.csv_message_reading import check_csv
from kafkastream.spark.sql.formats.decimal_texts import decimal_text
from kafkastream.spark.sql.formats.value_texts import utc_text
from kafkastream.sql.formats import CsvFormat
from kafkastream.sql.type_families import WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["csv_message"]

_UNQUOTED: Final = WHOLE | {Kind.BOOLEAN, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE}
_ALWAYS_QUOTED_ABOVE: Final = 24


def csv_message(values: Sequence[Column], row: DataType, settings: CsvFormat) -> Column:
    """Return rows as CSV lines without line ends; text is quoted wherever Jackson quotes it, more than necessary.

    Raises:
        UnsupportedFeatureError: A column is a map, or has parts that have parts.
    """
    check_csv(row)
    null = functions.lit(settings.null_literal or "")
    columns = (
        functions.coalesce(_column(value, field.type, settings), null)
        for value, field in zip(values, row.fields, strict=True)
    )
    return functions.concat_ws(settings.field_delimiter, *columns).cast("binary")


def _column(value: Column, kind: DataType, settings: CsvFormat) -> Column:
    null = functions.lit(settings.null_literal or "")
    match kind.kind:
        case Kind.ARRAY:
            elements = functions.transform(
                value, lambda one: functions.coalesce(_text(one, kind.parts[0], settings), null)
            )
            text = functions.array_join(elements, settings.array_element_delimiter)
        case Kind.ROW:
            parts = (
                functions.coalesce(_text(value.getField(field.name), field.type, settings), null)
                for field in kind.fields
            )
            joined = functions.concat_ws(settings.array_element_delimiter, *parts)
            text = functions.when(value.isNotNull(), joined)
        case _:
            text = _text(value, kind, settings)
    return text if kind.kind in _UNQUOTED else _quoted(text, settings)


def _text(value: Column, kind: DataType, settings: CsvFormat) -> Column:
    match kind.kind:
        case Kind.BINARY | Kind.VARBINARY:
            return functions.base64(value)
        case Kind.TIMESTAMP_LTZ:
            return functions.concat(utc_text(value), functions.lit("Z"))
        case Kind.DECIMAL if settings.write_bigdecimal_in_scientific_notation:
            return decimal_text(value)
        case _:
            return value.cast("string")


def _quoted(text: Column, settings: CsvFormat) -> Column:
    quote, escape = settings.dialect.quote, settings.dialect.escape
    if quote is None:
        return text
    highest = max(settings.field_delimiter, quote, "\r")
    needs = (functions.length(text) > _ALWAYS_QUOTED_ABOVE) | text.rlike(rf"[\x00-\x{{{ord(highest):x}}}\\]")
    inner = text
    for special in (escape, quote):
        if special is not None:
            inner = functions.replace(inner, functions.lit(special), functions.lit(special * 2))
    return functions.when(needs, functions.concat(functions.lit(quote), inner, functions.lit(quote))).otherwise(text)
