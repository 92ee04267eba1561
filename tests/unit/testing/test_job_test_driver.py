"""Jobs in the test's own process: records and time in, records, lines, state and metrics out."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)
from kafkastream.common import Configuration, Duration, Time
from kafkastream.common.serialization import SerializationSchema
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import OutputTag
from kafkastream.datastream.async_data_stream import AsyncDataStream
from kafkastream.datastream.connectors.kafka import (
    ConsumerRecord,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaTopicPartition,
)
from kafkastream.datastream.functions import (
    AsyncFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessWindowFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import (
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.datastream.stream import DataStream
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import (
    ArgumentError,
    DefinitionError,
    DeserializationError,
    SerializationError,
    UnsupportedFeatureError,
    UserFunctionError,
)
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.formats import JsonRowDeserializationSchema
from kafkastream.testing import JobTestDriver

SERVERS = "broker:9092"
NOW = 1_767_225_600_000


def source(topic: str, *, dead_letters: str | None = None) -> KafkaSource[str]:
    builder = KafkaSource.builder().set_bootstrap_servers(SERVERS).set_topics(topic)
    if dead_letters is not None:
        builder = builder.set_dead_letter_topic(dead_letters)
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def sink(topic: str, guarantee: DeliveryGuarantee = DeliveryGuarantee.AT_LEAST_ONCE) -> KafkaSink[str]:
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic)
    schema = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
    builder = KafkaSink.builder().set_bootstrap_servers(SERVERS).set_record_serializer(schema)
    return builder.set_delivery_guarantee(guarantee).set_transactional_id_prefix("tx").build()


def lines(env: StreamExecutionEnvironment, **options: Any) -> DataStream[str]:
    return env.from_source(source("lines", **options), WatermarkStrategy.no_watermarks(), "lines")


def values(driver: JobTestDriver, topic: str) -> list[str]:
    return [(record.value or b"").decode() for record in driver.topic(topic)]


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)


class SecondWord(TimestampAssigner):
    """The event time of a line in seconds, its second word."""

    def extract_timestamp(self, value: str, record_timestamp: int) -> int:
        return int(value.split()[1]) * 1000


class CountInWindow(ProcessWindowFunction[str, str, str, Any]):
    def process(self, key: str, context: ProcessWindowFunction.Context[Any], elements: Iterable[str]) -> Iterator[str]:
        yield f"{key} {len(list(elements))} from {context.window().start // 1000}"


class CountWithTimer(KeyedProcessFunction[str, str]):
    """Counts the lines of a key, and says so ten seconds of processing time after the first."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(COUNT)

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        if self.count.value() is None:
            timers = ctx.timer_service()
            timers.register_processing_time_timer(timers.current_processing_time() + 10_000)
        self.count.update((self.count.value() or 0) + 1)
        yield from ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()} {self.count.value()} at {timestamp - NOW}"


COUNT = ValueStateDescriptor("count", Types.LONG())


def counting(env: StreamExecutionEnvironment) -> StreamExecutionEnvironment:
    lines(env).key_by(str).process(CountWithTimer(), Types.STRING()).uid("counter").print()
    return env


def test_windows_fire_as_the_watermark_passes_and_late_elements_go_aside(env: StreamExecutionEnvironment) -> None:
    late = OutputTag("late", Types.STRING())
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    timed = lines(env).assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(SecondWord()))
    windows = timed.key_by(lambda line: line.split()[0]).window(TumblingEventTimeWindows.of(Time.seconds(60)))
    counts = windows.side_output_late_data(late).process(CountInWindow(), Types.STRING())
    counts.sink_to(sink("counts"))
    counts.get_side_output(late).sink_to(sink("late"))
    with JobTestDriver.of(env) as driver:
        for line in ("ann 1", "bob 2", "ann 59", "ann 64"):
            driver.send("lines", line)
        assert values(driver, "counts") == []
        driver.send("lines", "bob 66")
        assert values(driver, "counts") == ["ann 2 from 0", "bob 1 from 0"]
        driver.send("lines", "ann 3")
        assert values(driver, "late") == ["ann 3"]
        driver.finish()
        assert values(driver, "counts")[2:] == ["ann 1 from 60", "bob 1 from 60"]
        assert [record.timestamp_ms for record in driver.topic("counts")] == [59_999, 59_999, 119_999, 119_999]


