"""Reader of Canal JSON."""

from __future__ import annotations

import copy
import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, final

import attrs
import msgspec

from kafkastream.cdc.changes import Change, Operation, Row
from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.formats.canal_types import member_of_mysql_type, member_of_sql_type
from kafkastream.cdc.formats.settings import DistributedSettings
from kafkastream.cdc.inference import MemberType
from kafkastream.cdc.patterns import java_regex
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.rows import members_of
from kafkastream.cdc.table_rows import TableRows, Tables
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member
from kafkastream.sql.formats import canal_json
from kafkastream.sql.settings import setting

__all__ = ["CanalInference", "CanalJson", "CanalReader"]

_NULL: Final = msgspec.Raw(b"null")


class CanalInference(enum.Enum):
    """Strategy by which types of columns are inferred (``canal-json.infer-schema.strategy``)."""

    AUTO = "AUTO"
    """From the JSON values."""
    SQL_TYPE = "SQL_TYPE"
    """From the message's ``sqlType``: codes of ``java.sql.Types``."""
    MYSQL_TYPE = "MYSQL_TYPE"
    """From the message's ``mysqlType``: types of MySQL."""


def _regex(value: str) -> str:
    java_regex(value)
    return value


DATABASE_INCLUDE: Final = attrs.evolve(canal_json.DATABASE_INCLUDE, parse=_regex)
TABLE_INCLUDE: Final = attrs.evolve(canal_json.TABLE_INCLUDE, parse=_regex)
INFERENCE: Final = Option[CanalInference](
    key="infer-schema.strategy",
    parse=enum_member(CanalInference),
    default=CanalInference.AUTO,
    doc="Source of column types: `AUTO` (the JSON values), `SQL_TYPE` or `MYSQL_TYPE` (the message's `sqlType` or "
    "`mysqlType`).",
)
TIMESTAMP_AS_DATETIME: Final = Option[bool](
    key="mysql.treat-mysql-timestamp-as-datetime-enabled",
    parse=boolean,
    default=True,
    doc="Whether MySQL's TIMESTAMP is read as TIMESTAMP instead of TIMESTAMP_LTZ. With `MYSQL_TYPE`.",
)
TINYINT1_AS_BOOLEAN: Final = Option[bool](
    key="mysql.treat-tinyint1-as-boolean.enabled",
    parse=boolean,
    default=True,
    doc="Whether MySQL's TINYINT(1) is read as BOOLEAN instead of TINYINT. With `MYSQL_TYPE`.",
)


@final
@attrs.frozen(kw_only=True)
class CanalJson(DistributedSettings):
    """Options of Canal JSON."""

    identifier: ClassVar[str] = "canal-json"
    database_include: str | None = setting(DATABASE_INCLUDE)
    table_include: str | None = setting(TABLE_INCLUDE)
    inference: CanalInference = setting(INFERENCE)
    timestamp_as_datetime: bool = setting(TIMESTAMP_AS_DATETIME)
    tinyint1_as_boolean: bool = setting(TINYINT1_AS_BOOLEAN)

    def adapted(self, rules: RowRules) -> RowRules:
        """Return the row rules with the format's options; Canal writes numbers as text."""
        return attrs.evolve(super().adapted(rules), conversion=attrs.evolve(rules.conversion, reads_texts=True))


class _Event(msgspec.Struct, gc=False, rename="camel"):
    type: str | None = None
    database: str | None = None
    table: str | None = None
    is_ddl: bool | None = False
    data: list[msgspec.Raw] | None = None
    old: list[msgspec.Raw] | None = None
    pk_names: list[str] | None = None
    sql_type: msgspec.Raw = _NULL
    mysql_type: msgspec.Raw = _NULL


_event_of: Final = msgspec.json.Decoder(_Event).decode
_codes_of: Final = msgspec.json.Decoder(dict[str, int] | None).decode
_names_of: Final = msgspec.json.Decoder(dict[str, str] | None).decode


