"""Mapping between SQL types and type information of streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind, Types
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["column_type", "field_names", "row_type_info"]

_SIMPLE: Final[Mapping[Kind, TypeInformation[Any]]] = {
    Kind.CHAR: Types.STRING(),
    Kind.VARCHAR: Types.STRING(),
    Kind.BOOLEAN: Types.BOOLEAN(),
    Kind.BINARY: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    Kind.VARBINARY: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    Kind.DECIMAL: Types.BIG_DEC(),
    Kind.TINYINT: Types.BYTE(),
    Kind.SMALLINT: Types.SHORT(),
    Kind.INT: Types.INT(),
    Kind.BIGINT: Types.LONG(),
    Kind.FLOAT: Types.FLOAT(),
    Kind.DOUBLE: Types.DOUBLE(),
    Kind.DATE: Types.SQL_DATE(),
    Kind.TIME: Types.SQL_TIME(),
    Kind.TIMESTAMP: Types.SQL_TIMESTAMP(),
    Kind.TIMESTAMP_LTZ: Types.INSTANT(),
}


def row_type_info(fields: Iterable[tuple[str, DataType]]) -> RowTypeInfo:
    """Return the type of rows with these columns.

    Example:
        >>> row_type_info([("id", DataType.of(Kind.BIGINT))])
        RowTypeInfo(id: Long)
    """
    columns = list(fields)
    return Types.ROW_NAMED([name for name, _ in columns], [_type_info(kind) for _, kind in columns])


def _type_info(kind: DataType) -> TypeInformation[Any]:
    match kind.kind:
        case Kind.ARRAY:
            return Types.LIST(_type_info(kind.parts[0]))
        case Kind.MAP:
            return Types.MAP(*map(_type_info, kind.parts))
        case Kind.MULTISET:
            return Types.MAP(_type_info(kind.parts[0]), Types.INT())
        case Kind.ROW:
            return row_type_info((field.name, field.type) for field in kind.fields)
        case simple:
            return _SIMPLE.get(simple, Types.PICKLED_BYTE_ARRAY())


_KINDS: Final[Mapping[TypeKind, DataType]] = {
    TypeKind.STRING: DataType.string(),
    TypeKind.BOOLEAN: DataType.of(Kind.BOOLEAN),
    TypeKind.BYTE: DataType.of(Kind.TINYINT),
    TypeKind.SHORT: DataType.of(Kind.SMALLINT),
    TypeKind.INT: DataType.of(Kind.INT),
    TypeKind.LONG: DataType.of(Kind.BIGINT),
    TypeKind.FLOAT: DataType.of(Kind.FLOAT),
    TypeKind.DOUBLE: DataType.of(Kind.DOUBLE),
    TypeKind.CHAR: DataType.of(Kind.CHAR, 1),
    TypeKind.BIG_DEC: DataType.of(Kind.DECIMAL, 38, 18),
    TypeKind.SQL_DATE: DataType.of(Kind.DATE),
    TypeKind.SQL_TIME: DataType.of(Kind.TIME, 0),
    TypeKind.SQL_TIMESTAMP: DataType.of(Kind.TIMESTAMP, 6),
    TypeKind.INSTANT: DataType.of(Kind.TIMESTAMP_LTZ, 6),
}


def column_type(type_info: TypeInformation[Any]) -> DataType | None:
    """Return the SQL type of values, as Flink does (times with 6 digits, not 9); None if there is none.

    Example:
        >>> str(column_type(Types.MAP(Types.STRING(), Types.ROW_NAMED(["n"], [Types.INT()]))))
        'MAP<STRING, ROW<`n` INT>>'
    """
    if type_info == Types.PRIMITIVE_ARRAY(Types.BYTE()):
        return DataType.bytes_()
    parts = tuple(map(column_type, type_info.elements))
    known = tuple(part for part in parts if part is not None)
    if len(known) < len(parts):
        return None
    match type_info.kind:
        case TypeKind.ROW | TypeKind.TUPLE:
            names = field_names(type_info)
            fields = tuple(RowField(name, part) for name, part in zip(names, known, strict=True))
            return DataType.of(Kind.ROW, fields=fields)
        case TypeKind.MAP:
            return DataType.of(Kind.MAP, parts=known)
        case TypeKind.LIST | TypeKind.BASIC_ARRAY | TypeKind.OBJECT_ARRAY:
            return DataType.of(Kind.ARRAY, parts=known)
        case TypeKind.PRIMITIVE_ARRAY:
            return DataType.of(Kind.ARRAY, parts=tuple(part.not_null() for part in known))
        case simple:
            return _KINDS.get(simple)


def field_names(type_info: TypeInformation[Any]) -> tuple[str, ...]:
    """Return the names of the fields of a row or tuple; default: ``f0``, ``f1`` and so on."""
    if isinstance(type_info, RowTypeInfo):
        return type_info.field_names
    return tuple(f"f{place}" for place in range(len(type_info.elements)))