def test_records_of_one_micro_batch_are_not_late_because_of_each_other(env: StreamExecutionEnvironment) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(SecondWord())
    windows = (
        lines(env)
        .assign_timestamps_and_watermarks(strategy)
        .key_by(lambda line: line.split()[0])
        .window(TumblingEventTimeWindows.of(Time.seconds(60)))
    )
    windows.process(CountInWindow(), Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        with driver.micro_batch():
            driver.send("lines", "ann 100")
            driver.send("lines", "ann 1")
        assert driver.printed == ["ann 1 from 0"]
        assert driver.metrics.total("numLateRecordsDropped") == 0
        driver.send("lines", "ann 2")
        assert driver.metrics.total("numLateRecordsDropped") == 1


def test_processing_time_stands_still_until_the_test_advances_it(env: StreamExecutionEnvironment) -> None:
    with JobTestDriver.of(counting(env)) as driver:
        driver.send("lines", "ann")
        driver.advance(4_000)
        driver.send("lines", "bob")
        driver.send("lines", "ann")
        driver.advance(5_999)
        assert driver.printed == []
        driver.advance(60_000)
        assert driver.printed == ["ann 2 at 10000", "bob 1 at 14000"]
        assert driver.now_ms == NOW + 69_999


def test_state_is_read_and_set_by_descriptor_or_name(env: StreamExecutionEnvironment) -> None:
    with JobTestDriver.of(counting(env), parallelism=3) as driver:
        driver.send("lines", "ann")
        state = driver.operator("counter")
        assert state.get(COUNT, "ann") == 1
        assert state.get("count", "bob") is None
        state.set(COUNT, "ann", 41)
        driver.send("lines", "ann")
        assert state.get("count", "ann") == 42
        assert state.keys() == ["ann"]
        assert [(timer.key, timer.timestamp - NOW, timer.domain.name) for timer in state.timers()] == [
            ("ann", 10_000, "PROCESSING_TIME")
        ]
        with pytest.raises(DefinitionError, match="There are: 'count'"):
            state.get("total", "ann")
        with pytest.raises(TypeError, match="state 'count' is declared as Long"):
            state.set(COUNT, "ann", "many")


def test_time_to_live_follows_the_processing_time(env: StreamExecutionEnvironment) -> None:
    descriptor = ValueStateDescriptor("last", Types.STRING())
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.minutes(1)).build())

    class Last(KeyedProcessFunction[str, str]):
        def open(self, runtime_context: RuntimeContext) -> None:
            self.last = runtime_context.get_state(descriptor)

        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
            yield f"{value} after {self.last.value()}"
            self.last.update(value)

    lines(env).key_by(lambda line: line[0]).process(Last(), Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "a1")
        driver.advance(59_000)
        driver.send("lines", "a2")
        driver.advance(61_000)
        driver.send("lines", "a3")
        assert driver.printed == ["a1 after None", "a2 after a1", "a3 after None"]


class SlowLookup(AsyncFunction[str, str]):
    async def async_invoke(self, value: str) -> list[str]:
        await asyncio.sleep(int(value))
        return [f"slept {value}"]

    def timeout(self, value: str) -> list[str]:
        return [f"gave up after 60 of {value}"]


def test_waiting_of_async_functions_takes_no_time(env: StreamExecutionEnvironment) -> None:
    AsyncDataStream.unordered_wait(lines(env), SlowLookup(), Time.seconds(60), 10, Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "30")
        driver.send("lines", "3600")
        assert driver.printed == ["slept 30", "gave up after 60 of 3600"]


class LookupInThread(AsyncFunction[str, str]):
    async def async_invoke(self, value: str) -> list[str]:
        await asyncio.to_thread(time.sleep, 0.1)
        return [f"found {value}"]

    def timeout(self, value: str) -> list[str]:
        return [f"gave up {value}"]


def test_threads_of_async_functions_have_the_real_time(env: StreamExecutionEnvironment) -> None:
    AsyncDataStream.unordered_wait(lines(env), LookupInThread(), Time.seconds(60), 10, Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "a")
        assert driver.printed == ["found a"]


def test_sinks_are_read_where_they_write(env: StreamExecutionEnvironment) -> None:
    lines(env, dead_letters="dead").sink_to(sink("out")).name("to-out")
    lines(env).print().name("to-terminal")
    with JobTestDriver.of(env) as driver:
        assert (driver.values("out"), driver.values("dead")) == ([], [])
        with pytest.raises(DefinitionError, match=r"no sink that writes to topic 'ou'\n.*There are: 'dead', 'out'"):
            driver.topic("ou")
        with pytest.raises(DefinitionError, match=r"'to-out' writes to Kafka\n.*values\(topic\)"):
            driver.sink("to-out")
        with pytest.raises(DefinitionError, match=r"'to-terminal' prints\n.*printed"):
            driver.sink("to-terminal")


