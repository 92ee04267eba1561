"""Avro messages as rows of tables and back: bare, as JSON, and with Confluent's registry."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import pytest

from kafkastream.errors import DefinitionError, DeliveryError, DeserializationError
from kafkastream.spark.plan.table_encoder import encoded_records
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.session.translate_errors import translated
from kafkastream.spark.sql.formats.avro_messages import avro_decoder
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, sink_of, source_of
from kafkastream.sql.formats import AvroConfluentFormat, AvroFormat
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.testing.registry import EmbeddedSchemaRegistry
from tests.unit.spark.tables.frames import read, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BARE = {"format": "avro"}
COLUMNS = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT NOT NULL, n BIGINT, f FLOAT, d DOUBLE, x STRING, y BYTES, "
    "p DECIMAL(7, 2), `day` DATE, `at` TIME(3), ts TIMESTAMP(3), a ARRAY<TIMESTAMP(3)>, m MAP<STRING, DECIMAL(4, 1)>, "
    "r ROW<`k` INT NOT NULL, `w` ROW<`v` DATE>>, q MULTISET<STRING>"
)
# What Flink's AvroSchemaConverter derives: its names, its order, its defaults.
SCHEMA = {
    "type": "record",
    "name": "record",
    "namespace": "org.apache.flink.avro.generated",
    "fields": [
        {"name": "b", "type": ["null", "boolean"], "default": None},
        {"name": "t", "type": ["null", "int"], "default": None},
        {"name": "s", "type": ["null", "int"], "default": None},
        {"name": "i", "type": "int"},
        {"name": "n", "type": ["null", "long"], "default": None},
        {"name": "f", "type": ["null", "float"], "default": None},
        {"name": "d", "type": ["null", "double"], "default": None},
        {"name": "x", "type": ["null", "string"], "default": None},
        {"name": "y", "type": ["null", "bytes"], "default": None},
        {
            "name": "p",
            "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 7, "scale": 2}],
            "default": None,
        },
        {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
        {"name": "at", "type": ["null", {"type": "int", "logicalType": "time-millis"}], "default": None},
        {"name": "ts", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None},
        {
            "name": "a",
            "type": [
                "null",
                {"type": "array", "items": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
            ],
            "default": None,
        },
        {
            "name": "m",
            "type": [
                "null",
                {
                    "type": "map",
                    "values": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 1}],
                },
            ],
            "default": None,
        },
        {
            "name": "r",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "record_r",
                    "fields": [
                        {"name": "k", "type": "int"},
                        {
                            "name": "w",
                            "type": [
                                "null",
                                {
                                    "type": "record",
                                    "name": "record_r_w",
                                    "fields": [
                                        {
                                            "name": "v",
                                            "type": ["null", {"type": "int", "logicalType": "date"}],
                                            "default": None,
                                        }
                                    ],
                                },
                            ],
                            "default": None,
                        },
                    ],
                },
            ],
            "default": None,
        },
        {"name": "q", "type": ["null", {"type": "map", "values": ["null", "int"]}], "default": None},
    ],
}
DAY, AT = datetime.date(2024, 2, 29), datetime.time(1, 2, 3, 4000)
OLD = datetime.datetime(1969, 12, 31, 23, 59, 59, 999000)  # noqa: DTZ001 - TIMESTAMP has no zone
# Decimals of one byte, among them the least: Java's bytes are the fewest.
FULL: dict[str, Any] = {
    "b": True, "t": -3, "s": 300, "i": 7, "n": 1 << 40, "f": 0.5, "d": 0.1, "x": "é", "y": b"\0\xff",
    "p": Decimal("-1.28"), "day": DAY, "at": AT, "ts": OLD, "a": [OLD, None],
    "m": {"k": Decimal("12.3"), "z": None}, "r": {"k": 1, "w": {"v": DAY}}, "q": {"one": 2},
}  # fmt: skip
EMPTY: dict[str, Any] = {**dict.fromkeys(FULL), "i": 0}
UTC = datetime.timezone.utc


@pytest.fixture
def registry() -> Iterator[EmbeddedSchemaRegistry]:
    with EmbeddedSchemaRegistry("alice:pass word") as started:
        yield started


def confluent(registry: EmbeddedSchemaRegistry, **more: str) -> dict[str, str]:
    return {
        "format": "avro-confluent",
        "avro-confluent.url": registry.url,
        "avro-confluent.basic-auth.credentials-source": "USER_INFO",
        "avro-confluent.basic-auth.user-info": "alice:pass word",
        **{f"avro-confluent.{key.replace('_', '.')}": value for key, value in more.items()},
    }


def message(schema: Any, record: Mapping[str, Any]) -> bytes:
    """By fastavro, with its own logical types."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), _zoned(record))
    return out.getvalue()


