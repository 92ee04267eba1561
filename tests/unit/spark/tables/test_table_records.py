"""Keys, metadata, headers and kinds of the records of tables."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import DeliveryError, UnsupportedFeatureError
from kafkastream.spark.session.translate_errors import translated
from kafkastream.spark.sql.formats.spark_types import flink_type, spark_type
from kafkastream.sql.types import DataType, Kind, RowField
from tests.unit.spark.tables.frames import read, table, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UPSERT = {"key.format": "csv", "value.format": "json"}


def test_all_metadata(session: SparkSession) -> None:
    columns = (
        "`topic` STRING METADATA, `partition` INT METADATA, `headers` MAP<STRING, BYTES> METADATA, "
        "hl ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list', "
        "le INT METADATA FROM 'leader-epoch', o STRING METADATA FROM 'offset', ts TIMESTAMP(3) METADATA FROM 'timestamp', "
        "txt STRING METADATA FROM 'timestamp', tt STRING METADATA FROM 'timestamp-type', msg STRING, "
        "twice AS msg || msg, rk STRING METADATA FROM '__raw_key__', rv STRING METADATA FROM '__raw_value__', never AS 1"
    )
    headers = [("a", b"1"), ("b", b"2"), ("a", b"3")]
    found = read(session, table(columns, {"format": "json"}), ['{"msg":"x"}'], ["k"], [headers])
    at = datetime.datetime(2023, 11, 14, 23, 13, 20, 123000)  # noqa: DTZ001 - TIMESTAMP has no zone
    assert found == [
        (
            0, "t", 3, {"b": b"2", "a": b"3"}, headers, None, "0", at, "2023-11-14 23:13:20.123", "CreateTime", "x",
            "k", '{"msg":"x"}',
        )
    ]  # fmt: skip


def test_keys(session: SparkSession) -> None:
    options = {
        "key.format": "json",
        "key.fields": "k_id",
        "key.fields-prefix": "k_",
        "value.format": "json",
        "value.fields-include": "EXCEPT_KEY",
    }
    keys = ['{"id":1}', None, '[{"id":1},{"id":2}]']
    definition = table("v STRING, k_id INT", options)
    assert read(session, definition, ['{"v":"a"}'] * 3, keys) == [(0, "a", 1), (2, "a", 1), (2, "a", 2)]
    rows = session.sql("SELECT 7 __source, 'a' c0, 1 c1")
    assert written(rows, definition, "__source", "topic", "key", "value", "timestamp") == [
        (7, "t", '{"id":1}', '{"v":"a"}', None)
    ]
    both = table("v STRING, k INT", {"key.format": "raw", "key.fields": "k", "format": "json"})
    assert read(session, both, ['{"v":"a","k":5}'], [b"\0\0\0\1"]) == [(0, "a", 5)]


def test_header_filter(session: SparkSession) -> None:
    definition = table("i INT", {"format": "json", "scan.header-filter": "depart:toy|depart:book&!env:test"})
    headers = [
        [("depart", b"toy")],
        None,
        [("depart", b"book"), ("env", b"test")],
        [("env", b"x"), ("depart", b"book")],
    ]
    assert read(session, definition, ['{"i":1}', "bad", "bad", '{"i":2}'], headers=headers) == [(0, 1), (3, 2)]


def test_upserts(session: SparkSession) -> None:
    definition = table("u STRING, r STRING, n BIGINT, PRIMARY KEY (r) NOT ENFORCED", UPSERT, "upsert-kafka")
    found = read(session, definition, ['{"u":"a","r":"x","n":1}', None, '{"u":"b","r":"y"}'], ["x", "x", None])
    assert found == [(0, 2, "a", "x", 1), (1, 3, None, "x", None)]
    rows = session.sql(
        "SELECT CAST(k AS TINYINT) __kind, IF(k = 3, NULL, 'u') c0, 'x' c1, 1L c2 FROM VALUES (0), (1), (2), (3) AS v(k)"
    )
    row = '{"u":"u","r":"x","n":1}'
    assert written(rows, definition, "__kind", "key", "value") == [(0, "x", row), (2, "x", row), (3, "x", None)]


def test_written_metadata(session: SparkSession) -> None:
    columns = (
        "ts TIMESTAMP(3) METADATA FROM 'timestamp', i INT, v INT METADATA FROM 'partition' VIRTUAL, "
        "headers MAP<STRING, BYTES> METADATA, topic STRING METADATA"
    )
    definition = table(columns, {"format": "json", "topic": "t;u"})
    rows = session.sql(
        "SELECT TIMESTAMP_NTZ'2023-11-14 23:13:20.123' c0, 1 c1, map('a', X'31') c2, 'u' c3 "
        "UNION ALL SELECT NULL, 2, NULL, 't'"
    )
    assert written(rows, definition, "topic", "value", "headers", "timestamp") == [
        ("u", '{"i":1}', [("a", b"1")], 1_700_000_000_123),
        ("t", '{"i":2}', [], None),
    ]


def test_nulls_where_none_may_be(session: SparkSession) -> None:
    definition = table("i INT, s STRING NOT NULL", {"format": "json"})
    rows = session.sql("SELECT * FROM VALUES (1, 'a'), (2, NULL) AS v(c0, c1)")
    assert written(rows, definition, "value", drops_nulls=True) == [('{"i":1,"s":"a"}',)]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's
        written(rows, definition, "value")
    error = translated(caught.value, "job", "servers")
    assert isinstance(error, DeliveryError)
    assert error.what.startswith("Column 's' is NOT NULL, however, a null value is being written into it.")


def test_types_there_and_back() -> None:
    for kind in (Kind.TINYINT, Kind.DOUBLE, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ, Kind.BOOLEAN):
        assert flink_type(spark_type(DataType.of(kind))) == DataType.of(kind)
    inner = DataType.of(Kind.ROW, fields=(RowField("x", DataType.of(Kind.DECIMAL, 5, 2)),))
    assert flink_type(spark_type(DataType.of(Kind.ARRAY, parts=(inner,)))) == DataType.of(Kind.ARRAY, parts=(inner,))
    assert flink_type(spark_type(DataType.of(Kind.CHAR, 3))) == DataType.string()
    with pytest.raises(UnsupportedFeatureError, match="cannot have the type INTERVAL"):
        spark_type(DataType.of(Kind.INTERVAL_DAY_SECOND))