def test_wrong_arguments_are_told_before_anything_runs(env: StreamExecutionEnvironment) -> None:
    lines(env).print()
    with JobTestDriver.of(env) as driver:
        order: Any = {"id": 1}
        with pytest.raises(ArgumentError, match=r"value must be str, bytes or None, not {'id': 1}\n.*send_element"):
            driver.send("lines", order)
        with pytest.raises(ArgumentError, match="headers must be pairs"):
            driver.send("lines", "a", headers=order)
        with pytest.raises(DefinitionError, match="cannot go back by 5 ms"):
            driver.advance(-5)
        driver.send("lines", "a", headers=[("trace", "1"), ("span", b"2")])
        assert driver.printed == ["a"]


def test_sources_of_several_topics_need_one_for_each_record() -> None:
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    builder = KafkaSource.builder().set_bootstrap_servers(SERVERS).set_topic_pattern("orders-.*")
    orders = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    env.from_source(orders, WatermarkStrategy.no_watermarks(), "orders").print()
    with JobTestDriver.of(env) as driver:
        with pytest.raises(DefinitionError, match=r"no topic 'orders-1'\n.*It reads: none.*partitions={'orders-1': 1}"):
            driver.send("orders-1", "a")
        with pytest.raises(DefinitionError, match=r"It reads a pattern. Pass topic"):
            driver.source("orders").send("a")
    with JobTestDriver.of(env, partitions={"orders-1": 1, "orders-2": 1}) as driver:
        driver.send("orders-1", "a")
        with pytest.raises(DefinitionError, match=r"It reads orders-1, orders-2. Pass topic"):
            driver.source("orders").send("b")
        driver.source("orders").send("b", topic="orders-2")
        assert driver.printed == ["a", "b"]


def test_malformed_records_fail_the_job_or_become_dead_letters(env: StreamExecutionEnvironment) -> None:
    lines(env).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "good")
        with pytest.raises(DeserializationError, match="topic lines, partition 0, offset 1"):
            driver.send("lines", b"\xff")
        with pytest.raises(DefinitionError, match="cannot be used any more: the job has failed"):
            driver.send("lines", "next")
    lenient = StreamExecutionEnvironment.get_execution_environment()
    lines(lenient, dead_letters="dead").print()
    with JobTestDriver.of(lenient) as driver:
        driver.send("lines", b"\xff", key="k")
        driver.send("lines", "next")
        [letter] = driver.topic("dead")
        assert (letter.value, letter.key) == (b"\xff", b"k")
        assert driver.printed == ["next"]


def test_a_failing_function_is_told_with_its_element(env: StreamExecutionEnvironment) -> None:
    lines(env).map(int, Types.INT()).name("parse").print()
    with JobTestDriver.of(env) as driver, pytest.raises(UserFunctionError, match="'parse' raised ValueError") as failed:
        driver.send("lines", "two", partition=0)
    assert "topic lines, partition 0, offset 0" in str(failed.value)
    assert "'two'" in str(failed.value)


def test_an_element_that_cannot_be_written_is_told_with_the_reason(env: StreamExecutionEnvironment) -> None:
    lines(env).sink_to(sink("out")).name("copies")
    with (
        JobTestDriver.of(env) as driver,
        pytest.raises(SerializationError, match=r"event time 0 .*: use 1 ms or more\n") as zero,
    ):
        driver.send("lines", "a", timestamp=0)
    assert "Map elements" not in str(zero.value)

    def topic_of(line: str) -> str:
        return {"a": "as"}[line]

    routed = StreamExecutionEnvironment.get_execution_environment()
    schema = KafkaRecordSerializationSchema.builder().set_topic_selector(topic_of)
    serializer = schema.set_value_serialization_schema(SimpleStringSchema()).build()
    lines(routed).sink_to(KafkaSink.builder().set_bootstrap_servers(SERVERS).set_record_serializer(serializer).build())
    with JobTestDriver.of(routed) as driver, pytest.raises(SerializationError, match="KeyError: 'b'") as missing:
        driver.send("lines", "b")
    assert 'return {"a": "as"}[line]' in str(missing.value)


def test_pytest_shows_the_test_and_the_function_without_the_engine(tmp_path: Path) -> None:
    program = """
        from kafkastream.common import Types
        from kafkastream.testing import StreamHarness

        def parse(line):
            return int(line)

        def test_numbers():
            with StreamHarness(lambda lines: lines.map(parse, Types.INT())) as harness:
                harness.send("two")
        """
    (tmp_path / "test_numbers.py").write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, f"--rootdir={tmp_path}", str(tmp_path)]
    run = subprocess.run([*command, "-p", "no:cacheprovider"], capture_output=True, text=True, check=False)
    assert ">       return int(line)" in run.stdout
    assert '>           harness.send("two")' in run.stdout
    assert (
        "E           kafkastream.errors.UserFunctionError: [user-function] the function of operator 'Map'" in run.stdout
    )
    assert "kafkastream/" not in run.stdout


