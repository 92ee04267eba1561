"""A table as the statement that declares it."""

from __future__ import annotations

from kafkastream.spec.values import is_secret
from kafkastream.sql.masking import masked
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition

__all__ = ["declared"]


def declared(definition: TableDefinition) -> str:
    """The statement; secrets are hidden in it.

    Example:
        >>> from kafkastream.sql.table import TableSchema
        >>> print(declared(TableDefinition(("seen",), TableSchema(), {"connector": "print"})))
        CREATE TABLE `default_catalog`.`default_database`.`seen` (
        <BLANKLINE>
        ) WITH (
          'connector' = 'print'
        )
    """
    schema = definition.schema
    lines = [_column(column) for column in schema.columns]
    if schema.watermark is not None:
        path = ".".join(map(_quoted, schema.watermark.path))
        lines.append(f"WATERMARK FOR {path} AS {schema.watermark.expression.text}")
    if schema.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(_quoted, schema.primary_key))}) NOT ENFORCED")
    options = [f"'{key}' = '{_shown(key, value)}'" for key, value in definition.options.items()]
    name = ".".join(map(_quoted, definition.identifier.split(".")))
    comment = "" if not definition.comment else f"COMMENT '{_text(definition.comment)}' "
    return f"CREATE TABLE {name} (\n{_list(lines)}\n) {comment}WITH (\n{_list(options)}\n)"


def _column(column: PhysicalColumn | MetadataColumn | ComputedColumn) -> str:
    match column:
        case ComputedColumn():
            text = f"AS {column.expression.text}"
        case MetadataColumn():
            key = f" FROM '{_text(column.key)}'" if column.key != column.name else ""
            text = f"{column.type} METADATA{key}{' VIRTUAL' if column.is_virtual else ''}"
        case PhysicalColumn():
            text = str(column.type)
    comment = f" COMMENT '{_text(column.comment)}'" if column.comment else ""
    return f"{_quoted(column.name)} {text}{comment}"


def _shown(key: str, value: str) -> str:
    return "***" if is_secret(key) else _text(masked(value))


def _list(lines: list[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _text(text: str) -> str:
    return text.replace("'", "''")
