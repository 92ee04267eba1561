"""Mapping between the types of tables and Spark's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyspark.sql import types

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["flink_type", "spark_type"]

_SIMPLE: Final = {
    Kind.CHAR: types.StringType(),
    Kind.VARCHAR: types.StringType(),
    Kind.BOOLEAN: types.BooleanType(),
    Kind.BINARY: types.BinaryType(),
    Kind.VARBINARY: types.BinaryType(),
    Kind.TINYINT: types.ByteType(),
    Kind.SMALLINT: types.ShortType(),
    Kind.INT: types.IntegerType(),
    Kind.BIGINT: types.LongType(),
    Kind.FLOAT: types.FloatType(),
    Kind.DOUBLE: types.DoubleType(),
    Kind.DATE: types.DateType(),
    Kind.TIMESTAMP: types.TimestampNTZType(),
    Kind.TIMESTAMP_LTZ: types.TimestampType(),
}
_BACK: Final = {
    types.StringType: DataType.string(),
    types.BinaryType: DataType.bytes_(),
    types.BooleanType: DataType.of(Kind.BOOLEAN),
    types.ByteType: DataType.of(Kind.TINYINT),
    types.ShortType: DataType.of(Kind.SMALLINT),
    types.IntegerType: DataType.of(Kind.INT),
    types.LongType: DataType.of(Kind.BIGINT),
    types.FloatType: DataType.of(Kind.FLOAT),
    types.DoubleType: DataType.of(Kind.DOUBLE),
    types.DateType: DataType.of(Kind.DATE),
    types.TimestampNTZType: DataType.of(Kind.TIMESTAMP),
    types.TimestampType: DataType.of(Kind.TIMESTAMP_LTZ),
    types.YearMonthIntervalType: DataType.of(Kind.INTERVAL_YEAR_MONTH),
    types.DayTimeIntervalType: DataType.of(Kind.INTERVAL_DAY_SECOND),
}


def spark_type(of: DataType) -> types.DataType:
    """Return Spark's type for a Flink type, without NOT NULL.

    Raises:
        UnsupportedFeatureError: Spark has no type for it that formats can read and write.

    Example:
        >>> spark_type(DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.DECIMAL, 5, 2),))).simpleString()
        'array<decimal(5,2)>'
        >>> spark_type(DataType.of(Kind.TIMESTAMP, 3)).simpleString()
        'timestamp_ntz'
    """
    match of.kind:
        case Kind.DECIMAL:
            return types.DecimalType(of.size or 10, of.scale or 0)
        case Kind.TIME:
            return types.TimeType()
        case Kind.ARRAY:
            return types.ArrayType(spark_type(of.parts[0]))
        case Kind.MULTISET:
            return types.MapType(spark_type(of.parts[0]), types.IntegerType())
        case Kind.MAP:
            return types.MapType(spark_type(of.parts[0]), spark_type(of.parts[1]))
        case Kind.ROW:
            return _struct_type(of.fields)
        case kind if kind in _SIMPLE:
            return _SIMPLE[kind]
        case _:
            raise UnsupportedFeatureError(
                f"a column cannot have the type {of}", now="Keep it as a number, and compute the interval in the query."
            )


def _struct_type(fields: Iterable[RowField]) -> types.StructType:
    """Return a struct of these fields."""
    return types.StructType([types.StructField(field.name, spark_type(field.type)) for field in fields])


def flink_type(of: types.DataType) -> DataType:
    """Return Flink's type for a Spark type, such as that of a column of a query's result.

    Raises:
        UnsupportedFeatureError: Flink has no such type.

    Example:
        >>> str(flink_type(types.StructType().add("at", "timestamp_ntz").add("id", "long")))
        'ROW<`at` TIMESTAMP(6), `id` BIGINT>'
    """
    match of:
        case types.DecimalType():
            return DataType.of(Kind.DECIMAL, of.precision, of.scale)
        case types.TimeType():
            return DataType.of(Kind.TIME, of.precision)
        case types.ArrayType():
            return DataType.of(Kind.ARRAY, parts=(_nullable(of.elementType, of.containsNull),))
        case types.MapType():
            parts = (_nullable(of.keyType, False), _nullable(of.valueType, of.valueContainsNull))
            return DataType.of(Kind.MAP, parts=parts)
        case types.StructType():
            inner = zip(of.fields, _flink_types(of), strict=True)
            return DataType.of(Kind.ROW, fields=tuple(RowField(field.name, kind) for field, kind in inner))
        case types.NullType():
            return DataType.string()
        case types.CharType() | types.VarcharType():
            return DataType.string()
        case _ if type(of) in _BACK:
            return _BACK[type(of)]
        case _:
            raise UnsupportedFeatureError(
                f"Flink has no type for Spark's {of.simpleString()}", now="Cast the column to one of Flink's types."
            )


def _flink_types(of: types.StructType) -> tuple[DataType, ...]:
    """Return the types of columns, with NOT NULL if Spark infers it."""
    return tuple(_nullable(field.dataType, field.nullable) for field in of.fields)


def _nullable(of: types.DataType, nullable: bool) -> DataType:
    return flink_type(of) if nullable else flink_type(of).not_null()
