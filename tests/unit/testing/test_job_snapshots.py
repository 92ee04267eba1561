"""A driver that continues from the snapshot of another one: by the same program, or by its next version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkastream import (
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)
from kafkastream.common import Configuration, Time
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream.functions import KeyedProcessFunction, RuntimeContext
from kafkastream.datastream.state import StateTtlConfig, ValueStateDescriptor
from kafkastream.datastream.stream import DataStream
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, DeserializationError
from kafkastream.table import StreamTableEnvironment
from kafkastream.testing import JobSnapshot, JobTestDriver
from tests.changed_streams import ACCEPTED, DROPPED, REFUSED, Change, ChangedStreams, outputs

NOW = 1_767_225_600_000
COUNT = ValueStateDescriptor("count", Types.LONG())


def source(*topics: str) -> KafkaSource[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics(*topics)
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def sink(topic: str) -> KafkaSink[str]:
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic)
    schema = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
    return KafkaSink.builder().set_bootstrap_servers("broker:9092").set_record_serializer(schema).build()


def environment(**settings: str) -> StreamExecutionEnvironment:
    configuration = Configuration()
    for key, value in settings.items():
        configuration.set_string(key, value)
    return StreamExecutionEnvironment.get_execution_environment(configuration)


class Count(KeyedProcessFunction[str, str, str]):
    """Counts the lines of a key, and repeats the count at the end of ten seconds of processing time."""

    def __init__(self, descriptor: ValueStateDescriptor[Any] = COUNT) -> None:
        self.descriptor = descriptor

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(self.descriptor)
        self.subtasks = runtime_context.get_number_of_parallel_subtasks()

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 10_000)
        yield f"{value} {self.count.value()} of {self.subtasks}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        late = ctx.timer_service().current_processing_time() - timestamp
        yield f"{ctx.get_current_key()} {self.count.value()} at {timestamp - NOW}, late by {late}"


def lines(env: StreamExecutionEnvironment) -> DataStream[str]:
    return env.from_source(source("lines"), WatermarkStrategy.no_watermarks(), "lines")


def counted(
    env: StreamExecutionEnvironment, function: Count | None = None, *, uid: str = "", name: str = ""
) -> StreamExecutionEnvironment:
    stream = lines(env).key_by(str, key_type=Types.STRING()).process(function or Count(), Types.STRING())
    stream = stream.uid(uid) if uid else stream
    stream = stream.name(name) if name else stream
    stream.sink_to(sink("out"))
    return env


def values(driver: JobTestDriver, topic: str = "out") -> list[str]:
    return [(record.value or b"").decode() for record in driver.topic(topic)]


def snapshot_of(env: StreamExecutionEnvironment, *sent: str, parallelism: int = 1) -> JobSnapshot:
    with JobTestDriver.of(env, parallelism=parallelism) as driver:
        for value in sent:
            driver.send("lines", value)
        return driver.snapshot()


def test_changed_programs_continue_or_are_refused_as_on_spark() -> None:
    topics = {letter: letter for letter in "abcdefg"}

    def program(change: Change) -> Callable[[], None]:
        def run() -> None:
            env = environment(**change.get("settings", {}))
            ChangedStreams(source, sink("out"), topics).build(env, change)
            env.execute("changing")

        return run

    def send(driver: JobTestDriver, letters: str, text: str) -> None:
        for letter in letters:
            driver.send(topics[letter], f"{letter}{text}")

    with JobTestDriver.of(program({})) as driver:
        send(driver, "abcefg", "1")
        assert sorted(values(driver)) == sorted([*outputs("1"), "count:g1 1"])
        snapshot = driver.snapshot()
    for change, message in REFUSED.values():
        with pytest.raises(DefinitionError, match=re.compile(message, re.DOTALL)):
            JobTestDriver.of(program(change), restored=snapshot)
    with JobTestDriver.of(program(ACCEPTED), restored=snapshot) as driver:
        send(driver, "abcdefg", "2")
        assert sorted(values(driver)) == sorted([*outputs("2", added="cd"), "count:g2 2"])
        snapshot = driver.snapshot()
    with JobTestDriver.of(program(DROPPED), restored=snapshot) as driver:
        send(driver, "acdefg", "3")
        expected = [line for line in outputs("3", added="cd") if line != "union:b3"]
        assert sorted(values(driver)) == sorted([*expected, "count:g3 3"])


@pytest.mark.parametrize("parallelism", [1, 2, 5])
def test_keys_stay_in_as_many_subtasks_as_they_began_with(parallelism: int) -> None:
    keys = [f"key {number}" for number in range(20)]
    snapshot = snapshot_of(counted(environment()), *keys, parallelism=3)
    with JobTestDriver.of(counted(environment()), parallelism=parallelism, restored=snapshot) as driver:
        for key in keys:
            driver.send("lines", key)
        assert values(driver) == [f"{key} 2 of 3" for key in keys]
        state = driver.operator("KeyedProcess")
        assert sorted(state.keys()) == sorted(keys)
        assert state.get(COUNT, "key 7") == 2


def test_timers_fire_at_their_times() -> None:
    env = counted(environment())
    with JobTestDriver.of(env) as driver:
        driver.send("lines", "ann")
        driver.advance(2_000)
        driver.send("lines", "bob")
        snapshot = driver.snapshot()
    with JobTestDriver.of(counted(environment()), restored=snapshot) as driver:
        assert driver.now_ms == NOW + 2_000
        driver.advance(60_000)
        assert values(driver) == ["ann 1 at 10000, late by 0", "bob 1 at 12000, late by 0"]


def test_watermarks_and_windows_continue() -> None:
    class Seconds(TimestampAssigner):
        def extract_timestamp(self, value: str, record_timestamp: int) -> int:
            return int(value) * 1_000

    def program() -> StreamExecutionEnvironment:
        env = environment()
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Seconds())
        windows = lines(env).assign_timestamps_and_watermarks(strategy).key_by(lambda _: "all")
        minutes = windows.window(TumblingEventTimeWindows.of(Time.minutes(1)))
        minutes.reduce(lambda left, right: f"{left}+{right}").uid("minutes").sink_to(sink("out"))
        return env

    with JobTestDriver.of(program()) as driver:
        for value in ("1", "2", "70"):
            driver.send("lines", value)
        assert values(driver) == ["1+2"]
        snapshot = driver.snapshot()
    with JobTestDriver.of(program(), restored=snapshot) as driver:
        assert driver.operator("minutes").watermark == 69_999
        driver.send("lines", "3")
        assert driver.metrics.total("numLateRecordsDropped") == 1
        driver.send("lines", "80")
        driver.finish()
        assert values(driver) == ["70+80"]


def test_offsets_continue() -> None:
    snapshot = snapshot_of(counted(environment()), "ann", "bob")
    with (
        JobTestDriver.of(counted(environment()), restored=snapshot) as driver,
        pytest.raises(DeserializationError, match="topic lines, partition 0, offset 2"),
    ):
        driver.send("lines", b"\xff")


def test_a_uid_keeps_the_state_of_a_renamed_operator() -> None:
    snapshot = snapshot_of(counted(environment(), uid="counter", name="count"), "ann")
    with JobTestDriver.of(counted(environment(), uid="counter", name="total"), restored=snapshot) as driver:
        driver.send("lines", "ann")
        assert values(driver) == ["ann 2 of 1"]


@pytest.mark.parametrize(("uid", "name"), [("other", ""), ("", ""), ("", "count")])
def test_a_missing_uid_is_refused_or_its_state_discarded(uid: str, name: str) -> None:
    snapshot = snapshot_of(counted(environment(), uid="counter"), "ann")
    with pytest.raises(
        DefinitionError,
        match=r"(?s)state of operator with uid 'counter'.*give the one in its place uid\('counter'\).*ignore-unclaimed-state",
    ):
        JobTestDriver.of(counted(environment(), uid=uid, name=name), restored=snapshot)
    ignoring = {"execution.state-recovery.ignore-unclaimed-state": "true"}
    with JobTestDriver.of(counted(environment(**ignoring), uid=uid, name=name), restored=snapshot) as driver:
        driver.send("lines", "ann")
        assert values(driver) == ["ann 1 of 1"]
        snapshot = driver.snapshot()
    with JobTestDriver.of(counted(environment(**ignoring), uid="counter"), restored=snapshot) as driver:
        driver.send("lines", "ann")
        assert values(driver) == ["ann 1 of 1"]  # what was discarded does not come back


def test_a_state_of_another_type_is_refused() -> None:
    snapshot = snapshot_of(counted(environment()), "ann")
    expiring = ValueStateDescriptor("count", Types.LONG())
    expiring.enable_time_to_live(StateTtlConfig.new_builder(Time.minutes(1)).build())
    for descriptor in (ValueStateDescriptor("count", Types.STRING()), expiring):
        function = Count(descriptor)
        with pytest.raises(DefinitionError, match="state 'count' was a ValueStateDescriptor of Long in an earlier run"):
            JobTestDriver.of(counted(environment(), function), restored=snapshot)


def test_operators_are_added_beside_others_and_not_behind_them() -> None:
    snapshot = snapshot_of(counted(environment(), uid="first"), "ann")
    env = environment()
    stream = lines(env)
    stream.key_by(str, key_type=Types.STRING()).process(Count(), Types.STRING()).uid("first").sink_to(sink("out"))
    stream.key_by(str, key_type=Types.STRING()).process(Count(), Types.STRING()).uid("second").sink_to(sink("new"))
    with JobTestDriver.of(env, restored=snapshot) as driver:
        driver.send("lines", "ann")
        assert (values(driver), values(driver, "new")) == (["ann 2 of 1"], ["ann 1 of 1"])
    env = environment()
    first = lines(env).key_by(str, key_type=Types.STRING()).process(Count(), Types.STRING()).uid("first")
    first.key_by(str).process(Count(), Types.STRING()).uid("second").sink_to(sink("out"))
    with pytest.raises(DefinitionError, match="form 2 stages, and 1 in the checkpoint"):
        JobTestDriver.of(env, restored=snapshot)


def test_an_added_query_begins_and_the_others_continue() -> None:
    snapshot = snapshot_of(counted(environment()), "ann")
    env = counted(environment())
    env.from_collection(["a", "b"], Types.STRING()).sink_to(sink("collected"))
    with JobTestDriver.of(env, restored=snapshot) as driver:
        driver.send("lines", "ann")
        assert (values(driver), values(driver, "collected")) == (["ann 2 of 1"], ["a", "b"])


def test_collections_are_not_read_again() -> None:
    def program() -> StreamExecutionEnvironment:
        env = environment()
        lines(env).union(env.from_collection(["first"], Types.STRING())).sink_to(sink("out"))
        return env

    with JobTestDriver.of(program()) as driver:
        assert values(driver) == ["first"]
        snapshot = driver.snapshot()
    with JobTestDriver.of(program(), restored=snapshot) as driver:
        driver.send("lines", "second")
        assert values(driver) == ["second"]


def test_queries_continue_or_are_refused_as_on_spark() -> None:
    kafka = "'properties.bootstrap.servers' = 'broker:9092'"

    def program(select: str, table: str = "orders") -> None:
        t_env = StreamTableEnvironment.create(environment())
        t_env.get_config().set("pipeline.name", "totals")
        t_env.execute_sql(
            f"CREATE TABLE {table} (customer STRING, v INT, w INT) WITH ('connector' = 'kafka', {kafka}, "
            "'topic' = 'orders', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset')"
        )
        t_env.execute_sql(
            "CREATE TABLE totals (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ("
            f"'connector' = 'upsert-kafka', {kafka}, 'topic' = 'out', 'key.format' = 'json', 'value.format' = 'json')"
        )
        t_env.execute_sql(f"INSERT INTO totals SELECT customer, {select} GROUP BY customer")

    with JobTestDriver.of(program, "SUM(v) FROM orders") as driver:
        driver.table("orders").send(("ann", 1, 10))
        snapshot = driver.snapshot()
    for select in ("SUM(w) FROM orders", "SUM(v) FROM orders WHERE w > 5"):
        with pytest.raises(DefinitionError, match="does not fit the operator's current computation"):
            JobTestDriver.of(program, select, restored=snapshot)
    with JobTestDriver.of(program, "SUM(v) FROM renamed", "renamed", parallelism=3, restored=snapshot) as driver:
        driver.table("renamed").send(("ann", 2, 20))
        driver.table("renamed").send(("bob", 5, 0))
        assert driver.table("totals").changes == [("+U", "ann", 3), ("+I", "bob", 5)]


def test_another_job_is_refused() -> None:
    def named(name: str) -> Callable[[], Any]:
        return lambda: counted(environment()).execute(name)

    with JobTestDriver.of(named("orders")) as driver:
        snapshot = driver.snapshot()
    with pytest.raises(DefinitionError, match="belongs to job 'orders'"):
        JobTestDriver.of(named("payments"), restored=snapshot)


def test_a_job_that_has_ended_leaves_no_snapshot() -> None:
    with JobTestDriver.of(counted(environment())) as driver:
        driver.finish()
        with pytest.raises(DefinitionError, match=r"Take the snapshot before finish\(\)"):
            driver.snapshot()


def test_a_snapshot_is_not_changed_by_what_continues_from_it() -> None:
    snapshot = snapshot_of(counted(environment()), "ann")
    for _ in range(2):
        with JobTestDriver.of(counted(environment()), restored=snapshot) as driver:
            driver.send("lines", "ann")
            assert values(driver) == ["ann 2 of 1"]
