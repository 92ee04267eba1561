"""Tables and catalogs as the statements that declare them."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.model.common.immutable import is_secret
from kafkastream.sql.masking import masked
from kafkastream.sql.quoting import literal, quoted
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition, TableSchema

__all__ = ["declared", "declared_catalog", "declared_comment", "declared_options", "declared_schema"]


def declared(definition: TableDefinition) -> str:
    """The statement; secrets are hidden in it.

    Example:
        >>> print(declared(TableDefinition(("seen",), TableSchema(), {"connector": "print"})))
        CREATE TABLE `default_catalog`.`default_database`.`seen` (
        <BLANKLINE>
        ) WITH (
          'connector' = 'print'
        )
    """
    name = quoted(*definition.path)
    comment = "" if not definition.comment else f"{declared_comment(definition.comment)} "
    columns = ", ".join(map(quoted, definition.partitioned_by))
    partitions = f"PARTITIONED BY ({columns}) " if columns else ""
    schema, options = declared_schema(definition.schema), declared_options(definition.options)
    return f"CREATE TABLE {name} {schema} {comment}{partitions}{options}"


def declared_schema(schema: TableSchema) -> str:
    """What stands between the parentheses, and these.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> print(declared_schema(TableSchema((PhysicalColumn("id", DataType.string()),))))
        (
          `id` STRING
        )
    """
    lines = [_column(column) for column in schema.columns]
    if schema.watermark is not None:
        path = quoted(*schema.watermark.path)
        lines.append(f"WATERMARK FOR {path} AS {schema.watermark.expression.text}")
    if schema.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(quoted, schema.primary_key))}) NOT ENFORCED")
    return f"(\n{_list(lines)}\n)"


def declared_comment(comment: str) -> str:
    """The clause of a comment."""
    return f"COMMENT {literal(comment)}"


def declared_options(options: Mapping[str, str]) -> str:
    """The clause of the options; secrets are hidden in it."""
    lines = [f"'{key}' = {_shown(key, value)}" for key, value in options.items()]
    return f"WITH (\n{_list(lines)}\n)"


def declared_catalog(statement: CreateCatalog) -> str:
    """The statement that creates a catalog; secrets are hidden in it.

    Example:
        >>> print(declared_catalog(CreateCatalog(name=("c",), options={"type": "kafka"})))
        CREATE CATALOG `c` WITH (
          'type' = 'kafka'
        )
    """
    comment = f"{declared_comment(statement.comment)} " if statement.comment else ""
    return f"CREATE CATALOG {quoted(statement.name[-1])} {comment}{declared_options(statement.options)}"


def _column(column: PhysicalColumn | MetadataColumn | ComputedColumn) -> str:
    match column:
        case ComputedColumn():
            text = f"AS {column.expression.text}"
        case MetadataColumn():
            key = f" FROM {literal(column.key)}" if column.key != column.name else ""
            text = f"{column.type} METADATA{key}{' VIRTUAL' if column.is_virtual else ''}"
        case PhysicalColumn():
            text = str(column.type)
    comment = f" COMMENT {literal(column.comment)}" if column.comment else ""
    return f"{quoted(column.name)} {text}{comment}"


def _shown(key: str, value: str) -> str:
    return literal("***" if is_secret(key) else masked(value))


def _list(lines: list[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)