def test_exactly_once_sinks_show_their_records_when_they_commit() -> None:
    configuration = Configuration().set_string("execution.checkpointing.interval", "10 s")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    lines(env).sink_to(sink("out", DeliveryGuarantee.EXACTLY_ONCE))
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "one")
        assert driver.topic("out") == []
        assert len(driver.topic("out", isolation="read_uncommitted")) == 1
        driver.advance(10_000)
        assert values(driver, "out") == ["one"]
        driver.send("lines", "two")
        driver.checkpoint()
        assert values(driver, "out") == ["one", "two"]


def test_exactly_once_without_an_interval_commits_each_micro_batch(env: StreamExecutionEnvironment) -> None:
    lines(env).key_by(str).map(str.upper, Types.STRING()).sink_to(sink("out", DeliveryGuarantee.EXACTLY_ONCE))
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "one")
        assert values(driver, "out") == ["ONE"]


def test_what_a_watermark_lets_out_commits_too(env: StreamExecutionEnvironment) -> None:
    stream = env.from_source(source("lines"), WatermarkStrategy.for_monotonous_timestamps(), "lines")
    windows = stream.key_by(lambda line: line[0]).window(TumblingEventTimeWindows.of(Time.seconds(60)))
    windows.process(CountInWindow(), Types.STRING()).sink_to(sink("out", DeliveryGuarantee.EXACTLY_ONCE))
    with JobTestDriver.of(env) as driver:
        driver.source("lines").send("a", timestamp=1_000)
        driver.source("lines").set_watermark(59_999)
        assert values(driver, "out") == ["a 1 from 0"]
        driver.source("lines").send("b", timestamp=61_000)
        driver.source("lines").finish()
        assert values(driver, "out") == ["a 1 from 0", "b 1 from 60"]


def test_a_driver_continues_from_the_snapshot_of_another_one(env: StreamExecutionEnvironment) -> None:
    with JobTestDriver.of(counting(env), parallelism=2) as driver:
        driver.send("lines", "ann")
        driver.advance(1_000)
        snapshot = driver.snapshot()
    upgraded = StreamExecutionEnvironment.get_execution_environment()
    counting(upgraded)
    with JobTestDriver.of(upgraded, parallelism=2, restored=snapshot) as driver:
        driver.send("lines", "ann")
        driver.advance(9_000)
        assert [line.partition("> ")[2] for line in driver.printed] == ["ann 2 at 10000"]


def test_idle_partitions_do_not_hold_back_the_watermark(env: StreamExecutionEnvironment) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_seconds(30))
    stream = env.from_source(source("lines"), strategy, "lines")
    windows = stream.key_by(lambda line: line[0]).window(TumblingEventTimeWindows.of(Time.seconds(60)))
    windows.process(CountInWindow(), Types.STRING()).print()
    with JobTestDriver.of(env, partitions={"lines": 2}) as driver:
        driver.send("lines", "a", timestamp=1_000, partition=0)
        driver.send("lines", "a", timestamp=100_000, partition=0)
        assert driver.printed == []
        driver.advance(29_000)
        driver.send("lines", "a", timestamp=101_000, partition=0)
        driver.advance(2_000)
        assert driver.printed == ["a 1 from 0"]


def test_records_outside_the_range_of_a_source_are_not_read() -> None:
    def job(start: KafkaOffsetsInitializer, stop: KafkaOffsetsInitializer) -> StreamExecutionEnvironment:
        env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
        builder = KafkaSource.builder().set_bootstrap_servers(SERVERS).set_topics("lines")
        builder.set_group_id("g").set_starting_offsets(start).set_bounded(stop).set_value_only_deserializer(
            SimpleStringSchema()
        )
        env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "lines").print()
        return env

    times = [10, 30, 20, 40, 35]
    by_time = KafkaOffsetsInitializer.timestamp(25), KafkaOffsetsInitializer.timestamp(40)
    partition = KafkaTopicPartition("lines", 0)
    by_offset = KafkaOffsetsInitializer.offsets({partition: 1}), KafkaOffsetsInitializer.offsets({partition: 4})
    of_group = KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.LATEST), by_time[1]
    for offsets, expected in ((by_time, "30 20"), (by_offset, "30 20 40"), (of_group, "10 30 20")):
        with JobTestDriver.of(job(*offsets)) as driver:
            for time_ms in times:
                driver.send("lines", str(time_ms), timestamp=time_ms)
            assert driver.printed == expected.split()
    with JobTestDriver.of(job(*by_time)) as driver:
        driver.send("lines", "30", timestamp=30)
        snapshot = driver.snapshot()
    with JobTestDriver.of(job(*by_time), restored=snapshot) as driver:  # no starting offsets apply any more
        driver.send("lines", "20", timestamp=20)
        assert driver.printed == ["20"]


