"""``Schema``: the columns, watermark and primary key of a table, built without SQL, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.checks import (
    TWO_KEYS,
    TWO_WATERMARKS,
    problems,
    refusal,
    repeated_column,
    repeated_key_column,
)
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.syntax.expressions import parse_expression
from kafkastream.sql.table import Column, ComputedColumn, MetadataColumn, PhysicalColumn, TableSchema, Watermark
from kafkastream.sql.types import DataType, Kind
from kafkastream.table.expression import Expression
from kafkastream.table.resolved_schema import ResolvedSchema
from kafkastream.table.session.ddl_text import schema_text

__all__ = [
    "Expression",
    "Schema",
    "SchemaBuilder",
]


@final
@attrs.frozen(repr=False)
class Schema:
    """Columns, watermark and primary key of a table, as between the parentheses of ``CREATE TABLE``.

    ``str`` shows the schema as SQL.
    Differs from PyFlink: types and expressions are parsed when they are given, not when the table is created; the name
    of a primary key is not kept.

    Args:
        declared: Schema as a statement declares it.

    Example:
        >>> builder = Schema.new_builder().column("id", "BIGINT").column_by_metadata("ts", "TIMESTAMP(3)", "timestamp")
        >>> print(builder.watermark("ts", "ts - INTERVAL '5' SECOND").build())
        (
          `id` BIGINT,
          `ts` TIMESTAMP(3) METADATA FROM 'timestamp',
          WATERMARK FOR `ts` AS ts - INTERVAL '5' SECOND
        )
    """

    Builder: ClassVar[type[SchemaBuilder]]

    _declared: TableSchema = attrs.field(default=TableSchema())

    @staticmethod
    def new_builder() -> SchemaBuilder:
        """Create a builder."""
        return SchemaBuilder()

    newBuilder = new_builder

    def _behind(self, names: Sequence[str], types: Sequence[DataType]) -> Schema:
        """Return this schema, after the given physical columns if it has none itself."""
        if self._declared.physical:
            return self
        return SchemaBuilder().from_fields(names, types).from_schema(self).build()

    def _checked(self, where: str) -> TableSchema:
        """Return the schema of a table, checked as a whole.

        Args:
            where: Method that takes the schema, for errors.

        Raises:
            DefinitionError: Primary key or watermark name a column that does not exist, or cannot be part of them.
        """
        for problem in problems(self._declared):
            raise refusal(problem, where)
        return self._declared

    def __repr__(self) -> str:
        return schema_text(self._declared)


@final
class SchemaBuilder:
    """Builder of a ``Schema``; each method returns the builder."""

    def __init__(self) -> None:
        self._columns: dict[str, Column] = {}
        self._watermark: Watermark | None = None
        self._key: tuple[str, ...] = ()

    def from_resolved_schema(self, resolved_schema: ResolvedSchema) -> SchemaBuilder:
        """Add the columns of a result, and its primary key if it has one.

        Args:
            resolved_schema: Schema of a table or result.

        Raises:
            DefinitionError: A column of the same name exists, or a primary key.
        """
        for column in resolved_schema.get_columns():
            self.column(column.get_name(), column.get_data_type())
        key = resolved_schema.get_primary_key()
        return self if key is None else self.primary_key(*key.get_columns())

    fromResolvedSchema = from_resolved_schema

    def from_schema(self, unresolved_schema: Schema) -> SchemaBuilder:
        """Add all columns, the watermark and the primary key of ``unresolved_schema``.

        Raises:
            DefinitionError: Both schemas have a column of the same name, a watermark, or a primary key.
        """
        declared = unresolved_schema._declared
        for column in declared.columns:
            self._add(column, "from_schema")
        if declared.watermark is not None:
            self._set_watermark(declared.watermark, "from_schema")
        return self._set_key(declared.primary_key, "from_schema") if declared.primary_key else self

    fromSchema = from_schema

    def from_row_data_type(self, data_type: DataType) -> SchemaBuilder:
        """Add the fields of ``data_type``, a ROW, as physical columns.

        Raises:
            DefinitionError: The type is not ROW, or a column of the same name exists.
        """
        if data_type.kind is not Kind.ROW:
            raise DefinitionError(
                f"Data type of ROW expected, found {data_type}.", where="from_row_data_type", now="Use column."
            )
        return self.from_fields([field.name for field in data_type.fields], [field.type for field in data_type.fields])

    fromRowDataType = from_row_data_type

    def from_fields(self, field_names: Sequence[str], field_data_types: Sequence[DataType]) -> SchemaBuilder:
        """Add physical columns.

        Args:
            field_names: Names of the columns.
            field_data_types: Types of the columns, as ``DataTypes`` or SQL text.

        Raises:
            DefinitionError: The numbers of names and types differ, or a column of the same name exists.
        """
        if len(field_names) != len(field_data_types):
            raise DefinitionError(
                f"Field names and field data types must have the same length: {len(field_names)} and {len(field_data_types)}.",
                where="from_fields",
                now="Give one type for each name.",
            )
        for name, data_type in zip(field_names, field_data_types, strict=True):
            self.column(name, data_type)
        return self

    fromFields = from_fields

    def column(self, column_name: str, data_type: str | DataType) -> SchemaBuilder:
        """Add a physical column: a field of the records.

        Args:
            column_name: Name of the column.
            data_type: Type of the column, as ``DataTypes`` or SQL text.

        Raises:
            DefinitionError: The text is not a type, or a column of the same name exists.
            UnsupportedFeatureError: The type is not supported.
        """
        where = f"column({column_name!r})"
        return self._add(PhysicalColumn(column_name, _type(data_type, where)), where)

    def column_by_expression(self, column_name: str, expr: str | Expression[Any]) -> SchemaBuilder:
        """Add a column that is computed from others.

        Args:
            column_name: Name of the column.
            expr: Expression, or SQL text.

        Raises:
            DefinitionError: The text is not an expression, or a column of the same name exists.
        """
        where = f"column_by_expression({column_name!r})"
        return self._add(ComputedColumn(column_name, parse_expression(str(expr), where)), where)

    columnByExpression = column_by_expression

    def column_by_metadata(
        self,
        column_name: str,
        data_type: str | DataType,
        metadata_key: str | None = None,
        is_virtual: bool = False,
    ) -> SchemaBuilder:
        """Add a metadata column, such as a Kafka record's timestamp or partition.

        Args:
            column_name: Name of the column.
            data_type: Type of the column, as ``DataTypes`` or SQL text.
            metadata_key: Key of the metadata; by default, the name of the column.
            is_virtual: Exclude the column when the table is written to.

        Raises:
            DefinitionError: The text is not a type, or a column of the same name exists.
            UnsupportedFeatureError: The type is not supported.
        """
        where = f"column_by_metadata({column_name!r})"
        key = column_name if metadata_key is None else metadata_key
        return self._add(MetadataColumn(column_name, _type(data_type, where), key, is_virtual), where)

    columnByMetadata = column_by_metadata

    def watermark(self, column_name: str, watermark_expr: str | Expression[Any]) -> SchemaBuilder:
        """Declare a column as the event time attribute, with its watermark strategy.

        Args:
            column_name: Name of a TIMESTAMP or TIMESTAMP_LTZ column with a precision of at most 3.
            watermark_expr: Watermark expression, or SQL text.

        Raises:
            DefinitionError: The text is not an expression, or a watermark exists.
        """
        where = f"watermark({column_name!r})"
        return self._set_watermark(Watermark((column_name,), parse_expression(str(watermark_expr), where)), where)

    def primary_key(self, *column_names: str) -> SchemaBuilder:
        """Declare the primary key, NOT ENFORCED as in Flink: uniqueness in the data is not checked.

        Args:
            column_names: Names of the columns, which become ``NOT NULL``.

        Raises:
            DefinitionError: No column is named, one is named twice, or a primary key exists.
        """
        return self._set_key(column_names, f"primary_key({', '.join(map(repr, column_names))})")

    primaryKey = primary_key

    def primary_key_named(self, constraint_name: str, *column_names: str) -> SchemaBuilder:
        """Declare the primary key.

        Args:
            constraint_name: Name of the constraint, which has no effect.
            column_names: Names of the columns, which become ``NOT NULL``.

        Raises:
            DefinitionError: No column is named, one is named twice, or a primary key exists.
        """
        return self.primary_key(*column_names)

    primaryKeyNamed = primary_key_named

    def build(self) -> Schema:
        """Build the schema; its primary key and watermark are checked when a table is created with it."""
        return Schema(TableSchema(tuple(self._columns.values()), self._watermark, self._key))

    def _add(self, column: Column, where: str) -> SchemaBuilder:
        if column.name in self._columns:
            raise refusal(repeated_column(column.name), where)
        self._columns[column.name] = column
        return self

    def _set_watermark(self, watermark: Watermark, where: str) -> SchemaBuilder:
        if self._watermark is not None:
            raise refusal(TWO_WATERMARKS, where)
        self._watermark = watermark
        return self

    def _set_key(self, names: tuple[str, ...], where: str) -> SchemaBuilder:
        if not names:
            raise DefinitionError(
                "Primary key constraint must be defined for at least a single column.",
                where=where,
                now="Name a column or more.",
            )
        if self._key:
            raise refusal(TWO_KEYS, where)
        for name in names:
            if names.count(name) > 1:
                raise refusal(repeated_key_column(name), where)
        self._key = names
        return self


Schema.Builder = SchemaBuilder


def _type(given: str | DataType, where: str) -> DataType:
    if isinstance(given, DataType):
        return given
    if isinstance(given, str):
        return parse_type(given, where)
    raise DefinitionError(
        f"{given!r} is not a column type", where=where, now="Use DataTypes, or text such as 'BIGINT'."
    )
