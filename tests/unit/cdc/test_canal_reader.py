"""Canal JSON: events to changes of rows, with types from the values or from the message."""

from __future__ import annotations

import base64
import json
import time
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.canal_reader import DATABASE_INCLUDE, CanalInference, CanalJson
from kafkastream.cdc.formats.canal_types import member_of_mysql_type
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.data_types import parse_type

SHOP = TableId(("shop", "orders"))


def event(type_: str = "INSERT", *data: dict[str, Any], **others: Any) -> bytes:
    envelope = {"type": type_, "database": "shop", "table": "orders", "isDdl": False, "data": list(data), "old": None}
    return json.dumps(envelope | others).encode()


def settings(**options: Any) -> ReadSettings:
    return ReadSettings(value=CanalJson(**options))


def shown(schema: TableSchema) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in schema.columns)


def inferred(value: bytes, read: ReadSettings) -> TableSchema:
    [(table, schema)] = ChangeReader(read, {}).infer("t", None, value)
    assert table == SHOP
    return schema


def read_again(value: bytes, read: ReadSettings) -> list[Change]:
    return list(ChangeReader(read, {SHOP: inferred(value, read)}).read("t", None, value))


def values(row: Any) -> tuple[Any, ...] | None:
    return None if row is None else msgspec.structs.astuple(row)


def test_an_event_has_several_rows() -> None:
    changes = read_again(event("INSERT", {"id": "1"}, {"id": "2"}), settings())
    assert [(change.operation, change.before, values(change.after)) for change in changes] == [
        (Operation.INSERT, None, ("1",)),
        (Operation.INSERT, None, ("2",)),
    ]


def test_old_has_the_columns_that_have_changed() -> None:
    rows = ({"id": "1", "name": "a", "note": None}, {"id": "2", "name": "b", "note": "n"})
    changes = read_again(event("UPDATE", *rows, old=[{"name": None}, {"note": "m", "id": "3"}]), settings())
    assert [(change.operation, values(change.before), values(change.after)) for change in changes] == [
        (Operation.UPDATE, ("1", None, None), ("1", "a", None)),
        (Operation.UPDATE, ("3", "b", "m"), ("2", "b", "n")),
    ]


def test_an_update_may_not_tell_what_was() -> None:
    [change] = read_again(event("UPDATE", {"id": "1"}), settings())
    assert (change.before, values(change.after)) == (None, ("1",))


def test_a_deleted_row_stands_in_data() -> None:
    [change] = read_again(event("DELETE", {"id": "1"}), settings())
    assert (change.operation, values(change.before), change.after) == (Operation.DELETE, ("1",), None)


def test_the_primary_key_is_the_messages() -> None:
    schema = inferred(event("INSERT", {"id": "1", "name": "a"}, pkNames=["id"]), settings())
    assert (schema.primary_key, shown(schema)) == (("id",), "id STRING NOT NULL, name STRING")


@pytest.mark.parametrize("value", [event("ALTER", isDdl=True), event("CREATE")], ids=["flag", "create"])
def test_ddl_is_skipped(value: bytes) -> None:
    reader = ChangeReader(settings(), {})
    assert reader.read("t", None, value) == ()
    assert reader.infer("t", None, value) == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (event("TRUNCATE"), "unknown type 'TRUNCATE'"),
        (event("INSERT", data=None), "no rows in data"),
        (event("INSERT", data=[None]), "row in data is null"),
        (event("INSERT", {"id": "1"}, table=None), "names no table"),
        (event("INSERT", {"id": "1"}, type=None), "no type"),
        (event("UPDATE", {"id": "1"}, old=[]), "1 rows in data, and 0 in old"),
        (event("INSERT", {"id": "1"}, data="x"), "Expected `array | null`"),
        (event("INSERT", 5), "not a JSON object"),  # type: ignore[arg-type]
    ],
    ids=["type", "no-data", "null-row", "table", "no-type", "old", "text", "number"],
)
def test_malformed_canal_records_have_a_reason(value: bytes, reason: str) -> None:
    schema = TableSchema.of([("id", parse_type("STRING"))])
    with pytest.raises(MalformedRecordError, match=reason):
        ChangeReader(settings(), {SHOP: schema}).read("t", None, value)


