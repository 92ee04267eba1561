"""Hostile Avro: whatever the bytes are, a decoder returns a value or raises ``ValueError``, soon and in little memory."""

from __future__ import annotations

import io
import json
from typing import Any, Final

import fastavro
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.formats import AvroRowDeserializationSchema
from kafkastream.model.formats.avro_limits import limit_check
from kafkastream.model.formats.avro_schema import avro_reader, parsed_schema, registered_reader
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.model.formats.schema_registry import RegisteredSchema
from kafkastream.spark.sql.formats.avro_messages import avro_decoder
from kafkastream.sql.connectors.key_value_fields import PartField, RecordPart
from kafkastream.sql.formats import AvroEncoding, AvroFormat
from kafkastream.sql.types import DataType, Kind

LIMITS: Final = RecordLimits()
PRIMITIVES: Final = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
LEAVES: Final = (
    *PRIMITIVES,
    {"type": "fixed", "name": "Nothing", "size": 0},
    {"type": "fixed", "name": "Id", "size": 4},
    {"type": "enum", "name": "Side", "symbols": ["BUY", "SELL"]},
    {"type": "record", "name": "Empty", "fields": []},
    {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "timestamp-micros"},
)


def record(*types: Any) -> dict[str, Any]:
    return {
        "type": "record",
        "name": "Node",
        "fields": [{"name": f"f{number}", "type": kind} for number, kind in enumerate(types)],
    }


def nested(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.builds(lambda part: {"type": "array", "items": part}, parts)
        | st.builds(lambda part: {"type": "map", "values": part}, parts)
        | st.builds(
            lambda part: ["null", part], parts.filter(lambda part: part != "null" and not isinstance(part, list))
        )
    )


TYPES: Final = st.recursive(st.sampled_from(LEAVES), nested, max_leaves=4)
SELF: Final = st.recursive(st.just("Node"), nested, max_leaves=3)
NUMBERS: Final = st.sampled_from([0, 1, 2, -1, -2, 1001, 10**6, 10**9, 2**31, 2**62, -(2**62), -(2**63)])


def encoded(number: int) -> bytes:
    number = ((number << 1) ^ (number >> 63)) & (2**64 - 1)
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


HOSTILE: Final = st.lists(
    NUMBERS.map(encoded)
    | st.binary(max_size=12)
    | st.builds(
        bytes.__mul__, st.sampled_from([b"\2", b"\0", b"\1", b"\2\0", b"\2\2\x61", b"\xff"]), st.integers(1, 9_000)
    ),
    max_size=6,
).map(b"".join)


def is_defined_once(schema: Any) -> bool:
    text = json.dumps(schema)
    return all(text.count(f'"name": "{name}"') <= 1 for name in ("Nothing", "Id", "Side", "Empty"))


SCHEMAS: Final = (
    st.lists(TYPES | SELF, min_size=1, max_size=3).map(lambda types: record(*types)).filter(is_defined_once)
)


def outcome(read: Any, message: bytes) -> Any:
    try:
        return read(message)
    except ValueError as error:
        return error


def depth_of(value: Any) -> int:
    """Return the depth of nested dictionaries and lists, level by level."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, dict | list)]:
        depth += 1
        level = [part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole)]
    return depth


@given(SCHEMAS, HOSTILE)
def test_bytes_of_any_schema(schema: dict[str, Any], message: bytes) -> None:
    value = outcome(avro_reader(parsed_schema(schema)), message)
    if not isinstance(value, ValueError):
        assert depth_of(value) <= LIMITS.depth
        assert str(value).count("None") <= LIMITS.empty_items + 8 * len(message)


@given(SCHEMAS, HOSTILE, st.sampled_from([record("int"), record({"type": "array", "items": "long"}), record("string")]))
def test_writers_schema_of_a_registry(writer: dict[str, Any], message: bytes, reader: dict[str, Any]) -> None:
    outcome(registered_reader(RegisteredSchema(json.dumps(writer)), json.dumps(reader)), message)


@given(
    st.recursive(
        st.sampled_from([*PRIMITIVES, None, 1, "Node", -5]),
        lambda part: (
            st.lists(part)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "name", "fields", "items", "values", "symbols", "size", "logicalType", "default"]
                ),
                part,
            )
        ),
        max_leaves=12,
    ),
    HOSTILE,
)
def test_answers_of_a_registry(answer: Any, message: bytes) -> None:
    outcome(registered_reader(RegisteredSchema(json.dumps(answer)), json.dumps(record("int"))), message)


@given(st.data())
def test_honest_records_pass_the_limits_and_mutated_ones_are_no_trouble(data: st.DataObject) -> None:
    schema = data.draw(
        st.sampled_from([record("string", ["null", "Node"]), record({"type": "array", "items": "Node"})])
    )
    value: Any = {"f0": "leaf", "f1": None} if schema["fields"][0]["type"] == "string" else {"f0": []}
    for _ in range(data.draw(st.integers(0, 150))):
        value = {"f0": "node", "f1": value} if "f1" in value else {"f0": [value]}
    out = io.BytesIO()
    parsed = parsed_schema(schema)
    fastavro.schemaless_writer(out, parsed, value)
    message, read = out.getvalue(), avro_reader(parsed)
    depths = depth_of(value)
    assert depths > LIMITS.depth or read(message) == value
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(message))] * 2)))
    outcome(read, message[:start] + data.draw(HOSTILE) + message[end:])


ROW: Final = record(*(kind for kind in LEAVES if kind != "null" and kind not in (LEAVES[8], LEAVES[11])))
KINDS: Final = (Kind.INT, Kind.BIGINT, Kind.BOOLEAN, Kind.DATE, Kind.DOUBLE, Kind.FLOAT)
PART: Final = RecordPart(
    AvroFormat(),
    tuple(PartField(number, kind.value, kind.value, DataType.of(kind)) for number, kind in enumerate(KINDS)),
)


@given(HOSTILE)
def test_rows_of_the_datastream_api(message: bytes) -> None:
    outcome(AvroRowDeserializationSchema(avro_schema_string=json.dumps(ROW)).deserialize, message)


@given(HOSTILE | st.builds(lambda depth: b'{"f":' * depth, st.integers(0, 5_000)), st.sampled_from(AvroEncoding))
def test_rows_of_tables(message: bytes, encoding: AvroEncoding) -> None:
    outcome(avro_decoder(PART, AvroFormat(encoding=encoding)).opened(), message)


def test_schemas_without_such_types_are_not_checked() -> None:
    assert limit_check(parsed_schema(ROW)) is None
