"""Schemas declared by CREATE TABLE statements."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.statements import CreateTable, Statement
from kafkastream.sql.table import PhysicalColumn

__all__ = ["initial_schemas"]


def initial_schemas(ddls: str) -> Mapping[TableId, TableSchema]:
    """Parse the schemas of ``CREATE TABLE`` statements in Flink SQL.

    Args:
        ddls: Statements separated by ``;``, with columns and a primary key only.

    Raises:
        ValueError: The text is something else.
        UnsupportedFeatureError: The type of a column is not supported in pipelines.

    Example:
        >>> schemas = initial_schemas(
        ...     "CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE db1.t2 (id BIGINT);"
        ... )
        >>> [(str(table), schema.names) for table, schema in schemas.items()]
        [('db1.t1', ('id', 'name')), ('db1.t2', ('id',))]
    """
    found: dict[TableId, TableSchema] = {}
    try:
        for statement in parse(ddls):
            table, schema = _table(statement)
            if table in found:
                raise ValueError(f"{table} is declared twice")
            found[table] = schema
    except DefinitionError as error:
        raise ValueError(f"{error.what} (at {error.where})" if error.where else error.what) from None
    return FrozenMap(found)


def _table(statement: Statement) -> tuple[TableId, TableSchema]:
    if not isinstance(statement, CreateTable):
        raise ValueError("expected CREATE TABLE statements")  # noqa: TRY004 - parsers of options raise ValueError
    definition = statement.definition
    table = TableId(definition.name)
    if definition.options or statement.like or statement.query is not None or definition.schema.watermark:
        raise ValueError(f"the schema of {table} has columns and a primary key only: no WITH, LIKE, AS or WATERMARK")
    columns = definition.schema.columns
    physical = [column for column in columns if isinstance(column, PhysicalColumn)]
    if len(physical) < len(columns):
        raise ValueError(f"the columns of {table} must be plain ones, neither METADATA nor computed")
    for column in physical:
        Conversion().converter(column.type)
    schema = TableSchema(
        tuple(Column(column.name, column.type, column.comment) for column in physical), definition.schema.primary_key
    )
    return table, schema
