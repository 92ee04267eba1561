"""Encoder of changes as Canal JSON, with the fields of Flink CDC's Kafka sink."""

from __future__ import annotations

from typing import Any, final

import msgspec

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.rows import ENCODER
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.writing.debezium import row_form

__all__ = ["CanalTable"]


class _Event(msgspec.Struct):
    old: Any
    data: Any
    type: str
    database: str | None
    table: str
    pkNames: tuple[str, ...]


@final
class CanalTable:
    """Encodes the changes of a table.

    Differs from Canal: ``old`` is the whole row before an update, as Flink CDC writes it, and values keep their JSON
    types.

    Args:
        table: Name of the table in the messages.
        schema: Schema of the table.

    Example:
        >>> from kafkastream.cdc.rows import row_class
        >>> from kafkastream.sql.types import DataType
        >>> notes = TableSchema.of([("note", DataType.string())])
        >>> row = row_class(notes.columns)("ink")
        >>> shop = TableId.parse("shop.notes")
        >>> CanalTable(shop, notes).encode(Change(shop, Operation.DELETE, row, None))
        b'{"old":null,"data":[{"note":"ink"}],"type":"DELETE","database":"shop","table":"notes","pkNames":[]}'
    """

    def __init__(self, table: TableId, schema: TableSchema) -> None:
        self._database = table.schema or None
        self._table = table.table
        self._keys = schema.primary_key
        self._form = row_form(schema)

    def encode(self, change: Change) -> bytes:
        """Return the value of a change's message."""
        before, after = change.before, change.after
        if self._form is not None:
            before, after = self._form(before), self._form(after)
        is_update = change.operation is Operation.UPDATE and before is not None
        row = before if after is None else after
        old = (before,) if is_update else None
        return ENCODER.encode(_Event(old, (row,), change.operation.value, self._database, self._table, self._keys))
