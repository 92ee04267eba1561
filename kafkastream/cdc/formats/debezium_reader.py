"""Debezium's change events as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, final

import attrs
import msgspec

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.formats.connect_types import row_types
from kafkastream.cdc.formats.settings import DistributedSettings
from kafkastream.cdc.table_rows import TableRows, Tables
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.formats.debezium_json import SCHEMA_INCLUDE
from kafkastream.sql.settings import setting

__all__ = ["DebeziumJson", "DebeziumReader"]

_INSERT, _UPDATE, _DELETE = Operation.INSERT, Operation.UPDATE, Operation.DELETE
_new: Final = tuple.__new__  # a third faster than the class itself
_NULL: Final = msgspec.Raw(b"null")


@final
@attrs.frozen(kw_only=True)
class DebeziumJson(DistributedSettings):
    """Options of Debezium JSON."""

    identifier: ClassVar[str] = "debezium-json"
    schema_include: bool = setting(SCHEMA_INCLUDE)


class _Source(msgspec.Struct, gc=False):
    table: str | None = None
    db: str | None = None
    schema: str | None = None


class _Event(msgspec.Struct, gc=False):
    op: str | None = None
    source: _Source | None = None
    before: msgspec.Raw = _NULL
    after: msgspec.Raw = _NULL


class _Envelope(msgspec.Struct, gc=False):
    schema: msgspec.Raw = _NULL
    payload: _Event | msgspec.UnsetType | None = msgspec.UNSET


class _Key(msgspec.Struct, gc=False):
    payload: msgspec.Raw = _NULL


_event_of: Final = msgspec.json.Decoder(_Event).decode
_envelope_of: Final = msgspec.json.Decoder(_Envelope).decode
_key_of: Final = msgspec.json.Decoder(_Key).decode


@final
class DebeziumReader:
    """Reads Debezium JSON.

    Args:
        settings: The format's options.
        tables: Tables that are known.
    """

    def __init__(self, settings: DebeziumJson, tables: Tables) -> None:
        self._tables = tables
        self._has_schemas = settings.schema_include
        self._known: dict[tuple[str | None, str | None, str | None], TableRows] = {}
        self._with_schemas: dict[tuple[str | None, str | None, str | None, bytes], TableRows] = {}

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the one change of a row."""
        if self._has_schemas:
            return self._typed_changes(key, value, metadata)
        event = _event_of(value)
        source = event.source
        if source is None:
            raise _without_source()
        name = (source.db, source.schema, source.table)
        table = self._known.get(name)
        if table is None:
            table = self._known[name] = self._tables.known(_table_id(source))
        return _change(table, event, key, metadata)

    def _typed_changes(self, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        schema, event = _parts(value)
        if event is None:
            return ()
        source = event.source
        if source is None:
            raise _without_source()
        name = (source.db, source.schema, source.table, schema)
        table = self._with_schemas.get(name)
        if table is None:
            table = self._with_schemas[name] = self._tables.known(_table_id(source), row_types(schema))
        return _change(table, event, _payload(key), metadata)

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schema that both rows of an event show."""
        if not self._has_schemas:
            event = _event_of(value)
            finder = self._tables.finder(_table_id(event.source))
            return ((finder.id, finder.found((event.after, event.before), key)),)
        schema, payload = _parts(value)
        if payload is None:
            return ()
        finder = self._tables.finder(_table_id(payload.source), row_types(schema))
        return ((finder.id, finder.found((payload.after, payload.before), _payload(key))),)

    def forget(self, table: TableId) -> None:
        """Look a table up again."""
        self._known = {name: rows for name, rows in self._known.items() if rows.id != table}
        self._with_schemas = {name: rows for name, rows in self._with_schemas.items() if rows.id != table}


def _change(table: TableRows, event: _Event, key: bytes | None, metadata: Sequence[object]) -> Sequence[Change]:
    match event.op:
        case "c" | "r":
            after = table.decode_written(event.after, key, metadata)
            if after is not None:
                return (_new(Change, (table.id, _INSERT, None, after)),)
        case "u":
            after = table.decode_written(event.after, key, metadata)
            if after is not None:
                return (_new(Change, (table.id, _UPDATE, table.decode(event.before, key, metadata), after)),)
        case "d":
            before = table.decode_deleted(event.before, key, metadata)
            if before is not None:
                return (_new(Change, (table.id, _DELETE, before, None)),)
    raise _incomplete(event)


def _payload(key: bytes | None) -> bytes | None:
    return bytes(_key_of(key).payload) if key else None


def _parts(value: bytes) -> tuple[bytes, _Event | None]:
    """Return the schema and the payload of an envelope; no payload is a tombstone's."""
    envelope = _envelope_of(value)
    if envelope.payload is msgspec.UNSET:
        raise MalformedRecordError("the envelope has no payload; set debezium-json.schema-include to false")
    return bytes(envelope.schema), envelope.payload


def _table_id(source: _Source | None) -> TableId:
    if source is None:
        raise _without_source()
    if not source.table:
        raise MalformedRecordError("the envelope's source names no table")
    return TableId(tuple(part for part in (source.db, source.schema, source.table) if part))


def _without_source() -> MalformedRecordError:
    return MalformedRecordError("the envelope has no source, which would name the table")


def _incomplete(event: _Event) -> MalformedRecordError:
    match event.op:
        case None:
            return MalformedRecordError("the envelope has no op")
        case "c" | "r" | "u":
            return MalformedRecordError(f"the envelope has op {event.op!r} but no row in after")
        case "d":
            return MalformedRecordError(
                "the envelope has op 'd' but no row in before; PostgreSQL needs REPLICA IDENTITY FULL for it"
            )
        case _:
            return MalformedRecordError(f"the envelope has the unknown op {event.op[:100]!r}")
