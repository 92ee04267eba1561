"""Rows of ``datagen`` tables, computed by Spark expressions."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, functions

from kafkastream.spark.plan.row_numbers import row_numbers
from kafkastream.spark.plan.source_rows import ScanPlace, source_rows
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.connectors import DataGenTableSource
from kafkastream.sql.connectors.datagen import RandomValues, SequenceValues
from kafkastream.sql.types import DataType, Kind

__all__ = ["generated"]

_WHOLE: Final = {
    Kind.TINYINT: (-(2**7), 2**7 - 1),
    Kind.SMALLINT: (-(2**15), 2**15 - 1),
    Kind.INT: (-(2**31), 2**31 - 1),
    Kind.BIGINT: (-(2**63), 2**63 - 1),
}
_GREATEST: Final = {Kind.FLOAT: 3.4028234663852886e38, Kind.DOUBLE: 1.7976931348623157e308}
_EXACT: Final = 2**53
"""Number of different values of ``rand``."""
_MOST_COUNTED: Final = 10
"""Maximum multiplicity of an element of a MULTISET."""


def generated(source: DataGenTableSource, numbers: DataFrame) -> DataFrame:
    """Return rows of a ``datagen`` table; sequences continue by the row numbers.

    As in Flink: text is of hexadecimal digits, DATE and TIME are now, timestamps lie between now and ``max-past`` before,
    those without a zone by the clock of UTC; FLOAT, DOUBLE and DECIMAL are positive unless ``min`` says otherwise.

    Args:
        source: The table.
        numbers: Row numbers, counted from 0, in the column ``id``.
    """
    values = [
        _sequence(column.values) if isinstance(column.values, SequenceValues) else _random(column.values)
        for column in source.columns
    ]
    return numbers.select(*(value.alias(f"c{place}") for place, value in enumerate(values)))


@source_rows.register
def _rows(source: DataGenTableSource, place: ScanPlace) -> DataFrame:
    rows = generated(source, row_numbers(source, place))
    return rows.withColumn("__source", functions.lit(place.node))


def _sequence(values: SequenceValues) -> Column:
    return (functions.col("id") + functions.lit(values.start)).cast(spark_type(values.type))


def _random(values: RandomValues) -> Column:
    value = _value(values).cast(spark_type(values.type))
    return value if not values.null_rate else functions.when(functions.rand() >= values.null_rate, value)


def _value(values: RandomValues) -> Column:
    match values.type.kind:
        case Kind.BOOLEAN:
            return functions.rand() < functions.lit(0.5)
        case kind if kind in _WHOLE:
            least, most = _WHOLE[kind]
            return _whole(
                least if values.min is None else int(values.min), most if values.max is None else int(values.max)
            )
        case Kind.FLOAT | Kind.DOUBLE | Kind.DECIMAL:
            return _fraction(values)
        case Kind.CHAR | Kind.VARCHAR:
            return _cut(_digits(values.length or 0), values)
        case Kind.BINARY | Kind.VARBINARY:
            return _cut(functions.unhex(_digits(2 * (values.length or 0))), values)
        case Kind.DATE:
            return functions.current_date()
        case Kind.TIME:
            return functions.current_time(3)
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            return _past(values)
        case Kind.ROW:
            fields = zip(values.type.fields, values.parts, strict=True)
            return functions.struct(*(_random(part).alias(field.name) for field, part in fields))
        case _:
            return _collection(values)


def _whole(least: int, most: int) -> Column:
    """Return a uniformly distributed whole number; both ends are included."""
    span = most - least + 1
    if span <= _EXACT:
        return functions.floor(functions.rand() * functions.lit(float(span))) + functions.lit(least)
    wide = "decimal(38,0)"
    bits = _part(2**32) * functions.lit(2**32).cast(wide) + _part(2**32)
    return functions.pmod(bits.cast(wide), functions.lit(str(span)).cast(wide)) + functions.lit(str(least)).cast(wide)


def _part(size: int) -> Column:
    return functions.floor(functions.rand() * functions.lit(float(size))).cast("decimal(20,0)")


def _fraction(values: RandomValues) -> Column:
    most = _GREATEST.get(values.type.kind) or _largest(values.type)
    least = 0.0 if values.min is None else max(-most, values.min)
    most = most if values.max is None else min(most, values.max)
    share = functions.rand()  # the difference of the ends may overflow a long
    return functions.lit(least) * (functions.lit(1.0) - share) + functions.lit(most) * share


def _largest(kind: DataType) -> float:
    size, scale = kind.size or 0, kind.scale or 0
    return float(10 ** (size - scale)) - float(10**-scale)


def _digits(length: int) -> Column:
    """Return random hexadecimal digits."""
    eight = functions.lpad(functions.lower(functions.hex(_part(2**32).cast("bigint"))), 8, "0")
    return functions.substring(functions.array_join(_many(-(-length // 8), eight), ""), 1, length)


def _many(length: int, one: Column) -> Column:
    return functions.transform(functions.sequence(functions.lit(1), functions.lit(length)), lambda _: one)


def _cut(value: Column, values: RandomValues) -> Column:
    if not values.var_len:
        return value
    return functions.substring(value, functions.lit(1), _whole(1, values.length or 1).cast("int"))


def _past(values: RandomValues) -> Column:
    now = functions.unix_millis(functions.current_timestamp())
    millis = now - _whole(0, values.max_past - 1) if values.max_past else now
    if values.type.kind is Kind.TIMESTAMP_LTZ:
        return functions.timestamp_millis(millis)
    return functions.timestamp_add("MILLISECOND", millis, functions.expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'"))


def _collection(values: RandomValues) -> Column:
    elements = _many(values.length or 0, _random(values.parts[0]))
    if values.type.kind is Kind.ARRAY:
        return elements
    is_map = values.type.kind is Kind.MAP
    value = _random(values.parts[1]) if is_map else _whole(0, _MOST_COUNTED).cast("int")
    keys = functions.array_distinct(functions.array_compact(elements))
    return functions.map_from_entries(functions.transform(keys, lambda key: functions.struct(key, value)))