@pytest.mark.parametrize(
    ("include", "is_read"),
    [
        ({"database_include": "sh.*"}, True),
        ({"database_include": "sh"}, False),
        ({"table_include": "orders|customers"}, True),
        ({"database_include": "shop", "table_include": "order"}, False),
    ],
    ids=["database", "database-part", "table", "table-part"],
)
def test_includes_match_whole_names(include: dict[str, str], is_read: bool) -> None:
    value = event("INSERT", {"id": "1"})
    assert len(ChangeReader(settings(**include), {}).infer("t", None, value)) == is_read
    if not is_read:
        assert ChangeReader(settings(**include), {}).read("t", None, value) == ()


def test_an_include_is_a_java_regex() -> None:
    with pytest.raises(DefinitionError, match="possessive"):
        DATABASE_INCLUDE.read("a*+")


SQL_ROW = {
    "flag": ("1", -7, "BOOLEAN", True),
    "tiny": ("-5", -6, "TINYINT", -5),
    "small": ("007", 5, "SMALLINT", 7),
    "id": ("1", 4, "INT", 1),
    "big": (str(2**63 - 1), -5, "BIGINT", 2**63 - 1),
    "price": ("0012.50", 3, "DECIMAL(38, 18)", Decimal("12.500000000000000000")),
    "real": ("1.5", 7, "FLOAT", 1.5),
    "double": ("1.0E10", 8, "DOUBLE", 1e10),
    "blob": ("\x00\xff", 2004, "BYTES", b"\x00\xff"),
    "day": ("2024-02-29", 91, "DATE", "2024-02-29"),
    "time": ("12:30:00", 92, "TIME(0)", "12:30:00"),
    "at": ("2024-05-01 12:30:00", 93, "TIMESTAMP(6)", "2024-05-01 12:30:00"),
    "name": ("5", 12, "STRING", "5"),
    "other": ("x", 1111, "STRING", "x"),
    "nothing": (None, 4, "INT", None),
}


def test_types_by_sql_type() -> None:
    value = event(
        "INSERT",
        {name: column[0] for name, column in SQL_ROW.items()},
        sqlType={name: column[1] for name, column in SQL_ROW.items()},
    )
    read = settings(inference=CanalInference.SQL_TYPE)
    assert shown(inferred(value, read)) == ", ".join(f"{name} {column[2]}" for name, column in SQL_ROW.items())
    [change] = read_again(value, read)
    assert values(change.after) == tuple(column[3] for column in SQL_ROW.values())


def test_values_beyond_their_sql_type_widen_it() -> None:
    types = {"tiny": -6, "big": -5, "time": 92, "day": 91, "long": 92}
    row = {"long": "100:00:00", "tiny": "200", "big": str(2**64 - 1), "time": "12:30:00.25", "day": "0000-00-00"}
    value, read = event("INSERT", row, sqlType=types), settings(inference=CanalInference.SQL_TYPE)
    assert shown(inferred(value, read)) == ("long STRING, tiny BIGINT, big DECIMAL(38, 0), time TIME(2), day STRING")
    [change] = read_again(value, read)
    assert values(change.after) == ("100:00:00", 200, Decimal(2**64 - 1), "12:30:00.25", "0000-00-00")


def test_a_wider_type_in_a_message_is_a_mismatch_though_the_value_fits() -> None:
    read = settings(inference=CanalInference.SQL_TYPE)
    reader = ChangeReader(read, {SHOP: inferred(event("INSERT", {"id": "1"}, sqlType={"id": 4}), read)})
    assert len(reader.read("t", None, event("INSERT", {"id": "2"}, sqlType={"id": 4}))) == 1
    with pytest.raises(SchemaMismatchError) as caught:
        reader.read("t", None, event("INSERT", {"id": "3"}, sqlType={"id": -5}))
    assert shown(caught.value.found[0][1]) == "id BIGINT"


@pytest.mark.parametrize("inference", [CanalInference.SQL_TYPE, CanalInference.MYSQL_TYPE])
def test_types_that_are_wanted_must_be_there(inference: CanalInference) -> None:
    with pytest.raises(MalformedRecordError, match=r"has no (sql|mysql)Type; set .* to AUTO"):
        ChangeReader(settings(inference=inference), {}).infer("t", None, event("INSERT", {"id": "1"}))


