"""Columns of a resolved schema: physical, computed and metadata columns, with their types."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType

__all__ = ["Column", "ComputedColumn", "MetadataColumn", "PhysicalColumn"]


@attrs.frozen
class Column:
    """Column with its type; made by ``physical``, ``computed`` or ``metadata``."""

    name: str
    data_type: DataType
    comment: str | None = attrs.field(default=None, kw_only=True)

    @staticmethod
    def physical(name: str, data_type: DataType) -> PhysicalColumn:
        """Return a column of a record's fields.

        Args:
            name: Name of the column.
            data_type: Type of the column.
        """
        return PhysicalColumn(name, data_type)

    @staticmethod
    def computed(name: str, resolved_expression: Any) -> ComputedColumn:
        """Return a computed column; resolved expressions do not exist here, so none can be given.

        Args:
            name: Name of the column.
            resolved_expression: Object of Flink's class ``ResolvedExpression``.

        Raises:
            UnsupportedFeatureError: Always, when the expression is used.
        """
        return ComputedColumn(name, resolved_expression.get_output_data_type(), resolved_expression)

    @staticmethod
    def metadata(name: str, data_type: DataType, metadata_key: str | None, is_virtual: bool) -> MetadataColumn:
        """Return a column of a record's metadata.

        Args:
            name: Name of the column.
            data_type: Type of the column.
            metadata_key: Name of the metadata; that of the column if None.
            is_virtual: Leave the column out when the table is written.
        """
        return MetadataColumn(name, data_type, metadata_key, is_virtual)

    def get_name(self) -> str:
        """Return the name."""
        return self.name

    getName = get_name

    def get_data_type(self) -> DataType:
        """Return the type."""
        return self.data_type

    getDataType = get_data_type

    def get_comment(self) -> str | None:
        """Return the comment; None without one."""
        return self.comment

    getComment = get_comment

    def is_physical(self) -> bool:
        """Return whether the column is one of the record's fields."""
        return isinstance(self, PhysicalColumn)

    isPhysical = is_physical

    def is_persisted(self) -> bool:
        """Return whether a sink writes the column."""
        return not isinstance(self, ComputedColumn) and not getattr(self, "virtual", False)

    isPersisted = is_persisted

    def explain_extras(self) -> str | None:
        """Return how the column is declared, apart from its type; None for a physical one."""
        return None

    explainExtras = explain_extras

    def as_summary_string(self) -> str:
        """Return the column as a line of a schema."""
        extras = self.explain_extras()
        return f"{quoted(self.name)} {self.data_type}{f' {extras}' if extras else ''}"

    asSummaryString = as_summary_string

    def copy(self, new_type: DataType) -> Column:
        """Return the column with the type ``new_type``."""
        return attrs.evolve(self, data_type=new_type)

    def rename(self, new_name: str) -> Column:
        """Return the column with the name ``new_name``."""
        return attrs.evolve(self, name=new_name)

    def with_comment(self, comment: str) -> Column:
        """Return the column with a comment."""
        return attrs.evolve(self, comment=comment)

    withComment = with_comment

    def __str__(self) -> str:
        return self.as_summary_string()


@attrs.frozen(str=False)
class _OwnColumn(Column):
    """Column of one of the three kinds."""

    def copy(self, new_data_type: DataType) -> Column:
        """Return the column with another type."""
        return attrs.evolve(self, data_type=new_data_type)


@final
@attrs.frozen(str=False)
class PhysicalColumn(_OwnColumn):
    """Column of a record's fields."""


@final
@attrs.frozen(str=False)
class ComputedColumn(_OwnColumn):
    """Column computed from others."""

    expression: Any = None

    def get_expression(self) -> Any:
        """Return the expression."""
        return self.expression

    getExpression = get_expression

    def explain_extras(self) -> str | None:
        """Return the expression."""
        return f"AS {self.expression}"


@final
@attrs.frozen(str=False)
class MetadataColumn(_OwnColumn):
    """Column of a record's metadata."""

    key: str | None = None
    virtual: bool = False

    def get_metadata_key(self) -> str | None:
        """Return the key of the metadata, if it is not the name of the column."""
        return self.key

    getMetadataKey = get_metadata_key

    def is_virtual(self) -> bool:
        """Return whether the column is read only."""
        return self.virtual

    isVirtual = is_virtual

    def explain_extras(self) -> str | None:
        """Return the key, and whether the column is virtual."""
        key = f" FROM '{self.key}'" if self.key else ""
        return f"METADATA{key}{' VIRTUAL' if self.virtual else ''}"
