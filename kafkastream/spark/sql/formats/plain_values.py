"""Plain values: values of tables that Python reads and writes fast, with numbers for times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, functions, types

from kafkastream.spark.sql.formats.message_reading import map_leaves, map_parts
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.types import DataType, Kind

__all__ = ["plain", "plain_type", "rich"]

_NUMBERS: Final[Mapping[Kind, types.DataType]] = {
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.DATE, Kind.TIME), types.IntegerType()),
    **dict.fromkeys((Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ), types.LongType()),
}
_EPOCH: Final = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
_MILLIS_DIGITS: Final = 3
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


def rich(value: Column, kind: DataType) -> Column:
    """Return the value of a plain one; integers that overflow wrap around, as in Java."""
    return map_leaves(value, kind, _of_number, _is_number)


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
