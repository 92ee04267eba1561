"""The types of SQL as those of elements of streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafkastream.spec.types import RowTypeInfo, TypeInformation, Types
from kafkastream.sql.types import DataType, Kind

__all__ = ["row_type_info"]

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
    """The type of rows with these columns.

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
