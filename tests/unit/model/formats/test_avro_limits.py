"""Avro records that would overflow a worker's stack or fill its memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import fastavro
import pytest

from kafkastream.model.formats import ConfluentRegistryAvroDeserializationSchema
from kafkastream.model.formats.avro_schema import avro_reader, parsed_schema
from kafkastream.model.formats.malformed import RecordLimits, use_limits
from kafkastream.testing.registry import EmbeddedSchemaRegistry

HUNDRED_MILLION = b"\x80\x84\xaf\x5f"


def record(field: Any) -> dict[str, Any]:
    return {"type": "record", "name": "Node", "fields": [{"name": "f", "type": field}]}


NESTED = [
    (record(["null", "Node"]), b"\2", b"\0"),
    (record({"type": "array", "items": "Node"}), b"\2", b"\0"),
    (record({"type": "map", "values": ["null", "Node"]}), b"\2\0\2", b"\0"),
]


@pytest.fixture
def higher_limits() -> Iterator[None]:
    use_limits(RecordLimits(depth=1_000, empty_items=10**6))
    yield
    use_limits(RecordLimits())


@pytest.mark.parametrize(("schema", "level", "end"), NESTED)
def test_depth(schema: Any, level: bytes, end: bytes) -> None:
    read = avro_reader(parsed_schema(schema))
    for depth in (5_000, 100_000):
        with pytest.raises(ValueError, match=r"nested deeper than 200 \(kafkastream\.records\.max-depth\)"):
            read(level * depth + end * (depth + 1))


@pytest.mark.usefixtures("higher_limits")
def test_a_job_may_raise_the_limits() -> None:
    schema, level, end = NESTED[0]
    assert avro_reader(parsed_schema(schema))(level * 999 + end)["f"]["f"]["f"]
    with pytest.raises(ValueError, match="nested deeper than 1000"):
        avro_reader(parsed_schema(schema))(level * 1_000 + end)
    assert len(avro_reader(parsed_schema(record({"type": "array", "items": "null"})))(b"\x80\x40\0")["f"]) == 4096


def test_a_record_that_always_contains_itself() -> None:
    with pytest.raises(ValueError, match="nested deeper"):
        avro_reader(parsed_schema(record("Node")))(b"")


@pytest.mark.parametrize(
    "items",
    [
        "null",
        {"type": "fixed", "name": "Nothing", "size": 0},
        {"type": "record", "name": "Empty", "fields": []},
        {"type": "record", "name": "Nulls", "fields": [{"name": "a", "type": "null"}]},
    ],
)
def test_items_without_bytes(items: Any) -> None:
    read = avro_reader(parsed_schema(record({"type": "array", "items": items})))
    with pytest.raises(
        ValueError, match=r"more than 1000 values without bytes \(kafkastream\.records\.max-empty-items\)"
    ):
        read(HUNDRED_MILLION + b"\0")
    with pytest.raises(ValueError, match="more than 1000 values"):
        read(b"\xff" * 9 + b"\1\2\0")  # a block of -2**63 items, and its size
    assert len(read(b"\4\3\0\0")["f"]) == 4  # blocks of 2 and of -2 items


def test_records_with_many_nulls() -> None:
    fields = [{"name": f"n{number}", "type": "null"} for number in range(100)]
    items = {"type": "record", "name": "Wide", "fields": [{"name": "flag", "type": "boolean"}, *fields]}
    read = avro_reader(parsed_schema(record({"type": "array", "items": items})))
    assert len(read(b"\x14" + b"\1" * 10 + b"\0")["f"]) == 10
    with pytest.raises(ValueError, match="more than 1000 values"):
        read(b"\x16" + b"\1" * 11 + b"\0")


@pytest.mark.parametrize("length", [b"\1", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1", b"\xff" * 9 + b"\1", b"\x14"])
@pytest.mark.parametrize(
    "kind", ["string", "bytes", {"type": "array", "items": "long"}, {"type": "map", "values": "null"}]
)
def test_lengths_beyond_the_record(length: bytes, kind: Any) -> None:
    read = avro_reader(
        parsed_schema(
            {"type": "record", "name": "R", "fields": [{"name": "f", "type": kind}, {"name": "g", "type": "double"}]}
        )
    )
    with pytest.raises(ValueError, match="the bytes are not of the Avro schema"):
        read(length + b"abc")


def test_the_writers_schema_may_be_hostile(registry: EmbeddedSchemaRegistry) -> None:
    """The reader wants none of the parts that are deep, empty or broken; fastavro reads them all the same."""
    reader = {"type": "record", "name": "Node", "fields": [{"name": "id", "type": "int", "default": 1}]}
    schema = ConfluentRegistryAvroDeserializationSchema.for_generic(json.dumps(reader), registry.url)

    def read(field: Any, data: bytes) -> Any:
        schema_id = registry.register("orders", json.dumps(record(field)))
        return schema.deserialize(b"\0" + schema_id.to_bytes(4, "big") + data)

    assert read(["null", "Node"], b"\2\2\0") == {"id": 1}
    with pytest.raises(ValueError, match="nested deeper"):
        read(["null", "Node"], b"\2" * 5_000 + b"\0")
    assert read({"type": "array", "items": "null"}, b"\4\0") == {"id": 1}
    with pytest.raises(ValueError, match="values without bytes"):
        read({"type": "array", "items": "null"}, HUNDRED_MILLION + b"\0")


def test_honest_records_of_such_schemas_are_read() -> None:
    schema = parsed_schema(
        record({"type": "array", "items": ["null", "string", "Node", {"type": "map", "values": "double"}]})
    )
    value: dict[str, Any] = {"f": [None, "a", {"f": [{"x": 1.5, "y": -2.0}, "b"]}, {}, {"f": []}]}
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    assert avro_reader(schema)(out.getvalue()) == value