def _zoned(value: Any) -> Any:
    match value:
        case datetime.datetime():
            return value.replace(tzinfo=UTC)
        case dict():
            return {key: _zoned(one) for key, one in value.items()}
        case list():
            return list(map(_zoned, value))
        case _:
            return value


def as_row(value: Any) -> Any:
    return tuple(map(as_row, value.values())) if isinstance(value, dict) else value


def row_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """As Spark has it: records are rows, maps are not."""
    return tuple(as_row(value) if key == "r" else value for key, value in record.items())


def frame(session: SparkSession, records: list[dict[str, Any]]) -> DataFrame:
    types = (
        "boolean, tinyint, smallint, int, bigint, float, double, string, binary, decimal(7,2), date, time(6), "
        "timestamp_ntz, array<timestamp_ntz>, map<string,decimal(4,1)>, struct<k:int,w:struct<v:date>>, map<string,int>"
    ).replace(", ", "|").split("|")  # fmt: skip
    schema = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types))
    return local_frame(session, [row_of(record) for record in records], schema)


def values(rows: DataFrame, definition: TableDefinition) -> list[bytes | None]:
    sink = sink_of(definition)
    assert isinstance(sink, KafkaTableSink)
    found = [row["value"] for row in encoded_records(rows, definition, sink).collect()]
    return [None if value is None else bytes(value) for value in found]


