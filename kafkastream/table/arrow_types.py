"""Arrow's types of SQL's types, and back, as PyFlink's functions give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkastream.errors import DefinitionError
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["create_arrow_schema", "from_arrow_type", "to_arrow_type"]

_PLAIN: Final[Mapping[Kind, str]] = {
    Kind.TINYINT: "int8",
    Kind.SMALLINT: "int16",
    Kind.INT: "int32",
    Kind.BIGINT: "int64",
    Kind.FLOAT: "float32",
    Kind.DOUBLE: "float64",
    Kind.BOOLEAN: "bool_",
    Kind.CHAR: "utf8",
    Kind.VARCHAR: "utf8",
    Kind.VARBINARY: "binary",
    Kind.DATE: "date32",
}
_NO_ELEMENTS: Final = frozenset({Kind.TIMESTAMP_LTZ, Kind.ROW})
"""Kinds that PyFlink takes neither as elements of an array nor as fields of a row."""
_UNITS: Final = ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"))
_PRECISIONS: Final = {unit: precision for precision, unit in _UNITS}


def to_arrow_type(data_type: DataType) -> pa.DataType:
    """Return Arrow's type of the SQL type ``data_type``.

    Raises:
        DefinitionError: PyFlink has none for the type.

    Example:
        >>> from kafkastream.table import DataTypes
        >>> to_arrow_type(DataTypes.ARRAY(DataTypes.TIMESTAMP(3)))
        ListType(list<item: timestamp[ms]>)
    """
    import pyarrow as pa

    match data_type.kind:
        case kind if kind in _PLAIN:
            plain: pa.DataType = getattr(pa, _PLAIN[kind])()
            return plain
        case Kind.BINARY:
            return pa.binary(data_type.size or 1)
        case Kind.DECIMAL:
            return pa.decimal128(data_type.size or 0, data_type.scale or 0)
        case Kind.TIME:
            unit = _unit(data_type)
            return pa.time32(unit) if unit in {"s", "ms"} else pa.time64(unit)
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            return pa.timestamp(_unit(data_type))
        case Kind.MAP:
            return pa.map_(*map(to_arrow_type, data_type.parts))
        case Kind.ARRAY if data_type.parts[0].kind not in _NO_ELEMENTS:
            return pa.list_(to_arrow_type(data_type.parts[0]))
        case Kind.ROW if not any(field.type.kind in _NO_ELEMENTS for field in data_type.fields):
            return pa.struct(list(map(_arrow_field, data_type.fields)))
    raise DefinitionError(
        f"{data_type} has no type of Arrow's", where="to_arrow_type", now="Convert its parts one by one."
    )


def create_arrow_schema(field_names: Sequence[str], field_types: Sequence[DataType]) -> pa.Schema:
    """Return the Arrow schema of columns.

    Args:
        field_names: Names of the columns.
        field_types: Types of the columns, in the order of the names.

    Raises:
        DefinitionError: PyFlink has no type of Arrow for one of the types.
        ValueError: There are more names than types, or fewer.
    """
    import pyarrow as pa

    return pa.schema([_arrow_field(RowField(name, kind)) for name, kind in zip(field_names, field_types, strict=True)])


def from_arrow_type(arrow_type: pa.DataType, nullable: bool = True) -> DataType:
    """Return the SQL type of a type of Arrow's.

    Args:
        arrow_type: Type of a column.
        nullable: Allow NULL.

    Raises:
        DefinitionError: SQL has no such type.

    Example:
        >>> import pyarrow as pa
        >>> str(from_arrow_type(pa.map_(pa.string(), pa.decimal128(9, 2))))
        'MAP<STRING, DECIMAL(9, 2)>'
    """
    from pyarrow import types

    found = _sql_type(arrow_type, types)
    if found is None:
        raise DefinitionError(f"{arrow_type} has no type of SQL's", where="from_arrow_type", now="Cast the column.")
    return found if nullable else found.not_null()


def _sql_type(arrow: Any, types: Any) -> DataType | None:
    for is_kind, kind in _PLAIN_BACK:
        if getattr(types, is_kind)(arrow):
            return kind()
    if types.is_fixed_size_binary(arrow):
        return DataType.of(Kind.BINARY, arrow.byte_width)
    if types.is_decimal(arrow):
        return DataType.of(Kind.DECIMAL, arrow.precision, arrow.scale)
    if types.is_time(arrow):
        return DataType.of(Kind.TIME, _PRECISIONS[arrow.unit])
    if types.is_timestamp(arrow):
        return DataType.of(Kind.TIMESTAMP, _PRECISIONS[arrow.unit])
    return _nested(arrow, types)


def _nested(arrow: Any, types: Any) -> DataType | None:
    if types.is_map(arrow):
        return DataType.of(Kind.MAP, parts=(from_arrow_type(arrow.key_type), from_arrow_type(arrow.item_type)))
    if types.is_list(arrow):
        return DataType.of(Kind.ARRAY, parts=(from_arrow_type(arrow.value_type),))
    if types.is_struct(arrow):
        return DataType.of(
            Kind.ROW,
            fields=tuple(RowField(field.name, from_arrow_type(field.type, field.nullable)) for field in arrow),
        )
    return None


def _arrow_field(field: RowField) -> pa.Field:
    import pyarrow as pa

    return pa.field(field.name, to_arrow_type(field.type), field.type.is_nullable)


def _unit(data_type: DataType) -> Any:
    return next(unit for most, unit in _UNITS if (data_type.size or 0) <= most)


def _kind(kind: Kind) -> Callable[[], DataType]:
    return lambda: DataType.of(kind)


_PLAIN_BACK: Final[tuple[tuple[str, Callable[[], DataType]], ...]] = (
    ("is_boolean", _kind(Kind.BOOLEAN)),
    ("is_int8", _kind(Kind.TINYINT)),
    ("is_int16", _kind(Kind.SMALLINT)),
    ("is_int32", _kind(Kind.INT)),
    ("is_int64", _kind(Kind.BIGINT)),
    ("is_float32", _kind(Kind.FLOAT)),
    ("is_float64", _kind(Kind.DOUBLE)),
    ("is_string", DataType.string),
    ("is_binary", DataType.bytes_),
    ("is_date32", _kind(Kind.DATE)),
)
