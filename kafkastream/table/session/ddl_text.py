"""Tables and catalogs as text of ``CREATE TABLE`` and ``CREATE CATALOG``."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.secret_masking import masked, masked_statement, masked_value
from kafkastream.sql.quoting import literal, quoted
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition, TableSchema

__all__ = ["comment_clause", "create_catalog_text", "create_table_text", "options_clause", "schema_text"]


def create_table_text(definition: TableDefinition) -> str:
    """Return the ``CREATE TABLE`` statement of a table, with secrets masked.

    Example:
        >>> print(create_table_text(TableDefinition(("seen",), TableSchema(), {"connector": "print"})))
        CREATE TABLE `default_catalog`.`default_database`.`seen` (
        <BLANKLINE>
        ) WITH (
          'connector' = 'print'
        )
    """
    name = quoted(*definition.path)
    comment = "" if not definition.comment else f"{comment_clause(definition.comment)} "
    columns = ", ".join(map(quoted, definition.partitioned_by))
    partitions = f"PARTITIONED BY ({columns}) " if columns else ""
    schema, options = schema_text(definition.schema), options_clause(definition.options)
    return f"CREATE TABLE {name} {schema} {comment}{partitions}{options}"


def schema_text(schema: TableSchema) -> str:
    """Return the parenthesized list of columns, watermark and primary key.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> print(schema_text(TableSchema((PhysicalColumn("id", DataType.string()),))))
        (
          `id` STRING
        )
    """
    lines = [_column(column) for column in schema.columns]
    if schema.watermark is not None:
        path = quoted(*schema.watermark.path)
        lines.append(f"WATERMARK FOR {path} AS {masked_statement(schema.watermark.expression.text)}")
    if schema.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(quoted, schema.primary_key))}) NOT ENFORCED")
    return f"(\n{_list(lines)}\n)"


def comment_clause(comment: str) -> str:
    """Return the ``COMMENT`` clause."""
    return f"COMMENT {literal(masked(comment))}"


def options_clause(options: Mapping[str, str]) -> str:
    """Return the ``WITH`` clause, with secrets masked."""
    lines = [f"'{key}' = {_shown(key, value)}" for key, value in options.items()]
    return f"WITH (\n{_list(lines)}\n)"


def create_catalog_text(statement: CreateCatalog) -> str:
    """Return the ``CREATE CATALOG`` statement of a catalog, with secrets masked.

    Example:
        >>> print(create_catalog_text(CreateCatalog(name=("c",), options={"type": "kafka"})))
        CREATE CATALOG `c` WITH (
          'type' = 'kafka'
        )
    """
    comment = f"{comment_clause(statement.comment)} " if statement.comment else ""
    return f"CREATE CATALOG {quoted(statement.name[-1])} {comment}{options_clause(statement.options)}"


def _column(column: PhysicalColumn | MetadataColumn | ComputedColumn) -> str:
    match column:
        case ComputedColumn():
            text = f"AS {masked_statement(column.expression.text)}"
        case MetadataColumn():
            key = f" FROM {literal(column.key)}" if column.key != column.name else ""
            text = f"{column.type} METADATA{key}{' VIRTUAL' if column.is_virtual else ''}"
        case PhysicalColumn():
            text = str(column.type)
    comment = f" COMMENT {literal(column.comment)}" if column.comment else ""
    return f"{quoted(column.name)} {text}{comment}"


def _shown(key: str, value: str) -> str:
    return literal(masked_value(key, value))


def _list(lines: list[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)
