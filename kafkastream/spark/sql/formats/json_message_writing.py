"""Writes rows as JSON, by Spark expressions, as Flink's ``json`` format does."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Final

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.decimal_texts import decimal_text
from kafkastream.spark.sql.formats.message_reading import holds, map_leaves
from kafkastream.spark.sql.formats.value_texts import utc_text
from kafkastream.sql.formats.json_format import JsonSettings, check_json_type
from kafkastream.sql.type_families import TIMES
from kafkastream.sql.types import DataType, Kind

__all__ = ["json_message", "json_value"]

_MARK: Final = f"number {uuid.uuid4().hex} "
"""Begins the texts that are written as numbers; no text of a user begins with it."""
_MOST_PLAIN_DIGITS: Final = 6
"""Maximum scale up to which Java's ``BigDecimal.toString`` never uses an exponent."""


def json_message(row: Column, kind: DataType, settings: JsonSettings, *, ignores_nulls: bool = False) -> Column:
    """Return rows as JSON messages.

    Args:
        row: The rows, of values as ``json_value`` makes them.
        kind: The type of their fields.
        settings: The format's options.
        ignores_nulls: Whether fields that are NULL are left out.
    """
    text = functions.to_json(row, {"ignoreNullFields": str(ignores_nulls).lower()})
    if holds(kind, partial(_is_marked, settings)):
        text = functions.regexp_replace(text, f'"{_MARK}([^"]*)"', "$1")
    is_beyond = (functions.length(text) != functions.octet_length(text)) & text.rlike(r"[\x{10000}-\x{10FFFF}]")
    return functions.when(is_beyond, _with_escapes(text)).otherwise(text).cast("binary")


def json_value(value: Column, kind: DataType, settings: JsonSettings) -> Column:
    """Return a value converted where Spark's JSON would differ from Flink's.

    Raises:
        UnsupportedFeatureError: A map's keys are not text.
    """
    check_json_type(kind)
    return map_leaves(value, kind, partial(_leaf, settings), partial(_is_written_here, settings))


def _is_written_here(settings: JsonSettings, kind: DataType) -> bool:
    return kind.kind in TIMES or _is_marked(settings, kind)


def _is_marked(settings: JsonSettings, kind: DataType) -> bool:
    """Return whether Spark would write a decimal differently: with trailing zeros, or an exponent for a large scale."""
    is_as_spark_writes_it = settings.encode_decimal_as_plain_number and (kind.scale or 0) <= _MOST_PLAIN_DIGITS
    return kind.kind is Kind.DECIMAL and not is_as_spark_writes_it


def _leaf(settings: JsonSettings, value: Column, kind: DataType) -> Column:
    match kind.kind:
        case Kind.DECIMAL:
            is_plain = settings.encode_decimal_as_plain_number
            number = value.cast("string") if is_plain else decimal_text(value)
            return functions.concat(functions.lit(_MARK), number)
        case Kind.TIME:  # Flink writes only whole seconds
            return functions.substring(value.cast("string"), 1, len("12:30:01"))
        case Kind.TIMESTAMP:
            return _separated(value.cast("string"), settings)
        case Kind.TIMESTAMP_LTZ:
            return functions.concat(_separated(utc_text(value), settings), functions.lit("Z"))
        case _:
            return value.cast("string")


def _separated(text: Column, settings: JsonSettings) -> Column:
    return functions.translate(text, " ", settings.timestamp_format.separator)


def _with_escapes(text: Column) -> Column:
    """Return JSON with characters outside the BMP as escaped surrogate pairs, as Jackson writes them."""
    return functions.array_join(
        functions.transform(functions.regexp_extract_all(text, functions.lit(r"[\s\S]"), 0), _character), ""
    )


def _character(character: Column) -> Column:
    beyond = functions.ascii(character) - 0x10000
    high, low = functions.shiftright(beyond, 10) + 0xD800, beyond.bitwiseAND(0x3FF) + 0xDC00
    escape = functions.concat(functions.lit("\\u"), functions.hex(high), functions.lit("\\u"), functions.hex(low))
    return functions.when(beyond >= 0, escape).otherwise(character)
