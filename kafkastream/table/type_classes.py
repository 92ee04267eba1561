"""Classes of types, at PyFlink's path: ``isinstance(DataTypes.INT(), IntType)``, and ``IntType()`` makes the type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.stand_ins import MACHINERY
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind

__all__ = [
    "ArrayType",
    "AtomicType",
    "BigIntType",
    "BinaryType",
    "BooleanType",
    "CharType",
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
    "NumericType",
    "RowType",
    "SmallIntType",
    "TimeType",
    "TimestampType",
    "TinyIntType",
    "VarBinaryType",
    "VarCharType",
    "YearMonthIntervalType",
]

_MOST: Final = 2**31 - 1
_INTEGRAL: Final = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT})
_FRACTIONAL: Final = frozenset({Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL})
_NESTED: Final = frozenset({Kind.ARRAY, Kind.MAP, Kind.MULTISET, Kind.ROW})


class _ClassOfTypes(type):
    """Metaclass whose classes have the types of some kinds as their instances."""

    kinds: frozenset[Kind]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DataType) and instance.kind in cls.kinds

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        if hasattr(DataType, name):
            return getattr(DataType, name)
        raise UnsupportedFeatureError(
            f"{name} is a part of PyFlink's own", where=f"{cls.__name__}.{name}", now=MACHINERY
        )


def _made(kind: Kind, nullable: bool, *more: Any, **parts: Any) -> DataType:
    """Return a type, checked against Flink's limits."""
    parsed = parse_type(str(DataType.of(kind, *more, **parts)), kind.value)
    return parsed if nullable else parsed.not_null()


def _plain(kind: Kind) -> Callable[..., DataType]:
    def make(cls: type, nullable: bool = True) -> DataType:
        return _made(kind, nullable)

    return make


def _sized(kind: Kind, default: int) -> Callable[..., DataType]:
    def make(cls: type, length: int = default, nullable: bool = True) -> DataType:
        return _made(kind, nullable, length)

    return make


def _timed(kind: Kind, default: int) -> Callable[..., DataType]:
    def make(cls: type, precision: int = default, nullable: bool = True) -> DataType:
        return _made(kind, nullable, precision)

    return make


def _of_elements(kind: Kind) -> Callable[..., DataType]:
    def make(cls: type, element_type: DataType, nullable: bool = True) -> DataType:
        return _made(kind, nullable, parts=(element_type,))

    return make


def _not_made(cls: type, *_: object, **__: object) -> DataType:
    raise UnsupportedFeatureError(f"{cls.__name__} cannot be made", where=cls.__name__, now="Use DataTypes.")


def _class(name: str, text: str, kinds: frozenset[Kind], make: Callable[..., DataType] = _not_made) -> Any:
    return _ClassOfTypes(name, (), {"kinds": kinds, "__new__": make, "__doc__": text, "__module__": __name__})


def _one(name: str, kind: Kind, make: Callable[..., DataType] | None = None) -> Any:
    return _class(name, f"Types of the kind {kind.value}.", frozenset({kind}), make or _plain(kind))


def _decimal(cls: type, precision: int = 10, scale: int = 0, nullable: bool = True) -> DataType:
    return _made(Kind.DECIMAL, nullable, precision, scale)


def _map(cls: type, key_type: DataType, value_type: DataType, nullable: bool = True) -> DataType:
    return _made(Kind.MAP, nullable, parts=(key_type, value_type))


def _row(cls: type, fields: Any = (), nullable: bool = True) -> DataType:
    return _made(Kind.ROW, nullable, fields=tuple(fields))


AtomicType: Any = _class("AtomicType", "Types without parts.", frozenset(Kind) - _NESTED)
NumericType: Any = _class("NumericType", "Types of numbers.", _INTEGRAL | _FRACTIONAL)
IntegralType: Any = _class("IntegralType", "Types of whole numbers.", _INTEGRAL)
FractionalType: Any = _class("FractionalType", "Types of numbers with a fraction.", _FRACTIONAL)
TinyIntType: Any = _one("TinyIntType", Kind.TINYINT)
SmallIntType: Any = _one("SmallIntType", Kind.SMALLINT)
IntType: Any = _one("IntType", Kind.INT)
BigIntType: Any = _one("BigIntType", Kind.BIGINT)
FloatType: Any = _one("FloatType", Kind.FLOAT)
DoubleType: Any = _one("DoubleType", Kind.DOUBLE)
DecimalType: Any = _one("DecimalType", Kind.DECIMAL, _decimal)
BooleanType: Any = _one("BooleanType", Kind.BOOLEAN)
CharType: Any = _one("CharType", Kind.CHAR, _sized(Kind.CHAR, 1))
VarCharType: Any = _one("VarCharType", Kind.VARCHAR, _sized(Kind.VARCHAR, _MOST))
BinaryType: Any = _one("BinaryType", Kind.BINARY, _sized(Kind.BINARY, 1))
VarBinaryType: Any = _one("VarBinaryType", Kind.VARBINARY, _sized(Kind.VARBINARY, _MOST))
DateType: Any = _one("DateType", Kind.DATE)
TimeType: Any = _one("TimeType", Kind.TIME, _timed(Kind.TIME, 0))
TimestampType: Any = _one("TimestampType", Kind.TIMESTAMP, _timed(Kind.TIMESTAMP, 6))
LocalZonedTimestampType: Any = _one("LocalZonedTimestampType", Kind.TIMESTAMP_LTZ, _timed(Kind.TIMESTAMP_LTZ, 6))
DayTimeIntervalType: Any = _one("DayTimeIntervalType", Kind.INTERVAL_DAY_SECOND, _not_made)
YearMonthIntervalType: Any = _one("YearMonthIntervalType", Kind.INTERVAL_YEAR_MONTH, _not_made)
ArrayType: Any = _one("ArrayType", Kind.ARRAY, _of_elements(Kind.ARRAY))
ListViewType: Any = _one("ListViewType", Kind.ARRAY, _of_elements(Kind.ARRAY))
MultisetType: Any = _one("MultisetType", Kind.MULTISET, _of_elements(Kind.MULTISET))
MapType: Any = _one("MapType", Kind.MAP, _map)
MapViewType: Any = _one("MapViewType", Kind.MAP, _map)
RowType: Any = _one("RowType", Kind.ROW, _row)
