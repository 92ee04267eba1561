"""Type information: the types of elements, as jobs declare them with ``Types``."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, Generic, NoReturn, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.row import Row
from kafkastream.model.common.stand_ins import MACHINERY, Refused
from kafkastream.model.common.time import Instant

__all__ = ["RowTypeInfo", "TypeInformation", "TypeKind", "Types"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class TypeKind(enum.Enum):
    """Kind of type; the value is how PyFlink prints it."""

    STRING = "String"
    BYTE = "Byte"
    BOOLEAN = "Boolean"
    SHORT = "Short"
    INT = "Integer"
    LONG = "Long"
    FLOAT = "Float"
    DOUBLE = "Double"
    CHAR = "Char"
    BIG_INT = "BigInteger"
    BIG_DEC = "BigDecimal"
    INSTANT = "Instant"
    VOID = "Void"
    SQL_DATE = "DateTypeInfo"
    SQL_TIME = "TimeTypeInfo"
    SQL_TIMESTAMP = "TimestampTypeInfo"
    PICKLED_BYTE_ARRAY = "PickledByteArrayTypeInfo"
    ROW = "RowTypeInfo"
    TUPLE = "TupleTypeInfo"
    MAP = "MapTypeInfo"
    LIST = "ListTypeInfo"
    PRIMITIVE_ARRAY = "PrimitiveArrayTypeInfo"
    BASIC_ARRAY = "BasicArrayTypeInfo"
    OBJECT_ARRAY = "ObjectArrayTypeInfo"


_PRIMITIVES: Final = frozenset(
    {
        TypeKind.BOOLEAN,
        TypeKind.BYTE,
        TypeKind.SHORT,
        TypeKind.INT,
        TypeKind.LONG,
        TypeKind.FLOAT,
        TypeKind.DOUBLE,
        TypeKind.CHAR,
    }
)


@attrs.frozen(repr=False)
class TypeInformation(Generic[T]):
    """Type of a stream's elements, whose Python type is ``T``; made with ``Types``.

    Same as PyFlink's, but plain data: it compares, hashes and pickles, and needs no Java.

    Attributes:
        kind: Kind of type.
        elements: Types inside: of a list's elements, of a map's key and value, of a row's fields.
    """

    _j_typeinfo = Refused()
    get_java_type_info = Refused()
    need_conversion = Refused(MACHINERY, "has no counterpart")
    to_internal_type = Refused(MACHINERY, "has no counterpart")
    from_internal_type = Refused(MACHINERY, "has no counterpart")

    kind: TypeKind
    elements: tuple[TypeInformation[Any], ...] = ()

    def get_field_types(self) -> list[TypeInformation[Any]]:
        """Return the types of the fields of a tuple or row."""
        return list(self.elements)

    getFieldTypes = get_field_types

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.elements))
        if self.kind is TypeKind.TUPLE:
            return f"{self.kind.value}({inner})"
        return f"{self.kind.value}<{inner}>" if inner else self.kind.value


@final
@attrs.frozen(repr=False, init=False)
class RowTypeInfo(TypeInformation[Row]):
    """Type of rows: types and names of the fields (``f0``, ``f1``, … by default).

    Differs from Flink: rows with other names are other types (Flink compares the types of the fields only).

    Example:
        >>> RowTypeInfo([Types.STRING(), Types.INT()], ["name", "age"])
        RowTypeInfo(name: String, age: Integer)
    """

    field_names: tuple[str, ...] = ()

    def __init__(self, field_types: Sequence[TypeInformation[Any]], field_names: Sequence[str] | None = None) -> None:
        names = [f"f{i}" for i in range(len(field_types))] if field_names is None else field_names
        if len(names) != len(field_types):
            raise DefinitionError(
                f"Number of field types and names is different: {len(field_types)} and {len(names)}", where="a row type"
            )
        if len(set(names)) != len(names):
            raise DefinitionError(f"Field names are not unique: {', '.join(names)}", where="a row type")
        self.__attrs_init__(TypeKind.ROW, tuple(field_types), tuple(names))

    def get_field_names(self) -> list[str]:
        """Return the names of the fields."""
        return list(self.field_names)

    getFieldNames = get_field_names

    def get_field_index(self, field_name: str) -> int:
        """Return the position of a field, or -1 if there is none of this name."""
        return self.field_names.index(field_name) if field_name in self.field_names else -1

    getFieldIndex = get_field_index

    def __repr__(self) -> str:
        pairs = zip(self.field_names, self.elements, strict=True)
        return f"RowTypeInfo({', '.join(f'{name}: {kind!r}' for name, kind in pairs)})"


def _array_of(
    kind: TypeKind, element_type: TypeInformation[T], allowed: frozenset[TypeKind]
) -> TypeInformation[list[T]]:
    if element_type.kind not in allowed:
        raise DefinitionError(
            f"Invalid element type for a primitive array: {element_type!r}", now="Use Types.OBJECT_ARRAY or Types.LIST."
        )
    return TypeInformation(kind, (element_type,))


@final
@checked_methods
class Types:
    """Factory of type information, under the names of Flink's ``Types``.

    Example:
        >>> Types.MAP(Types.STRING(), Types.LIST(Types.INT()))
        MapTypeInfo<String, ListTypeInfo<Integer>>
    """

    @staticmethod
    def STRING() -> TypeInformation[str]:
        """Type of text."""
        return TypeInformation(TypeKind.STRING)

    @staticmethod
    def BYTE() -> TypeInformation[int]:
        """Type of signed 8-bit integers."""
        return TypeInformation(TypeKind.BYTE)

    @staticmethod
    def BOOLEAN() -> TypeInformation[bool]:
        """Type of booleans."""
        return TypeInformation(TypeKind.BOOLEAN)

    @staticmethod
    def SHORT() -> TypeInformation[int]:
        """Type of signed 16-bit integers."""
        return TypeInformation(TypeKind.SHORT)

    @staticmethod
    def INT() -> TypeInformation[int]:
        """Type of signed 32-bit integers."""
        return TypeInformation(TypeKind.INT)

    @staticmethod
    def LONG() -> TypeInformation[int]:
        """Type of signed 64-bit integers."""
        return TypeInformation(TypeKind.LONG)

    @staticmethod
    def FLOAT() -> TypeInformation[float]:
        """Type of 32-bit floating-point numbers."""
        return TypeInformation(TypeKind.FLOAT)

    @staticmethod
    def DOUBLE() -> TypeInformation[float]:
        """Type of 64-bit floating-point numbers, Python's ``float``."""
        return TypeInformation(TypeKind.DOUBLE)

    @staticmethod
    def CHAR() -> TypeInformation[str]:
        """Type of single characters."""
        return TypeInformation(TypeKind.CHAR)

    @staticmethod
    def BIG_INT() -> TypeInformation[int]:
        """Type of integers of any size."""
        return TypeInformation(TypeKind.BIG_INT)

    @staticmethod
    def BIG_DEC() -> TypeInformation[Decimal]:
        """Type of decimal numbers of any precision."""
        return TypeInformation(TypeKind.BIG_DEC)

    @staticmethod
    def INSTANT() -> TypeInformation[Instant]:
        """Type of points in time (``kafkastream.common.Instant``)."""
        return TypeInformation(TypeKind.INSTANT)

    @staticmethod
    def VOID() -> TypeInformation[None]:
        """Type of ``None``."""
        return TypeInformation(TypeKind.VOID)

    @staticmethod
    def SQL_DATE() -> TypeInformation[datetime.date]:
        """Type of dates."""
        return TypeInformation(TypeKind.SQL_DATE)

    @staticmethod
    def SQL_TIME() -> TypeInformation[datetime.time]:
        """Type of times of the day."""
        return TypeInformation(TypeKind.SQL_TIME)

    @staticmethod
    def SQL_TIMESTAMP() -> TypeInformation[datetime.datetime]:
        """Type of dates with a time, without a time zone."""
        return TypeInformation(TypeKind.SQL_TIMESTAMP)

    @staticmethod
    def PICKLED_BYTE_ARRAY() -> TypeInformation[Any]:
        """Type of any Python objects, which are pickled; the type of streams that declare none."""
        return TypeInformation(TypeKind.PICKLED_BYTE_ARRAY)

    @staticmethod
    def ROW(field_types: Sequence[TypeInformation[Any]]) -> RowTypeInfo:
        """Return the type of rows with fields of ``field_types``, which are called ``f0``, ``f1``, …."""
        return RowTypeInfo(field_types)

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[TypeInformation[Any]]) -> RowTypeInfo:
        """Return the type of rows with named fields.

        Args:
            field_names: Names of the fields.
            field_types: Types of the fields, in the order of the names.

        Raises:
            DefinitionError: There are more names than types, or fewer, or a name recurs.
        """
        return RowTypeInfo(field_types, field_names)

    @staticmethod
    def TUPLE(field_types: Sequence[TypeInformation[Any]]) -> TypeInformation[tuple[Any, ...]]:
        """Return the type of tuples with fields of these types."""
        return TypeInformation(TypeKind.TUPLE, tuple(field_types))

    @staticmethod
    def MAP(key_type_info: TypeInformation[K], value_type_info: TypeInformation[V]) -> TypeInformation[dict[K, V]]:
        """Return the type of dictionaries.

        Args:
            key_type_info: Type of the keys.
            value_type_info: Type of the values.
        """
        return TypeInformation(TypeKind.MAP, (key_type_info, value_type_info))

    @staticmethod
    def LIST(element_type_info: TypeInformation[T]) -> TypeInformation[list[T]]:
        """Return the type of lists with elements of ``element_type_info``."""
        return TypeInformation(TypeKind.LIST, (element_type_info,))

    # Any: arrays of BYTE are bytes, all others are lists, and both kinds of element are ints to mypy.
    @staticmethod
    def PRIMITIVE_ARRAY(element_type: TypeInformation[Any]) -> TypeInformation[Any]:
        """Return the type of arrays of numbers or booleans without ``None``; ``BYTE`` gives ``bytes``.

        Args:
            element_type: Type of the elements.

        Raises:
            DefinitionError: The elements are neither numbers, booleans nor characters.
        """
        return _array_of(TypeKind.PRIMITIVE_ARRAY, element_type, _PRIMITIVES)

    @staticmethod
    def BASIC_ARRAY(element_type: TypeInformation[T]) -> TypeInformation[list[T]]:
        """Return the type of lists of numbers, booleans or strings, ``None`` allowed.

        Args:
            element_type: Type of the elements.

        Raises:
            DefinitionError: The elements are neither numbers, booleans, characters nor strings.
        """
        return _array_of(TypeKind.BASIC_ARRAY, element_type, _PRIMITIVES | {TypeKind.STRING})

    @staticmethod
    def OBJECT_ARRAY(element_type: TypeInformation[T]) -> TypeInformation[list[T]]:
        """Return the type of lists with elements of ``element_type``, ``None`` allowed."""
        return TypeInformation(TypeKind.OBJECT_ARRAY, (element_type,))

    @staticmethod
    def GENERIC(generic_class: type[T]) -> TypeInformation[T]:  # noqa: ARG004 - Java's signature; T is the use
        """Return the type of objects of ``generic_class``, which are pickled (by Kryo in Flink)."""
        return TypeInformation(TypeKind.PICKLED_BYTE_ARRAY)

    @staticmethod
    def POJO(pojo_class: type) -> NoReturn:
        """Refused: Python objects are not Java beans; use ``Types.ROW_NAMED`` or ``Types.PICKLED_BYTE_ARRAY``."""
        raise UnsupportedFeatureError(
            f"Types.POJO({pojo_class.__name__}) describes a Java bean",
            now="Use Types.ROW_NAMED for fields with types, or Types.GENERIC to keep the object, pickled.",
        )

    @staticmethod
    def ENUM(enum_type: type) -> NoReturn:
        """Refused: Python enums are not Java enums; use ``Types.PICKLED_BYTE_ARRAY``."""
        raise UnsupportedFeatureError(
            f"Types.ENUM({enum_type.__name__}) describes a Java enum",
            now="Use Types.GENERIC to keep the member, pickled, or Types.STRING with its name.",
        )
