from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats import DeserializationSchema, SimpleStringSchema
from kafkastream.spec.record import ConsumerRecord, KafkaRecordDeserializationSchema, TimestampType, ValueOnlySchema
from kafkastream.spec.types import Types


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
