"""Records to changes of rows, and to the schemas that they show."""

from __future__ import annotations

import json
import pickle
from typing import Any

import msgspec
import pytest

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.merge import merged
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.types import DataType, Kind

SHOP = TableId(("shop", "orders"))
ORDERS = TableSchema.of([("id", DataType.of(Kind.BIGINT)), ("name", DataType.string())])
JSON = ReadSettings(value=Json())
STATIC = ReadSettings(is_static=True)


def event(op: str | None = "c", before: Any = None, after: Any = None, **source: Any) -> bytes:
    envelope = {"op": op, "before": before, "after": after, "source": source or {"db": "shop", "table": "orders"}}
    return json.dumps(envelope).encode()


def read(value: bytes | None, settings: ReadSettings | None = None, schema: TableSchema = ORDERS) -> list[Change]:
    table = TableId(("orders",)) if settings is not None and settings.value.identifier == "json" else SHOP
    return list(ChangeReader(settings or ReadSettings(), {table: schema}).read("orders", None, value))


def values(row: Any) -> tuple[Any, ...] | None:
    return None if row is None else msgspec.structs.astuple(row)


def rows(changes: list[Change]) -> list[tuple[Any, Any]]:
    return [(values(change.before), values(change.after)) for change in changes]


@pytest.mark.parametrize(
    ("value", "operation", "halves"),
    [
        (event("c", after={"id": 1, "name": "a"}), Operation.INSERT, (None, (1, "a"))),
        (event("r", after={"id": 1}), Operation.INSERT, (None, (1, None))),
        (event("u", {"id": 1}, {"id": 2}), Operation.UPDATE, ((1, None), (2, None))),
        (event("u", None, {"id": 2}), Operation.UPDATE, (None, (2, None))),
        (event("d", {"id": 1}), Operation.DELETE, ((1, None), None)),
    ],
    ids=["create", "snapshot", "update", "update-without-before", "delete"],
)
def test_debezium_events_are_changes(value: bytes, operation: Operation, halves: tuple[Any, Any]) -> None:
    changes = read(value)
    assert [(change.table, change.operation) for change in changes] == [(SHOP, operation)]
    assert rows(changes) == [halves]


@pytest.mark.parametrize("value", [None, b""], ids=["null", "empty"])
@pytest.mark.parametrize("settings", [ReadSettings(), JSON], ids=["debezium", "json"])
def test_tombstones_are_skipped(value: bytes | None, settings: ReadSettings) -> None:
    assert read(value, settings) == []
    assert ChangeReader(settings, {}).infer("orders", None, value) == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"5", "Expected `object`, got `int`"),
        (b"{", "truncated"),
        (b"[" * 5000 + b"]" * 5000, "got `array`"),
        (b'{"x":' * 5000 + b"1" + b"}" * 5000, "recursion|no source"),  # as deep as this process lets anybody go
        (event(None, after={"id": 1}), "no op"),
        (event("t"), "unknown op 't'"),
        (event("c", before={"id": 1}), "no row in after"),
        (event("d", after={"id": 1}), "REPLICA IDENTITY FULL"),
        (b'{"op":"c","after":{"id":1}}', "no source that names"),
        (b'{"op":"c","source":{"db":"shop"},"after":{"id":1}}', "no source that names"),
        (b'{"op":"c","source":null,"after":{"id":1}}', r"got `null` - at `\$\.source`"),
        (event("c", after=[1]), "not a JSON object"),
        (b'{"op":"c","source":{"db":"shop","table":"orders"},"after":{"name":"\xff"}}', "utf-8"),
        (rb'{"op":"c","source":{"db":"shop","table":"orders"},"after":{"name":"\ud800"}}', "truncated"),
        (b'{"op":"c","source":{"db":"shop","table":"orders"},"after":{"id":NaN}}', "malformed"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_malformed_debezium_records_have_a_reason(value: bytes, reason: str) -> None:
    with pytest.raises(MalformedRecordError, match=reason):
        read(value)
    ignoring = ReadSettings(value=DebeziumJson(ignore_parse_errors=True))
    assert read(value, ignoring) == []


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"db": "shop", "table": "t"}, "shop.t"),
        ({"db": "shop", "schema": "public", "table": "t"}, "shop.public.t"),
        ({"table": "t"}, "t"),
    ],
    ids=["database", "schema", "alone"],
)
def test_debezium_tables_are_named_by_the_source(source: dict[str, str], shown: str) -> None:
    found = ChangeReader(ReadSettings(), {}).infer("topic", None, event(after={"id": 1}, **source))
    assert [str(table) for table, _ in found] == [shown]


def mismatch(after: dict[str, Any], schema: TableSchema = ORDERS) -> TableSchema:
    with pytest.raises(SchemaMismatchError) as caught:
        read(event(after=after), schema=schema)
    [(table, found)] = caught.value.found
    assert table == SHOP
    assert pickle.loads(pickle.dumps(caught.value)).found == caught.value.found
    return merged(schema, found)


