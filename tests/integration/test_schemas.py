"""The schemas of sources and sinks on a real broker."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from kafkastream.common import DeserializationSchema, Row, SerializationSchema, SimpleStringSchema, Types
from kafkastream.common.serialization import ByteArraySchema, InitializationContext
from kafkastream.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    JSONKeyValueDeserializationSchema,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaSource,
)
from kafkastream.datastream.formats.avro import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from kafkastream.datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from kafkastream.datastream.formats.json import (
    ConfluentRegistryJsonSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
)
from kafkastream.datastream.formats.protobuf import ProtobufDeserializationSchema, ProtobufSerializationSchema
from kafkastream.errors import DeserializationError, JobError, SerializationError, UserFunctionError
from kafkastream.model.formats import KafkaSerializerSchema
from kafkastream.testing import Record
from kafkastream.testing.registry import EmbeddedSchemaRegistry

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

ORDER = Types.ROW_NAMED(["id", "price"], [Types.LONG(), Types.DOUBLE()])
AVRO = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "day", "type": {"type": "int", "logicalType": "date"}}],
}
ORDERS = JsonRowDeserializationSchema.builder().type_info(ORDER)


KAFKA = "org.apache.kafka.common.serialization."


@attrs.frozen
class Pair:
    """What writes elements and what reads them again, with elements to try."""

    writing: SerializationSchema[Any]
    reading: DeserializationSchema[Any]
    elements: list[Any]


DAYS = [Row(id=7, day=datetime.date(2024, 2, 29)), Row(id=-8, day=datetime.date(1969, 12, 31))]
DAY = AvroRowDeserializationSchema(avro_schema_string=json.dumps(AVRO)).get_produced_type()
PAIRS = {
    "text": Pair(SimpleStringSchema(), SimpleStringSchema(), ["", "é", "a,b"]),
    "text in UTF-16": Pair(SimpleStringSchema("UTF-16"), SimpleStringSchema("UTF-16"), ["", "é", "a,b"]),
    "bytes": Pair(ByteArraySchema(), ByteArraySchema(), [b"", b"\0\xff"]),
    "JSON": Pair(
        JsonRowSerializationSchema.builder().with_type_info(DAY).build(),
        JsonRowDeserializationSchema.builder().type_info(DAY).build(),
        DAYS,
    ),
    "CSV": Pair(CsvRowSerializationSchema.Builder(DAY).build(), CsvRowDeserializationSchema.Builder(DAY).build(), DAYS),
    "Avro": Pair(
        AvroRowSerializationSchema(avro_schema_string=json.dumps(AVRO)),
        AvroRowDeserializationSchema(avro_schema_string=json.dumps(AVRO)),
        DAYS,
    ),
    "Protobuf": Pair(
        ProtobufSerializationSchema(),
        ProtobufDeserializationSchema(StringValue),
        [StringValue(value="a"), StringValue(value="é")],
    ),
}


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


def test_hostile_rows_leave_the_job_and_their_neighbours_alone(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: Any,
    capfd: pytest.CaptureFixture[str],
) -> None:
    out = new_topic()
    kind = Types.ROW_NAMED(["s", "n"], [Types.STRING(), Types.BIG_DEC()])
    schema = JsonRowDeserializationSchema.builder().type_info(kind).ignore_parse_errors().build()
    hostile = [
        r'{"s":"\ud800","n":1}',
        '{"s":"deep","n":' + "[" * 100_000,
        '{"s":"big","n":1e99999999999999999999}',
        "null",
    ]
    parts.kafka.produce(topic, ['{"s":"first","n":1}', *hostile, '{"s":"last","n":1}'])
    texts = read(values_as(parts, schema, topic)).map(lambda row: row.s, output_type=Types.STRING())
    texts.key_by(lambda text: text).process(Passed(), output_type=Types.STRING()).print()
    texts.sink_to(parts.sink(out))
    env.execute("hostile")
    assert sorted(value or "" for value in parts.values(out)) == ["?", "first", "last"]
    printed = [line.rpartition("> ")[2] for line in capfd.readouterr().out.splitlines()]
    assert sorted(printed) == ["?", "first", "last"]


class Passed(KeyedProcessFunction):
    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        yield value


class Upper(DeserializationSchema[str]):
    def deserialize(self, message: bytes | None) -> str | None:
        return None if message is None else message.decode().upper()


@pytest.mark.parametrize(
    "config", [{}, {"message.timestamp.type": "LogAppendTime"}], ids=["by Python", "by Spark's sink"]
)
def test_bytes_without_tombstones_are_copied_and_a_users_schema_is_given_them(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: Any, config: dict[str, str]
) -> None:
    copy = new_topic(config=config)
    parts.kafka.produce(topic, [Record("a"), Record(None, key="k"), Record("b")])
    read(values_as(parts, ByteArraySchema(), topic)).sink_to(parts.sink(copy, ByteArraySchema()))
    if not config:
        read(values_as(parts, Upper(), topic)).sink_to(parts.sink(copy))
    env.execute("copy")
    assert parts.values(copy) == (["a", "b"] if config else ["A", "B", "a", "b"])


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


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_what_a_job_wrote_another_reads(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, pair: Pair
) -> None:
    env.from_collection(pair.elements).sink_to(parts.sink(topic, pair.writing))
    env.execute("write")
    assert collected(read, values_as(parts, pair.reading, topic)) == pair.elements


def test_kafkas_own_serializers_write_what_its_deserializers_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    schema = KafkaSerializerSchema(KAFKA + "LongSerializer")
    env.from_collection([7, -1, None]).sink_to(parts.sink(topic, schema))
    env.execute("write")
    values = [record.value for record in parts.kafka.consume(topic)]
    assert values == [b"\0\0\0\0\0\0\0\7", b"\xff" * 8, None]
    longs = KafkaRecordDeserializationSchema.value_only(KAFKA + "LongDeserializer")
    assert collected(read, parts.bounded_as(longs, topic)) == [7, -1, None]


def test_an_element_that_a_serializer_cannot_write_fails_the_job(
    env: StreamExecutionEnvironment, parts: Parts, topic: str
) -> None:
    env.from_collection([7, 2**31]).sink_to(parts.sink(topic, KafkaSerializerSchema(KAFKA + "IntegerSerializer")))
    with pytest.raises(SerializationError, match="2147483648 does not fit into the 32 bits of IntegerSerializer"):
        env.execute("write")


def test_records_of_a_registry_are_written_and_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    elements, schema = [{"id": 7, "day": 19782}, {"id": 8, "day": -1}], json.dumps(AVRO)
    with EmbeddedSchemaRegistry("ann:secret") as registry:
        user = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "ann:secret"}
        writing = ConfluentRegistryAvroSerializationSchema.for_generic(f"{topic}-value", schema, registry.url, user)
        env.from_collection(elements).sink_to(parts.sink(topic, writing))
        env.execute("write")
        reading = ConfluentRegistryAvroDeserializationSchema.for_generic(schema, registry.url, configs=user)
        assert collected(read, values_as(parts, reading, topic)) == elements
    assert set(registry.asked) == {f"POST /subjects/{topic}-value/versions", "GET /schemas/ids/1"}


def test_json_of_a_registry_is_written(env: StreamExecutionEnvironment, parts: Parts, topic: str) -> None:
    with EmbeddedSchemaRegistry() as registry:
        schema = '{"type": "object"}'
        writing = ConfluentRegistryJsonSerializationSchema.for_generic(f"{topic}-value", schema, registry.url)
        env.from_collection([{"id": 7}, None]).sink_to(parts.sink(topic, writing))
        env.execute("write")
        assert [record.value for record in parts.kafka.consume(topic)] == [b'\0\0\0\0\1{"id":7}', None]


def test_a_registry_that_refuses_fails_the_job_without_its_secret(
    env: StreamExecutionEnvironment, parts: Parts, topic: str
) -> None:
    with EmbeddedSchemaRegistry("ann:secret") as registry:
        url = registry.url.replace("//", "//ann:wrong@")
        schema = ConfluentRegistryAvroSerializationSchema.for_generic(f"{topic}-value", json.dumps(AVRO), url)
        env.from_collection([{"id": 7, "day": 1}]).sink_to(parts.sink(topic, schema))
        with pytest.raises(JobError, match="HTTP 401 Unauthorized: Unauthorized") as raised:
            env.execute("write")
    assert "wrong" not in str(raised.value)
