"""Types and schemas that the user gives: fixed types of members, and initial schemas by DDL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import DefinitionError
from kafkastream.spec.values import FrozenMap
from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.statements import CreateTable, Statement
from kafkastream.sql.table import PhysicalColumn
from kafkastream.sql.types import DataType

__all__ = ["check_fixed_types", "fixed_types", "schemas_of_ddls"]

_DDLS: Final = "scan.value.initial-schemas.ddls"
_NOW: Final = "Write CREATE TABLE db.name (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED); and nothing else."


def schemas_of_ddls(text: str) -> Mapping[TableId, TableSchema]:
    """Return the schemas that statements of Flink SQL declare.

    Args:
        text: ``CREATE TABLE`` statements with columns, comments and primary keys, separated by ``;``.

    Raises:
        DefinitionError: It is something else, or a table stands twice.
        UnsupportedFeatureError: Rows of a pipeline cannot have the type of a column.

    Example:
        >>> schemas = schemas_of_ddls(
        ...     "CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE db1.t2 (id BIGINT);"
        ... )
        >>> {str(table): schema.names for table, schema in schemas.items()}
        {'db1.t1': ('id', 'name'), 'db1.t2': ('id',)}
    """
    schemas: dict[TableId, TableSchema] = {}
    for statement in parse(text):
        table, schema = _table(statement)
        if table in schemas:
            raise _refusal(f"table {table} stands twice")
        schemas[table] = schema
    return schemas


def _table(statement: Statement) -> tuple[TableId, TableSchema]:
    if not isinstance(statement, CreateTable) or statement.query or statement.like or statement.as_table:
        raise _refusal("a statement is no CREATE TABLE with columns")
    definition = statement.definition
    table, schema = TableId(definition.name), definition.schema
    others = [column.name for column in schema.columns if not isinstance(column, PhysicalColumn)]
    if others:
        raise _refusal(f"column {others[0]!r} of table {table} is computed or metadata")
    if definition.options or schema.watermark is not None or not schema.columns:
        raise _refusal(f"table {table} has options, a watermark or no columns")
    for column in schema.physical:
        Conversion().converter(column.type)
    columns = tuple(Column(column.name, column.type, column.comment) for column in schema.physical)
    return table, TableSchema(columns, schema.primary_key, statement.partitioned_by)


def _refusal(what: str) -> DefinitionError:
    return DefinitionError(what, where=f"option {_DDLS!r}", now=_NOW)


def fixed_types(text: str) -> FrozenMap[str, DataType]:
    """Return the types that the user fixes for members.

    Args:
        text: Names and types of Flink SQL, separated by commas.

    Raises:
        ValueError: It is something else.
        UnsupportedFeatureError: Rows of a pipeline cannot have one of the types.

    Example:
        >>> {name: str(type_) for name, type_ in fixed_types("id BIGINT, name VARCHAR(10)").items()}
        {'id': 'BIGINT', 'name': 'VARCHAR(10)'}
    """
    try:
        statements = parse(f"CREATE TABLE fixed ({text})")
    except DefinitionError as error:
        raise ValueError(f"expected names and types, as id BIGINT, name VARCHAR(10): {error.what}") from None
    statement = statements[0]
    assert isinstance(statement, CreateTable)
    columns = statement.definition.schema.columns
    if len(statements) > 1 or not all(isinstance(column, PhysicalColumn) for column in columns):
        raise ValueError("expected names and types, as id BIGINT, name VARCHAR(10)")
    types = {column.name: column.type for column in statement.definition.schema.physical}
    for type_ in types.values():
        Conversion().converter(type_)
    return FrozenMap(types)


def check_fixed_types(types: Mapping[str, DataType], pre_fetched: int) -> None:
    """Refuse fixed types where schemas are inferred before the start.

    Args:
        types: The fixed types.
        pre_fetched: The value of ``scan.max.pre.fetch.records``.

    Raises:
        DefinitionError: Both are set.
    """
    if types and pre_fetched:
        raise DefinitionError(
            f"'json.infer-schema.fixed-types' needs 'scan.max.pre.fetch.records' = 0, not {pre_fetched}",
            where="option 'json.infer-schema.fixed-types'",
            now="Set 'scan.max.pre.fetch.records' to 0.",
        )
