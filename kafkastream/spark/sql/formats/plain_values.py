"""Plain values: values of tables that Python reads and writes fast, with numbers for times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, functions, types

from kafkastream.spark.sql.formats.message_reading import Fail, map_leaves, map_parts
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.types import DataType, Kind

__all__ = ["plain", "plain_type", "rich"]

_NUMBERS: Final[Mapping[Kind, types.DataType]] = {
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.DATE, Kind.TIME), types.IntegerType()),
    **dict.fromkeys((Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ), types.LongType()),
}
_EPOCH: Final = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
_MILLIS_DIGITS: Final = 3
_DAY_MILLIS: Final = 86_400_000
_MOST_MILLIS: Final = (2**63 - 1) // 1_000
"""Spark's timestamps are 64-bit numbers of µs."""
_BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16}


def plain_type(kind: DataType) -> types.DataType:
    """Return the type of a plain value: days for DATE, ms for TIME, the unit of the precision for timestamps."""
    match kind.kind:
        case Kind.ARRAY:
            return types.ArrayType(plain_type(kind.parts[0]))
        case Kind.MAP | Kind.MULTISET:
            key, value = map_parts(kind)
            return types.MapType(plain_type(key), plain_type(value))
        case Kind.ROW:
            return types.StructType([types.StructField(field.name, plain_type(field.type)) for field in kind.fields])
        case other:
            return _NUMBERS.get(other) or spark_type(kind)


def plain(value: Column, kind: DataType) -> Column:
    """Return a value as a plain one."""
    return map_leaves(value, kind, _to_number, _is_number)


def rich(value: Column, kind: DataType, fail: Fail) -> Column:
    """Return the value of a plain one; integers that overflow wrap around, as in Java.

    Args:
        value: The plain value.
        kind: Type of the result.
        fail: Returns an expression that fails the query with the position of a record: for times that Spark lacks.
    """

    def checked(number: Column, leaf: DataType) -> Column:
        result = _of_number(number, leaf)
        if (bounds := _bounds(leaf)) is None:
            return result
        problem = functions.concat(functions.lit(f"not a value of type {leaf}: "), number.cast("string"))
        return functions.when(~number.between(*bounds), fail(problem)).otherwise(result)

    return map_leaves(value, kind, checked, _is_number)


def _bounds(kind: DataType) -> tuple[int, int] | None:
    """Return the range of numbers that Spark has a time for; None if it has one for all."""
    match kind.kind:
        case Kind.TIME:
            return 0, _DAY_MILLIS - 1
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ if not _has_micros(kind):
            return -_MOST_MILLIS, _MOST_MILLIS
        case _:
            return None


def _is_number(kind: DataType) -> bool:
    return kind.kind in _NUMBERS


def _to_number(value: Column, kind: DataType) -> Column:
    match kind.kind:
        case Kind.DATE:
            return functions.unix_date(value)
        case Kind.TIME:
            return functions.time_to_millis(value).cast("int")
        case Kind.TIMESTAMP:
            micros = functions.timestamp_diff("MICROSECOND", functions.expr(_EPOCH), value)
            return micros if _has_micros(kind) else _floored(micros)
        case Kind.TIMESTAMP_LTZ:
            return functions.unix_micros(value) if _has_micros(kind) else functions.unix_millis(value)
        case _:
            return value.cast("int")


def _of_number(number: Column, kind: DataType) -> Column:
    match kind.kind:
        case Kind.DATE:
            return functions.date_from_unix_date(number)
        case Kind.TIME:
            return functions.time_from_millis(number)
        case Kind.TIMESTAMP:
            unit = "MICROSECOND" if _has_micros(kind) else "MILLISECOND"
            return functions.timestamp_add(unit, number, functions.expr(_EPOCH))
        case Kind.TIMESTAMP_LTZ:
            return functions.timestamp_micros(number) if _has_micros(kind) else functions.timestamp_millis(number)
        case other:
            bits = 32 - _BITS[other]
            return functions.shiftright(functions.shiftleft(number, bits), bits).cast(spark_type(kind))


def _has_micros(kind: DataType) -> bool:
    return (kind.size or 0) > _MILLIS_DIGITS


def _floored(micros: Column) -> Column:
    thousand = functions.lit(1000)
    return functions.call_function("div", micros - functions.pmod(micros, thousand), thousand)
