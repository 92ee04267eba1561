"""Debezium JSON with Connect's schemas: types and values by them."""

from __future__ import annotations

import base64
import json
import time
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from kafkastream.cdc.changes import Operation
from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.syntax.data_types import parse_type

SETTINGS = ReadSettings(value=DebeziumJson(schema_include=True))
SHOP = TableId(("shop", "orders"))


def field(type_: str, name: str | None = None, **parameters: str) -> dict[str, Any]:
    return {"type": type_, "optional": True} | ({"name": name} if name else {}) | {"parameters": parameters}


def number(value: int, length: int = 8) -> str:
    return base64.b64encode(value.to_bytes(length, "big", signed=True)).decode()


CONNECT, DEBEZIUM = "org.apache.kafka.connect.data.", "io.debezium.time."
COLUMNS: dict[str, tuple[dict[str, Any], Any, str, Any]] = {
    "flag": (field("boolean"), True, "BOOLEAN", True),
    "tiny": (field("int8"), -1, "TINYINT", -1),
    "small": (field("int16"), 7, "SMALLINT", 7),
    "id": (field("int32"), 1, "INT", 1),
    "big": (field("int64"), 2**63 - 1, "BIGINT", 2**63 - 1),
    "real": (field("float"), 1.5, "FLOAT", 1.5),
    "double": (field("double"), 3, "DOUBLE", 3.0),
    "name": (field("string"), "2024-05-01", "STRING", "2024-05-01"),
    "blob": (field("bytes"), "AP8=", "BYTES", b"\x00\xff"),
    "day": (field("int32", DEBEZIUM + "Date"), 19844, "DATE", "2024-05-01"),
    "before_1970": (field("int32", CONNECT + "Date"), -1, "DATE", "1969-12-31"),
    "time": (field("int32", DEBEZIUM + "Time"), 45000500, "TIME(3)", "12:30:00.5"),
    "micro_time": (field("int64", DEBEZIUM + "MicroTime"), 1, "TIME(6)", "00:00:00.000001"),
    "nano_time": (field("int64", DEBEZIUM + "NanoTime"), 0, "TIME(9)", "00:00:00"),
    "connect_time": (field("int32", CONNECT + "Time"), 1000, "TIME(3)", "00:00:01"),
    "at": (field("int64", DEBEZIUM + "Timestamp"), 1714566600123, "TIMESTAMP(3)", "2024-05-01 12:30:00.123"),
    "micro": (field("int64", DEBEZIUM + "MicroTimestamp"), -1, "TIMESTAMP(6)", "1969-12-31 23:59:59.999999"),
    "nano": (field("int64", DEBEZIUM + "NanoTimestamp"), 10**9 + 1, "TIMESTAMP(9)", "1970-01-01 00:00:01.000000001"),
    "connect_at": (field("int64", CONNECT + "Timestamp"), 0, "TIMESTAMP(3)", "1970-01-01 00:00:00"),
    "zoned": (
        field("string", DEBEZIUM + "ZonedTimestamp"),
        "2024-05-01T12:30:00.120+02:00",
        "TIMESTAMP_LTZ(6)",
        "2024-05-01 10:30:00.120Z",
    ),
    "price": (
        field("bytes", CONNECT + "Decimal", **{"scale": "2", "connect.decimal.precision": "10"}),
        number(-1250),
        "DECIMAL(10, 2)",
        Decimal("-12.50"),
    ),
    "exact": (
        field("bytes", CONNECT + "Decimal", scale="18"),
        number(10**37 + 1, 16),
        "DECIMAL(38, 18)",
        Decimal("10000000000000000000.000000000000000001"),
    ),
    "numeric": (field("bytes", CONNECT + "Decimal", scale="1"), 1.5, "DECIMAL(38, 1)", Decimal("1.5")),
    "wide": (
        field("bytes", CONNECT + "Decimal", **{"scale": "0", "connect.decimal.precision": "65"}),
        number(10**40, 20),
        "STRING",
        "1" + "0" * 40,
    ),
    "variable": (
        field("struct", "io.debezium.data.VariableScaleDecimal"),
        {"scale": 3, "value": number(1500)},
        "STRING",
        "1.500",
    ),
    "json": (field("string", "io.debezium.data.Json"), '{"a": 1}', "STRING", '{"a": 1}'),
    "tags": (field("array"), ["a", 1.50], "STRING", '["a",1.5]'),
    "nothing": (field("int64", DEBEZIUM + "Timestamp"), None, "TIMESTAMP(3)", None),
}


