"""The schemas of sources and sinks on a real broker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import DeserializationSchema, Types
from kafkastream.common.serialization import ByteArraySchema
from kafkastream.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaSource,
)
from kafkastream.datastream.formats.avro import (
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from kafkastream.datastream.formats.json import (
    JsonRowDeserializationSchema,
)
from kafkastream.errors import DeserializationError, JobError
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


def values_as(parts: Parts, schema: DeserializationSchema[Any], topic: str) -> KafkaSource[Any]:
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest())
    return builder.set_value_only_deserializer(schema).build()


def collected(read: Read, source: KafkaSource[Any]) -> list[Any]:
    with read(source).execute_and_collect("schemas") as elements:
        return list(elements)


def test_a_record_that_is_no_row_is_named(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ['{"id": 1}', '{"id": 2}', '{"id": "secret number"}'])
    read(values_as(parts, JsonRowDeserializationSchema.builder().type_info(ORDER).build(), topic)).print()
    with pytest.raises(DeserializationError, match="field 'id': 'secret number' is not a whole number") as raised:
        env.execute("orders")
    assert raised.value.where == f"topic {topic}, partition 0, offset 2"


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