class WatermarkAtTimer(KeyedProcessFunction[str, str, int]):
    """Gives the watermark that a timer sees."""

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[int]:
        ctx.timer_service().register_event_time_timer(ctx.timestamp() or 0)
        yield from ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[int]:
        yield ctx.timer_service().current_watermark()


def test_all_sources_end_at_once(env: StreamExecutionEnvironment) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    first, second = (env.from_source(source(topic), strategy, topic) for topic in ("first", "second"))
    first.union(second).key_by(str).process(WatermarkAtTimer()).name("watermarks")
    with JobTestDriver.of(env) as driver:
        driver.send("first", "a", timestamp=1_000)
        driver.send("second", "b", timestamp=9_000)
        driver.finish()  # without the watermark of the second source in between
        assert driver.sink("watermarks") == [MAX_WATERMARK, MAX_WATERMARK]


def test_watermarks_can_be_set(env: StreamExecutionEnvironment) -> None:
    stream = env.from_source(source("lines"), WatermarkStrategy.for_monotonous_timestamps(), "lines")
    windows = stream.key_by(lambda line: line[0]).window(TumblingEventTimeWindows.of(Time.seconds(60)))
    windows.process(CountInWindow(), Types.STRING()).name("windows").print()
    with JobTestDriver.of(env) as driver:
        driver.source("lines").send_element("a", timestamp=1_000)
        driver.source("lines").set_watermark(59_998)
        assert driver.printed == []
        assert driver.operator("windows").watermark == 59_998
        driver.source("lines").set_watermark(59_999)
        assert driver.printed == ["a 1 from 0"]


def test_what_functions_change_after_they_emitted_it_stays(env: StreamExecutionEnvironment) -> None:
    class Growing(KeyedProcessFunction[int, str, list[str]]):
        def __init__(self) -> None:
            self.seen: list[str] = []

        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[list[str]]:
            self.seen.append(value)
            yield self.seen

    lines(env).key_by(lambda line: 0).process(Growing()).name("growing")
    with JobTestDriver.of(env) as driver:
        for line in "abc":
            driver.send("lines", line)
        assert driver.sink("growing") == [["a"], ["a", "b"], ["a", "b", "c"]]


def test_functions_are_copies_as_on_workers(env: StreamExecutionEnvironment) -> None:
    seen: list[str] = []

    def note(line: str) -> str:
        seen.append(line)
        return line

    lines(env).map(note).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "a")
        assert (driver.printed, seen) == (["a"], [])


def test_keys_choose_partitions_as_kafkas_producer_does(env: StreamExecutionEnvironment) -> None:
    serializer = KafkaRecordSerializationSchema.builder().set_topic("out")
    keyed = serializer.set_key_serialization_schema(SimpleStringSchema())
    schema = keyed.set_value_serialization_schema(SimpleStringSchema()).build()
    lines(env).sink_to(KafkaSink.builder().set_bootstrap_servers(SERVERS).set_record_serializer(schema).build())
    with JobTestDriver.of(env, partitions={"out": 1_000}) as driver:
        for key in ("21", "foobar", "a-little-bit-long-string"):
            driver.send("lines", key)
        # murmur2 of Kafka's UtilsTest, without the sign
        hashes = [-973_932_308, -790_332_482, -985_981_536]
        assert [record.partition for record in driver.topic("out")] == [(h & 0x7FFFFFFF) % 1_000 for h in hashes]


def test_unknown_names_are_told_with_those_that_there_are(env: StreamExecutionEnvironment) -> None:
    with JobTestDriver.of(counting(env)) as driver:
        with pytest.raises(DefinitionError, match=r"no source 'orders'.*\n.*There are: 'lines'"):
            driver.source("orders")
        with pytest.raises(DefinitionError, match=r"no operator with keys 'x'.*\n.*There are: 'counter'"):
            driver.operator("x")
        with pytest.raises(DefinitionError, match="no sink 'x'"):
            driver.sink("x")
        with pytest.raises(
            DefinitionError, match=r"no partition 3 .*\n.*\n.*It reads: lines-0.*partitions={'lines': 4}"
        ):
            driver.source("lines").send("x", partition=3)
        with pytest.raises(DefinitionError, match=r"reads no topic 'line'\n.*It reads: lines-0"):
            driver.send("line", "x")
        with pytest.raises(DefinitionError, match=r"no sink that writes to topic 'x'\n.*There are: none"):
            driver.values("x")
        with pytest.raises(DefinitionError, match="generates no watermarks"):
            driver.source("lines").set_watermark(1)
        driver.finish()
        with pytest.raises(DefinitionError, match="the source has ended"):
            driver.source("lines").send("a")
    with pytest.raises(DefinitionError, match="cannot be used any more: it was closed"):
        driver.advance(1)


