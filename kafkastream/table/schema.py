"""The columns of a table without SQL, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

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
from kafkastream.table.declared import declared_schema
from kafkastream.table.expression import Expression

__all__ = [
    "Expression",
    "Schema",
    "SchemaBuilder",
]


@final
@attrs.frozen(repr=False)
class Schema:
    """What stands between the parentheses of ``CREATE TABLE``: columns, watermark and primary key.

    Same as PyFlink's; ``str`` shows it as SQL. Differs: types and expressions are read when they are given, not when the table is
    created; the name of a primary key is not kept.

    Args:
        declared: It, as a statement declares it.

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
        """Begin to declare columns."""
        return SchemaBuilder()

    newBuilder = new_builder

    def _behind(self, names: Sequence[str], types: Sequence[DataType]) -> Schema:
        """This schema; with the columns of rows in front, if it has no physical ones."""
        if self._declared.physical:
            return self
        return SchemaBuilder().from_fields(names, types).from_schema(self).build()

    def _checked(self, where: str) -> TableSchema:
        """The schema of a table, of which these are all columns.

        Args:
            where: What it is given to, for errors.

        Raises:
            DefinitionError: The primary key or the watermark is on a column that is not there or cannot be in one.
        """
        for problem in problems(self._declared):
            raise refusal(problem, where)
        return self._declared

    def __repr__(self) -> str:
        return declared_schema(self._declared)


@final
class SchemaBuilder:
    """Collects the columns of a ``Schema``."""

    def __init__(self) -> None:
        self._columns: dict[str, Column] = {}
        self._watermark: Watermark | None = None
        self._key: tuple[str, ...] = ()

    def from_schema(self, unresolved_schema: Schema) -> SchemaBuilder:
        """Take over all of a schema.

        Raises:
            DefinitionError: Both have a column of one name, a watermark, or a primary key.
        """
        declared = unresolved_schema._declared
        for column in declared.columns:
            self._add(column, "from_schema")
        if declared.watermark is not None:
            self._set_watermark(declared.watermark, "from_schema")
        return self._set_key(declared.primary_key, "from_schema") if declared.primary_key else self

    fromSchema = from_schema

    def from_row_data_type(self, data_type: DataType) -> SchemaBuilder:
        """Take over the fields of a ``ROW`` as physical columns.

        Raises:
            DefinitionError: The type is no ``ROW``, or there is a column of that name.
        """
        if data_type.kind is not Kind.ROW:
            raise DefinitionError(
                f"Data type of ROW expected, found {data_type}.", where="from_row_data_type", now="Use column."
            )
        return self.from_fields([field.name for field in data_type.fields], [field.type for field in data_type.fields])

    fromRowDataType = from_row_data_type

    def from_fields(self, field_names: Sequence[str], field_data_types: Sequence[DataType]) -> SchemaBuilder:
        """Add physical columns of these names and types.

        Raises:
            DefinitionError: There are not as many types as names, or there is a column of that name.
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
            column_name: Its name.
            data_type: Its type, of ``DataTypes`` or as text of SQL.

        Raises:
            DefinitionError: The text is no type, or there is a column of that name.
            UnsupportedFeatureError: There is no such type here.
        """
        where = f"column({column_name!r})"
        return self._add(PhysicalColumn(column_name, _type(data_type, where)), where)

    def column_by_expression(self, column_name: str, expr: str) -> SchemaBuilder:
        """Add a column that is computed from others.

        Args:
            column_name: Its name.
            expr: The expression, in SQL.

        Raises:
            DefinitionError: The text is no expression, or there is a column of that name.
        """
        where = f"column_by_expression({column_name!r})"
        return self._add(ComputedColumn(column_name, parse_expression(expr, where)), where)

    columnByExpression = column_by_expression

    def column_by_metadata(
        self,
        column_name: str,
        data_type: str | DataType,
        metadata_key: str | None = None,
        is_virtual: bool = False,
    ) -> SchemaBuilder:
        """Add a column that is a record's metadata.

        Args:
            column_name: Its name.
            data_type: Its type, of ``DataTypes`` or as text of SQL.
            metadata_key: Which metadata; what the column's name says if not given.
            is_virtual: Whether it is read only.

        Raises:
            DefinitionError: The text is no type, or there is a column of that name.
            UnsupportedFeatureError: There is no such type here.
        """
        where = f"column_by_metadata({column_name!r})"
        key = column_name if metadata_key is None else metadata_key
        return self._add(MetadataColumn(column_name, _type(data_type, where), key, is_virtual), where)

    columnByMetadata = column_by_metadata

    def watermark(self, column_name: str, watermark_expr: str) -> SchemaBuilder:
        """Declare a column as event time.

        Args:
            column_name: The column.
            watermark_expr: The watermark that a row brings, in SQL.

        Raises:
            DefinitionError: The text is no expression, or there is a watermark.
        """
        where = f"watermark({column_name!r})"
        return self._set_watermark(Watermark((column_name,), parse_expression(watermark_expr, where)), where)

    def primary_key(self, *column_names: str) -> SchemaBuilder:
        """Declare the columns that tell rows apart; they are ``NOT NULL``, which nothing checks in the data.

        Raises:
            DefinitionError: There is no column, one is given twice, or there is a primary key.
        """
        return self._set_key(column_names, f"primary_key({', '.join(map(repr, column_names))})")

    primaryKey = primary_key

    def primary_key_named(self, constraint_name: str, *column_names: str) -> SchemaBuilder:
        """As ``primary_key``; the name has no effect."""
        return self.primary_key(*column_names)

    primaryKeyNamed = primary_key_named

    def build(self) -> Schema:
        """The schema; that its primary key and watermark fit is looked at when a table is created with it."""
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
                "Primary key constraint must be defined for at least a single column.", where=where, now="Name one."
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
        f"{given!r} is no type of a column", where=where, now="Use DataTypes, or text such as 'BIGINT'."
    )
