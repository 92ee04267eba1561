"""Reader of plain JSON: each record is a row to insert."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, final

import attrs
import msgspec

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.fixed_types import fixed_types
from kafkastream.cdc.formats.settings import FormatSettings
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.rows import are_plain, members_of
from kafkastream.cdc.table_rows import TableRows, Tables
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.values import json_text
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import list_of, text
from kafkastream.sql.formats.json_format import FLATTEN_NESTED_COLUMNS, TIMESTAMP_FORMAT, TimestampFormat
from kafkastream.sql.settings import setting
from kafkastream.sql.types import DataType

__all__ = ["Json", "JsonReader"]

_INSERT: Final = Operation.INSERT
_NULL: Final = msgspec.Raw(b"null")
_MOST_PARTS: Final = 3


def _table_id_fields(value: str) -> tuple[str, ...]:
    fields = list_of(text, ",")(value)
    if len(fields) > _MOST_PARTS:
        raise ValueError(f"a table id has at most {_MOST_PARTS} parts")
    return fields


TIMESTAMPS: Final = attrs.evolve(
    TIMESTAMP_FORMAT, doc="Format of timestamps: `SQL` or `ISO-8601`. No effect: both are read."
)
FLATTEN: Final = attrs.evolve(
    FLATTEN_NESTED_COLUMNS,
    doc="Whether members of nested objects become columns, such as `a.b`; otherwise an object is a STRING.",
)
TABLE_ID_FIELDS: Final = Option[tuple[str, ...]](
    key="decode.parser-table-id.fields",
    parse=_table_id_fields,
    default=(),
    doc="Members whose values are the parts of the table id, separated by `,`; by default, the topic is the table.",
)
FIXED_TYPES: Final = Option[FrozenMap[str, DataType]](
    key="infer-schema.fixed-types",
    parse=fixed_types,
    default=FrozenMap(),
    doc="Types of members in all tables: `id BIGINT, name VARCHAR(10)`. Requires `scan.max.pre.fetch.records: 0`.",
)


@final
@attrs.frozen(kw_only=True)
class Json(FormatSettings):
    """Options of plain JSON."""

    identifier: ClassVar[str] = "json"
    timestamp_format: TimestampFormat = setting(TIMESTAMPS)
    flatten_nested_columns: bool = setting(FLATTEN)
    table_id_fields: tuple[str, ...] = setting(TABLE_ID_FIELDS)
    fixed_types: FrozenMap[str, DataType] = setting(FIXED_TYPES)

    def adapted(self, rules: RowRules) -> RowRules:
        """Return the row rules with the format's options."""
        flattens = self.flatten_nested_columns
        return attrs.evolve(super().adapted(rules), flattens=flattens, fixed_types=self.fixed_types)


@final
class JsonReader:
    """Reader of plain JSON.

    Args:
        settings: Options of the format.
        tables: Known tables.
    """

    def __init__(self, settings: Json, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[str | tuple[bytes, ...], TableRows] = {}
        self._fields = settings.table_id_fields
        self._parts = _parts_decoder(self._fields)

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the insert of a record's row."""
        name = tuple(map(bytes, self._parts(value))) if self._fields else topic
        table = self._known.get(name)
        if table is None:
            table = self._known[name] = self._tables.known(self._table_id(topic, value))
        row = table.decode_written(value, key, metadata)
        if row is None:
            raise MalformedRecordError("null is not a JSON object")
        return (tuple.__new__(Change, (table.id, _INSERT, None, row)),)

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schema inferred from the row."""
        finder = self._tables.finder(self._table_id(topic, value))
        return ((finder.id, finder.found((value,), key)),)

    def forget(self, table: TableId) -> None:
        """Forget the cached rows of a table whose schema has changed."""
        self._known = {name: rows for name, rows in self._known.items() if rows.id != table}

    def _table_id(self, topic: str, value: bytes) -> TableId:
        if not self._fields:
            return TableId((topic,))
        return TableId(tuple(map(_part, self._fields, self._parts(value))))


def _parts_decoder(fields: Sequence[str]) -> Callable[[bytes], tuple[msgspec.Raw, ...]]:
    """Return the function from an object to some of its members; null for missing ones."""
    if not are_plain(fields):
        return lambda value: tuple((members_of(value) or {}).get(name, _NULL) for name in fields)
    names = {f"f{place}": name for place, name in enumerate(fields)}
    parts = msgspec.defstruct("TableIdParts", [(field, msgspec.Raw, _NULL) for field in names], rename=names)
    decode = msgspec.json.Decoder(parts).decode
    return lambda value: msgspec.structs.astuple(decode(value))


def _part(name: str, value: msgspec.Raw) -> str:
    part = json_text(value)
    if value == _NULL or not part:
        raise MalformedRecordError(f"member {name!r}, a part of the table id, is missing, null or empty")
    return part