def test_functions_are_left_at_their_execute() -> None:
    after: list[str] = []

    def program() -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        lines(env).print()
        try:
            env.execute("job")
        except Exception:  # noqa: BLE001 - as programs do
            after.append("caught")
        after.append("went on")

    with JobTestDriver.of(program) as driver:
        driver.send("lines", "a")
        assert driver.printed == ["a"]
    assert after == []
    with pytest.raises(UnsupportedFeatureError, match=r"programs of Python and SQL, not .yaml files"):
        JobTestDriver.of("shop.yaml")
    with pytest.raises(DefinitionError, match="without executing a job"):
        JobTestDriver.of(lambda: None)


def test_functions_run_with_their_arguments(env: StreamExecutionEnvironment) -> None:
    def copy(topic_in: str, topic_out: str) -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        copied = env.from_source(source(topic_in), WatermarkStrategy.no_watermarks(), "lines")
        copied.sink_to(sink(topic_out))
        env.execute()

    with JobTestDriver.of(copy, "lines", "copied") as driver:
        driver.send("lines", "a")
        assert driver.values("copied") == [b"a"]
    lines(env).print()
    with pytest.raises(ArgumentError, match="an environment takes no arguments"):
        JobTestDriver.of(env, "lines")


def test_scripts_run_with_their_arguments_and_own_classes(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            from dataclasses import dataclass
            from pyflink.common import SimpleStringSchema, WatermarkStrategy
            from pyflink.datastream import StreamExecutionEnvironment
            from pyflink.datastream.connectors.kafka import KafkaSource

            @dataclass
            class Order:
                name: str

            if __name__ == "__main__":
                env = StreamExecutionEnvironment.get_execution_environment()
                source = (KafkaSource.builder().set_bootstrap_servers("b:1").set_topics(sys.argv[1])
                    .set_value_only_deserializer(SimpleStringSchema()).build())
                stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
                stream.map(Order).key_by(lambda order: order.name).map(
                    lambda order: f"{isinstance(order, Order)} {order.name}").print()
                env.execute("orders")
            """
        )
    )
    program = f"""
import sys
from kafkastream.testing import JobTestDriver
with JobTestDriver.of({str(script)!r}, "placed") as driver:
    driver.send("placed", "ann")
    assert driver.printed == ["True ann"], driver.printed
print(sys.argv, "py4j" in sys.modules, "pyspark" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("['-c'] False False\n", "")


def test_json_elements_pass_their_schemas(env: StreamExecutionEnvironment) -> None:
    lines(env).map(json.loads).map(lambda order: order["id"], Types.INT()).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", '{"id": 7}')
        assert driver.printed == ["7"]


def test_a_source_reads_what_the_job_writes_to_its_topic(env: StreamExecutionEnvironment) -> None:
    lines(env).map(str.upper, Types.STRING()).sink_to(sink("upper", DeliveryGuarantee.EXACTLY_ONCE))
    second = env.from_source(source("upper"), WatermarkStrategy.no_watermarks(), "second")
    second.map(lambda line: f"{line}!", Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "a")
        assert (driver.values("upper"), driver.printed) == ([b"A"], ["A!"])
        assert driver.values("upper", SimpleStringSchema()) == ["A"]
        driver.send("upper", "b")
        assert driver.printed == ["A!", "b!"]


def test_a_job_that_reads_its_own_output_may_end_or_not(env: StreamExecutionEnvironment) -> None:
    shorter = lines(env).map(lambda line: line[1:], Types.STRING())
    shorter.filter(bool).sink_to(sink("lines"))
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "abcd")
        assert driver.values("lines") == [b"bcd", b"cd", b"d"]
    endless = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    lines(endless).sink_to(sink("lines"))
    with JobTestDriver.of(endless) as driver:
        with pytest.raises(DefinitionError, match="reads what it writes to topic lines, and each record makes another"):
            driver.send("lines", "a")
        with pytest.raises(DefinitionError, match="cannot be used any more"):
            driver.send("lines", "a")


def test_output_that_is_committed_at_a_checkpoint_is_read_then() -> None:
    configuration = Configuration().set_string("execution.checkpointing.interval", "10 s")
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
    lines(env).sink_to(sink("out", DeliveryGuarantee.EXACTLY_ONCE))
    env.from_source(source("out"), WatermarkStrategy.no_watermarks(), "second").print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "a")
        assert driver.printed == []
        driver.advance(10_000)
        driver.send("lines", "b")
        assert driver.printed == ["a"]
        driver.checkpoint()
        assert driver.printed == ["a", "b"]


