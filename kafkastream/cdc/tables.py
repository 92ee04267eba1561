"""Tables of a pipeline: identity and schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import redacted
from kafkastream.sql.types import DataType

__all__ = ["Column", "TableId", "TableSchema"]


@final
@attrs.frozen(order=True, cache_hash=True)
class TableId:
    """Identity of a table: namespace, schema and table, of which the first two may be missing.

    Args:
        parts: One to three names, the table's last.

    Example:
        >>> shop = TableId.parse("shop.orders")
        >>> shop.schema, shop.table, str(shop)
        ('shop', 'orders', 'shop.orders')
    """

    parts: tuple[str, ...]

    def __attrs_post_init__(self) -> None:
        if not 1 <= len(self.parts) <= 3:
            raise DefinitionError(f"a table id has one to three parts, not {len(self.parts)}: {'.'.join(self.parts)!r}")

    @staticmethod
    def parse(text: str) -> TableId:
        """Parse a text: ``namespace.schema.table``, ``schema.table`` or ``table``.

        Raises:
            DefinitionError: The text has more than three parts.
        """
        return TableId(tuple(text.split(".")))

    @property
    def namespace(self) -> str:
        """First of three parts; empty if there are fewer."""
        return self.parts[0] if len(self.parts) == 3 else ""

    @property
    def schema(self) -> str:
        """Schema or database: the part before the table's name; empty if there is none."""
        return self.parts[-2] if len(self.parts) > 1 else ""

    @property
    def table(self) -> str:
        """Name of the table."""
        return self.parts[-1]

    def __str__(self) -> str:
        return ".".join(self.parts)


@final
@attrs.frozen
class Column:
    """Column of a table.

    Args:
        name: Name, any text.
        type: Type, nullable unless the column belongs to the primary key.
        comment: Comment; empty if there is none.
    """

    name: str
    type: DataType
    comment: str = ""


@final
@attrs.frozen
class TableSchema:
    """Columns and keys of a table.

    Args:
        columns: Columns in order, with unique names.
        primary_key: Names of the columns that identify a row; empty if there are none.
        partition_key: Names of the columns by which the sink partitions the table.
        options: Sink options of the table, from a transform rule's ``table-options``.

    Raises:
        DefinitionError: A name is used twice, or a key names a column that does not exist.
    """

    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    partition_key: tuple[str, ...] = ()
    options: Mapping[str, str] = attrs.field(factory=FrozenMap, converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        names = self.names
        known = set(names)
        if len(known) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            raise DefinitionError(f"column {double!r} is used twice in a table")
        missing = [name for name in (*self.primary_key, *self.partition_key) if name not in known]
        if missing:
            raise DefinitionError(
                f"key column {missing[0]!r} is not a column of the table: {', '.join(map(repr, names))}"
            )

    @staticmethod
    def of(columns: Iterable[tuple[str, DataType]], primary_key: Iterable[str] = ()) -> TableSchema:
        """Create a schema.

        Args:
            columns: Names and types of the columns.
            primary_key: Names of the primary key's columns.
        """
        return TableSchema(tuple(Column(name, type_) for name, type_ in columns), tuple(primary_key))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        """Return a column by name; raises ``KeyError`` if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
