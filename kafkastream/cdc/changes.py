"""Changes of a table's rows and schema (Flink CDC's data change and schema change events)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, final

import attrs

from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.types import DataType

__all__ = [
    "AddColumns",
    "AlterColumnTypes",
    "Change",
    "CreateTable",
    "Operation",
    "Row",
    "SchemaChange",
    "applied",
]

Row: TypeAlias = Any
"""Row: a ``msgspec.Struct`` of the class returned by ``rows.row_class``, with one field per column, in order.

BOOLEAN is ``bool``; whole numbers are ``int``; FLOAT and DOUBLE ``float``; DECIMAL ``Decimal``; BYTES ``bytes``; all else is
text: DATE ``2024-05-01``, TIME ``12:30:00.5``, TIMESTAMP ``2024-05-01 12:30:00.5``, TIMESTAMP_LTZ the same in UTC with a ``Z``.
"""


class Operation(enum.Enum):
    """Kind of a row change."""

    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class Change(NamedTuple):
    """Change of a row.

    Attributes:
        table: Table of the row.
        operation: Kind of the change.
        before: Row before the change; None for an INSERT, and for an UPDATE whose source does not provide it.
        after: Row after the change; None for a DELETE.
    """

    table: TableId
    operation: Operation
    before: Row | None
    after: Row | None


@final
@attrs.frozen
class CreateTable:
    """Creation of a table."""

    table: TableId
    schema: TableSchema


@final
@attrs.frozen
class AddColumns:
    """Addition of nullable columns at the end."""

    table: TableId
    columns: tuple[Column, ...]


@final
@attrs.frozen
class AlterColumnTypes:
    """Widening of columns' types.

    Args:
        table: Table of the columns.
        types: New types by column name.
        before: Previous types by column name.
    """

    table: TableId
    types: Mapping[str, DataType] = attrs.field(converter=FrozenMap[str, DataType])
    before: Mapping[str, DataType] = attrs.field(converter=FrozenMap[str, DataType])


SchemaChange: TypeAlias = CreateTable | AddColumns | AlterColumnTypes


def applied(schema: TableSchema | None, change: SchemaChange) -> TableSchema:
    """Return a table's schema after a change.

    Args:
        schema: Schema before the change; None if the table did not exist.
        change: Change to apply.

    Example:
        >>> from kafkastream.sql.types import Kind
        >>> orders = TableId.parse("orders")
        >>> narrow = TableSchema.of([("id", DataType.of(Kind.INT))])
        >>> wide = applied(narrow, AddColumns(orders, (Column("name", DataType.string()),)))
        >>> wide.names
        ('id', 'name')
    """
    if isinstance(change, CreateTable):
        return change.schema
    assert schema is not None, change
    match change:
        case AddColumns(columns=columns):
            return attrs.evolve(schema, columns=(*schema.columns, *columns))
        case AlterColumnTypes(types=types):
            changed = tuple(attrs.evolve(one, type=types.get(one.name, one.type)) for one in schema.columns)
            return attrs.evolve(schema, columns=changed)
