"""The schemas of sources and sinks in jobs."""

from __future__ import annotations

import datetime
import json
from typing import Any

import attrs
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from kafkastream import SimpleStringSchema, StreamExecutionEnvironment, Types
from kafkastream.common import DeserializationSchema, Row, SerializationSchema
from kafkastream.common.serialization import ByteArraySchema, InitializationContext
from kafkastream.datastream.connectors.kafka import (
    JSONKeyValueDeserializationSchema,
    KafkaRecordDeserializationSchema,
)
from kafkastream.datastream.formats.avro import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from kafkastream.datastream.formats.json import (
    ConfluentRegistryJsonSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
)
from kafkastream.datastream.formats.protobuf import ProtobufDeserializationSchema, ProtobufSerializationSchema
from kafkastream.errors import SerializationError, UserFunctionError
from kafkastream.model.formats import KafkaSerializerSchema
from kafkastream.model.graph.job_graph import CollectSink
from kafkastream.testing import JobTestDriver, Record
from kafkastream.testing.registry import EmbeddedSchemaRegistry
from tests.driven import NO_WATERMARKS, send, sink, source

KAFKA = "org.apache.kafka.common.serialization."
ORDER = Types.ROW_NAMED(["id", "price"], [Types.LONG(), Types.DOUBLE()])
AVRO = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "id", "type": "long"}, {"name": "day", "type": {"type": "int", "logicalType": "date"}}],
    }
)
DAYS = [Row(id=7, day=datetime.date(2024, 2, 29)), Row(id=-8, day=datetime.date(1969, 12, 31))]
DAY = AvroRowDeserializationSchema(avro_schema_string=AVRO).get_produced_type()


@attrs.frozen
class Pair:
    """What writes elements and what reads them again, with elements to try."""

    writing: SerializationSchema[Any]
    reading: DeserializationSchema[Any] | KafkaRecordDeserializationSchema[Any]
    elements: list[Any]


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
        AvroRowSerializationSchema(avro_schema_string=AVRO),
        AvroRowDeserializationSchema(avro_schema_string=AVRO),
        DAYS,
    ),
    "Protobuf": Pair(
        ProtobufSerializationSchema(),
        ProtobufDeserializationSchema(StringValue),
        [StringValue(value="a"), StringValue(value="é")],
    ),
    "Kafka's serializers": Pair(
        KafkaSerializerSchema(KAFKA + "LongSerializer"),
        KafkaRecordDeserializationSchema.value_only(KAFKA + "LongDeserializer"),
        [7, -1, None],
    ),
}


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment()


def written(env: StreamExecutionEnvironment) -> list[bytes | None]:
    """Return the values that the job writes to the topic ``out`` without any records."""
    with JobTestDriver.of(env) as driver:
        return driver.values("out")