def test_schema_of_a_table() -> None:
    fields = table(COLUMNS, BARE).schema.physical
    assert json.loads(AvroFormat().schema_of([RowField(one.name, one.type) for one in fields])) == SCHEMA
    at = RowField("at", DataType.of(Kind.TIMESTAMP, 6)), RowField("l", DataType.of(Kind.TIMESTAMP_LTZ, 3))
    found = json.loads(AvroFormat(timestamp_mapping_legacy=False).schema_of(at))
    assert [one["type"][1]["logicalType"] for one in found["fields"]] == ["local-timestamp-micros", "timestamp-millis"]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("ts TIMESTAMP(6)", "with precision: 6, it only supports precision less than 3"),
        ("`at` TIME(6)", "does not support TIME type with precision: 6"),
        ("ts TIMESTAMP_LTZ(3)", "Unsupported to derive Schema for type: TIMESTAMP_LTZ(3)"),
        ("m MAP<INT, INT>", "non-string as key type of map. The key type is: INT"),
        ("`a b` INT", "Illegal name"),
    ],
)
def test_what_avro_cannot_hold(columns: str, reason: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        sink_of(table(columns, BARE))
    assert reason in str(refused.value)


def test_rows(session: SparkSession) -> None:
    definition = table(COLUMNS, BARE)
    messages = [message(SCHEMA, record) for record in (FULL, EMPTY)]
    assert read(session, definition, [messages[0], None, messages[1] + b"more"]) == [
        (0, *row_of(FULL)),
        (2, *row_of(EMPTY)),
    ]
    written = values(frame(session, [FULL, EMPTY]), definition)
    assert written[1] == messages[1]
    assert written[0] is not None
    assert b"\x02\x02\x80" in written[0]  # -1.28 in one byte
    schema = fastavro.parse_schema(SCHEMA)
    assert fastavro.schemaless_reader(io.BytesIO(written[0]), schema, None) == _zoned(FULL)


def test_times_of_both_kinds(session: SparkSession) -> None:
    options = {**BARE, "avro.timestamp_mapping.legacy": "false"}
    definition = table("a TIMESTAMP(6), b TIMESTAMP_LTZ(3), c TIMESTAMP_LTZ(6)", options)
    rows = session.sql(
        "SELECT TIMESTAMP_NTZ'1969-12-31 23:59:59.999999' c0, TIMESTAMP'2024-07-01 02:00:00.5 UTC' c1, "
        "TIMESTAMP'2024-07-01 02:00:00.000001 UTC' c2"
    )
    (written,) = values(rows, definition)
    fields = [{"name": name, "type": ["null", "long"]} for name in "abc"]
    schema = fastavro.parse_schema({"type": "record", "name": "x", "fields": fields})
    assert written is not None
    assert fastavro.schemaless_reader(io.BytesIO(written), schema, None) == {
        "a": -1, "b": 1_719_799_200_500, "c": 1_719_799_200_000_001
    }  # fmt: skip
    ((_, *found),) = read(session, definition, [written])
    assert found == list(rows.first() or ())


def test_metadata_passes(session: SparkSession) -> None:
    columns = (
        "i INT NOT NULL, `at` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', h MAP<STRING, BYTES> METADATA FROM 'headers', "
        "`raw` STRING METADATA FROM '__raw_value__'"
    )
    definition = table(columns, BARE)
    ((_, number, at, headers, raw),) = read(session, definition, [b"\x0e"], headers=[[("k", b"1")]])
    assert (number, at.timestamp(), headers, raw) == (7, 1_700_000_000.123, {"k": b"1"}, "\x0e")
    rows = session.sql(
        "SELECT 7 c0, timestamp_millis(5) c1, map('k', X'31') c2, IF(n = 0, 'x', NULL) c3 FROM range(2) r(n)"
    )
    sink = sink_of(definition)
    assert isinstance(sink, KafkaTableSink)
    records = encoded_records(rows, definition, sink).collect()
    assert [bytes(one["value"]) for one in records] == [b"x", b"\x0e"]
    assert {one["timestamp"] for one in records} == {5}
    assert bytes(records[0]["headers"][0]["value"]) == b"1"


def test_json_encoding(session: SparkSession) -> None:
    definition = table("i INT NOT NULL, x STRING, y BYTES NOT NULL", {**BARE, "avro.encoding": "json"})
    text = '{"i":7,"x":{"string":"é"},"y":"\\u0000ÿ"}'.encode()
    assert read(session, definition, [text]) == [(0, 7, "é", b"\0\xff")]
    assert values(session.sql("SELECT 7 c0, 'é' c1, X'00ff' c2"), definition) == [text]


def test_bad_records(session: SparkSession) -> None:
    definition = table("i INT NOT NULL, x STRING NOT NULL", BARE)
    with pytest.raises(Exception, match="cannot decode") as failed:
        read(session, definition, [b"\x0e\x02a", b"\x0e\x08a"])
    error = translated(failed.value, "job", "")
    assert isinstance(error, DeserializationError)
    assert "topic t, partition 3, offset 1" in str(error)
    rows = session.sql("SELECT named_struct('k', CAST(NULL AS INT)) c0")
    with pytest.raises(Exception, match="cannot write") as failed:
        values(rows, table("r ROW<`k` INT NOT NULL>", BARE))
    assert isinstance(translated(failed.value, "job", ""), DeliveryError)


@pytest.mark.parametrize(
    ("column", "number", "reason"),
    [
        ("i INT", 2**40, "too large"),
        ("`at` TIME(3)", -1, "not a value of type TIME(3): -1"),
        ("`at` TIME(3)", 86_400_000, "not a value of type TIME(3): 86400000"),
        ("ts TIMESTAMP(3)", 2**63 - 1, "not a value of type TIMESTAMP(3): 9223372036854775807"),
        ("ts TIMESTAMP_LTZ(3)", -(2**63), "not a value of type TIMESTAMP_LTZ(3): -9223372036854775808"),
    ],
)
def test_numbers_that_do_not_fit_fail_with_their_position(
    session: SparkSession, column: str, number: int, reason: str
) -> None:
    out = io.BytesIO()
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": ["null", "long"]}]}
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), {"x": number})
    with pytest.raises(Exception, match="cannot decode") as failed:
        read(session, table(column, {**BARE, "avro.timestamp_mapping.legacy": "false"}), [b"\0", out.getvalue()])
    error = translated(failed.value, "job", "")
    assert isinstance(error, DeserializationError)
    assert reason in str(error)
    assert "topic t, partition 3, offset 1" in str(error)


ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "gone", "type": {"type": "enum", "name": "Color", "symbols": ["RED", "BLUE"]}},
        {"name": "id", "type": "int"},
        {"name": "buyer", "type": {"type": "record", "name": "Buyer", "fields": [{"name": "name", "type": "string"}]}},
        {"name": "list", "type": {"type": "array", "items": ["null", "float"]}},
    ],
}


def framed(schema_id: int, data: bytes) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big") + data


