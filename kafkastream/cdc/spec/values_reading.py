"""Source ``values`` in a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation
from kafkastream.cdc.fixed_types import fixed_types
from kafkastream.cdc.spec.initial_schemas import initial_schemas
from kafkastream.cdc.spec.section import (
    NAME,
    TYPE,
    Entry,
    ListNode,
    MapNode,
    Node,
    Scalar,
    Section,
    SectionOptions,
    SectionType,
)
from kafkastream.cdc.spec.values_source import RowChange, Values, ValuesEvent, ValuesSource, apply_event
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType

__all__ = ["VALUES_SOURCE"]

DDLS: Final = Option[Mapping[TableId, TableSchema]](
    key="tables",
    parse=initial_schemas,
    default=FrozenMap(),
    doc="Tables: `CREATE TABLE shop.orders (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED); CREATE TABLE …`.",
)
_CHANGES: Final = "changes"
_CONVERSION: Final = Conversion(reads_texts=True)
_ROWS: Final = {"insert": Operation.INSERT, "update": Operation.UPDATE, "delete": Operation.DELETE}
_ALTERS: Final = ("add-columns", "alter-columns")
_SIDES: Final = {Operation.INSERT: ("after",), Operation.UPDATE: ("before", "after"), Operation.DELETE: ("before",)}


def _row_schema(verb: str, sides: tuple[str, ...]) -> dict[str, Any]:
    properties = {verb: {"type": "string"}, **{side: {"type": "object"} for side in sides}}
    return {"type": "object", "properties": properties, "required": [verb, sides[-1]], "additionalProperties": False}


def _alter_schema(verb: str) -> dict[str, Any]:
    properties = {verb: {"type": "string"}, "columns": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": [verb, "columns"], "additionalProperties": False}


_SCHEMA: Final = {
    "type": "array",
    "description": "Changes in order. Rows: `insert: shop.orders` with `after`, `update` with `before` and `after`, "
    "`delete` with `before`. Schemas: `add-columns: shop.orders` and `alter-columns` with `columns: price DOUBLE`.",
    "items": {
        "anyOf": [
            *(_row_schema(verb, _SIDES[operation]) for verb, operation in _ROWS.items()),
            *map(_alter_schema, _ALTERS),
        ]
    },
}


def _read(options: SectionOptions) -> ValuesSource:
    declared = options.get(DDLS)
    schemas = dict(declared)
    if not schemas:
        raise options.missing([DDLS.key])
    created = [CreateTable(table, schema) for table, schema in schemas.items()]
    return ValuesSource(name=options.get(NAME), events=(*created, *_changes(options.definition, schemas)))


def _changes(section: Section, schemas: dict[TableId, TableSchema]) -> Iterator[ValuesEvent]:
    entry = section.nodes.get(_CHANGES)
    if entry is None:
        return
    if not isinstance(entry.node, ListNode):
        raise section.refusal(f"'{_CHANGES}' is not a list", entry.position, now="Write each change after '- '.")
    for node in entry.node.items:
        event = _event(section, schemas, node)
        try:
            apply_event(schemas, event)
        except DefinitionError as error:
            raise section.refusal(error.what, node.position, error.now) from None
        yield event


def _event(section: Section, schemas: Mapping[TableId, TableSchema], node: Node) -> ValuesEvent:
    verbs = (*_ROWS, *_ALTERS)
    given = node.entries if isinstance(node, MapNode) else {}
    verb = next((key for key in given if key in verbs), None)
    if verb is None:
        unknown = next(iter(given), "")
        raise section.refusal(
            f"a change begins with one of {', '.join(verbs)}", node.position, now=did_you_mean(unknown, verbs)
        )
    table = TableId.parse(_scalar(section, given[verb]))
    sides = _SIDES[_ROWS[verb]] if verb in _ROWS else ("columns",)
    for key, entry in given.items():
        if key not in (verb, *sides):
            raise section.refusal(f"'{verb}' has no {key!r}", entry.position, now=did_you_mean(key, sides))
    if sides[-1] not in given:
        raise section.refusal(f"'{verb}' needs '{sides[-1]}'", node.position)
    if table not in schemas:
        known = map(str, schemas)
        raise section.refusal(f"unknown table '{table}'", given[verb].position, now=did_you_mean(str(table), known))
    if verb in _ROWS:
        rows = {side: _row(section, schemas[table], given[side]) for side in sides if side in given}
        return RowChange(table, _ROWS[verb], **rows)
    return _alter(section, table, schemas[table], verb, given["columns"])


def _alter(section: Section, table: TableId, schema: TableSchema, verb: str, entry: Entry) -> ValuesEvent:
    try:
        types = fixed_types(_scalar(section, entry))
    except (ValueError, UnsupportedFeatureError) as reason:
        raise section.refusal(f"'columns' cannot be read: {reason}", entry.node.position) from None
    if verb == "add-columns":
        return AddColumns(table, tuple(Column(name, type_) for name, type_ in types.items()))
    if unknown := next((name for name in types if name not in schema.names), None):
        raise section.refusal(
            f"{unknown!r} is not a column of '{table}'", entry.node.position, now=did_you_mean(unknown, schema.names)
        )
    return AlterColumnTypes(table, types, {name: schema[name].type for name in types})


def _row(section: Section, schema: TableSchema, entry: Entry) -> Values:
    if not isinstance(entry.node, MapNode):
        raise section.refusal("a row is written as {column: value, …}", entry.node.position)
    values: dict[str, Any] = {}
    for name, one in entry.node.entries.items():
        if name not in schema.names:
            raise section.refusal(f"{name!r} is not a column", one.position, now=did_you_mean(name, schema.names))
        if not isinstance(one.node, Scalar):
            raise section.refusal(f"the value of {name!r} is not a scalar", one.node.position)
        try:
            values[name] = None if one.node.is_null else _value(one.node.text, schema[name].type)
        except (ValueError, msgspec.MsgspecError) as reason:
            raise section.refusal(
                f"{one.node.written!r} is not of type {schema[name].type} for {name!r}: {reason}", one.node.position
            ) from None
    return values


def _scalar(section: Section, entry: Entry) -> str:
    if not isinstance(entry.node, Scalar) or entry.node.is_null:
        raise section.refusal("expected a text", entry.node.position)
    return entry.node.text


def _value(written: str, type_: DataType) -> Any:
    """Convert a text like a JSON string."""
    return _CONVERSION.converter(type_)(msgspec.json.encode(written))


VALUES_SOURCE: Final = SectionType(
    OptionGroup("values", (NAME, DDLS), required=(DDLS,), common=(TYPE,)),
    _read,
    "Tables and their changes in the document itself, for tests and demos.",
    nodes={_CHANGES: _SCHEMA},
)
