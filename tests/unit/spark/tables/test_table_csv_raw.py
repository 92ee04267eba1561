"""The formats csv and raw in tables: what is read and written, as Flink does it."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from kafkastream.spark.plan.table_encoder import encoded_records
from kafkastream.spark.session.session import local_frame
from kafkastream.sql.connectors import KafkaTableSink, sink_of
from tests.unit.spark.tables.frames import read, table, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CSV = {"format": "csv"}
IGNORING = {**CSV, "csv.ignore-parse-errors": "true"}
AT = datetime.datetime(2024, 5, 1, 12, 30, 0, 500000)  # noqa: DTZ001 - TIMESTAMP has no zone
COLUMNS = (
    "i INT, s STRING, d DOUBLE, `dec` DECIMAL(10, 2), bo BOOLEAN, `by` BYTES, ts TIMESTAMP(3), arr ARRAY<INT>, "
    "r ROW<x INT, y STRING>"
)


def test_reading_csv(session: SparkSession) -> None:
    values = [
        ' 1 ,"a,""b""\n",1.5,1.10,TRUE,aGk=,2024-05-01 12:30:00.5,1;2,3;z\nnext line',
        "1,,1.5,1.10,no,,2024-05-01 12:30:00.5,,",
        "1, x ,1.5,1.10,true,aGk=,2024-05-01 12:30:00.5,1,3;z,",
    ]
    assert read(session, table(COLUMNS, CSV), [*values, None]) == [
        (0, 1, 'a,"b"\n', 1.5, Decimal("1.10"), True, b"hi", AT, [1, 2], (3, "z")),
        (1, 1, "", 1.5, Decimal("1.10"), False, b"", AT, [], None),
        (2, 1, " x ", 1.5, Decimal("1.10"), True, b"hi", AT, [1], (3, "z")),
    ]


def test_options_of_csv(session: SparkSession) -> None:
    options = {
        **IGNORING,
        "csv.field-delimiter": r"\u0001",
        "csv.quote-character": "'",
        "csv.escape-character": "\\",
        "csv.null-literal": "n/a",
        "csv.allow-comments": "true",
        "csv.array-element-delimiter": "|",
    }
    values = [
        "1\x01'it''s\x01'\x01n/a",
        "n/a\x01a\\\x01b\\nc\x011|x|n/a",
        "# a comment\n2\x01x\x01",
        "# nothing",
        "x\x01y",
        "1\x012\x013\x014",
        "'open\x011",
        "",
    ]
    assert read(session, table("i INT, s STRING, arr ARRAY<INT>", options), values) == [
        (0, 1, "it's\x01", [None]),
        (1, None, "a\x01b\nc", [1, None, None]),
        (2, 2, "x", []),
        (4, None, "y", None),
    ]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("1", "Row length mismatch. 2 fields expected but was 1."),
        ("1,2,3", "Row length mismatch. 2 fields expected but was 3."),
        (",a", "Fail to deserialize at field: i."),
        ('1,"a', "A quote is not closed"),
    ],
)
def test_csv_that_fails(session: SparkSession, value: str, says: str) -> None:
    with pytest.raises(Exception, match=rf"\[topic t, partition 3, offset 0\] Failed to deserialize CSV row\. {says}"):
        read(session, table("i INT, s STRING", CSV), [value])


def test_writing_csv(session: SparkSession) -> None:
    rows = session.sql(
        "SELECT 1 c0, 'a,\"b\"' c1, 1e10D c2, 100BD c3, true c4, X'6869' c5, TIMESTAMP_NTZ'2024-05-01 12:30:00.5' c6, "
        "array(1, NULL) c7, named_struct('x', 3, 'y', 'z') c8 "
        "UNION ALL SELECT NULL, 'short', NULL, 0.0000001BD, NULL, NULL, NULL, NULL, NULL "
        "UNION ALL SELECT 2, 'abcdefghijklmnopqrstuvwxyz', -0.5D, -1230BD, false, X'', NULL, array(), NULL"
    ).selectExpr("c0", "c1", "c2", "cast(c3 as decimal(20, 8)) c3", "c4", "c5", "c6", "c7", "c8")
    columns = COLUMNS.replace("(10, 2)", "(20, 8)")
    assert written(rows, table(columns, CSV), "value") == [
        ('1,"a,""b""",1.0E10,100.00000000,true,aGk=,"2024-05-01 12:30:00.5",1;,3;z',),
        (",short,,0.00000010,,,,,",),
        ('2,"abcdefghijklmnopqrstuvwxyz",-0.5,-1230.00000000,false,,,,',),
    ]
    options = {
        **CSV,
        "csv.disable-quote-character": "true",
        "csv.null-literal": "null",
        "csv.write-bigdecimal-in-scientific-notation": "true",
    }
    assert written(rows, table(columns, options), "value") == [
        ('1,a,"b",1.0E10,1E+2,true,aGk=,2024-05-01 12:30:00.5,1;null,3;z',),
        ("null,short,null,1E-7,null,null,null,null,null",),
        ("2,abcdefghijklmnopqrstuvwxyz,-0.5,-1.23E+3,false,,null,,null",),
    ]


@pytest.mark.parametrize("endianness", ["big-endian", "little-endian"])
def test_raw_numbers(session: SparkSession, endianness: str) -> None:
    order = ">" if endianness == "big-endian" else "<"
    kinds: Sequence[tuple[str, str, Sequence[float]]] = [
        ("BOOLEAN", "?", [True, False]),
        ("TINYINT", "b", [-1, 5]),
        ("SMALLINT", "h", [-2, 300]),
        ("INT", "i", [-(2**31), 7]),
        ("BIGINT", "q", [-1, 2**62]),
        ("FLOAT", "f", [1.5, float("-inf")]),
        ("DOUBLE", "d", [0.1, -0.0]),
    ]
    for name, code, values in kinds[:: 1 if order == ">" else 3]:
        definition = table(f"v {name}", {"format": "raw", "raw.endianness": endianness})
        messages = [struct.pack(order + code, value) for value in values]
        found = read(session, definition, [*messages, None])
        assert found == [(0, values[0]), (1, values[1]), (2, None)]
        rows = local_frame(session, [(value,) for value in values], f"c0 {name}")
        sink = sink_of(definition)
        assert isinstance(sink, KafkaTableSink)
        assert [bytes(row.value) for row in encoded_records(rows, definition, sink).collect()] == messages


def test_raw_texts(session: SparkSession) -> None:
    assert read(session, table("v STRING", {"format": "raw"}), ["é", b"\xff", ""]) == [(0, "é"), (1, "\ufffd"), (2, "")]
    definition = table("v STRING", {"format": "raw", "raw.charset": "UTF-16LE"})
    assert read(session, definition, ["é".encode("utf-16-le")]) == [(0, "é")]
    with pytest.raises(Exception, match="Size of data received for deserializing INT type is not 4: 1"):
        read(session, table("v INT", {"format": "raw"}), ["x"])