def test_a_value_that_contradicts_its_type_is_malformed() -> None:
    value = event("INSERT", {"id": "x"}, sqlType={"id": 4})
    with pytest.raises(MalformedRecordError, match="member 'id': 'x' is not a number"):
        inferred(value, settings(inference=CanalInference.SQL_TYPE))


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("tinyint(1)", "BOOLEAN"),
        ("tinyint(4)", "TINYINT"),
        ("TINYINT(3) UNSIGNED", "SMALLINT"),
        ("smallint(6)", "SMALLINT"),
        ("smallint(5) unsigned zerofill", "INT"),
        ("mediumint(8) unsigned", "INT"),
        ("int", "INT"),
        ("int unsigned", "BIGINT"),
        ("bigint(20)", "BIGINT"),
        ("bigint(20) unsigned", "DECIMAL(20, 0)"),
        ("float", "FLOAT"),
        ("float(7,4)", "DOUBLE"),
        ("double(10,2)", "DOUBLE"),
        ("decimal(10,2)", "DECIMAL(10, 2)"),
        ("decimal", "DECIMAL(10, 0)"),
        ("decimal(65,30)", "STRING"),
        ("bit(1)", "BOOLEAN"),
        ("bit(12)", "BINARY(2)"),
        ("char(3)", "CHAR(3)"),
        ("varchar(255)", "VARCHAR(255)"),
        ("longtext", "STRING"),
        ("enum('unsigned','b')", "STRING"),
        ("json", "STRING"),
        ("binary(16)", "BINARY(16)"),
        ("mediumblob", "BYTES"),
        ("date", "DATE"),
        ("time(3)", "TIME(3)"),
        ("datetime", "TIMESTAMP(0)"),
        ("datetime(6)", "TIMESTAMP(6)"),
        ("timestamp(3)", "TIMESTAMP(3)"),
        ("year(4)", "INT"),
        ("geometry", "STRING"),
        ("", "STRING"),
    ],
)
def test_types_of_mysql(text: str, type_: str) -> None:
    found = member_of_mysql_type(text, timestamp_is_local=False, tinyint1_is_boolean=True)
    assert str(found.type) == type_


def test_switches_of_mysql() -> None:
    row, types = {"flag": "2", "at": "2024-05-01 12:30:00"}, {"flag": "tinyint(1)", "at": "timestamp"}
    value = event("INSERT", row, mysqlType=types)
    read = settings(inference=CanalInference.MYSQL_TYPE, timestamp_as_datetime=False, tinyint1_as_boolean=False)
    assert shown(inferred(value, read)) == "flag TINYINT, at TIMESTAMP_LTZ(0)"
    [change] = read_again(value, read)
    assert values(change.after) == (2, "2024-05-01 12:30:00Z")


def test_bits_are_bytes() -> None:
    value = event("INSERT", {"bits": "258"}, mysqlType={"bits": "bit(12)"})
    [change] = read_again(value, settings(inference=CanalInference.MYSQL_TYPE))
    assert values(change.after) == (b"\x01\x02",)
    assert base64.b64encode(b"\x01\x02") in msgspec.json.encode(change.after)


def test_texts_of_numbers_fit_columns_of_numbers() -> None:
    schema = TableSchema.of([("id", parse_type("INT")), ("price", parse_type("DECIMAL(10, 2)"))])
    reader = ChangeReader(settings(), {SHOP: schema})
    for _ in range(2):
        [change] = reader.read("t", None, event("INSERT", {"id": "5", "price": "1.5"}))
        assert values(change.after) == (5, Decimal("1.50"))


@pytest.mark.parametrize(
    "mysql_type",
    [
        "decimal(10,20)",
        "decimal(0)",
        "bit(8000000000)",
        "datetime(99)",
        "timestamp(10)",
        "time(10)",
        "varchar(99999999999)",
    ],
)
def test_types_that_no_mysql_has_are_strings(mysql_type: str) -> None:
    found = member_of_mysql_type(mysql_type, timestamp_is_local=True, tinyint1_is_boolean=True)
    assert str(found.type) == "STRING"


def test_a_number_of_many_zeros_is_refused_soon() -> None:
    convert = member_of_mysql_type("int", timestamp_is_local=True, tinyint1_is_boolean=True).transform
    assert convert is not None
    started = time.process_time()
    with pytest.raises(ValueError, match="is not a number"):
        convert(f'"{"0" * 1_000_000}x"'.encode())
    assert time.process_time() - started < 2