def event(columns: dict[str, tuple[dict[str, Any], Any]], op: str = "c") -> bytes:
    fields = [{**connect, "field": name} for name, (connect, _) in columns.items()]
    halves = [{"type": "struct", "field": half, "fields": fields} for half in ("before", "after")]
    row = {name: value for name, (_, value) in columns.items()}
    payload = {"op": op, "before": None, "after": row, "source": {"db": "shop", "table": "orders"}}
    schema = {"type": "struct", "fields": [*halves, {"type": "string", "field": "op"}]}
    return json.dumps({"schema": schema, "payload": payload}).encode()


def inferred(value: bytes) -> TableSchema:
    [(table, schema)] = ChangeReader(SETTINGS, {}).infer("t", None, value)
    assert table == SHOP
    return schema


def row(value: bytes, schema: TableSchema) -> tuple[Any, ...]:
    [change] = ChangeReader(SETTINGS, {SHOP: schema}).read("t", None, value)
    assert change.operation is Operation.INSERT
    return tuple(msgspec.structs.astuple(change.after))  # type: ignore[arg-type]


def test_types_and_values_by_the_schema() -> None:
    value = event({name: (column[0], column[1]) for name, column in COLUMNS.items()})
    schema = inferred(value)
    assert {column.name: str(column.type) for column in schema.columns} == {n: c[2] for n, c in COLUMNS.items()}
    assert dict(zip(schema.names, row(value, schema), strict=True)) == {n: c[3] for n, c in COLUMNS.items()}


@pytest.mark.parametrize(
    ("connect", "value", "type_", "read"),
    [
        (field("int64", DEBEZIUM + "MicroTime"), 1_000_000_000_000, "STRING", "277:46:40"),
        (field("int64", DEBEZIUM + "Timestamp"), 2**62, "STRING", str(2**62)),
        (
            field("string", DEBEZIUM + "ZonedTimestamp"),
            "2024-05-01T12:30:00.1234567Z",
            "TIMESTAMP_LTZ(7)",
            "2024-05-01 12:30:00.1234567Z",
        ),
        (field("int32", DEBEZIUM + "Time"), -1000, "STRING", "-00:00:01"),
    ],
    ids=["long-time", "far-timestamp", "more-digits", "negative-time"],
)
def test_values_beyond_their_type_widen_it(connect: dict[str, Any], value: Any, type_: str, read: str) -> None:
    record = event({"c": (connect, value)})
    schema = inferred(record)
    assert [str(column.type) for column in schema.columns] == [type_]
    assert row(record, schema) == (read,)


