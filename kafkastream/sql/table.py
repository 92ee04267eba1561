"""Tables as they are declared: columns, watermark, primary key, and the options of their connector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import attrs

from kafkastream.model.common.immutable import FrozenMap, redacted
from kafkastream.sql.secret_masking import masked
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
    """An expression, as the user wrote it; where it stands does not make it another one.

    Args:
        text: The expression's text.
        position: Where it begins in its text.
        of: What it was given to, if it is a text of its own and no part of a statement.
        space: The catalog and database of its names without these; those that are current then, if None.
        names: What its names mean, a ``kafkastream.sql.plan.planning_catalog.Catalog``; what they mean then, if None.
    """

    text: str = attrs.field(repr=lambda text: repr(masked(text)))
    position: Position = attrs.field(default=Position(), eq=False)
    of: str = attrs.field(default="", eq=False, repr=False)
    space: tuple[str, str] | None = attrs.field(default=None, eq=False, repr=False)
    names: Any = attrs.field(default=None, eq=False, repr=False)


@final
@attrs.frozen
class PhysicalColumn:
    """A column that is a field of the key or the value of the records."""

    name: str
    type: DataType
    comment: str = attrs.field(default="", kw_only=True)
    position: Position | None = attrs.field(default=None, eq=False, kw_only=True)


@final
@attrs.frozen
class MetadataColumn:
    """A column that is the record's metadata, such as its topic.

    Args:
        name: The column's name.
        type: Its type, to and from which the metadata is cast.
        key: Which metadata.
        is_virtual: Whether it is read only.
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
    """Watermark of a table: how far event time has come, by a column; the names of nested fields make its path."""

    path: tuple[str, ...]
    expression: Expression
    position: Position | None = attrs.field(default=None, eq=False)


@final
@attrs.frozen
class TableSchema:
    """Schema of a table's rows.

    Args:
        columns: In their order.
        watermark: Which column is the rows' event time, if one is.
        primary_key: The columns that tell rows apart; none when nothing was declared.
    """

    columns: tuple[Column, ...] = ()
    watermark: Watermark | None = None
    primary_key: tuple[str, ...] = ()

    @property
    def physical(self) -> tuple[PhysicalColumn, ...]:
        """The fields of keys and values."""
        return tuple(column for column in self.columns if isinstance(column, PhysicalColumn))

    @property
    def metadata(self) -> tuple[MetadataColumn, ...]:
        """The metadata columns."""
        return tuple(column for column in self.columns if isinstance(column, MetadataColumn))

    @property
    def computed(self) -> tuple[ComputedColumn, ...]:
        """The computed columns."""
        return tuple(column for column in self.columns if isinstance(column, ComputedColumn))


@final
@attrs.frozen
class TableDefinition:
    """A table, as ``CREATE TABLE`` declares it.

    Args:
        name: Its name, with its catalog and database where they were given.
        schema: Its rows.
        options: The options of ``WITH``.
        comment: What the DDL says about it.
        positions: Where each option stands.
        stream: The stream whose elements its rows are, where a program has made it of one.
        partitioned_by: The columns whose values are in the names of directories.
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
        """The name in full."""
        return ("default_catalog", "default_database")[: 3 - len(self.name)] + self.name

    @property
    def identifier(self) -> str:
        """The name, as Flink shows it."""
        return ".".join(self.path)

    @property
    def subject(self) -> str:
        """Subject of errors about the options: the table."""
        return f"table {self.identifier}"
