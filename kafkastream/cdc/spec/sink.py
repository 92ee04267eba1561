"""Base class of pipeline sinks."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final, TypeAlias

import attrs

from kafkastream.cdc.spec.section import NAME
from kafkastream.cdc.tables import TableId
from kafkastream.model.common.endpoints import Sink
from kafkastream.options.option import Option
from kafkastream.options.parsers import list_of
from kafkastream.sql.settings import OPTION, setting

__all__ = ["PipelineSink", "SchemaChangeType"]


class SchemaChangeType(enum.Enum):
    """Kinds of schema changes, under Flink CDC's names."""

    ADD_COLUMN = "add.column"
    ALTER_COLUMN_TYPE = "alter.column.type"
    CREATE_TABLE = "create.table"
    DROP_COLUMN = "drop.column"
    DROP_TABLE = "drop.table"
    RENAME_COLUMN = "rename.column"
    TRUNCATE_TABLE = "truncate.table"


def _types(tag: str) -> frozenset[SchemaChangeType]:
    """Parse a kind, or a group of kinds: ``column``, ``table``, ``drop``, ``all``."""
    found = frozenset(kind for kind in SchemaChangeType if tag in ("all", kind.value, *kind.value.split(".")))
    if not found:
        raise ValueError(f"expected {', '.join(kind.value for kind in SchemaChangeType)}, a word of them, or all")
    return found


_Types: TypeAlias = Iterable[SchemaChangeType | frozenset[SchemaChangeType]]


def _union(types: _Types) -> frozenset[SchemaChangeType]:
    return frozenset(kind for one in types for kind in ([one] if isinstance(one, SchemaChangeType) else one))


_KINDS: Final = ", ".join(f"`{kind.value}`" for kind in SchemaChangeType)
INCLUDE: Final = Option[tuple[frozenset[SchemaChangeType], ...]](
    key="include.schema.changes",
    parse=list_of(_types, separator=","),
    default=(),
    doc=f"List of schema changes that the sink receives: {_KINDS}, or a word of them, such as `column`; by default, all.",
)
EXCLUDE: Final = Option[tuple[frozenset[SchemaChangeType], ...]](
    key="exclude.schema.changes",
    parse=list_of(_types, separator=","),
    default=(),
    doc="List of schema changes that the sink does not receive, even if included.",
)


@attrs.frozen(kw_only=True)
class PipelineSink(Sink):
    """Base class of pipeline sinks: a frozen value, whose class is the kind of the sink."""

    name: str | None = setting(NAME)
    included: frozenset[SchemaChangeType] = attrs.field(default=(), converter=_union, metadata={OPTION: INCLUDE})
    excluded: frozenset[SchemaChangeType] = attrs.field(default=(), converter=_union, metadata={OPTION: EXCLUDE})

    @property
    def guarantee(self) -> str:
        """Name of the delivery guarantee: tables hold each change once."""
        return "EXACTLY_ONCE"

    def table_problem(self, table: TableId) -> str | None:
        """Return why the sink can have no table of this name, as part of a sentence; None if it can."""
        return None

    def column_problem(self, name: str) -> str | None:
        """Return why the sink can have no column of this name, as part of a sentence; None if it can."""
        return None

    def conflict(self, table: TableId, other: TableId) -> str | None:
        """Return why the sink cannot have a table beside another one, as part of a sentence; None if it can.

        Args:
            table: Table of the record.
            other: Table that the sink already has.
        """
        return None

    def compared_column(self, name: str) -> str:
        """Return a column's name as the sink compares it with others of its table."""
        return name

    def follows(self, kind: SchemaChangeType) -> bool:
        """Return whether the sink receives schema changes of a kind."""
        return kind not in self.excluded and (kind in self.included or not self.included)
