"""``ResolvedSchema``: the columns of a query's result with their types, at PyFlink's path."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, final

import attrs

from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.table.resolved_columns import Column

__all__ = [
    "Constraint",
    "ResolvedSchema",
    "UniqueConstraint",
    "WatermarkSpec",
]


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
        """Return a primary key, which is not enforced.

        Args:
            name: Name of the constraint.
            columns: Names of the columns.
        """
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
        """Return the watermark of a column.

        Args:
            rowtime_attribute: Name of the column.
            watermark_expression: Expression that computes the watermark.
        """
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
        """Return the schema of physical columns.

        Args:
            column_names: Names of the columns.
            column_data_types: Types of the columns, in the order of the names.
        """
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
        """Return a column; None if there is none.

        Args:
            column_index_or_name: Position from 0, or name.
        """
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
