"""What a job reads and writes, in one line."""

from __future__ import annotations

import pytest

from kafkastream.common import Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import FileSink
from kafkastream.datastream.connectors.kafka import (
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSink,
    KafkaSource,
    KafkaSourceBuilder,
    KafkaTopicPartition,
    KafkaTopicSelector,
)
from kafkastream.model.graph.flow_text import flow_text

SECRET = {"sasl.jaas.config": "secret"}


def source() -> KafkaSourceBuilder[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("secret-host:9092").set_group_id("g").set_properties(SECRET)
    return builder.set_value_only_deserializer(SimpleStringSchema())


def records() -> KafkaRecordSerializationSchemaBuilder[str]:
    return KafkaRecordSerializationSchema.builder().set_value_serialization_schema(SimpleStringSchema())


def flow(read: KafkaSourceBuilder[str], written: KafkaRecordSerializationSchemaBuilder[str], times: int = 1) -> str:
    env = StreamExecutionEnvironment.get_execution_environment()
    sink = KafkaSink.builder().set_bootstrap_servers("secret-host:9092").set_record_serializer(written.build()).build()
    for _ in range(times):
        env.from_source(read.build(), WatermarkStrategy.no_watermarks(), "in").sink_to(sink)
    return flow_text(env._graph())


class ByLength(KafkaTopicSelector[str]):
    def apply(self, data: str) -> str:
        return f"length-{len(data)}"


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (source().set_topics("orders"), "topic orders"),
        (source().set_topics("a", "b"), "topics a, b"),
        (source().set_topics("a", "b", "c", "d", "e"), "topics a, b, c, 2 more"),
        (source().set_topic_pattern("orders-.*"), "topics like orders-.*"),
        (source().set_partitions({KafkaTopicPartition("orders", 1)}), "partition orders-1"),
    ],
)
def test_what_is_read_is_named_without_brokers(read: KafkaSourceBuilder[str], expected: str) -> None:
    assert flow(read, records().set_topic("out")) == f"{expected} → topic out"


def test_topics_that_elements_decide_have_no_name() -> None:
    assert flow(source().set_topics("a"), records().set_topic_selector(ByLength())) == "topic a → topics by element"


def test_parts_that_are_alike_are_told_once() -> None:
    assert flow(source().set_topics("a"), records().set_topic("out"), times=2) == "topic a → topic out"


def test_sinks_tell_where_they_write() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    words = env.from_collection(["a"], Types.STRING())
    words.sink_to(FileSink.for_row_format("/data/words", Encoder.simple_string_encoder()).build())
    assert flow_text(env._graph()) == "Collection Source → files in /data/words"


def test_each_part_has_its_own_flow() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).print()
    env.from_sequence(1, 2).print()
    assert flow_text(env._graph()) == "Collection Source → print; Sequence Source → print"
