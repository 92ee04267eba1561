"""Changes become records as Flink CDC's Kafka sink writes them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.writing.canal import CanalTable
from kafkastream.cdc.writing.connect import connect_rows, connect_schema
from kafkastream.cdc.writing.debezium import DebeziumTable
from kafkastream.sql.syntax.data_types import parse_type

ITEMS = TableId.parse("shop.items")
SCHEMA = TableSchema.of([("id", parse_type("INT NOT NULL")), ("name", parse_type("STRING"))], ["id"])
Item = row_class(SCHEMA.columns)
INK, PEN = Item(1, "ink"), Item(1, None)
CHANGES = {
    "insert": Change(ITEMS, Operation.INSERT, None, INK),
    "update": Change(ITEMS, Operation.UPDATE, INK, PEN),
    "update-without-before": Change(ITEMS, Operation.UPDATE, None, PEN),
    "delete": Change(ITEMS, Operation.DELETE, PEN, None),
}
INK_JSON, PEN_JSON = {"id": 1, "name": "ink"}, {"id": 1, "name": None}


@pytest.mark.parametrize(
    ("change", "before", "after", "op"),
    [
        ("insert", None, INK_JSON, "c"),
        ("update", INK_JSON, PEN_JSON, "u"),
        ("update-without-before", None, PEN_JSON, "u"),
        ("delete", PEN_JSON, None, "d"),
    ],
)
def test_debezium_json(change: str, before: Any, after: Any, op: str) -> None:
    event = json.loads(DebeziumTable(ITEMS, SCHEMA).encode(CHANGES[change]))
    assert event == {"before": before, "after": after, "op": op, "source": {"db": "shop", "table": "items"}}


@pytest.mark.parametrize(
    ("change", "old", "data", "type_"),
    [
        ("insert", None, [INK_JSON], "INSERT"),
        ("update", [INK_JSON], [PEN_JSON], "UPDATE"),
        ("update-without-before", None, [PEN_JSON], "UPDATE"),
        ("delete", None, [PEN_JSON], "DELETE"),
    ],
)
def test_canal_json(change: str, old: Any, data: Any, type_: str) -> None:
    event = json.loads(CanalTable(ITEMS, SCHEMA).encode(CHANGES[change]))
    assert event == {
        "old": old,
        "data": data,
        "type": type_,
        "database": "shop",
        "table": "items",
        "pkNames": ["id"],
    }


@pytest.mark.parametrize(
    ("type_", "value", "expected", "schema"),
    [
        ("BOOLEAN", True, True, {"type": "boolean"}),
        ("TINYINT", 1, 1, {"type": "int16"}),
        ("BIGINT", 1, 1, {"type": "int64"}),
        ("FLOAT", 1.5, 1.5, {"type": "float"}),
        ("STRING", "x", "x", {"type": "string"}),
        ("DATE", "1969-12-31", -1, {"type": "int32", "name": "io.debezium.time.Date"}),
        ("TIME(3)", "00:00:01.5", 1_500_000, {"type": "int64", "name": "io.debezium.time.MicroTime"}),
        ("TIMESTAMP(3)", "1970-01-01 00:00:01.5", 1500, {"type": "int64", "name": "io.debezium.time.Timestamp"}),
        (
            "TIMESTAMP(6)",
            "1969-12-31 23:59:59.999999",
            -1,
            {"type": "int64", "name": "io.debezium.time.MicroTimestamp"},
        ),
        (
            "TIMESTAMP_LTZ(3)",
            "2024-05-01 10:00:00.5Z",
            "2024-05-01T10:00:00.5Z",
            {"type": "string", "name": "io.debezium.time.ZonedTimestamp"},
        ),
        ("DECIMAL(5, 2)", Decimal("-1"), "nA==", {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}),
        ("DECIMAL(5, 2)", Decimal("1.28"), "AIA=", {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}),
        ("BYTES", b"\x01", "AQ==", {"type": "bytes", "name": "io.debezium.data.Bits"}),
    ],
)
def test_values_with_a_schema_have_connects_forms(
    type_: str, value: Any, expected: Any, schema: dict[str, str]
) -> None:
    table = TableSchema.of([("c", parse_type(type_))])
    payload = json.loads(
        DebeziumTable(ITEMS, table, with_schema=True).encode(
            Change(ITEMS, Operation.INSERT, None, row_class(table.columns)(value))
        )
    )
    assert payload["payload"]["after"] == {"c": expected}
    field = payload["schema"]["fields"][1]["fields"][0]
    assert {key: field[key] for key in schema} == schema
    assert (field["field"], field["optional"]) == ("c", True)


def test_a_row_that_is_not_there_has_no_forms() -> None:
    assert connect_rows(SCHEMA)(None) is None


def test_the_schema_has_both_halves_and_keys_that_are_not_optional() -> None:
    schema = connect_schema(SCHEMA)
    assert [half["field"] for half in schema["fields"]] == ["before", "after"]
    assert [field["optional"] for field in schema["fields"][0]["fields"]] == [False, True]


@pytest.mark.parametrize("name", ['a "quoted" name', "back\\slash", "tab\t", "ü", ""])
def test_columns_may_have_any_name(name: str) -> None:
    table = TableSchema.of([(name, parse_type("INT NOT NULL"))], [name])
    insert = Change(ITEMS, Operation.INSERT, None, row_class(table.columns)(7))
    assert json.loads(DebeziumTable(ITEMS, table).encode(insert))["after"] == {name: 7}
    assert json.loads(CanalTable(ITEMS, table).encode(insert))["data"] == [{name: 7}]
    assert json.loads(DebeziumTable(ITEMS, table, with_schema=True).encode(insert))["payload"]["after"] == {name: 7}
