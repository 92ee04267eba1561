"""Declarations of tables: columns, watermark, primary key, and options of the connector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import masked_statement, redacted
from kafkastream.sql.table_stream import TableStream
from kafkastream.sql.types import DataType

__all__ = [
    "Column",
    "ComputedColumn",
    "Expression",
    "MetadataColumn",
    "PhysicalColumn",
    "Position",
    "TableDefinition",
    "TableSchema",
    "Watermark",
]


class Position(NamedTuple):
    """Position in a SQL text: line and column, counted from 1."""

    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@final
@attrs.frozen
class Expression:
    """An expression as the user wrote it; equality ignores its position.

    Args:
        text: Text of the expression.
        position: Position of its begin in the statement.
        of: Owner of the text, if it is not part of a statement.
        space: Catalog and database of unqualified names; None for those that are current when it is planned.
        names: ``kafkastream.sql.plan.planning_catalog.Catalog`` of its names; None for the one of planning.
    """

    text: str = attrs.field(repr=lambda text: repr(masked_statement(text)))
    position: Position = attrs.field(default=Position(), eq=False)
    of: str = attrs.field(default="", eq=False, repr=False)
    space: tuple[str, str] | None = attrs.field(default=None, eq=False, repr=False)
    names: Any = attrs.field(default=None, eq=False, repr=False)


@final
@attrs.frozen
class PhysicalColumn:
    """A column of the key or the value of records."""

    name: str
    type: DataType
    comment: str = attrs.field(default="", kw_only=True)
    position: Position | None = attrs.field(default=None, eq=False, kw_only=True)


@final
@attrs.frozen
class MetadataColumn:
    """A column of records' metadata, such as the topic.

    Args:
        name: Name of the column.
        type: Type of the column, to and from which the metadata is cast.
        key: Key of the metadata.
        is_virtual: Whether it is only read (``VIRTUAL``).
    """

    name: str
    type: DataType
    key: str
    is_virtual: bool = False
    comment: str = attrs.field(default="", kw_only=True)
    position: Position | None = attrs.field(default=None, eq=False, kw_only=True)


@final
@attrs.frozen
class ComputedColumn:
    """A column that is computed from others, and never written."""

    name: str
    expression: Expression
    comment: str = attrs.field(default="", kw_only=True)
    position: Position | None = attrs.field(default=None, eq=False, kw_only=True)


Column = PhysicalColumn | MetadataColumn | ComputedColumn


@final
@attrs.frozen
class Watermark:
    """Watermark declaration of a table: path of the column (of nested fields, if several names) and the expression."""

    path: tuple[str, ...]
    expression: Expression
    position: Position | None = attrs.field(default=None, eq=False)


@final
@attrs.frozen
class TableSchema:
    """Schema of a table's rows.

    Args:
        columns: Columns, in order.
        watermark: Watermark, if declared.
        primary_key: Names of the primary key's columns; empty without one.
    """

    columns: tuple[Column, ...] = ()
    watermark: Watermark | None = None
    primary_key: tuple[str, ...] = ()

    @property
    def physical(self) -> tuple[PhysicalColumn, ...]:
        """Return the physical columns."""
        return tuple(column for column in self.columns if isinstance(column, PhysicalColumn))

    @property
    def metadata(self) -> tuple[MetadataColumn, ...]:
        """Return the metadata columns."""
        return tuple(column for column in self.columns if isinstance(column, MetadataColumn))

    @property
    def computed(self) -> tuple[ComputedColumn, ...]:
        """Return the computed columns."""
        return tuple(column for column in self.columns if isinstance(column, ComputedColumn))


@final
@attrs.frozen
class TableDefinition:
    """Definition of a table, as of ``CREATE TABLE``.

    Args:
        name: Name, preceded by catalog and database if given.
        schema: Schema of the rows.
        options: Options of ``WITH``.
        comment: ``COMMENT``.
        positions: Positions of the options in the text.
        stream: Stream whose elements are the rows, for a table made from a stream.
        partitioned_by: Partition columns, whose values are in the names of directories.
    """

    name: tuple[str, ...]
    schema: TableSchema
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)
    comment: str = ""
    positions: Mapping[str, Position] = attrs.field(
        default=FrozenMap(), converter=FrozenMap[str, Position], eq=False, repr=False
    )
    stream: TableStream | None = None
    partitioned_by: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """Return the qualified name."""
        return ("default_catalog", "default_database")[: 3 - len(self.name)] + self.name

    @property
    def identifier(self) -> str:
        """Return the name as Flink prints it."""
        return ".".join(self.path)

    @property
    def subject(self) -> str:
        """Return the subject of errors about options: the table."""
        return f"table {self.identifier}"
