from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import Types
from kafkastream.model.connectors.record_deserialization import (
    ConsumerRecord,
    JSONKeyValueDeserializationSchema,
    KafkaRecordDeserializationSchema,
    TimestampType,
    ValueOnlySchema,
)
from kafkastream.model.formats import DeserializationSchema, JsonRowDeserializationSchema, SimpleStringSchema


class NoEmptyText(DeserializationSchema[str]):
    def deserialize(self, message: bytes) -> str | None:
        return message.decode() or None


def record(value: bytes | None) -> ConsumerRecord:
    return ConsumerRecord(topic="t", partition=0, offset=1, timestamp=2, value=value)


def test_value_only_looks_at_the_value() -> None:
    schema = KafkaRecordDeserializationSchema.value_only(SimpleStringSchema())
    assert list(schema.deserialize(record(b"a"))) == ["a"]
    assert schema.get_produced_type() == Types.STRING()
    assert schema == ValueOnlySchema(SimpleStringSchema())


def test_none_of_a_schema_drops_the_record() -> None:
    schema = ValueOnlySchema(NoEmptyText())
    assert [list(schema.deserialize(record(value))) for value in (b"a", b"")] == [["a"], []]
    assert schema.get_produced_type() is None


def test_tombstones_fail() -> None:
    with pytest.raises(ValueError, match="tombstone"):
        ValueOnlySchema(SimpleStringSchema()).deserialize(record(None))


def test_a_class_in_the_place_of_an_instance_is_refused() -> None:
    with pytest.raises(DefinitionError, match="is not a DeserializationSchema") as raised:
        ValueOnlySchema(SimpleStringSchema)  # type: ignore[arg-type]  # what this test is about
    assert "SimpleStringSchema()" in raised.value.now


def test_records_are_values_with_defaults() -> None:
    assert record(b"a") == record(b"a")
    plain = record(None)
    assert (plain.key, plain.headers, plain.timestamp_type) == (None, (), TimestampType.CREATE_TIME)
    assert plain.leader_epoch is None


@pytest.mark.parametrize(
    ("key", "value", "node"),
    [
        (b"1", b'{"a": 2.50}', {"key": 1, "value": {"a": 2.5}}),
        (None, b"null", {"value": None}),
        (b'"k"', None, {"key": "k"}),
        (None, None, {}),
    ],
)
def test_json_of_key_and_value_stand_where_the_record_has_them(
    key: bytes | None, value: bytes | None, node: dict[str, object]
) -> None:
    whole = ConsumerRecord(topic="t", partition=3, offset=1, timestamp=2, key=key, value=value)
    metadata = {"offset": 1, "topic": "t", "partition": 3}
    assert list(JSONKeyValueDeserializationSchema(False).deserialize(whole)) == [node]
    assert list(JSONKeyValueDeserializationSchema(True).deserialize(whole)) == [{**node, "metadata": metadata}]


@pytest.mark.parametrize(("key", "value", "culprit"), [(b"{", b"1", "key"), (b"1", b"", "value")])
def test_what_is_no_json_is_named(key: bytes, value: bytes, culprit: str) -> None:
    whole = ConsumerRecord(topic="t", partition=3, offset=1, timestamp=2, key=key, value=value)
    with pytest.raises(ValueError, match=f"the record's {culprit} is not JSON"):
        JSONKeyValueDeserializationSchema(False).deserialize(whole)


def test_schemas_that_ignore_errors_drop_tombstones() -> None:
    schema = JsonRowDeserializationSchema(Types.ROW([Types.INT()]), ignore_parse_errors=True)
    assert list(ValueOnlySchema(schema).deserialize(record(None))) == []