def test_uncommitted_output_of_the_job_is_read_before_it_ends_or_is_saved() -> None:
    def program() -> StreamExecutionEnvironment:
        configuration = Configuration().set_string("execution.checkpointing.interval", "10 s")
        env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
        lines(env).sink_to(sink("first", DeliveryGuarantee.EXACTLY_ONCE))
        second = env.from_source(source("first"), WatermarkStrategy.no_watermarks(), "second")
        second.sink_to(sink("last", DeliveryGuarantee.EXACTLY_ONCE))
        return env

    with JobTestDriver.of(program()) as driver:
        driver.send("lines", "a")
        assert driver.topic("last", isolation="read_uncommitted") == []
        snapshot = driver.snapshot()
        assert driver.values("last") == [b"a"]
    with JobTestDriver.of(program(), restored=snapshot) as driver:
        driver.send("lines", "b")
        driver.finish()
        assert driver.values("last") == [b"b"]


def test_functions_that_sleep_or_start_threads_take_real_time(env: StreamExecutionEnvironment) -> None:
    class Slow(KeyedProcessFunction[str, str]):
        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
            times: list[int] = []
            thread = threading.Thread(
                target=lambda: times.append(ctx.timer_service().current_processing_time()), daemon=True
            )
            thread.start()
            time.sleep(0.01)
            thread.join()
            yield f"{value} at {times[0] - NOW}"

    lines(env).key_by(str).process(Slow(), Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        began = time.monotonic()
        driver.send("lines", "a")
        assert time.monotonic() - began >= 0.01
        driver.advance(5)
        driver.send("lines", "b")
        assert driver.printed == ["a at 0", "b at 5"]


def test_tombstones_reach_the_schema(env: StreamExecutionEnvironment) -> None:
    class KeyAndValue(KafkaRecordDeserializationSchema[str]):
        def deserialize(self, record: ConsumerRecord) -> Iterator[str]:
            yield f"{record.key!r} {record.value!r} {record.headers}"

    builder = KafkaSource.builder().set_bootstrap_servers(SERVERS).set_topics("lines")
    stream = env.from_source(
        builder.set_deserializer(KeyAndValue()).build(), WatermarkStrategy.no_watermarks(), "lines"
    )
    stream.print()
    with JobTestDriver.of(env) as driver:
        driver.send("lines", None, key="ann", headers=[("from", b"shop")])
        assert driver.printed == ["b'ann' None (('from', b'shop'),)"]


def test_elements_that_a_sink_cannot_write_become_its_dead_letters(env: StreamExecutionEnvironment) -> None:
    class Ascii(SerializationSchema[str]):
        def serialize(self, element: str) -> bytes:
            return element.encode("ascii")

    serializer = KafkaRecordSerializationSchema.builder().set_topic("out").set_value_serialization_schema(Ascii())
    builder = KafkaSink.builder().set_bootstrap_servers(SERVERS).set_record_serializer(serializer.build())
    lines(env).sink_to(builder.set_dead_letter_topic("dead").build())
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "ä")
        driver.send("lines", "a")
        assert driver.values("out") == [b"a"]
        assert driver.values("dead") == ["ä".encode()]
        driver.source("lines").send_element("ö")  # of which there is no record
        assert driver.values("dead")[1:] == ["'ö'".encode()]


def test_a_driver_that_has_ended_shows_what_it_gave_and_takes_nothing(env: StreamExecutionEnvironment) -> None:
    with JobTestDriver.of(counting(env)) as driver:
        driver.send("lines", "ann")
        driver.advance(60_000)
    uses: list[Callable[[], object]] = [
        lambda: driver.send("lines", "a"),
        lambda: driver.source("lines").send_element("a"),
        lambda: driver.source("lines").finish(),
        lambda: driver.advance(1),
        driver.checkpoint,
        driver.snapshot,
        driver.finish,
        lambda: driver.operator("counter"),
    ]
    for use in uses:
        with pytest.raises(DefinitionError, match="cannot be used any more: it was closed"):
            use()
    with pytest.raises(DefinitionError, match="cannot be used any more"), driver.micro_batch():
        driver.send("lines", "a")
    assert driver.printed == ["ann 1 at 10000"]
    assert driver.metrics.total("numRecordsIn") > 0
    driver.close()


