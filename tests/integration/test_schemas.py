"""The source's schemas on a real broker."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import DeserializationSchema, Row, Types
from kafkastream.common.serialization import InitializationContext
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    JSONKeyValueDeserializationSchema,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaSource,
)
from kafkastream.datastream.formats.avro import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.datastream.formats.csv import CsvRowSerializationSchema
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from kafkastream.errors import DeserializationError, UserFunctionError
from kafkastream.testing import Record

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

ORDER = Types.ROW_NAMED(["id", "price"], [Types.LONG(), Types.DOUBLE()])
AVRO = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "day", "type": {"type": "int", "logicalType": "date"}}],
}
ORDERS = JsonRowDeserializationSchema.builder().type_info(ORDER)


class Prefixed(DeserializationSchema[str]):
    """Needs to be opened."""

    prefix: str

    def open(self, context: InitializationContext) -> None:
        self.prefix = "opened "

    def deserialize(self, message: bytes) -> str:
        return self.prefix + message.decode()


class OpenFails(Prefixed):
    def open(self, context: InitializationContext) -> None:
        raise ConnectionError("no registry")


def values_as(parts: Parts, schema: DeserializationSchema[Any], topic: str) -> KafkaSource[Any]:
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest())
    return builder.set_value_only_deserializer(schema).build()


def collected(read: Read, source: KafkaSource[Any]) -> list[Any]:
    with read(source).execute_and_collect("schemas") as elements:
        return list(elements)


def test_json_rows_go_in_and_out(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: Any
) -> None:
    out = new_topic()
    parts.kafka.produce(topic, ['{"id": 1, "price": 2.5, "note": "x"}', '{"price": "7"}', '{"id": 3, "price": 0.5}'])
    stream = read(values_as(parts, ORDERS.build(), topic))
    assert stream.get_type() == ORDER
    sink = parts.sink(out, JsonRowSerializationSchema.builder().with_type_info(ORDER).build())
    stream.filter(lambda order: order.price > 1).sink_to(sink)
    env.execute("orders")
    assert parts.values(out) == ['{"id":1,"price":2.5}', '{"id":null,"price":7.0}']


def test_a_record_that_is_no_row_is_named(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ['{"id": 1}', '{"id": 2}', '{"id": "secret number"}'])
    read(values_as(parts, JsonRowDeserializationSchema.builder().type_info(ORDER).build(), topic)).print()
    with pytest.raises(DeserializationError, match="field 'id': 'secret number' is not a whole number") as raised:
        env.execute("orders")
    assert raised.value.where == f"topic {topic}, partition 0, offset 2"


def test_errors_and_tombstones_are_ignored_when_asked(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, [Record('{"id": 1}'), Record(None, key="k"), Record("{"), Record('{"id": "x"}')])
    lenient = JsonRowDeserializationSchema.builder().type_info(ORDER).ignore_parse_errors().build()
    assert collected(read, values_as(parts, lenient, topic)) == [Row(id=1, price=None), Row(id=None, price=None)]


def test_kafkas_own_deserializers_hand_on_tombstones(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, [Record((7).to_bytes(8, "big")), Record(None, key="k")])
    longs = KafkaRecordDeserializationSchema.value_only("org.apache.kafka.common.serialization.LongDeserializer")
    assert collected(read, parts.bounded_as(longs, topic)) == [7, None]


def test_json_of_key_value_and_metadata(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, [Record(json.dumps({"id": 1}), key='"k"'), Record(None, key="7")])
    assert collected(read, parts.bounded_as(JSONKeyValueDeserializationSchema(True), topic)) == [
        {"key": "k", "value": {"id": 1}, "metadata": {"offset": 0, "topic": topic, "partition": 0}},
        {"key": 7, "metadata": {"offset": 1, "topic": topic, "partition": 0}},
    ]


def test_schemas_are_opened_on_the_workers(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a", "b"])
    assert collected(read, values_as(parts, Prefixed(), topic)) == ["opened a", "opened b"]
    read(values_as(parts, OpenFails(), topic), "failing").print()
    with pytest.raises(UserFunctionError, match="open of operator 'failing' raised ConnectionError: no registry"):
        env.execute("fails")


def test_avro_goes_in_and_csv_out(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: Any
) -> None:
    out, schema = new_topic(), json.dumps(AVRO)
    avro = AvroRowSerializationSchema(avro_schema_string=schema)
    parts.kafka.produce(topic, [Record(avro.serialize(Row(7, datetime.date(2024, 2, 29))))])
    reading = AvroRowDeserializationSchema(avro_schema_string=schema)
    writing = CsvRowSerializationSchema.Builder(reading.get_produced_type()).build()
    read(values_as(parts, reading, topic)).sink_to(parts.sink(out, writing))
    env.execute("orders")
    assert parts.values(out) == ["7,2024-02-29\n"]
