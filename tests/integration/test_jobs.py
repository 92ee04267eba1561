"""Jobs of the shapes that ported programs have, on a real broker."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import JobStatus, Types
from kafkastream.datastream import (
    FilterFunction,
    FlatMapFunction,
    MapFunction,
    ProcessFunction,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaTopicPartition
from kafkastream.table import StreamTableEnvironment
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts, Read

WORDS = """
from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee, KafkaOffsetsInitializer, KafkaRecordSerializationSchema, KafkaSink, KafkaSource,
)

env = StreamExecutionEnvironment.get_execution_environment()
source = (
    KafkaSource.builder()
    .set_bootstrap_servers(b)
    .set_topics(topic_in)
    .set_group_id("g")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .set_bounded(KafkaOffsetsInitializer.latest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
schema = KafkaRecordSerializationSchema.builder().set_topic(topic_out)
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers(b)
    .set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
    .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    .build()
)
words = env.from_source(source, WatermarkStrategy.no_watermarks(), "src").flat_map(lambda s: s.split(), Types.STRING())
words.map(str.upper, Types.STRING()).sink_to(sink)
env.execute("words")
"""


def test_operators_without_a_sink_run_once(env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    """Same as in Flink: see tests/differential/programs/process.py for its golden."""
    log = tmp_path / "log"

    def noted(name: str) -> Callable[[Any], Any]:
        def note(value: Any) -> Any:
            with log.open("a") as file:
                file.write(f"{name} {value}\n")
            return value

        return note

    def lines() -> list[str]:
        taken = sorted(log.read_text().splitlines())
        log.unlink()
        return taken

    t_env = StreamTableEnvironment.create(env)
    numbers = env.from_collection([1, 2], Types.INT()).map(noted("shared"), Types.INT())
    numbers.map(noted("branch"))
    numbers.key_by(lambda number: 0).reduce(lambda one, other: noted("reduce")(one + other))
    table = t_env.from_data_stream(env.from_collection([3], Types.INT()).map(noted("read by a table"), Types.INT()))
    rows = t_env.to_data_stream(table).map(noted("row"))
    assert list(numbers.map(lambda number: number * 10, Types.INT()).execute_and_collect()) == [10, 20]
    assert lines() == ["branch 1", "branch 2", "read by a table 3", "reduce 3", "row Row(f0=3)", "shared 1", "shared 2"]
    rows.map(noted("again"))
    env.execute("the second job has what was defined since")
    assert lines() == ["again Row(f0=3)", "read by a table 3", "row Row(f0=3)"]


def test_what_functions_print_comes_to_standard_output_first(
    env: StreamExecutionEnvironment, capfd: pytest.CaptureFixture[str]
) -> None:
    """Line by line, before what sinks print of the same micro-batch, and all of it before the job is over."""

    def shown(number: int) -> int:
        print("function", number, end="!\n")  # noqa: T201 - what this test is about
        os.write(1, b"descriptor\n")
        return number

    env.set_parallelism(1).from_collection([1, 2], Types.INT()).map(shown, Types.INT()).print()
    env.execute("prints")
    out, err = capfd.readouterr()
    assert out == "function 1!\ndescriptor\nfunction 2!\ndescriptor\n1\n2\n"
    assert "function" not in err


def in_java_spelling(program: str) -> str:
    return re.sub(
        r"(?<=\.)[a-z]+(_[a-z]+)+(?=\()", lambda name: re.sub("_(.)", lambda c: c[1].upper(), name[0]), program
    )


class Doubled(MapFunction[int, int]):
    def map(self, value: int) -> int:
        return 2 * value


class Repeated(FlatMapFunction[int, int]):
    def flat_map(self, value: int) -> Any:
        for _ in range(value % 3):
            yield value


class Even(FilterFunction[int]):
    def filter(self, value: int) -> bool:
        return value % 2 == 0


class Stamped(ProcessFunction[str, tuple[str, int | None]]):
    def process_element(self, value: str, ctx: ProcessFunction.Context) -> Any:
        if value != "skip":
            yield value, ctx.timestamp()


@pytest.mark.parametrize("spelling", [str, in_java_spelling], ids=["snake_case", "camelCase"])
def test_words_job_runs_as_it_stands(spelling: Any, spark: SparkSession, parts: Parts, new_topic: NewTopic) -> None:
    topic_in, topic_out = new_topic(), new_topic()
    parts.kafka.produce(topic_in, ["hello world"])
    names = {"b": parts.kafka.bootstrap_servers, "topic_in": topic_in, "topic_out": topic_out, "__name__": "words"}
    exec(spelling(WORDS), names)
    assert [record.value for record in parts.kafka.consume(topic_out)] == [b"HELLO", b"WORLD"]


def test_functions_and_their_classes_do_the_same(env: StreamExecutionEnvironment) -> None:
    numbers = env.from_collection(range(10), Types.INT())
    plain = numbers.map(lambda n: 2 * n).flat_map(lambda n: [n] * (n % 3)).filter(lambda n: n % 2 == 0)
    expected = [number for n in range(10) for number in [2 * n] * (2 * n % 3)]
    assert list(plain.execute_and_collect()) == expected
    classes = numbers.map(Doubled()).flat_map(Repeated()).filter(Even())
    assert list(classes.execute_and_collect()) == expected


def test_from_elements_keeps_python_objects(env: StreamExecutionEnvironment) -> None:
    elements: list[object] = ["text", 1, None, {"a": [1, 2]}, ("tuple", 1.5)]
    assert list(env.from_elements(*elements).execute_and_collect()) == elements


def test_empty_collection_ends_at_once(env: StreamExecutionEnvironment) -> None:
    assert list(env.from_collection([]).map(str).execute_and_collect()) == []


def test_process_function_sees_the_records_timestamp(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, [Record("a", timestamp_ms=17), Record("skip", timestamp_ms=18)])
    assert list(read(parts.bounded(topic)).process(Stamped()).execute_and_collect()) == [("a", 17)]


def test_collection_has_no_timestamps(env: StreamExecutionEnvironment) -> None:
    assert list(env.from_elements("a").process(Stamped()).execute_and_collect()) == [("a", None)]


def test_union_of_topics_and_a_collection(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    one, two = new_topic(), new_topic()
    parts.kafka.produce(one, ["a", "b"])
    parts.kafka.produce(two, ["c"])
    first, second = read(parts.bounded(one)), read(parts.bounded(two), "others").map(str.upper)
    merged = first.union(second, env.from_elements("d")).map(lambda value: f"<{value}>")
    assert sorted(merged.execute_and_collect()) == ["<C>", "<a>", "<b>", "<d>"]


def test_stream_united_with_itself_comes_twice(env: StreamExecutionEnvironment) -> None:
    stream = env.from_elements(1, 2)
    assert sorted(stream.union(stream).execute_and_collect()) == [1, 1, 2, 2]


def test_both_sinks_of_a_fan_out_get_the_same_values(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    source, plain, shouted = new_topic(partitions=2), new_topic(), new_topic()
    parts.kafka.produce(source, [Record(str(number), partition=number % 2) for number in range(100)])
    noisy = read(parts.bounded(source)).map(lambda value: f"{value}-{random.random()}", Types.STRING())
    noisy.sink_to(parts.sink(plain))
    noisy.map(lambda value: value.replace("-", "+"), Types.STRING()).sink_to(parts.sink(shouted))
    noisy.get_execution_environment().execute("fan-out")
    values = parts.values(plain)
    assert len(values) == 100
    assert parts.values(shouted) == sorted(str(value).replace("-", "+") for value in values)


def test_diamond_calls_what_is_above_it_once(env: StreamExecutionEnvironment) -> None:
    noisy = env.from_collection(range(50)).map(lambda _: random.random())
    left, right = noisy.map(lambda value: ("left", value)), noisy.map(lambda value: ("right", value))
    out = list(left.union(right).map(lambda pair: pair).execute_and_collect())
    assert sorted(value for side, value in out if side == "left") == sorted(
        value for side, value in out if side == "right"
    )
    assert len(out) == 100


def test_two_separate_pipelines_are_one_job(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topics = [(new_topic(), new_topic()) for _ in range(2)]
    for topic_in, topic_out in topics:
        parts.kafka.produce(topic_in, [f"for {topic_out}"])
        stream = read(parts.bounded(topic_in), "Kafka Source")  # equal names, as in many programs
        stream.map(str.upper, Types.STRING()).sink_to(parts.sink(topic_out))
    stream.get_execution_environment().execute("twins")
    assert [parts.values(out) for _, out in topics] == [[f"for {out}".upper()] for _, out in topics]


def test_collecting_from_an_endless_source_ends_with_the_limit(
    spark: SparkSession, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a", "b"])  # not one more than asked for
    assert read(parts.endless(topic)).execute_and_collect("some", 2) == ["a", "b"]
    assert active_queries(spark) == []


def test_close_of_the_iterator_cancels_the_job(spark: SparkSession, read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["a"])
    with read(parts.endless(topic)).execute_and_collect() as elements:
        assert elements.next() == "a"
        parts.kafka.produce(topic, ["b"])
        assert next(elements) == "b"
        assert len(active_queries(spark)) == 1
    assert active_queries(spark) == []


def test_job_client_tells_and_cancels(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, caplog: pytest.LogCaptureFixture
) -> None:
    read(parts.endless(new_topic())).map(str.upper, Types.STRING()).sink_to(parts.sink(new_topic()))
    client = env.execute_async("endless")
    assert "job 'endless': an AT_LEAST_ONCE sink, but no checkpoint directory" in caplog.text
    assert re.fullmatch("[0-9a-f]{32}", str(client.get_job_id()))
    assert client.get_job_status().result() is JobStatus.RUNNING
    client.cancel().result(60)
    result = client.get_job_execution_result().result(0)
    assert result.get_job_id() == client.get_job_id()
    assert result.get_net_runtime() >= 0
    assert client.get_job_status().result() is JobStatus.CANCELED


def test_finished_job_stays_finished_when_it_is_cancelled(env: StreamExecutionEnvironment) -> None:
    env.from_elements(1).print()
    client = env.execute_async("short")
    client.get_job_execution_result().result(60)
    client.cancel().result(0)
    assert client.get_job_status().result() is JobStatus.FINISHED


def test_source_of_partitions_reads_just_these(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    one, two = new_topic(partitions=3), new_topic()
    parts.kafka.produce(one, [Record(str(number), partition=number) for number in range(3)])
    parts.kafka.produce(two, ["other"])
    chosen = parts.unbound().set_partitions({KafkaTopicPartition(one, 2), KafkaTopicPartition(two, 0)})
    elements = read(parts.text(chosen.set_bounded(KafkaOffsetsInitializer.latest()))).execute_and_collect()
    assert sorted(elements) == ["2", "other"]


def test_source_of_a_pattern_reads_topics_created_later(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    first = new_topic()
    parts.kafka.produce(first, ["a"])
    pattern = parts.unbound().set_topic_pattern("test_source_of_a_pattern.*")
    source = parts.text(pattern.set_property("metadata.max.age.ms", "200"))
    with read(source).map(str.upper).execute_and_collect() as elements:
        assert next(elements) == "A"
        parts.kafka.produce(new_topic(), ["b"])
        assert next(elements) == "B"


def test_bounded_pattern_ends(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["a", "b"])
    pattern = parts.unbound().set_topic_pattern("test_bounded_pattern.*")
    source = parts.text(pattern.set_bounded(KafkaOffsetsInitializer.latest()))
    assert list(read(source).execute_and_collect()) == ["a", "b"]


def test_new_partitions_are_read_from_their_start(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["a"])
    source = parts.text(parts.unbound(topic).set_property("metadata.max.age.ms", "200"))
    with read(source).execute_and_collect() as elements:
        assert next(elements) == "a"
        parts.kafka.add_partitions(topic, 2)
        parts.kafka.produce(topic, [Record("b", partition=1)])
        assert next(elements) == "b"


def test_many_records_keep_their_order(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topic_in, topic_out = new_topic(), new_topic()
    parts.kafka.produce(topic_in, map(str, range(30_000)))
    stream = read(parts.bounded(topic_in)).map(lambda value: str(int(value) + 1), Types.STRING())
    stream.sink_to(parts.sink(topic_out))
    env.execute("many")
    records = parts.kafka.consume(topic_out)
    assert [record.value for record in records] == [str(number + 1).encode() for number in range(30_000)]