SCRIPT_WITH_CLASSES = """
import dataclasses, enum
from kafkastream import KafkaSource, SimpleStringSchema, StreamExecutionEnvironment, Types, WatermarkStrategy
from kafkastream.common import Configuration
from kafkastream.datastream.functions import KeyedProcessFunction
from kafkastream.datastream.state import ValueStateDescriptor

class Color(enum.Enum):
    RED = "r"
    BLUE = "b"

@dataclasses.dataclass
class Seen:
    color: Color
    times: int = 0

class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        seen = self.seen.value() or Seen(ctx.get_current_key())
        seen.times += 1
        self.seen.update(seen)
        timers = ctx.timer_service()
        timers.register_processing_time_timer(timers.current_processing_time() + 1_000)
        yield from ()

    def on_timer(self, timestamp, ctx):
        seen = self.seen.value()
        yield f"{seen.color is ctx.get_current_key() is Color.RED} {isinstance(seen, Seen)} {seen.times}"

env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("colors")
source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
colors = env.from_source(source, WatermarkStrategy.no_watermarks(), "colors")
colors.key_by(Color).process(Count(), Types.STRING()).uid("count").print()
env.execute("colors")
"""


def test_keys_and_state_hold_the_classes_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "colors.py"
    script.write_text(SCRIPT_WITH_CLASSES)
    with JobTestDriver.of(script) as driver:
        driver.send("colors", "r")
        state = driver.operator("count")
        [key] = state.keys()
        assert (key.name, [timer.key for timer in state.timers()]) == ("RED", [key])
        assert state.get("seen", key).times == 1
        snapshot = driver.snapshot()
    with JobTestDriver.of(script, restored=snapshot) as driver:
        driver.send("colors", "r")
        driver.advance(2_000)
        assert driver.printed == ["True True 2"]


@pytest.mark.parametrize("allowed", ["true", "false"])
def test_code_in_state_is_refused_unless_the_job_allows_it(allowed: str) -> None:
    class KeepsCode(KeyedProcessFunction[int, str, str]):
        def open(self, runtime_context: RuntimeContext) -> None:
            self.kept = runtime_context.get_state(ValueStateDescriptor("kept", Types.PICKLED_BYTE_ARRAY()))

        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
            before: Any = self.kept.value()
            self.kept.update(lambda: value)
            yield before() if before else "nothing"

    configuration = Configuration().set_string("kafkastream.state.allow-code", allowed)
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
    lines(env).key_by(len).process(KeepsCode(), Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        if allowed == "true":
            driver.send("lines", "a")
            driver.send("lines", "b")
            assert driver.printed == ["nothing", "a"]
        else:
            with pytest.raises(DefinitionError, match=r"kafkastream\.state\.allow-code"):
                driver.send("lines", "a")


class OpenAndClose(KeyedProcessFunction[str, str], MapFunction):
    """Counts the calls of ``open`` and ``close`` in the class, which copies of the function share."""

    opened = closed = 0

    def open(self, runtime_context: RuntimeContext) -> None:
        type(self).opened += 1
        self.count = runtime_context.get_state(COUNT) if runtime_context.get_task_name() == "keyed" else None

    def close(self) -> None:
        type(self).closed += 1

    def map(self, value: str) -> str:
        return value

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        yield value


def test_what_was_opened_is_closed(env: StreamExecutionEnvironment) -> None:
    class Mapped(OpenAndClose):
        pass

    class Keyed(OpenAndClose):
        pass

    lines(env).map(Mapped()).key_by(str).process(Keyed()).name("keyed").print()
    for records in ([], ["a"], ["a", "b"]):
        with JobTestDriver.of(env, parallelism=2) as driver:
            for record in records:
                driver.send("lines", record)
            driver.operator("keyed").get(COUNT, "a")
        assert (Mapped.opened, Keyed.opened) == (Mapped.closed, Keyed.closed)
    assert min(Mapped.opened, Keyed.opened) > 0


def test_imports_are_light() -> None:
    program = """
import sys, time
from kafkastream.testing import JobTestDriver, StreamHarness
absent = {"pyspark", "py4j", "sqlglot", "psycopg", "kafkastream.sql.parser", "kafkastream.sql.planner",
    "kafkastream.table", "kafkastream.cdc", "kafkastream.spark.cdc", "kafkastream.spark.job"}
print(*sorted(absent & set(sys.modules)), time.process_time() < 5)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("True\n", "")


def test_limits_for_records_are_those_of_the_job(env: StreamExecutionEnvironment) -> None:
    schema = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.BIG_INT()])).build()
    lines(env).map(lambda text: schema.deserialize(text.encode())).print()
    with JobTestDriver.of(env) as driver, pytest.raises(UserFunctionError, match="more than the 1000 of"):
        driver.send("lines", '{"n":%s}' % ("1" * 1_500))
    env.configure(Configuration().set_string("kafkastream.records.max-digits", "2000"))
    with JobTestDriver.of(env) as driver:
        driver.send("lines", '{"n":%s}' % ("1" * 1_500))
        assert driver.printed == [f"Row(n={'1' * 1_500})"]
