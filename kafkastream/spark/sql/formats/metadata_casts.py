"""Casts from the type of a record's metadata to the type of its column, by Flink's rules."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["as_type"]

_MICROS: Final = 6


def as_type(value: Column, source: DataType, target: DataType) -> Column:
    """Return a value cast from one type to another; times are in the session's time zone.

    Args:
        value: The value.
        source: Type of the value.
        target: Type of the result; ``castable`` checks whether the cast is possible.
    """
    match target.kind:
        case Kind.CHAR | Kind.VARCHAR:
            return _text(value, source, target)
        case kind if kind in STAMPS and source.kind in STAMPS:
            return _shortened(value, source, target).cast(spark_type(target))
        case Kind.TIME if source.kind in STAMPS:
            return functions.date_format(value, "HH:mm:ss.SSSSSS").cast(spark_type(target))
        case _:
            return value.cast(spark_type(target))


def _text(value: Column, source: DataType, target: DataType) -> Column:
    if source.kind in STAMPS:
        digits = min(source.size or 0, _MICROS)
        value = functions.date_format(value, f"yyyy-MM-dd HH:mm:ss{'.' * (digits > 0)}{'S' * digits}")
    elif source.kind is Kind.BOOLEAN:
        value = functions.upper(value.cast("string"))
    text = value.cast("string")
    if target == DataType.string() or target.size is None:
        return text
    cut = functions.substring(text, 1, target.size)
    return functions.rpad(cut, target.size, " ") if target.kind is Kind.CHAR else cut


def _shortened(value: Column, source: DataType, target: DataType) -> Column:
    """Return a time truncated to the precision of its new type."""
    digits = target.size or 0
    if digits >= min(source.size or 0, _MICROS):
        return value
    if source.kind is Kind.TIMESTAMP:
        start = functions.expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'")
        micros = functions.timestamp_diff("MICROSECOND", start, value)
        return functions.timestamp_add("MICROSECOND", _floor(micros, digits), start)
    return functions.timestamp_micros(_floor(functions.unix_micros(value), digits))


def _floor(micros: Column, digits: int) -> Column:
    return micros - functions.pmod(micros, functions.lit(10 ** (_MICROS - digits)).cast("bigint"))