@pytest.mark.parametrize(
    ("connect", "value", "reason"),
    [
        (
            field("struct", "io.debezium.data.VariableScaleDecimal"),
            {"scale": 99999999, "value": number(1)},
            "a number of 99999999 digits, more than the 1000 of kafkastream.records.max-digits",
        ),
        (
            field("struct", "io.debezium.data.VariableScaleDecimal"),
            {"scale": -1_000_000, "value": number(1)},
            "a number of 1000000 digits",
        ),
        (field("bytes", CONNECT + "Decimal", scale="2"), number(1, length=1_000_000), "scale"),
        (field("bytes", CONNECT + "Decimal", scale="2"), number(2**7_999_998, length=1_000_000), "a number of 2408240"),
        (field("bytes", CONNECT + "Decimal", scale="99999999"), number(1), "a number of 99999999 digits"),
        (field("bytes", CONNECT + "Decimal", scale="9" * 100_000), number(1), "4300 digits"),
        (field("string", DEBEZIUM + "ZonedTimestamp"), "0001-01-01T00:00:00+14:00", "OverflowError"),
    ],
    ids=["huge-scale", "huge-power", "zeros", "digits", "scale-of-schema", "digits-of-scale", "before-year-1"],
)
def test_numbers_and_times_beyond_all_limits_are_malformed(connect: dict[str, Any], value: Any, reason: str) -> None:
    record = event({"c": (connect, value)})
    lenient = ReadSettings(value=DebeziumJson(schema_include=True, ignore_parse_errors=True))
    started = time.process_time()
    if reason == "scale":  # a million bytes that are zeros
        assert row(record, inferred(record)) == (Decimal("0.01"),)
    else:
        with pytest.raises(MalformedRecordError, match=reason):
            ChangeReader(SETTINGS, {}).infer("t", None, record)
        assert ChangeReader(lenient, {}).infer("t", None, record) == ()
        assert ChangeReader(lenient, {}).read("t", None, record) == ()
    assert time.process_time() - started < 2


def test_values_go_into_wider_columns() -> None:
    record = event({"day": (field("int32", DEBEZIUM + "Date"), 0), "id": (field("int32"), 5)})
    schema = TableSchema.of([("day", parse_type("TIMESTAMP(3)")), ("id", parse_type("STRING"))])
    assert row(record, schema) == ("1970-01-01 00:00:00", "5")


def test_a_new_schema_is_a_mismatch_whatever_the_values_are() -> None:
    schema = inferred(event({"id": (field("int32"), 1)}))
    for columns in ({"id": (field("int64"), 1)}, {"id": (field("int32"), 1), "name": (field("string"), None)}):
        with pytest.raises(SchemaMismatchError) as caught:
            row(event(columns), schema)
        assert caught.value.found[0][1].names == tuple(columns)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b'{"op":"c","after":{"id":1},"source":{"table":"orders"}}', "no payload; set debezium-json.schema-include"),
        (
            b'{"schema":null,"payload":{"op":"c","after":{"id":1},"source":{"table":"orders"}}}',
            "not that of a Debezium",
        ),
        (event({"at": (field("int32", DEBEZIUM + "Date"), "x")}), "member 'at'"),
    ],
    ids=["no-payload", "no-schema", "value"],
)
def test_malformed_events_have_a_reason(value: bytes, reason: str) -> None:
    schema = TableSchema.of([("id", parse_type("INT")), ("at", parse_type("DATE"))])
    reader = ChangeReader(SETTINGS, dict.fromkeys((SHOP, TableId(("orders",))), schema))
    for read in (reader.infer, reader.read):
        with pytest.raises(MalformedRecordError, match=reason):
            read("t", None, value)


def test_a_null_payload_is_a_tombstone() -> None:
    reader = ChangeReader(SETTINGS, {})
    assert reader.read("t", None, b'{"schema":null,"payload":null}') == ()
    assert reader.infer("t", None, b'{"schema":null,"payload":null}') == ()


def test_the_keys_payload_is_the_key() -> None:
    settings = ReadSettings(value=DebeziumJson(schema_include=True), reads_key=True, key_prefix="key_")
    record, key = event({"name": (field("string"), "a")}), b'{"schema":{},"payload":{"id":1}}'
    schemas = dict(ChangeReader(settings, {}).infer("t", key, record))
    [change] = ChangeReader(settings, schemas).read("t", key, record)
    assert schemas[SHOP].names == ("key_id", "name")
    assert msgspec.json.encode(change.after) == b'{"key_id":1,"name":"a"}'