@final
class CanalReader:
    """Reader of Canal JSON.

    Args:
        settings: Options of the format.
        tables: Known tables.
    """

    def __init__(self, settings: CanalJson, tables: Tables) -> None:
        self._settings = settings
        self._tables = tables
        self._known: dict[tuple[str | None, str | None, bytes], TableRows] = {}
        database, table = settings.database_include, settings.table_include
        self._database = None if database is None else java_regex(database).fullmatch
        self._table = None if table is None else java_regex(table).fullmatch

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the changes of all rows of an event."""
        event = _event_of(value)
        if self._leaves_out(event):
            return ()
        data = _data(event)
        types = self._types_of(event)
        name = (event.database, event.table, types)
        table = self._known.get(name)
        if table is None:
            table = self._known[name] = self._tables.known(_table_id(event), self._types(types))
        match event.type:
            case "INSERT":
                rows = (_there(table.decode_written(row, key, metadata)) for row in data)
                return [Change(table.id, Operation.INSERT, None, row) for row in rows]
            case "UPDATE":
                return list(_updates(table, data, event.old, key, metadata))
            case _:
                rows = (_there(table.decode_deleted(row, key, metadata)) for row in data)
                return [Change(table.id, Operation.DELETE, row, None) for row in rows]

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schema inferred from all rows of an event."""
        event = _event_of(value)
        if self._leaves_out(event):
            return ()
        data = _data(event)
        table = self._tables.finder(_table_id(event), self._types(self._types_of(event)))
        return ((table.id, table.found((*data, *(event.old or ())), key, event.pk_names or ())),)

    def forget(self, table: TableId) -> None:
        """Forget the cached rows of a table whose schema has changed."""
        self._known = {name: rows for name, rows in self._known.items() if rows.id != table}

    def _leaves_out(self, event: _Event) -> bool:
        """Return whether an event is DDL, or of a database or table that is not included."""
        if event.is_ddl or event.type == "CREATE":
            return True
        is_other_database = self._database is not None and self._database(event.database or "") is None
        return is_other_database or (self._table is not None and self._table(event.table or "") is None)

    def _types_of(self, event: _Event) -> bytes:
        """Return the JSON of the types in the event; empty if they are not used."""
        match self._settings.inference:
            case CanalInference.AUTO:
                return b""
            case CanalInference.SQL_TYPE:
                types, name = bytes(event.sql_type), "sqlType"
            case _:
                types, name = bytes(event.mysql_type), "mysqlType"
        if types == b"null":
            raise MalformedRecordError(f"the envelope has no {name}; set canal-json.infer-schema.strategy to AUTO")
        return types

    def _types(self, types: bytes) -> Mapping[str, MemberType]:
        settings = self._settings
        if not types:
            return {}
        if settings.inference is CanalInference.SQL_TYPE:
            return {name: member_of_sql_type(code) for name, code in (_codes_of(types) or {}).items()}
        is_local, is_boolean = not settings.timestamp_as_datetime, settings.tinyint1_as_boolean
        return {
            name: member_of_mysql_type(text, timestamp_is_local=is_local, tinyint1_is_boolean=is_boolean)
            for name, text in (_names_of(types) or {}).items()
        }


def _table_id(event: _Event) -> TableId:
    if not event.table:
        raise MalformedRecordError("the envelope names no table")
    return TableId((event.database, event.table) if event.database else (event.table,))


def _data(event: _Event) -> list[msgspec.Raw]:
    if event.type not in {"INSERT", "UPDATE", "DELETE"}:
        shown = "no type" if event.type is None else f"the unknown type {event.type[:100]!r}"
        raise MalformedRecordError(f"the envelope has {shown}")
    if event.data is None:
        raise MalformedRecordError(f"the envelope has type {event.type!r} but no rows in data")
    return event.data


def _there(row: Row | None) -> Row:
    if row is None:
        raise MalformedRecordError("a row in data is null")
    return row


def _updates(
    table: TableRows,
    data: Sequence[msgspec.Raw],
    old: Sequence[msgspec.Raw] | None,
    key: bytes | None,
    metadata: Sequence[object],
) -> Iterator[Change]:
    if old is not None and len(old) != len(data):
        raise MalformedRecordError(f"the envelope has {len(data)} rows in data, and {len(old)} in old")
    for place, new in enumerate(data):
        after = _there(table.decode_written(new, key, metadata))
        before = None if old is None else _before(table, after, old[place], table.decode(old[place], key, metadata))
        yield Change(table.id, Operation.UPDATE, before, after)


def _before(table: TableRows, after: Row, old: msgspec.Raw, changed: Row | None) -> Any:
    """Return a row before an update; ``old`` has only the columns that have changed."""
    if changed is None:
        return None
    before = copy.copy(after)
    for name in members_of(old) or ():
        field = table.fields.get(name)
        if field is not None:
            setattr(before, field, getattr(changed, field))
    return before
