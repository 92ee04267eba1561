"""``ResolvedSchema``: the columns of a query's result with their types, at PyFlink's path."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, final

import attrs

from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "Column",
    "ComputedColumn",
    "Constraint",
    "MetadataColumn",
    "PhysicalColumn",
    "ResolvedSchema",
    "UniqueConstraint",
    "WatermarkSpec",
]


@attrs.frozen
class Column:
    """Column with its type; made by ``physical``, ``computed`` or ``metadata``."""

    name: str
    data_type: DataType
    comment: str | None = attrs.field(default=None, kw_only=True)

    @staticmethod
    def physical(name: str, data_type: DataType) -> PhysicalColumn:
        """Return a column of a record's fields."""
        return PhysicalColumn(name, data_type)

    @staticmethod
    def computed(name: str, resolved_expression: Any) -> ComputedColumn:
        """Return a computed column; resolved expressions do not exist here, so none can be given.

        Raises:
            UnsupportedFeatureError: Always, when the expression is used.
        """
        return ComputedColumn(name, resolved_expression.get_output_data_type(), resolved_expression)

    @staticmethod
    def metadata(name: str, data_type: DataType, metadata_key: str | None, is_virtual: bool) -> MetadataColumn:
        """Return a column of a record's metadata."""
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
        """Whether the column is one of the record's fields."""
        return isinstance(self, PhysicalColumn)

    isPhysical = is_physical

    def is_persisted(self) -> bool:
        """Whether a sink writes the column."""
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
        """Return the column with another type."""
        return attrs.evolve(self, data_type=new_type)

    def rename(self, new_name: str) -> Column:
        """Return the column with another name."""
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
        """Whether the column is read only."""
        return self.virtual

    isVirtual = is_virtual

    def explain_extras(self) -> str | None:
        """Return the key, and whether the column is virtual."""
        key = f" FROM '{self.key}'" if self.key else ""
        return f"METADATA{key}{' VIRTUAL' if self.virtual else ''}"


@attrs.frozen
class Constraint:
    """Constraint of a table."""

    name: str

    class ConstraintType(enum.Enum):
        """Kinds of constraints."""

        PRIMARY_KEY = 0
        UNIQUE_KEY = 1

    def get_name(self) -> str:
        """Return the name."""
        return self.name

    getName = get_name

    def get_type(self) -> Constraint.ConstraintType:
        """Return the kind."""
        return Constraint.ConstraintType.PRIMARY_KEY

    getType = get_type

    def is_enforced(self) -> bool:
        """Return False: keys are not enforced."""
        return False

    isEnforced = is_enforced

    def as_summary_string(self) -> str:
        """Return the constraint as SQL."""
        return f"CONSTRAINT {quoted(self.name)}"

    asSummaryString = as_summary_string


@final
@attrs.frozen
class UniqueConstraint(Constraint):
    """Primary key of a table."""

    columns: tuple[str, ...] = attrs.field(converter=tuple[Any, ...])

    @staticmethod
    def primary_key(name: str, columns: Iterable[str]) -> UniqueConstraint:
        """Return a primary key, which is not enforced."""
        return UniqueConstraint(name, columns)

    primaryKey = primary_key

    def get_columns(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.columns)

    getColumns = get_columns

    def get_type_string(self) -> str:
        """Return ``PRIMARY KEY``."""
        return "PRIMARY KEY"

    getTypeString = get_type_string

    def as_summary_string(self) -> str:
        """Return the constraint as SQL."""
        columns = ", ".join(map(quoted, self.columns))
        return f"CONSTRAINT {quoted(self.name)} {self.get_type_string()} ({columns}) NOT ENFORCED"


