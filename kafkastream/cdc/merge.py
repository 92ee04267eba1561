"""Merging of schemas: common types of columns, and the changes from one schema to the next.

The rules are those of Flink CDC's ``SchemaMergingUtils``; of two lengths or precisions of one type, the higher counts.
Catalogs of JSON topics have another rule (``sql.kafka_catalog.members.common_type``), since a format reads their
tables: there, DATE and TIMESTAMP have STRING in common, here TIMESTAMP.
"""

from __future__ import annotations

from typing import Final

import attrs

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.sql.types import DataType, Kind

__all__ = ["merged", "schema_changes", "widened_type"]

_MAX_DIGITS: Final = 38
_STRING: Final = DataType.string()
_DIGITS: Final = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INT: 10, Kind.BIGINT: 19}
_INTEGERS: Final = tuple(_DIGITS)
_ANCESTORS: Final = {
    Kind.TINYINT: (*_INTEGERS, Kind.FLOAT, Kind.DOUBLE),
    Kind.SMALLINT: (*_INTEGERS[1:], Kind.FLOAT, Kind.DOUBLE),
    Kind.INT: (*_INTEGERS[2:], Kind.DOUBLE),
    Kind.BIGINT: (Kind.BIGINT, Kind.DOUBLE),
    Kind.FLOAT: (Kind.FLOAT, Kind.DOUBLE),
    Kind.DOUBLE: (Kind.DOUBLE,),
}
_TIMES: Final = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ)
_SIZED: Final = frozenset({Kind.CHAR, Kind.VARCHAR, Kind.BINARY, Kind.VARBINARY, Kind.TIME})


def widened_type(one: DataType, other: DataType) -> DataType:
    """Return the narrowest type that holds the values of two types; STRING if no other does.

    A DECIMAL of more than 38 digits does not exist: such columns become STRING, so that no digit is lost.

    Args:
        one: First type.
        other: Second type; the order does not matter.

    Returns:
        Type, nullable if either is.

    Example:
        >>> str(widened_type(DataType.of(Kind.INT), DataType.of(Kind.DOUBLE)))
        'DOUBLE'
        >>> str(widened_type(DataType.of(Kind.DATE), DataType.of(Kind.TIMESTAMP, 3)))
        'TIMESTAMP(3)'
        >>> str(widened_type(DataType.of(Kind.BIGINT), DataType.of(Kind.DECIMAL, 10, 2)))
        'DECIMAL(21, 2)'
        >>> str(widened_type(DataType.of(Kind.BOOLEAN), DataType.of(Kind.INT)))
        'STRING'
    """
    is_nullable = one.is_nullable or other.is_nullable
    return attrs.evolve(_common(one.nullable(), other.nullable()), is_nullable=is_nullable)


def _common(one: DataType, other: DataType) -> DataType:
    if one == other:
        return one
    if one.kind in _TIMES and other.kind in _TIMES:
        return DataType.of(max(one.kind, other.kind, key=_TIMES.index), max(one.size or 0, other.size or 0))
    if one.kind is other.kind and one.kind in _SIZED:
        return max(one, other, key=lambda type_: type_.size or 0)
    if Kind.DECIMAL in {one.kind, other.kind}:
        return _common_decimal(one, other)
    shared = (kind for kind in _ANCESTORS.get(one.kind, ()) if kind in _ANCESTORS.get(other.kind, ()))
    kind = next(shared, None)
    return _STRING if kind is None else DataType.of(kind)


def _common_decimal(one: DataType, other: DataType) -> DataType:
    digits = (_digits(one), _digits(other))
    if None in digits:
        return _STRING
    whole = max(found[0] for found in digits if found is not None)
    scale = max(found[1] for found in digits if found is not None)
    return DataType.of(Kind.DECIMAL, whole + scale, scale) if whole + scale <= _MAX_DIGITS else _STRING


def _digits(type_: DataType) -> tuple[int, int] | None:
    """Return the digits before and after the decimal point of an exact number; None for other types."""
    if type_.kind is Kind.DECIMAL:
        scale = type_.scale or 0
        return (type_.size or 0) - scale, scale
    return (_DIGITS[type_.kind], 0) if type_.kind in _DIGITS else None


def merged(schema: TableSchema, found: TableSchema) -> TableSchema:
    """Widen a table's schema so that it also holds the rows of another one.

    New columns are appended and nullable, missing ones stay, types are widened, keys and nullability do not change.

    Args:
        schema: Current schema of the table.
        found: Schema of further rows.

    Example:
        >>> schema = TableSchema.of([("id", DataType.of(Kind.INT)), ("name", DataType.string())])
        >>> wide = merged(schema, TableSchema.of([("id", DataType.of(Kind.BIGINT)), ("age", DataType.of(Kind.BIGINT))]))
        >>> ", ".join(f"{column.name} {column.type}" for column in wide.columns)
        'id BIGINT, name STRING, age BIGINT'
    """
    types = {column.name: column.type for column in found.columns}
    known = set(schema.names)
    widened = tuple(_widened(column, types.get(column.name)) for column in schema.columns)
    added = tuple(_nullable(column) for column in found.columns if column.name not in known)
    return attrs.evolve(schema, columns=(*widened, *added))


def _widened(column: Column, found: DataType | None) -> Column:
    if found is None or found == column.type:
        return column
    common = widened_type(column.type, found)
    return attrs.evolve(column, type=attrs.evolve(common, is_nullable=column.type.is_nullable))


def _nullable(column: Column) -> Column:
    return attrs.evolve(column, type=column.type.nullable())


def schema_changes(table: TableId, before: TableSchema | None, after: TableSchema) -> tuple[SchemaChange, ...]:
    """Return the changes from one schema of a table to the next, which has all its columns.

    Args:
        table: Table.
        before: Current schema; None if the table does not exist.
        after: Next schema, made by ``merged``.

    Example:
        >>> orders = TableId.parse("orders")
        >>> before = TableSchema.of([("id", DataType.of(Kind.INT))])
        >>> after = TableSchema.of([("id", DataType.of(Kind.BIGINT)), ("name", DataType.string())])
        >>> [type(change).__name__ for change in schema_changes(orders, before, after)]
        ['AddColumns', 'AlterColumnTypes']
    """
    if before is None:
        return (CreateTable(table, after),)
    known = {column.name: column.type for column in before.columns}
    added = tuple(column for column in after.columns if column.name not in known)
    types = {column.name: column.type for column in after.columns if known.get(column.name, column.type) != column.type}
    changes: list[SchemaChange] = []
    if added:
        changes.append(AddColumns(table, added))
    if types:
        changes.append(AlterColumnTypes(table, types, {name: known[name] for name in types}))
    return tuple(changes)