def test_registered_schemas(session: SparkSession, registry: EmbeddedSchemaRegistry) -> None:
    """Another program's records, by its names, its types, and its order; and the records of a table like this one."""
    columns = "`new` STRING, id BIGINT, buyer ROW<`name` STRING, `age` INT>, `list` ARRAY<DOUBLE>"
    definition = table(columns, confluent(registry, subject="mine"))
    theirs = registry.register("theirs", json.dumps(ORDER))
    record = {"gone": "RED", "id": 7, "buyer": {"name": "Ann"}, "list": [None, 0.5]}
    sent = framed(theirs, message(ORDER, record))
    assert read(session, definition, [sent]) == [(0, None, 7, ("Ann", None), [None, 0.5])]
    rows = session.sql("SELECT 'a' c0, 8L c1, named_struct('name', 'Bo', 'age', 3) c2, array(0.25D) c3")
    (own,) = values(rows, definition)
    assert own is not None
    mine = int.from_bytes(own[1:5], "big")
    assert mine != theirs
    assert registry.asked.count("POST /subjects/mine/versions") == 1
    assert read(session, definition, [own, sent]) == [
        (0, "a", 8, ("Bo", 3), [0.25]),
        (1, None, 7, ("Ann", None), [None, 0.5]),
    ]


def test_bad_registered_records(registry: EmbeddedSchemaRegistry) -> None:
    source = source_of(table("id BIGINT NOT NULL", confluent(registry)))
    assert isinstance(source, KafkaTableSource)
    assert isinstance(source.value.format, AvroConfluentFormat)
    decode = avro_decoder(source.value, source.value.format).opened()
    theirs = registry.register("theirs", json.dumps(ORDER))
    text = registry.register("text", '{"type": "record", "name": "T", "fields": [{"name": "id", "type": "string"}]}')
    for bad, reason in {
        b"": "Magic number",
        b"{}": "Magic number",
        framed(99, b"\0"): "HTTP 404",
        framed(theirs, b""): "not of the Avro schema",
        framed(text, b"\x02a"): "cannot be read",
    }.items():
        with pytest.raises(ValueError, match=reason) as failed:
            decode(bad)
        assert "pass word" not in str(failed.value)


def test_keys_and_tombstones(session: SparkSession, registry: EmbeddedSchemaRegistry) -> None:
    upsert = {"key.format": "avro-confluent", "value.format": "avro-confluent"}
    options = {f"{part}.{key}": one for part in ("key", "value") for key, one in confluent(registry).items()}
    definition = table("id BIGINT, x STRING, PRIMARY KEY (id) NOT ENFORCED", {**options, **upsert}, "upsert-kafka")
    sink = sink_of(definition)
    assert isinstance(sink, KafkaTableSink)
    rows = session.sql("SELECT CAST(k AS TINYINT) __kind, 5L c0, 'a' c1 FROM VALUES (0), (3) AS v(k)")
    records = encoded_records(rows, definition, sink).collect()
    assert {bytes(one["key"])[5:] for one in records} == {b"\x0a"}
    assert [one["value"] and bytes(one["value"])[5:] for one in records] == [b"\x0a\x02\x02a", None]
    back = read(session, definition, [one["value"] for one in records], [bytes(one["key"]) for one in records])
    assert back == [(0, 2, 5, "a"), (1, 3, 5, None)]
    assert {path for path in registry.asked if path.startswith("POST")} >= {
        "POST /subjects/t-key/versions",
        "POST /subjects/t-value/versions",
    }


def test_a_registry_that_refuses(session: SparkSession, registry: EmbeddedSchemaRegistry) -> None:
    """It is asked once by each try of the task, though the rows are many."""
    options = confluent(registry, auto_register_schemas="false")
    with pytest.raises(Exception, match="cannot write") as failed:
        values(session.range(100).selectExpr("id c0").coalesce(1), table("id BIGINT", options))
    error = translated(failed.value, "job", "")
    assert isinstance(error, DeliveryError)
    assert "HTTP 404" in str(error)
    assert "pass word" not in str(error)
    assert set(registry.asked) == {"POST /subjects/t-value"}
    assert len(registry.asked) < 10


def test_given_schema() -> None:
    given = json.dumps({**ORDER, "fields": ORDER["fields"][1:3]})
    row = DataType.of(Kind.ROW, fields=(RowField("name", DataType.string().not_null()),)).not_null()
    fields = [RowField("id", DataType.of(Kind.INT).not_null()), RowField("buyer", row)]
    format_ = AvroConfluentFormat(url="http://localhost:9", schema=given)
    assert format_.schema_of(fields) == given
    assert "does not match the table data type" in str(format_.problem_with(fields[:1]))