def read(schema: Any, *records: Record) -> list[Any]:
    """Return the elements that a schema makes of records of one micro-batch."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(source("in", schema), NO_WATERMARKS, "in")._end("read", CollectSink())
    with JobTestDriver.of(env) as driver:
        send(driver, "in", records)
        return driver.sink("read")


def test_json_rows_go_in_and_out(env: StreamExecutionEnvironment) -> None:
    orders = JsonRowDeserializationSchema.builder().type_info(ORDER).build()
    stream = env.from_source(source("in", orders), NO_WATERMARKS, "in")
    assert stream.get_type() == ORDER
    json_rows = JsonRowSerializationSchema.builder().with_type_info(ORDER).build()
    stream.filter(lambda order: order.price > 1).sink_to(sink("out", json_rows))
    with JobTestDriver.of(env) as driver:
        for value in ('{"id": 1, "price": 2.5, "note": "x"}', '{"price": "7"}', '{"id": 3, "price": 0.5}'):
            driver.send("in", value)
        assert driver.values("out") == [b'{"id":1,"price":2.5}', b'{"id":null,"price":7.0}']


def test_errors_and_tombstones_are_ignored_when_asked() -> None:
    lenient = JsonRowDeserializationSchema.builder().type_info(ORDER).ignore_parse_errors().build()
    records = [Record('{"id": 1}'), Record(None, key="k"), Record("{"), Record('{"id": "x"}')]
    assert read(lenient, *records) == [Row(id=1, price=None), Row(id=None, price=None)]


def test_kafkas_own_deserializers_hand_on_tombstones() -> None:
    longs = KafkaRecordDeserializationSchema.value_only(KAFKA + "LongDeserializer")
    assert read(longs, Record((7).to_bytes(8, "big")), Record(None, key="k")) == [7, None]


def test_json_of_key_value_and_metadata() -> None:
    records = [Record(json.dumps({"id": 1}), key='"k"'), Record(None, key="7")]
    assert read(JSONKeyValueDeserializationSchema(True), *records) == [
        {"key": "k", "value": {"id": 1}, "metadata": {"offset": 0, "topic": "in", "partition": 0}},
        {"key": 7, "metadata": {"offset": 1, "topic": "in", "partition": 0}},
    ]


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


def test_schemas_are_opened() -> None:
    assert read(Prefixed(), Record("a"), Record("b")) == ["opened a", "opened b"]
    with pytest.raises(UserFunctionError, match="open of operator 'in' raised ConnectionError: no registry"):
        read(OpenFails())


def test_avro_goes_in_and_csv_out(env: StreamExecutionEnvironment) -> None:
    reading = AvroRowDeserializationSchema(avro_schema_string=AVRO)
    writing = CsvRowSerializationSchema.Builder(reading.get_produced_type()).build()
    env.from_source(source("in", reading), NO_WATERMARKS, "in").sink_to(sink("out", writing))
    with JobTestDriver.of(env) as driver:
        driver.send("in", AvroRowSerializationSchema(avro_schema_string=AVRO).serialize(DAYS[0]))
        assert driver.values("out") == [b"7,2024-02-29\n"]


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_what_a_job_wrote_another_reads(env: StreamExecutionEnvironment, pair: Pair) -> None:
    env.from_collection(pair.elements).sink_to(sink("out", pair.writing))
    assert read(pair.reading, *map(Record, written(env))) == pair.elements


def test_kafkas_own_serializers_write_bytes_of_java(env: StreamExecutionEnvironment) -> None:
    env.from_collection([7, -1, None]).sink_to(sink("out", KafkaSerializerSchema(KAFKA + "LongSerializer")))
    assert written(env) == [b"\0\0\0\0\0\0\0\7", b"\xff" * 8, None]


def test_an_element_that_a_serializer_cannot_write_fails_the_job(env: StreamExecutionEnvironment) -> None:
    env.from_collection([7, 2**31]).sink_to(sink("out", KafkaSerializerSchema(KAFKA + "IntegerSerializer")))
    with pytest.raises(SerializationError, match="2147483648 does not fit into the 32 bits of IntegerSerializer"):
        written(env)


def test_json_of_a_registry_is_written(env: StreamExecutionEnvironment) -> None:
    with EmbeddedSchemaRegistry() as registry:
        writing = ConfluentRegistryJsonSerializationSchema.for_generic("out-value", '{"type": "object"}', registry.url)
        env.from_collection([{"id": 7}, None]).sink_to(sink("out", writing))
        assert written(env) == [b'\0\0\0\0\1{"id":7}', None]


def test_other_charsets_are_read_and_written(env: StreamExecutionEnvironment) -> None:
    latin = env.from_source(source("in", SimpleStringSchema("ISO-8859-1")), NO_WATERMARKS, "in")
    latin.map(lambda value: value * 2, Types.STRING()).sink_to(sink("out", SimpleStringSchema("UTF-16LE")))
    with JobTestDriver.of(env) as driver:
        driver.send("in", "ä".encode("latin-1"))
        assert driver.values("out") == ["ää".encode("utf-16le")]