@final
@attrs.frozen
class WatermarkSpec:
    """Watermark of a table: the column with the event time, and the expression."""

    rowtime_attribute: str
    watermark_expression: Any

    @staticmethod
    def of(rowtime_attribute: str, watermark_expression: Any) -> WatermarkSpec:
        """Return the watermark of a column."""
        return WatermarkSpec(rowtime_attribute, watermark_expression)

    def get_rowtime_attribute(self) -> str:
        """Return the name of the column."""
        return self.rowtime_attribute

    getRowtimeAttribute = get_rowtime_attribute

    def get_watermark_expression(self) -> Any:
        """Return the expression."""
        return self.watermark_expression

    getWatermarkExpression = get_watermark_expression

    def as_summary_string(self) -> str:
        """Return the watermark as SQL."""
        return f"WATERMARK FOR {quoted(self.rowtime_attribute)} AS {self.watermark_expression}"

    asSummaryString = as_summary_string


@final
@attrs.frozen(str=False)
class ResolvedSchema:
    """Columns of a result with their types.

    Example:
        >>> from kafkastream.table import DataTypes
        >>> print(ResolvedSchema.of([Column.physical("id", DataTypes.BIGINT())]))
        (
          `id` BIGINT
        )
    """

    columns: Sequence[Column] = attrs.field(converter=tuple[Any, ...])
    watermark_specs: Sequence[WatermarkSpec] = attrs.field(default=(), converter=tuple[Any, ...])
    primary_key: UniqueConstraint | None = None

    @staticmethod
    def of(columns: Iterable[Column]) -> ResolvedSchema:
        """Return the schema of columns alone."""
        return ResolvedSchema(columns)

    @staticmethod
    def physical(column_names: Iterable[str], column_data_types: Iterable[DataType]) -> ResolvedSchema:
        """Return the schema of physical columns, by their names and types."""
        return ResolvedSchema(map(Column.physical, column_names, column_data_types))

    def get_columns(self) -> list[Column]:
        """Return the columns."""
        return list(self.columns)

    getColumns = get_columns

    def get_column_count(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    getColumnCount = get_column_count

    def get_column_names(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self.columns]

    getColumnNames = get_column_names

    def get_column_data_types(self) -> list[DataType]:
        """Return the types of the columns."""
        return [column.data_type for column in self.columns]

    getColumnDataTypes = get_column_data_types

    def get_column(self, column_index_or_name: int | str) -> Column | None:
        """Return a column by position from 0, or by name; None if there is none."""
        known: dict[int | str, Column] = {**dict(enumerate(self.columns)), **{one.name: one for one in self.columns}}
        return known.get(column_index_or_name)

    getColumn = get_column

    def get_watermark_specs(self) -> list[WatermarkSpec]:
        """Return the watermarks."""
        return list(self.watermark_specs)

    getWatermarkSpecs = get_watermark_specs

    def get_primary_key(self) -> UniqueConstraint | None:
        """Return the primary key; None without one."""
        return self.primary_key

    getPrimaryKey = get_primary_key

    def get_primary_key_indexes(self) -> list[int]:
        """Return the positions of the primary key's columns."""
        key = () if self.primary_key is None else self.primary_key.columns
        return [self.get_column_names().index(name) for name in key]

    getPrimaryKeyIndexes = get_primary_key_indexes

    def to_source_row_data_type(self) -> DataType:
        """Return all columns as a ROW."""
        return _row(self.columns)

    toSourceRowDataType = to_source_row_data_type

    def to_physical_row_data_type(self) -> DataType:
        """Return the physical columns as a ROW."""
        return _row(column for column in self.columns if column.is_physical())

    toPhysicalRowDataType = to_physical_row_data_type

    def to_sink_row_data_type(self) -> DataType:
        """Return the columns that a sink writes as a ROW."""
        return _row(column for column in self.columns if column.is_persisted())

    toSinkRowDataType = to_sink_row_data_type

    def __str__(self) -> str:
        lines = [*self.columns, *(one.as_summary_string() for one in self.watermark_specs)]
        key = [] if self.primary_key is None else [self.primary_key.as_summary_string()]
        return "(\n" + ",\n".join(f"  {line}" for line in (*lines, *key)) + "\n)"


def _row(columns: Iterable[Column]) -> DataType:
    fields = tuple(RowField(column.name, column.data_type, column.comment or "") for column in columns)
    return DataType.of(Kind.ROW, fields=fields).not_null()
