"""Everything that a record carries gets through a job: time, key, headers, position, a null value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

from kafkastream.common import SerializationSchema, SimpleStringSchema, Types
from kafkastream.common.serialization import ByteArraySchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    ConsumerRecord,
    HeaderProvider,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    TimestampType,
)
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

LOG_APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}


class WholeRecord(KafkaRecordDeserializationSchema[ConsumerRecord]):
    def deserialize(self, record: ConsumerRecord) -> Any:
        if record.key != b"skip":
            yield record


class First(SerializationSchema[Any]):
    def serialize(self, element: Any) -> bytes | None:
        return None if element[0] is None else str(element[0]).encode()


class Second(SerializationSchema[Any]):
    def serialize(self, element: Any) -> bytes | None:
        return None if element[1] is None else str(element[1]).encode()


class BothAsHeaders(HeaderProvider[Any]):
    def get_headers(self, element: Any) -> Any:
        return (("first", str(element[0]).encode()), ("second", b"2"), ("second", None))


def keyed(topic: str) -> Any:
    builder = KafkaRecordSerializationSchema.builder().set_topic(topic)
    return builder.set_key_serialization_schema(First()).set_value_serialization_schema(Second())


def test_timestamps_are_carried_to_the_output(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topic_in, topic_out = new_topic(), new_topic()
    parts.kafka.produce(topic_in, [Record("a b", timestamp_ms=1_000), Record("c", timestamp_ms=1_700_000_000_123)])
    read(parts.bounded(topic_in)).flat_map(str.split, Types.STRING()).sink_to(parts.sink(topic_out))
    env.execute()
    times = [(record.value, record.timestamp_ms) for record in parts.kafka.consume(topic_out)]
    assert times == [(b"a", 1_000), (b"b", 1_000), (b"c", 1_700_000_000_123)]


def test_output_without_event_time_gets_the_time_of_writing(
    env: StreamExecutionEnvironment, parts: Parts, topic: str
) -> None:
    env.from_collection(["a"], Types.STRING()).sink_to(parts.sink(topic))
    env.execute()
    (record,) = parts.kafka.consume(topic)
    assert record.timestamp_ms > 1_700_000_000_000


def test_equal_keys_share_the_partition_that_java_gives(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic
) -> None:
    topic_out, reference = new_topic(partitions=7), new_topic(partitions=7)
    keys = [f"customer-{number}" for number in range(40)]
    places = parts.kafka.produce(reference, [Record(None, key=key) for key in keys])
    env.from_collection([(key, "v") for key in keys]).sink_to(parts.sink_of(keyed(topic_out).build()))
    env.execute()
    written = {record.key: record.partition for record in parts.kafka.consume(topic_out)}
    assert written == {key.encode(): partition for key, (partition, _) in zip(keys, places, strict=True)}


def test_keys_headers_and_tombstones_are_written(env: StreamExecutionEnvironment, parts: Parts, topic: str) -> None:
    serializer = keyed(topic).set_header_provider(BothAsHeaders()).build()
    env.from_collection([("k", "v"), ("gone", None), (None, "no key")]).sink_to(parts.sink_of(serializer))
    env.execute()
    records = parts.kafka.consume(topic)
    assert [(record.key, record.value) for record in records] == [(b"k", b"v"), (b"gone", None), (None, b"no key")]
    assert records[0].headers == (("first", b"k"), ("second", b"2"), ("second", None))


def test_record_deserializer_sees_the_whole_record(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    headers = [("trace", b"1"), ("trace", None)]
    parts.kafka.produce(
        topic,
        [
            Record("v", key="k", headers=headers, partition=1, timestamp_ms=17),
            Record("dropped", key="skip", partition=1),
            Record(None, partition=1, timestamp_ms=18),
        ],
    )
    records = list(read(parts.bounded_as(WholeRecord(), topic)).execute_and_collect())
    first = ConsumerRecord(
        topic=topic, partition=1, offset=0, timestamp=17, key=b"k", value=b"v", headers=tuple(headers)
    )
    assert records == [first, ConsumerRecord(topic=topic, partition=1, offset=2, timestamp=18)]


def test_sources_with_and_without_headers_unite(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    one, two = new_topic(config=LOG_APPEND_TIME), new_topic()
    parts.kafka.produce(one, [Record("a", headers=[("h", b"1")])])
    parts.kafka.produce(two, ["b"])
    described = read(parts.bounded_as(WholeRecord(), one)).map(lambda r: f"{r.value!r} {r.headers} {r.timestamp_type}")
    together = described.union(read(parts.bounded(two), "plain"))
    assert set(together.execute_and_collect()) == {f"b'a' (('h', b'1'),) {TimestampType.LOG_APPEND_TIME}", "b"}


def test_bytes_go_through_as_they_are(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topic_in, topic_out = new_topic(), new_topic()
    values = [b"\x00\xff", b"", "ä".encode("latin-1")]
    parts.kafka.produce(topic_in, values)
    source = parts.bounded_as(KafkaRecordDeserializationSchema.value_only(ByteArraySchema()), topic_in)
    read(source).map(lambda value: value).sink_to(parts.sink(topic_out, ByteArraySchema()))
    env.execute()
    assert [record.value for record in parts.kafka.consume(topic_out)] == values


@pytest.mark.parametrize("schema", [SimpleStringSchema(), ByteArraySchema()], ids=["text", "bytes"])
def test_pass_through_into_log_append_time(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, schema: Any
) -> None:
    topic_in, topic_out = new_topic(), new_topic(config=LOG_APPEND_TIME)
    parts.kafka.produce(topic_in, [Record("ä", key="k", timestamp_ms=5, headers=[("h", b"1")])])
    source = parts.bounded_as(KafkaRecordDeserializationSchema.value_only(schema), topic_in)
    read(source).sink_to(parts.sink(topic_out, schema, {"key.serializer": "Bytes"}))
    env.execute()
    (record,) = parts.kafka.consume(topic_out)
    assert attrs.astuple(record)[3:6] == (None, "ä".encode(), ())
    assert record.timestamp_type == "LogAppendTime"


@attrs.frozen
class Order:
    number: int


def test_elements_may_be_of_any_class(env: StreamExecutionEnvironment) -> None:
    stream = env.from_elements(Order(1)).map(lambda order: Order(order.number + 1))
    assert list(stream.execute_and_collect()) == [Order(2)]
