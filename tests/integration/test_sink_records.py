"""Records as the user makes them: by a schema of one's own, a partitioner, Kafka's serializers, the sink of Flink 1.x."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import SimpleStringSchema, Types
from kafkastream.common.serialization import InitializationContext
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    FlinkFixedPartitioner,
    FlinkKafkaProducer,
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSinkContext,
    ProducerRecord,
    RoundRobinPartitioner,
    Semantic,
)
from kafkastream.errors import DeliveryError
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

A_MINUTE_AGO_MS = round(time.time() * 1000) - 60_000  # retention deletes what is as old as 1970
SERIALIZERS = "org.apache.kafka.common.serialization."


class Sorted(KafkaRecordSerializationSchema[str]):
    """Small numbers go to one topic, large ones to another, each with all that a record can have; words are skipped."""

    def __init__(self, small: str, large: str) -> None:
        self.topics = (small, large)

    def open(self, context: InitializationContext, sink_context: KafkaSinkContext) -> None:
        self.subtask = sink_context.get_parallel_instance_id()

    def serialize(self, element: str, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        if not element.isdigit():
            return None
        topic = self.topics[int(element) >= 10]
        partitions = context.get_partitions_for_topic(topic)
        return ProducerRecord(
            topic,
            f"{element} of {len(partitions)}".encode(),
            key=element.encode(),
            partition=partitions[-1],
            timestamp=(timestamp or 0) + int(element),
            headers=(("place", f"{self.subtask} of {context.get_number_of_parallel_instances()}".encode()),),
        )


def builder(topic: str) -> KafkaRecordSerializationSchemaBuilder[str]:
    return (
        KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(SimpleStringSchema())
    )


def by_partition(parts: Parts, topic: str) -> dict[int, list[str]]:
    """The values of four records; those of a transaction are seen a moment after its end."""
    found: dict[int, list[str]] = {}
    for record in parts.kafka.consume(topic, count=4):
        found.setdefault(record.partition, []).append((record.value or b"").decode())
    return found


@pytest.fixture
def two_subtasks(env: StreamExecutionEnvironment, parts: Parts, read: Read, new_topic: NewTopic) -> Any:
    """A stream of ``0-0``, ``0-1``, ``1-0``, ``1-1``: the partition that it comes from, and a number."""
    topic = new_topic(partitions=2)
    parts.kafka.produce(topic, [Record(f"{number % 2}-{number // 2}", partition=number % 2) for number in range(4)])
    env.set_parallelism(2)
    return read(parts.bounded(topic))


@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE])
def test_own_schema_decides_everything_about_each_record(
    env: StreamExecutionEnvironment, parts: Parts, read: Read, new_topic: NewTopic, guarantee: DeliveryGuarantee
) -> None:
    topic_in, small, large = new_topic(), new_topic(partitions=2), new_topic(partitions=3)
    parts.kafka.produce(
        topic_in, [Record(text, timestamp_ms=A_MINUTE_AGO_MS) for text in ("word", "7", "12", "other", "8")]
    )
    schema = Sorted(small, large)
    sink = parts.sink_of(schema, guarantee=guarantee)
    env.set_parallelism(1)
    read(parts.bounded(topic_in)).sink_to(sink)
    metrics = env.execute().get_metrics()
    written = {
        record.key: (record.topic, record.partition, record.timestamp_ms, record.value, record.headers)
        for topic, count in ((small, 2), (large, 1))
        for record in parts.kafka.consume(topic, count=count)
    }
    headers = (("place", b"0 of 1"),)
    assert written == {
        b"7": (small, 1, A_MINUTE_AGO_MS + 7, b"7 of 2", headers),
        b"8": (small, 1, A_MINUTE_AGO_MS + 8, b"8 of 2", headers),
        b"12": (large, 2, A_MINUTE_AGO_MS + 12, b"12 of 3", headers),
    }
    assert metrics.of_operator("Sink: Writer").total("numRecordsOut") == 3


def test_what_is_skipped_needs_no_transaction(
    env: StreamExecutionEnvironment, parts: Parts, read: Read, new_topic: NewTopic
) -> None:
    topic_in, topic_out = new_topic(partitions=2), new_topic()
    parts.kafka.produce(topic_in, [Record("word", partition=0), Record("5", partition=1)])
    read(parts.bounded(topic_in)).sink_to(
        parts.sink_of(Sorted(topic_out, topic_out), guarantee=DeliveryGuarantee.EXACTLY_ONCE)
    )
    env.execute()
    assert [record.key for record in parts.kafka.consume(topic_out, count=1)] == [b"5"]


def test_partitioners_of_each_subtask(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, two_subtasks: Any
) -> None:
    fixed = {
        guarantee: new_topic(partitions=4)
        for guarantee in (DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE)
    }
    for guarantee, topic in fixed.items():
        schema = builder(topic).set_partitioner(FlinkFixedPartitioner()).build()
        two_subtasks.sink_to(parts.sink_of(schema, guarantee=guarantee)).name(guarantee.name)
    dealt = new_topic(partitions=2)
    two_subtasks.sink_to(parts.sink_of(builder(dealt).set_partitioner(RoundRobinPartitioner()).build()))
    env.execute()
    for topic in fixed.values():
        found = by_partition(parts, topic)
        assert set(found) == {0, 1}
        assert sorted(found.values()) == [["0-0", "0-1"], ["1-0", "1-1"]]
    found = by_partition(parts, dealt)
    assert {partition: sorted(values) for partition, values in found.items()} == {0: ["0-0", "1-0"], 1: ["0-1", "1-1"]}


def failure(kind: type[Exception], env: StreamExecutionEnvironment) -> Any:
    with pytest.raises(kind) as raised:
        env.execute()
    return raised.value


def test_partitions_of_an_unknown_topic_are_told_like_records_to_it(
    env: StreamExecutionEnvironment, parts: Parts
) -> None:
    schema = builder("no-such-topic").set_partitioner(FlinkFixedPartitioner()).build()
    env.from_collection(["a"], Types.STRING()).sink_to(parts.sink_of(schema, {"max.block.ms": "1000"}))
    error = failure(DeliveryError, env)
    assert error.where == f"topic no-such-topic, bootstrap.servers {parts.kafka.bootstrap_servers}"
    assert error.now == "Create the topic, or check its name."


def test_partition_that_the_topic_does_not_have(env: StreamExecutionEnvironment, parts: Parts, topic: str) -> None:
    class Beyond(KafkaRecordSerializationSchema[str]):
        def serialize(self, element: str, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord:
            return ProducerRecord(topic, element.encode(), partition=9)

    env.from_collection(["a"], Types.STRING()).sink_to(parts.sink_of(Beyond()))
    assert f"topic {topic}" in failure(DeliveryError, env).where


def test_producer_of_flink_1_writes_times_only_when_asked(
    env: StreamExecutionEnvironment, parts: Parts, read: Read, new_topic: NewTopic
) -> None:
    topic_in = new_topic()
    topics = {(semantic, writes_time): new_topic() for semantic in Semantic for writes_time in (False, True)}
    parts.kafka.produce(topic_in, [Record("a", timestamp_ms=A_MINUTE_AGO_MS)])
    servers = {"bootstrap.servers": parts.kafka.bootstrap_servers}
    stream = read(parts.bounded(topic_in))
    for (semantic, writes_time), topic_out in topics.items():
        producer = FlinkKafkaProducer(topic_out, SimpleStringSchema(), servers, semantic=semantic)
        stream.add_sink(producer.set_write_timestamp_to_kafka(writes_time)).name(topic_out)
    env.execute()
    for (_, writes_time), topic_out in topics.items():
        (record,) = parts.kafka.consume(topic_out, count=1)
        assert record.value == b"a"
        assert (record.timestamp_ms == A_MINUTE_AGO_MS) == writes_time
        assert record.timestamp_ms >= A_MINUTE_AGO_MS


def test_topic_that_takes_little_at_once(env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic) -> None:
    """Java's producer splits a batch that a topic refuses; this one's are small from the start."""
    topic = new_topic(config={"max.message.bytes": "70000"})
    env.from_collection(["v" * 1000] * 500, Types.STRING()).sink_to(parts.sink(topic))
    env.execute()
    assert len(parts.kafka.consume(topic)) == 500