def test_a_table_that_is_not_known_is_a_mismatch() -> None:
    for settings in (ReadSettings(), STATIC):
        with pytest.raises(SchemaMismatchError, match=r"shop\.orders is not known") as caught:
            ChangeReader(settings, {}).read("t", None, event(after={"id": 1, "name": None}))
        [(table, schema)] = caught.value.found
        assert (table, schema.names) == (SHOP, ("id",))


@pytest.mark.parametrize(
    ("after", "columns"),
    [
        ({"id": 1, "age": 5}, "id BIGINT, name STRING, age BIGINT"),
        ({"id": 1.5}, "id DOUBLE, name STRING"),
        ({"id": 2**63}, "id DECIMAL(38, 0), name STRING"),
        ({"id": 10**38}, "id STRING, name STRING"),
        ({"id": "x"}, "id STRING, name STRING"),
        ({"id": {"a": 1}}, "id STRING, name STRING"),
        ({"at": "2024-05-01T12:30"}, "id BIGINT, name STRING, at TIMESTAMP(3)"),
    ],
    ids=["column", "fraction", "big", "huge", "text", "object", "timestamp"],
)
def test_what_does_not_fit_is_a_mismatch_that_merging_ends(after: dict[str, Any], columns: str) -> None:
    wide = mismatch(after)
    assert ", ".join(f"{column.name} {column.type}" for column in wide.columns) == columns
    assert len(read(event(after=after), schema=wide)) == 1


def test_a_null_without_a_column_tells_nothing() -> None:
    reader = ChangeReader(ReadSettings(), {SHOP: ORDERS})
    for place in range(3):
        [change] = reader.read("t", None, event(after={"id": place, "age": None, "name": "a"}))
        assert values(change.after) == (place, "a")
    with pytest.raises(SchemaMismatchError):
        reader.read("t", None, event(after={"id": 1, "age": 1}))


def test_static_schemas_stay() -> None:
    [change] = read(event(after={"id": 1, "age": 5, "name": 7}), STATIC)
    assert values(change.after) == (1, "7")
    with pytest.raises(MalformedRecordError, match="column 'id'"):
        read(event(after={"id": 1.5}), STATIC)


def test_json_records_are_inserts_into_the_table_of_the_topic() -> None:
    [change] = read(b'{"id":1,"name":"a"}', JSON)
    assert (change.table, change.operation, change.before) == (TableId(("orders",)), Operation.INSERT, None)
    assert values(change.after) == (1, "a")


@pytest.mark.parametrize("value", [b"null", b"[]", b"7", b'"x"', b'{"id":1}}', b"\xff"])
def test_what_is_no_object_is_malformed_json(value: bytes) -> None:
    with pytest.raises(MalformedRecordError):
        read(value, JSON)
    with pytest.raises(MalformedRecordError):
        ChangeReader(JSON, {}).infer("orders", None, value)


def test_not_null_columns_need_values() -> None:
    keyed = TableSchema.of([("id", DataType.of(Kind.BIGINT).not_null()), ("name", DataType.string())], ["id"])
    for value in (event("c", after={"name": "a"}), event("u", None, {"id": None}), event("d", {"name": "a"})):
        with pytest.raises(MalformedRecordError, match="'id' is NOT NULL"):
            read(value, schema=keyed)
    assert rows(read(event("u", {"name": "a"}, {"id": 1}), schema=keyed)) == [((None, "a"), (1, None))]


@pytest.mark.parametrize(
    ("settings", "schemas"), [(ReadSettings(), {SHOP: ORDERS}), (STATIC, {})], ids=["continuous", "static"]
)
def test_what_was_inferred_is_not_told_again(settings: ReadSettings, schemas: dict[TableId, TableSchema]) -> None:
    reader = ChangeReader(settings, schemas)
    reader.infer("t", None, event(after={"id": 1, "name": "a"}))
    assert reader.infer("t", None, event(after={"id": 2})) == ()
    [(_, found)] = reader.infer("t", None, event(after={"id": 1, "age": 5}))
    assert merged(ORDERS, found).names == ("id", "name", "age")
    assert reader.infer("t", None, event(after={"id": 2, "age": 6})) == ()
    [(_, wider)] = reader.infer("t", None, event(after={"id": 2, "age": 6.5}))
    assert str(wider["age"].type) == "DOUBLE"
    [(other, _)] = reader.infer("t", None, event(after={"id": 1}, db="shop", table="customers"))
    assert str(other) == "shop.customers"


def test_static_schemas_are_inferred_for_new_tables_only() -> None:
    reader = ChangeReader(STATIC, {SHOP: ORDERS})
    assert reader.infer("t", None, event(after={"id": 1, "age": 5})) == ()
    [(table, _)] = reader.infer("t", None, event(after={"id": 1}, table="customers"))
    assert str(table) == "customers"


def test_inferring_does_not_change_what_is_read() -> None:
    reader = ChangeReader(ReadSettings(), {SHOP: ORDERS})
    value = event(after={"id": 1, "age": 5})
    for _ in range(2):
        with pytest.raises(SchemaMismatchError, match="'age' is not a column"):
            reader.read("t", None, value)
        reader.infer("t", None, value)
