"""The data types of columns, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "DataType",
    "DataTypes",
    "Row",
    "RowKind",
    "UserDefinedType",
]


@final
class DataTypes:
    """The types of SQL, by the names they have there.

    Same as PyFlink's. Differs: a length or precision beyond Flink's limits is refused at once, and the precisions of intervals
    are not kept. Each type has ``not_null()`` and ``nullable()``.

    Example:
        >>> str(DataTypes.MAP(DataTypes.STRING().not_null(), DataTypes.DECIMAL(10, 2)))
        'MAP<STRING NOT NULL, DECIMAL(10, 2)>'
    """

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> DataType:
        """Text of exactly so many characters."""
        return _checked(DataType.of(Kind.CHAR, length), nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> DataType:
        """Text of at most so many characters."""
        return _checked(DataType.of(Kind.VARCHAR, length), nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> DataType:
        """Text of any length."""
        return _checked(DataType.string(), nullable)

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> DataType:
        """True or false."""
        return _checked(DataType.of(Kind.BOOLEAN), nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> DataType:
        """Exactly so many bytes."""
        return _checked(DataType.of(Kind.BINARY, length), nullable)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> DataType:
        """At most so many bytes."""
        return _checked(DataType.of(Kind.VARBINARY, length), nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> DataType:
        """Any number of bytes."""
        return _checked(DataType.bytes_(), nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> DataType:
        """A number of ``precision`` digits, ``scale`` of them behind the point."""
        return _checked(DataType.of(Kind.DECIMAL, precision, scale), nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> DataType:
        """A whole number of one byte."""
        return _checked(DataType.of(Kind.TINYINT), nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> DataType:
        """A whole number of two bytes."""
        return _checked(DataType.of(Kind.SMALLINT), nullable)

    @staticmethod
    def INT(nullable: bool = True) -> DataType:
        """A whole number of four bytes."""
        return _checked(DataType.of(Kind.INT), nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> DataType:
        """A whole number of eight bytes."""
        return _checked(DataType.of(Kind.BIGINT), nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> DataType:
        """A floating-point number of four bytes."""
        return _checked(DataType.of(Kind.FLOAT), nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DataType:
        """A floating-point number of eight bytes."""
        return _checked(DataType.of(Kind.DOUBLE), nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> DataType:
        """A day."""
        return _checked(DataType.of(Kind.DATE), nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> DataType:
        """A time of day, with so many digits behind the second."""
        return _checked(DataType.of(Kind.TIME, precision), nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> DataType:
        """A day and a time without a time zone, with so many digits behind the second."""
        return _checked(DataType.of(Kind.TIMESTAMP, precision), nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> DataType:
        """A point in time, shown in the session's time zone, with so many digits behind the second."""
        return _checked(DataType.of(Kind.TIMESTAMP_LTZ, precision), nullable)

    @staticmethod
    def TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision: int = 6, nullable: bool = True) -> DataType:
        """The longer name of ``TIMESTAMP_LTZ``."""
        return DataTypes.TIMESTAMP_LTZ(precision, nullable)

    @staticmethod
    def ARRAY(element_type: DataType, nullable: bool = True) -> DataType:
        """A list of elements of one type."""
        return _checked(DataType.of(Kind.ARRAY, parts=(element_type,)), nullable)

    @staticmethod
    def MAP(key_type: DataType, value_type: DataType, nullable: bool = True) -> DataType:
        """Keys of one type, each with a value of another."""
        return _checked(DataType.of(Kind.MAP, parts=(key_type, value_type)), nullable)

    @staticmethod
    def MULTISET(element_type: DataType, nullable: bool = True) -> DataType:
        """Elements of one type, and how often each is there."""
        return _checked(DataType.of(Kind.MULTISET, parts=(element_type,)), nullable)

    @staticmethod
    def ROW(row_fields: Sequence[RowField] = (), nullable: bool = True) -> DataType:
        """Named fields, which ``FIELD`` gives."""
        return _checked(DataType.of(Kind.ROW, fields=tuple(row_fields)), nullable)

    @staticmethod
    def FIELD(name: str, data_type: DataType, description: str | None = None) -> RowField:
        """A field of a ``ROW``."""
        return RowField(name, data_type, description or "")

    @staticmethod
    def SECOND(precision: int = 6) -> str:
        """A unit of an ``INTERVAL``."""
        return f"SECOND({precision})"

    @staticmethod
    def MINUTE() -> str:
        """A unit of an ``INTERVAL``."""
        return "MINUTE"

    @staticmethod
    def HOUR() -> str:
        """A unit of an ``INTERVAL``."""
        return "HOUR"

    @staticmethod
    def DAY(precision: int = 2) -> str:
        """A unit of an ``INTERVAL``."""
        return f"DAY({precision})"

    @staticmethod
    def MONTH() -> str:
        """A unit of an ``INTERVAL``."""
        return "MONTH"

    @staticmethod
    def YEAR(precision: int = 2) -> str:
        """A unit of an ``INTERVAL``."""
        return f"YEAR({precision})"

    @staticmethod
    def INTERVAL(upper_resolution: str, lower_resolution: str | None = None) -> DataType:
        """A length of time, from the greatest of its units to the least; no format has such columns."""
        to = "" if lower_resolution is None else f" TO {lower_resolution}"
        return parse_type(f"INTERVAL {upper_resolution}{to}", "DataTypes.INTERVAL")

    @staticmethod
    def NULL() -> NoReturn:
        """Refused: no table has a column of it.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("NULL", "Use the type that the column would have.")

    @staticmethod
    def LIST_VIEW(*_: DataType) -> NoReturn:
        """Refused: it is for accumulators of aggregate functions.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("LIST_VIEW", "Use ARRAY.")

    @staticmethod
    def MAP_VIEW(*_: DataType) -> NoReturn:
        """Refused: it is for accumulators of aggregate functions.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("MAP_VIEW", "Use MAP.")


def _checked(of: DataType, nullable: bool) -> DataType:
    """A type within Flink's limits, which the grammar of types knows."""
    parsed = parse_type(str(of), f"DataTypes.{of.kind.value}")
    return parsed if nullable else parsed.not_null()


def _refused(name: str, now: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(f"{name} cannot be a column's type.", where=f"DataTypes.{name}", now=now)


class UserDefinedType(StandIn, instead="Keep the parts of an object in columns, or in a ROW."):
    """A column's type of your own."""
