"""``Types`` and type classes, at PyFlink's path; each class is the ``TypeInformation`` of some kinds of types."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from kafkastream.model.common.stand_ins import JAVA, StandIn
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind, Types

__all__ = [
    "BasicArrayTypeInfo",
    "BasicType",
    "BasicTypeInfo",
    "DateTypeInfo",
    "ExternalTypeInfo",
    "InstantTypeInfo",
    "ListTypeInfo",
    "LocalTimeTypeInfo",
    "MapTypeInfo",
    "ObjectArrayTypeInfo",
    "PickledBytesTypeInfo",
    "PrimitiveArrayTypeInfo",
    "RowTypeInfo",
    "SqlTimeTypeInfo",
    "TimeTypeInfo",
    "TimestampTypeInfo",
    "TupleTypeInfo",
    "TypeInformation",
    "Types",
]


T = TypeVar("T")


class BasicType(enum.Enum):
    """Basic types, and their printed names."""

    STRING = TypeKind.STRING.value
    BYTE = TypeKind.BYTE.value
    BOOLEAN = TypeKind.BOOLEAN.value
    SHORT = TypeKind.SHORT.value
    INT = TypeKind.INT.value
    LONG = TypeKind.LONG.value
    FLOAT = TypeKind.FLOAT.value
    DOUBLE = TypeKind.DOUBLE.value
    CHAR = TypeKind.CHAR.value
    BIG_INT = TypeKind.BIG_INT.value
    BIG_DEC = TypeKind.BIG_DEC.value
    INSTANT = TypeKind.INSTANT.value


class _OfKinds(type):
    """Metaclass of classes whose instances are the types of some kinds."""

    kinds: frozenset[TypeKind]

    def __getattr__(cls, name: str) -> Any:
        return getattr(TypeInformation, name)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TypeInformation) and instance.kind in cls.kinds


class BasicTypeInfo(metaclass=_OfKinds):
    """Type of numbers, text and booleans."""

    kinds: ClassVar = frozenset(TypeKind[basic.name] for basic in BasicType)

    def __new__(cls, basic_type: BasicType) -> TypeInformation[Any]:  # type: ignore[misc]  # as in PyFlink, a type
        """Return the type."""
        return TypeInformation(TypeKind[basic_type.name])

    STRING_TYPE_INFO = staticmethod(Types.STRING)
    BYTE_TYPE_INFO = staticmethod(Types.BYTE)
    BOOLEAN_TYPE_INFO = staticmethod(Types.BOOLEAN)
    SHORT_TYPE_INFO = staticmethod(Types.SHORT)
    INT_TYPE_INFO = staticmethod(Types.INT)
    LONG_TYPE_INFO = staticmethod(Types.LONG)
    FLOAT_TYPE_INFO = staticmethod(Types.FLOAT)
    DOUBLE_TYPE_INFO = staticmethod(Types.DOUBLE)
    CHAR_TYPE_INFO = staticmethod(Types.CHAR)
    BIG_INT_TYPE_INFO = staticmethod(Types.BIG_INT)
    BIG_DEC_TYPE_INFO = staticmethod(Types.BIG_DEC)
    INSTANT_TYPE_INFO = staticmethod(Types.INSTANT)


class InstantTypeInfo(BasicTypeInfo):
    """Type of points in time."""

    kinds: ClassVar = frozenset({TypeKind.INSTANT})


class SqlTimeTypeInfo(metaclass=_OfKinds):
    """Type of SQL dates, times and timestamps."""

    kinds: ClassVar = frozenset({TypeKind.SQL_DATE, TypeKind.SQL_TIME, TypeKind.SQL_TIMESTAMP})

    DATE = staticmethod(Types.SQL_DATE)
    TIME = staticmethod(Types.SQL_TIME)
    TIMESTAMP = staticmethod(Types.SQL_TIMESTAMP)


class DateTypeInfo(metaclass=_OfKinds):
    """Type of SQL dates."""

    kinds: ClassVar = frozenset({TypeKind.SQL_DATE})
    EPOCH_ORDINAL: ClassVar = datetime.date(1970, 1, 1).toordinal()

    def __new__(cls) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.SQL_DATE()


class TimeTypeInfo(metaclass=_OfKinds):
    """Type of SQL times."""

    kinds: ClassVar = frozenset({TypeKind.SQL_TIME})
    EPOCH_ORDINAL: ClassVar = DateTypeInfo.EPOCH_ORDINAL

    def __new__(cls) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.SQL_TIME()


class TimestampTypeInfo(metaclass=_OfKinds):
    """Type of SQL timestamps."""

    kinds: ClassVar = frozenset({TypeKind.SQL_TIMESTAMP})

    def __new__(cls) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.SQL_TIMESTAMP()


class PickledBytesTypeInfo(metaclass=_OfKinds):
    """Type of any Python object, serialized by pickle."""

    kinds: ClassVar = frozenset({TypeKind.PICKLED_BYTE_ARRAY})

    def __new__(cls) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.PICKLED_BYTE_ARRAY()


class TupleTypeInfo(metaclass=_OfKinds):
    """Type of tuples."""

    kinds: ClassVar = frozenset({TypeKind.TUPLE})

    def __new__(cls, field_types: Sequence[TypeInformation[Any]]) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.TUPLE(field_types)


class ListTypeInfo(metaclass=_OfKinds):
    """Type of lists."""

    kinds: ClassVar = frozenset({TypeKind.LIST})

    def __new__(cls, element_type: TypeInformation[T]) -> TypeInformation[list[T]]:  # type: ignore[misc]
        """Return the type."""
        return Types.LIST(element_type)


class MapTypeInfo(metaclass=_OfKinds):
    """Type of dictionaries."""

    kinds: ClassVar = frozenset({TypeKind.MAP})

    def __new__(  # type: ignore[misc]
        cls, key_type_info: TypeInformation[Any], value_type_info: TypeInformation[Any]
    ) -> TypeInformation[Any]:
        """Return the type."""
        return Types.MAP(key_type_info, value_type_info)


class PrimitiveArrayTypeInfo(metaclass=_OfKinds):
    """Type of arrays without ``None``."""

    kinds: ClassVar = frozenset({TypeKind.PRIMITIVE_ARRAY})

    def __new__(cls, element_type: TypeInformation[Any]) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.PRIMITIVE_ARRAY(element_type)


class BasicArrayTypeInfo(metaclass=_OfKinds):
    """Type of arrays of basic types."""

    kinds: ClassVar = frozenset({TypeKind.BASIC_ARRAY})

    def __new__(cls, element_type: TypeInformation[Any]) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.BASIC_ARRAY(element_type)


class ObjectArrayTypeInfo(metaclass=_OfKinds):
    """Type of arrays of any type."""

    kinds: ClassVar = frozenset({TypeKind.OBJECT_ARRAY})

    def __new__(cls, element_type: TypeInformation[Any]) -> TypeInformation[Any]:  # type: ignore[misc]
        """Return the type."""
        return Types.OBJECT_ARRAY(element_type)


class LocalTimeTypeInfo(StandIn, instead="Use Types.SQL_DATE, Types.SQL_TIME or Types.SQL_TIMESTAMP."):
    """Type of Java's local dates and times."""

    class TimeType(enum.Enum):
        """Kinds of local dates and times."""

        LOCAL_DATE = 0
        LOCAL_TIME = 1
        LOCAL_DATE_TIME = 2


class ExternalTypeInfo(StandIn, instead=JAVA):
    """Type of a table's column, for Java."""
