"""Parses text as values, by the rules of Flink's formats."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.time_texts import CLOCK, DAY, clock
from kafkastream.sql.types import DataType, Kind

__all__ = ["is_decimal", "of_text", "utc_text"]

_DECIMAL: Final = r"^[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?$"
_NOT_FINITE: Final = r"^\s*+[+-]?(?:NaN|Infinity)\s*+$"


def of_text(text: Column, kind: DataType, separator: str = " ") -> Column:
    """Return the value of a text; NULL if it cannot be parsed.

    Args:
        text: The text.
        kind: The value's type.
        separator: Separator of date and time: a blank; or ``T`` for ISO 8601, in which seconds are optional.
    """
    time = clock(separator)
    match kind.kind:
        case Kind.CHAR | Kind.VARCHAR:
            return text
        case Kind.BOOLEAN:
            return functions.lower(functions.trim(text)) == "true"
        case Kind.BINARY | Kind.VARBINARY:
            return functions.try_to_binary(text, functions.lit("base64"))
        case Kind.DECIMAL:
            return functions.when(is_decimal(text), text.try_cast(spark_type(kind)))
        case Kind.FLOAT | Kind.DOUBLE:  # unlike Java, Spark also reads inf, +INF, nan and their like
            is_of_java = ~functions.contains(functions.lower(text), functions.lit("n")) | text.rlike(_NOT_FINITE)
            return functions.when(is_of_java, functions.trim(text).try_cast(spark_type(kind)))
        case Kind.DATE:
            return functions.when(text.rlike(f"^{DAY}$"), text.try_cast("date"))
        case Kind.TIME:
            return functions.when(text.rlike(f"^{CLOCK}$"), text.try_cast("time"))
        case Kind.TIMESTAMP:
            return functions.when(text.rlike(f"^{DAY}{separator}{time}$"), text.try_cast("timestamp_ntz"))
        case Kind.TIMESTAMP_LTZ:
            return functions.when(text.rlike(f"^{DAY}{separator}{time}Z$"), text.try_cast("timestamp"))
        case _:
            return functions.trim(text).try_cast(spark_type(kind))


def is_decimal(text: Column) -> Column:
    """Return whether a text is a decimal number, as Java's ``BigDecimal`` reads it."""
    return text.rlike(_DECIMAL)


def utc_text(column: Column) -> Column:
    """Return a TIMESTAMP_LTZ as text in UTC, without a zone suffix."""
    start = functions.expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'")
    return functions.timestamp_add("MICROSECOND", functions.unix_micros(column), start).cast("string")
