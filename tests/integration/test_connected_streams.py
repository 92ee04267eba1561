"""Functions of two streams: connected, keyed, broadcast, joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream.common import JobClient, Types, WatermarkStrategy
from kafkastream.datastream import (
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    OutputTag,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, T0

pytestmark = pytest.mark.usefixtures("two_subtasks")
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


def at(second: float, value: str) -> Record:
    return Record(value, key=value[0], timestamp_ms=T0 + round(second * 1000))


def first_letter(value: str) -> str:
    return value[0]


class Meet(KeyedCoProcessFunction[str, str, str, str]):
    """Waits 5 s for the other."""

    alone: OutputTag[str] = OutputTag("alone", Types.STRING())

    def open(self, runtime_context: RuntimeContext) -> None:
        self.waiting = runtime_context.get_state(ValueStateDescriptor("waiting", Types.STRING()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        return self._either(value, ctx)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        return self._either(value, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterator[Any]:
        waiting = self.waiting.value()
        if waiting is not None:
            yield self.alone, f"{ctx.get_current_key()}: {waiting} alone"

    def _either(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        waiting = self.waiting.value()
        if waiting is not None:
            self.waiting.clear()
            yield " ".join(sorted((waiting, value)))
            return
        self.waiting.update(value)
        ctx.timer_service().register_event_time_timer((ctx.timestamp() or 0) + 5000)


def test_keyed_streams_meet(env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic) -> None:
    left, right, target = new_topic(), new_topic(), new_topic()
    parts.kafka.produce(left, [at(0, "a1"), at(1, "b1")])
    parts.kafka.produce(right, [at(2, "a2"), at(1, "c2")])
    one = env.from_source(parts.bounded(left), MONOTONOUS, "left").key_by(first_letter)
    other = env.from_source(parts.bounded(right), MONOTONOUS, "right").key_by(first_letter)
    met = one.connect(other).process(Meet(), Types.STRING())
    met.union(met.get_side_output(Meet.alone)).sink_to(parts.sink(target))
    env.execute("meet")
    assert parts.values(target) == ["a1 a2", "b: b1 alone", "c: c2 alone"]


class Named(CoMapFunction[int, str, str]):
    def map1(self, value: int) -> str:
        return f"number {value}"

    def map2(self, value: str) -> str:
        return f"text {value}"


class Timed(CoProcessFunction[int, str, str]):
    def process_element1(self, value: int, ctx: CoProcessFunction.Context) -> Iterable[str]:
        return [f"{value} at {ctx.timestamp()}"]

    def process_element2(self, value: str, ctx: CoProcessFunction.Context) -> Iterable[str]:
        ctx.timer_service().register_event_time_timer(1)
        return []


def test_streams_without_keys(env: StreamExecutionEnvironment) -> None:
    numbers, texts = env.from_collection([1, 2], Types.INT()), env.from_collection(["a"], Types.STRING())
    connected = numbers.connect(texts)
    assert sorted(connected.map(Named()).execute_and_collect()) == ["number 1", "number 2", "text a"]
    by_parity = connected.key_by(lambda number: number % 2, len)
    assert sorted(by_parity.map(Named()).execute_and_collect()) == ["number 1", "number 2", "text a"]
    with pytest.raises(UserFunctionError, match="timers is only supported on a keyed stream"):
        list(connected.process(Timed()).execute_and_collect())


def test_half_keyed_streams_are_refused(env: StreamExecutionEnvironment) -> None:
    numbers, texts = env.from_collection([1], Types.INT()), env.from_collection(["a"], Types.STRING())
    with pytest.raises(DefinitionError, match="one of two connected streams is keyed"):
        numbers.key_by(abs).connect(texts).map(Named())
    with pytest.raises(TypeError, match="takes a CoProcessFunction, not Meet"):
        numbers.connect(numbers).process(Meet())  # type: ignore[arg-type]  # what this test is about


class KeyedRuled(KeyedBroadcastProcessFunction[str, str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterable[str]:
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value} {ctx.get_broadcast_state(RULES).get(ctx.get_current_key())} {self.count.value()}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(RULES).put(value[0], value[1:])


class Given(KeyedCoProcessFunction[str, str, str, str]):
    """How often the key had a rule, when an element comes."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.rules = runtime_context.get_state(ValueStateDescriptor("rules", Types.INT()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> None:
        self.rules.update((self.rules.value() or 0) + 1)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterable[str]:
        yield f"{value} given {self.rules.value()}"


def test_collection_comes_before_the_records_of_kafka_and_after_a_restart_no_more(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    data, target = new_topic(partitions=2), new_topic()
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())

    def start(*rules: str) -> JobClient:
        given = env.from_collection(rules, Types.STRING())
        no_watermarks = WatermarkStrategy.no_watermarks()
        stream = env.from_source(parts.endless(data), no_watermarks, "A name before the collection's")
        keyed = stream.key_by(first_letter)
        ruled = keyed.connect(given.broadcast(RULES)).process(KeyedRuled(), Types.STRING())
        counted = given.key_by(first_letter).connect(keyed).process(Given(), Types.STRING())
        ruled.union(counted).sink_to(parts.sink(target))
        return env.execute_async("given once")

    parts.kafka.produce(data, [Record("a1", partition=0), Record("b1", partition=1)])
    job = start("ared", "bgreen")
    first = ["a1 given 1", "a1 red 1", "b1 given 1", "b1 green 1"]
    try:
        assert parts.values(target, 4) == first
    finally:
        job.cancel().result()
    parts.kafka.produce(data, [Record("a2", partition=0), Record("b2", partition=1)])
    job = start("ablue", "bblue")
    try:
        assert parts.values(target, 8) == sorted([*first, "a2 given 1", "a2 red 2", "b2 given 1", "b2 green 2"])
    finally:
        job.cancel().result()
