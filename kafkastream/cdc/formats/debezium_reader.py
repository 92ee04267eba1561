"""Reader of Debezium JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, final

import attrs
import msgspec

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.formats.connect_types import row_types
from kafkastream.cdc.formats.settings import DistributedSettings
from kafkastream.cdc.inference import MemberType
from kafkastream.cdc.table_rows import TableRows, Tables
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.formats.debezium_json import SCHEMA_INCLUDE
from kafkastream.sql.settings import setting

__all__ = ["DebeziumJson", "DebeziumReader"]

_INSERT, _UPDATE, _DELETE = Operation.INSERT, Operation.UPDATE, Operation.DELETE
_new: Final = tuple.__new__  # a third faster than calling the class
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
    source: _Source = msgspec.field(default_factory=_Source)
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
    """Reader of Debezium JSON.

    Args:
        settings: Options of the format.
        tables: Known tables.
    """

    def __init__(self, settings: DebeziumJson, tables: Tables) -> None:
        self._tables = tables
        self._has_schemas = settings.schema_include
        self._known: dict[tuple[str | None, str | None, str | None, bytes], TableRows] = {}

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the change of an event."""
        if self._has_schemas:
            schema, event = _parts(value)
            key = _payload(key)
            if event is None:
                return ()
        else:
            schema, event = b"", _event_of(value)
        source = event.source
        name = (source.db, source.schema, source.table, schema)
        table = self._known.get(name)
        if table is None:
            table = self._known[name] = self._tables.known(_table_id(source), _types(schema))
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

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schema inferred from both rows of an event."""
        schema, event = _parts(value) if self._has_schemas else (b"", _event_of(value))
        if event is None:
            return ()
        finder = self._tables.finder(_table_id(event.source), _types(schema))
        return ((finder.id, finder.found((event.after, event.before), _payload(key) if self._has_schemas else key)),)

    def forget(self, table: TableId) -> None:
        """Forget the cached rows of a table whose schema has changed."""
        self._known = {name: rows for name, rows in self._known.items() if rows.id != table}


def _types(schema: bytes) -> Mapping[str, MemberType]:
    return row_types(schema) if schema else {}


def _payload(key: bytes | None) -> bytes | None:
    return bytes(_key_of(key).payload) if key else None


def _parts(value: bytes) -> tuple[bytes, _Event | None]:
    """Return the schema and the payload of an envelope; the payload of a tombstone is None."""
    envelope = _envelope_of(value)
    if envelope.payload is msgspec.UNSET:
        raise MalformedRecordError("the envelope has no payload; set debezium-json.schema-include to false")
    return bytes(envelope.schema), envelope.payload


def _table_id(source: _Source) -> TableId:
    if not source.table:
        raise MalformedRecordError("the envelope has no source that names the table")
    return TableId(tuple(part for part in (source.db, source.schema, source.table) if part))


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
