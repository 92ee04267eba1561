"""Changes as text, like Flink CDC's events, and as rows with column names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import attrs
import msgspec

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, Change, CreateTable, SchemaChange
from kafkastream.cdc.fitting import conversion
from kafkastream.cdc.processing import Write
from kafkastream.cdc.spec.values_source import RowChange
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.secret_masking import masked_value
from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType

__all__ = ["EventTexts", "RowChanges", "schema_change_text"]


@final
@attrs.frozen
class EventTexts:
    """Output of changes as text, in the format of Flink CDC's ``values`` sink."""

    def of_table(self, table: TableId, schema: TableSchema) -> Write:
        """Return the function from a change to its text."""
        texts = [conversion(column.type, DataType.string()) for column in schema.columns]

        def row(one: Any) -> str:
            if one is None:
                return "[]"
            values = zip(msgspec.structs.astuple(one), texts, strict=True)
            return (
                f"[{', '.join('null' if value is None else text(value) if text else value for value, text in values)}]"
            )

        def text(change: Change) -> str:
            halves = f"before={row(change.before)}, after={row(change.after)}"
            return f"DataChangeEvent{{tableId={table}, {halves}, op={change.operation.value}, meta=()}}"

        return text


@final
@attrs.frozen
class RowChanges:
    """Output of changes as ``RowChange``, for the program that iterates over them."""

    def of_table(self, table: TableId, schema: TableSchema) -> Write:
        """Return the function from a change to a ``RowChange``."""
        names = schema.names

        def row(one: Any) -> dict[str, Any] | None:
            return None if one is None else dict(zip(names, msgspec.structs.astuple(one), strict=True))

        return lambda change: RowChange(table, change.operation, row(change.before), row(change.after))


def schema_change_text(change: SchemaChange) -> str:
    """Return a schema change as text, in the format of Flink CDC's ``values`` sink.

    Example:
        >>> from kafkastream.sql.types import Kind
        >>> schema = TableSchema.of([("id", DataType.of(Kind.INT).not_null())], ["id"])
        >>> schema_change_text(CreateTable(TableId.parse("shop.orders"), schema))
        'CreateTableEvent{tableId=shop.orders, schema=columns={`id` INT NOT NULL}, primaryKeys=id, options=()}'
    """
    table = f"tableId={change.table}"
    match change:
        case CreateTable(schema=schema):
            keys = ";".join(schema.primary_key)
            options = ", ".join(f"{key}={masked_value(key, value)}" for key, value in schema.options.items())
            columns = f"columns={{{_columns(schema.columns)}}}"
            return f"CreateTableEvent{{{table}, schema={columns}, primaryKeys={keys}, options=({options})}}"
        case AddColumns(columns=columns):
            added = (
                f"ColumnWithPosition{{column={_columns([one])}, position=LAST, existedColumnName=null}}"
                for one in columns
            )
            return f"AddColumnEvent{{{table}, addedColumns=[{', '.join(added)}]}}"
        case AlterColumnTypes(types=types, before=before):
            return f"AlterColumnTypeEvent{{{table}, typeMapping={_types(types)}, oldTypeMapping={_types(before)}}}"
        case _:
            raise AssertionError(change)


def _columns(columns: Iterable[Column]) -> str:
    return ",".join(f"{quoted(column.name)} {column.type}" for column in columns)


def _types(types: Any) -> str:
    return f"{{{', '.join(f'{name}={type_}' for name, type_ in types.items())}}}"
