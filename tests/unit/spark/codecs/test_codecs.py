from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import attrs
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.common import Row, Types
from kafkastream.model.connectors.record_deserialization import ConsumerRecord, ValueOnlySchema
from kafkastream.model.formats import (
    AvroRowDeserializationSchema,
    ByteArraySchema,
    CsvRowDeserializationSchema,
    DeserializationSchema,
    JsonDeserializationSchema,
    JsonRowDeserializationSchema,
    SimpleStringSchema,
)
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.value_decoders import decode_values


@attrs.define
class Field:
    a: int


class Slow(DeserializationSchema[str]):
    def deserialize(self, message: bytes) -> str:
        return message.decode()


def column(values: Sequence[bytes | None]) -> Any:
    return pa.array(values, pa.binary())


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_fast_way_gives_what_the_slow_one_gives(texts: list[str]) -> None:
    values = column([text.encode() for text in texts])
    assert decode_values(SimpleStringSchema(), values) == decode_values(Slow(), values) == texts


@given(st.lists(st.binary()))
def test_bytes_stay_as_they_are(data: list[bytes]) -> None:
    assert decode_values(ByteArraySchema(), column(data)) == data


@given(st.lists(st.binary(), min_size=1))
def test_both_ways_name_the_same_culprit(data: list[bytes]) -> None:
    def culprit(schema: DeserializationSchema[str]) -> tuple[int, type | None] | None:
        try:
            decode_values(schema, column(data))
        except ElementError as error:
            return error.index, type(error.__cause__)
        return None

    assert culprit(SimpleStringSchema()) == culprit(Slow())


FIELD: Final = Types.ROW_NAMED(["a"], [Types.INT()])
AVRO: Final = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (SimpleStringSchema(), b"a"),
        (SimpleStringSchema("UTF-16"), b"\0a"),
        (JsonRowDeserializationSchema(FIELD), b'{"a": 1}'),
        (CsvRowDeserializationSchema.Builder(FIELD).build(), b"1"),
        (AvroRowDeserializationSchema(avro_schema_string=AVRO), b"\2"),
        (JsonDeserializationSchema(Field), b'{"a": 1}'),
    ],
    ids=lambda given: type(given).__name__,
)
def test_tombstones_fail_with_their_place(schema: DeserializationSchema[Any], value: bytes) -> None:
    with pytest.raises(ElementError) as raised:
        decode_values(schema, column([value, None, value, None]))
    assert raised.value.index == 1
    assert "tombstone" in str(raised.value.__cause__)
    with pytest.raises(ElementError) as raised:  # the first record that cannot be decoded is named
        decode_values(schema, column([b"\xff\xfe\xff", None]))
    assert raised.value.index == 0


def test_tombstones_are_dropped_where_flink_drops_them() -> None:
    for schema, value, element in (
        (ByteArraySchema(), b"a", b"a"),
        (JsonRowDeserializationSchema(FIELD, ignore_parse_errors=True), b'{"a": 1}', Row(a=1)),
        (CsvRowDeserializationSchema.Builder(FIELD).set_ignore_parse_errors(True).build(), b"1", Row(a=1)),
    ):
        assert list(decode_values(schema, column([None, value, None, value]))) == [None, element, None, element]
        of_one: ValueOnlySchema[Any] = ValueOnlySchema(schema)
        record = ConsumerRecord(topic="t", partition=0, offset=0, timestamp=0, value=None)
        assert list(of_one.deserialize(record)) == []


class Upper(DeserializationSchema[str]):
    def deserialize(self, message: bytes | None) -> str | None:
        return None if message is None else message.decode().upper()


class Deleted(DeserializationSchema[str]):
    def deserialize(self, message: bytes | None) -> str:
        return "deleted" if message is None else message.decode()


def test_schemas_of_users_are_given_tombstones() -> None:
    values = column([b"a", None, b"b"])
    assert decode_values(Upper(), values) == ["A", None, "B"]
    assert decode_values(Deleted(), values) == ["a", "deleted", "b"]
    with pytest.raises(ElementError) as raised:
        decode_values(Slow(), values)
    assert raised.value.index == 1
