"""Encoder of changes as Debezium JSON, with the fields of Flink CDC's Kafka sink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

import msgspec

from kafkastream.cdc.changes import Change, Operation, Row
from kafkastream.cdc.rows import ENCODER, encodable, encode_row, row_encoder
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.writing.connect import connect_rows, connect_schema

__all__ = ["DebeziumTable", "row_form"]

_INSERT: Final = Operation.INSERT
_UPDATE: Final = Operation.UPDATE
_encode: Final = ENCODER.encode


class _Source(msgspec.Struct):
    db: str | None
    table: str


class _Event(msgspec.Struct):
    before: Any
    after: Any
    op: str
    source: _Source


class _WithSchema(msgspec.Struct):
    schema: msgspec.Raw
    payload: _Event


def row_form(schema: TableSchema) -> Callable[[Row | None], Any] | None:
    """Return the function from a row to an object that msgspec can encode; None if it can encode the row itself.

    Rows need it only if a column's name contains quotes, backslashes or control characters.
    """
    if row_encoder(schema.columns) is not encode_row:
        return None
    return lambda row: None if row is None else encodable(row)


@final
class DebeziumTable:
    """Encodes the changes of a table.

    Args:
        table: Name of the table in the messages.
        schema: Schema of the table.
        with_schema: Include the schema in each message, and write values in Kafka Connect's form.

    Example:
        >>> from kafkastream.cdc.rows import row_class
        >>> from kafkastream.sql.types import DataType
        >>> notes = TableSchema.of([("note", DataType.string())])
        >>> row = row_class(notes.columns)("ink")
        >>> shop = TableId.parse("shop.notes")
        >>> DebeziumTable(shop, notes).encode(Change(shop, Operation.INSERT, None, row))
        b'{"before":null,"after":{"note":"ink"},"op":"c","source":{"db":"shop","table":"notes"}}'
    """

    def __init__(self, table: TableId, schema: TableSchema, *, with_schema: bool = False) -> None:
        self._source = _Source(table.schema or None, table.table)
        self._schema = msgspec.Raw(ENCODER.encode(connect_schema(schema))) if with_schema else None
        self._form = connect_rows(schema) if with_schema else row_form(schema)

    def encode(self, change: Change) -> bytes:
        """Return the value of a change's message."""
        _, operation, before, after = change
        if self._form is not None:
            before, after = self._form(before), self._form(after)
        # No dict: hashing an enum member is slow.
        op = "c" if operation is _INSERT else "u" if operation is _UPDATE else "d"
        event = _Event(before, after, op, self._source)
        return _encode(event if self._schema is None else _WithSchema(self._schema, event))
