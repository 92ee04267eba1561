"""``DataTypes``: the SQL types of columns, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn, final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.table.arrow_types import create_arrow_schema, from_arrow_type, to_arrow_type
from kafkastream.table.type_classes import (
    ArrayType,
    AtomicType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    FractionalType,
    IntegralType,
    IntType,
    ListViewType,
    LocalZonedTimestampType,
    MapType,
    MapViewType,
    MultisetType,
    NumericType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
)

__all__ = [
    "ArrayType",
    "AtomicType",
    "BigIntType",
    "BinaryType",
    "BooleanType",
    "CharType",
    "DataType",
    "DataTypes",
    "DateType",
    "DayTimeIntervalType",
    "DecimalType",
    "DoubleType",
    "FloatType",
    "FractionalType",
    "IntType",
    "IntegralType",
    "ListViewType",
    "LocalZonedTimestampType",
    "MapType",
    "MapViewType",
    "MultisetType",
    "NullType",
    "NumericType",
    "RawType",
    "Resolution",
    "Row",
    "RowField",
    "RowKind",
    "RowType",
    "SmallIntType",
    "TimeType",
    "TimestampType",
    "TinyIntType",
    "UserDefinedType",
    "VarBinaryType",
    "VarCharType",
    "YearMonthIntervalType",
    "ZonedTimestampType",
    "create_arrow_schema",
    "from_arrow_type",
    "to_arrow_type",
]

_NO_COLUMN: Final = "No table can have a column of this type: use the type that the column would have."


@final
class DataTypes:
    """Factory of SQL types, under their SQL names; each type has ``not_null()`` and ``nullable()``.

    Differs from PyFlink: lengths and precisions beyond Flink's limits are refused at once, and the precisions of
    intervals are not kept.

    Example:
        >>> str(DataTypes.MAP(DataTypes.STRING().not_null(), DataTypes.DECIMAL(10, 2)))
        'MAP<STRING NOT NULL, DECIMAL(10, 2)>'
    """

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> DataType:
        """Text of a fixed length.

        Args:
            length: Number of characters, 1 or more.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.CHAR, length), nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> DataType:
        """Text of a limited length.

        Args:
            length: Maximum number of characters, 1 or more.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.VARCHAR, length), nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> DataType:
        """Text of any length; ``nullable`` allows NULL."""
        return _checked(DataType.string(), nullable)

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> DataType:
        """Boolean: true or false; ``nullable`` allows NULL, for unknown."""
        return _checked(DataType.of(Kind.BOOLEAN), nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> DataType:
        """Byte string of a fixed length.

        Args:
            length: Number of bytes, 1 or more.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.BINARY, length), nullable)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> DataType:
        """Byte string of a limited length.

        Args:
            length: Maximum number of bytes, 1 or more.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.VARBINARY, length), nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> DataType:
        """Byte string of any length; ``nullable`` allows NULL."""
        return _checked(DataType.bytes_(), nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> DataType:
        """Exact decimal number.

        Args:
            precision: Number of digits, from 1 to 38.
            scale: Number of digits after the decimal point, from 0 to ``precision``.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.DECIMAL, precision, scale), nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> DataType:
        """Integer of 1 byte; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.TINYINT), nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> DataType:
        """Integer of 2 bytes; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.SMALLINT), nullable)

    @staticmethod
    def INT(nullable: bool = True) -> DataType:
        """Integer of 4 bytes; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.INT), nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> DataType:
        """Integer of 8 bytes; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.BIGINT), nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> DataType:
        """Floating-point number of 4 bytes; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.FLOAT), nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DataType:
        """Floating-point number of 8 bytes; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.DOUBLE), nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> DataType:
        """Date; ``nullable`` allows NULL."""
        return _checked(DataType.of(Kind.DATE), nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> DataType:
        """Time of day.

        Args:
            precision: Number of fractional digits of the second.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.TIME, precision), nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> DataType:
        """Date and time without time zone.

        Args:
            precision: Number of fractional digits of the second.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.TIMESTAMP, precision), nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> DataType:
        """Point in time, shown in the session time zone.

        Args:
            precision: Number of fractional digits of the second.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.TIMESTAMP_LTZ, precision), nullable)

    @staticmethod
    def TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision: int = 6, nullable: bool = True) -> DataType:
        """Point in time; longer name of ``TIMESTAMP_LTZ``.

        Args:
            precision: Digits of fractional seconds.
            nullable: Allow NULL.
        """
        return DataTypes.TIMESTAMP_LTZ(precision, nullable)

    @staticmethod
    def ARRAY(element_type: DataType, nullable: bool = True) -> DataType:
        """Array of elements of one type.

        Args:
            element_type: Type of the elements.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.ARRAY, parts=(element_type,)), nullable)

    @staticmethod
    def MAP(key_type: DataType, value_type: DataType, nullable: bool = True) -> DataType:
        """Map from keys of one type to values of another.

        Args:
            key_type: Type of the keys.
            value_type: Type of the values.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.MAP, parts=(key_type, value_type)), nullable)

    @staticmethod
    def MULTISET(element_type: DataType, nullable: bool = True) -> DataType:
        """Multiset: elements of one type with their multiplicity.

        Args:
            element_type: Type of the elements.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.MULTISET, parts=(element_type,)), nullable)

    @staticmethod
    def ROW(row_fields: Sequence[RowField] = (), nullable: bool = True) -> DataType:
        """Row of named fields.

        Args:
            row_fields: Fields made by ``FIELD``.
            nullable: Allow NULL.
        """
        return _checked(DataType.of(Kind.ROW, fields=tuple(row_fields)), nullable)

    @staticmethod
    def FIELD(name: str, data_type: DataType, description: str | None = None) -> RowField:
        """Field of a ``ROW``.

        Args:
            name: Name of the field.
            data_type: Type of the field.
            description: Comment.
        """
        return RowField(name, data_type, description or "")

    @staticmethod
    def SECOND(precision: int = 6) -> str:
        """Seconds with ``precision`` digits of the fraction, as resolution of an ``INTERVAL``."""
        return f"SECOND({precision})"

    @staticmethod
    def MINUTE() -> str:
        """Minutes, as resolution of an ``INTERVAL``."""
        return "MINUTE"

    @staticmethod
    def HOUR() -> str:
        """Hours, as resolution of an ``INTERVAL``."""
        return "HOUR"

    @staticmethod
    def DAY(precision: int = 2) -> str:
        """Days of ``precision`` digits, as resolution of an ``INTERVAL``."""
        return f"DAY({precision})"

    @staticmethod
    def MONTH() -> str:
        """Months, as resolution of an ``INTERVAL``."""
        return "MONTH"

    @staticmethod
    def YEAR(precision: int = 2) -> str:
        """Years of ``precision`` digits, as resolution of an ``INTERVAL``."""
        return f"YEAR({precision})"

    @staticmethod
    def INTERVAL(upper_resolution: str, lower_resolution: str | None = None) -> DataType:
        """Interval of time; no format can hold such a column.

        Args:
            upper_resolution: Largest unit, such as ``DataTypes.DAY()``.
            lower_resolution: Smallest unit; by default, the largest.
        """
        to = "" if lower_resolution is None else f" TO {lower_resolution}"
        return parse_type(f"INTERVAL {upper_resolution}{to}", "DataTypes.INTERVAL")

    @staticmethod
    def NULL() -> NoReturn:
        """Not supported: no table can have a column of this type.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("NULL", "Use the type that the column would have.")

    @staticmethod
    def LIST_VIEW(element_type: DataType) -> DataType:
        """List in the accumulator of an aggregate function: the type of an ARRAY.

        Args:
            element_type: Type of the elements.
        """
        return DataTypes.ARRAY(element_type)

    @staticmethod
    def MAP_VIEW(key_type: DataType, value_type: DataType) -> DataType:
        """Map in the accumulator of an aggregate function: the type of a MAP.

        Args:
            key_type: Type of the keys.
            value_type: Type of the values.
        """
        return DataTypes.MAP(key_type, value_type)


def _checked(of: DataType, nullable: bool) -> DataType:
    """Return a type, checked against Flink's limits by the parser of types."""
    parsed = parse_type(str(of), f"DataTypes.{of.kind.value}")
    return parsed if nullable else parsed.not_null()


def _refused(name: str, now: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(f"{name} cannot be a column's type.", where=f"DataTypes.{name}", now=now)


class UserDefinedType(StandIn, instead="Use a column for each part of an object, or a ROW."):
    """User-defined type of a column."""


class NullType(StandIn, instead=_NO_COLUMN):
    """Type of NULL."""


class RawType(StandIn, instead=_NO_COLUMN):
    """Type of pickled objects."""


class ZonedTimestampType(StandIn, instead="Use TIMESTAMP_LTZ, or a column for the zone."):
    """Type of points in time, each with a zone of its own."""


class Resolution(StandIn, instead="Use DataTypes.INTERVAL with DataTypes.DAY() and its like."):
    """Resolution of an interval."""
