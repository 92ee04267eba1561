"""Records as the user makes them, their times, and the lines of prints, in jobs."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream import (
    KafkaRecordSerializationSchema,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)
from kafkastream.common import Row, SerializationSchema, TimestampAssigner
from kafkastream.common.serialization import InitializationContext
from kafkastream.datastream import ProcessFunction
from kafkastream.datastream.connectors.kafka import HeaderProvider, KafkaPartitioner, KafkaTopicSelector
from kafkastream.errors import SerializationError, UserFunctionError
from kafkastream.testing import JobTestDriver
from tests.driven import NO_WATERMARKS, elements, sink, sink_of, source

SERIALIZERS = "org.apache.kafka.common.serialization."


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)


class Prefixed(SerializationSchema[str], HeaderProvider[str]):
    """It needs its ``open``, like clients of a registry do."""

    def open(self, context: InitializationContext) -> None:
        self.prefix = "opened "

    def serialize(self, element: str) -> bytes:
        return (self.prefix + element).encode()

    def get_headers(self, element: str) -> Any:
        return ((self.prefix, None),)


class OpenFails(Prefixed):
    def open(self, context: InitializationContext) -> None:
        raise ConnectionError("no registry")


def test_all_parts_are_opened_before_the_first_element(env: StreamExecutionEnvironment) -> None:
    schema = KafkaRecordSerializationSchema.builder().set_topic("out").set_header_provider(Prefixed())
    schema.set_key_serialization_schema(Prefixed()).set_value_serialization_schema(Prefixed())
    env.from_collection(["a"], Types.STRING()).sink_to(sink_of(schema.build()))
    with JobTestDriver.of(env) as driver:
        (record,) = driver.topic("out")
    assert (record.key, record.value, record.headers) == (b"opened a", b"opened a", (("opened ", None),))


def test_an_open_that_raises_is_told_with_the_sink(env: StreamExecutionEnvironment) -> None:
    env.from_collection(["a"], Types.STRING()).sink_to(sink("topic", OpenFails())).name("out")
    with pytest.raises(UserFunctionError) as raised:
        JobTestDriver.of(env)
    assert "open of operator 'out' raised ConnectionError: no registry" in raised.value.what


def test_kafkas_serializers_write_keys_and_values(env: StreamExecutionEnvironment) -> None:
    schema = KafkaRecordSerializationSchema.builder().set_topic("out")
    schema.set_kafka_key_serializer(f"{SERIALIZERS}LongSerializer")
    schema.set_kafka_value_serializer(f"{SERIALIZERS}LongSerializer")
    env.from_collection([258], Types.LONG()).sink_to(sink_of(schema.build()))
    with JobTestDriver.of(env) as driver:
        (record,) = driver.topic("out")
    assert record.key == record.value == (258).to_bytes(8, "big")


class Nowhere(KafkaPartitioner[str]):
    def partition(self, record: str, key: Any, value: Any, target_topic: str, partitions: list[int]) -> int:
        return len(partitions) if record == "b" else 0


def test_wrong_partition_is_told_with_element_and_topic(env: StreamExecutionEnvironment) -> None:
    builder = KafkaRecordSerializationSchema.builder().set_topic("topic").set_partitioner(Nowhere())
    schema = builder.set_value_serialization_schema(SimpleStringSchema()).build()
    env.from_collection(["a", "b"], Types.STRING()).sink_to(sink_of(schema)).name("out")
    with pytest.raises(SerializationError) as raised:
        JobTestDriver.of(env, partitions={"topic": 2})
    assert raised.value.what.endswith("the partitioner Nowhere chose 2 for topic 'topic', whose partitions are 0, 1")
    assert raised.value.where == "element 2 of the collection; element 'b'"


class Second(SerializationSchema[Any]):
    def serialize(self, element: Any) -> bytes:
        return str(element[1]).encode()


class FirstIsTopic(KafkaTopicSelector[Any]):
    def apply(self, data: Any) -> str:
        return str(data[0])


@pytest.mark.parametrize("selector", [FirstIsTopic(), lambda pair: pair[0]], ids=["class", "function"])
def test_topic_selector_chooses_the_topic(env: StreamExecutionEnvironment, selector: Any) -> None:
    builder = KafkaRecordSerializationSchema.builder().set_topic_selector(selector)
    serializer = builder.set_value_serialization_schema(Second()).build()
    env.from_collection([("one", "a"), ("two", "b"), ("one", "c")]).sink_to(sink_of(serializer))
    with JobTestDriver.of(env) as driver:
        assert (driver.values("one"), driver.values("two")) == ([b"a", b"c"], [b"b"])


class ValueIsTime(TimestampAssigner[str]):
    def extract_timestamp(self, value: str, record_timestamp: int) -> int:
        return 1000 * int(value) + record_timestamp


@pytest.mark.parametrize("place", ["from_source", "assign_timestamps_and_watermarks"])
def test_timestamp_assigner_is_honoured(env: StreamExecutionEnvironment, place: str) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(ValueIsTime())
    if place == "from_source":
        stream = env.from_source(source("in"), strategy, "numbers")
    else:
        stream = env.from_source(source("in"), NO_WATERMARKS, "numbers").assign_timestamps_and_watermarks(strategy)
    stream.sink_to(sink("out"))
    with JobTestDriver.of(env) as driver:
        driver.send("in", "2", timestamp=7)
        driver.send("in", "1", timestamp=8)
        assert [record.timestamp_ms for record in driver.topic("out")] == [2007, 1008]


class Timestamp(ProcessFunction[Any, Any]):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Any:
        yield value, ctx.timestamp()


def test_assigner_gives_a_collection_its_times(env: StreamExecutionEnvironment) -> None:
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(
        lambda value, before: value if before < 0 else 0
    )
    stream = env.from_elements(5, 6).assign_timestamps_and_watermarks(strategy).process(Timestamp())
    assert elements(stream) == [(5, 5), (6, 6)]


@pytest.mark.parametrize(
    ("parallelism", "identifier", "prefix"),
    [(1, None, ""), (1, "out", "out> "), (2, None, "1> "), (2, "out", "out:1> ")],
)
def test_print_writes_as_flink_does(
    env: StreamExecutionEnvironment, parallelism: int, identifier: str | None, prefix: str
) -> None:
    env.set_parallelism(parallelism)
    rows = env.from_collection([Row("a", 1)], Types.ROW([Types.STRING(), Types.INT()]))
    rows.print(identifier) if identifier else rows.print()
    with JobTestDriver.of(env) as driver:
        assert driver.printed == [f"{prefix}+I[a,1]"]
