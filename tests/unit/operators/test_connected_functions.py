"""Functions of two streams: connected, keyed, joined, and refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kafkastream import StreamExecutionEnvironment, Types
from kafkastream.common import Time
from kafkastream.datastream import (
    CoMapFunction,
    CoProcessFunction,
    KeyedCoProcessFunction,
    OutputTag,
    ProcessJoinFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.testing import JobTestDriver, StreamHarness
from tests.driven import elements, send, source
from tests.integration.timed import MONOTONOUS, at


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)


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


def test_keyed_streams_meet(env: StreamExecutionEnvironment) -> None:
    left, right = (
        env.from_source(source(topic), MONOTONOUS, topic).key_by(lambda value: value[0]) for topic in ("left", "right")
    )
    met = left.connect(right).process(Meet(), Types.STRING())
    met.union(met.get_side_output(Meet.alone)).map(str, Types.STRING()).name("met")
    with JobTestDriver.of(env) as driver:
        send(driver, "left", [at(0, "a1"), at(1, "b1")])
        send(driver, "right", [at(2, "a2"), at(1, "c2")])
        driver.finish()
        assert sorted(driver.sink("met")) == ["a1@0 a2@2", "b: b1@1 alone", "c: c2@1 alone"]


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


@pytest.mark.parametrize("is_keyed", [False, True], ids=["not keyed", "keyed"])
def test_map_of_two_streams(env: StreamExecutionEnvironment, *, is_keyed: bool) -> None:
    numbers, texts = env.from_collection([1, 2], Types.INT()), env.from_collection(["a"], Types.STRING())
    connected = numbers.connect(texts)
    if is_keyed:
        connected = connected.key_by(lambda number: number % 2, len)
    assert sorted(elements(connected.map(Named()))) == ["number 1", "number 2", "text a"]


class Positive(CoMapFunction[int, int, int | None]):
    def map1(self, value: int) -> int | None:
        return value if value > 0 else None

    def map2(self, value: int) -> int:
        return 0


def test_none_of_a_co_map_function_is_no_element() -> None:
    def positive(left: Any, right: Any) -> Any:
        return left.connect(right).key_by(abs, abs).map(Positive())

    with StreamHarness(positive, inputs=2) as harness:
        for number in (1, -1, 2):
            harness.send(number)
        for number in (1, -1, 2):
            harness.send_second(number)
        assert harness.output == [1, 2, 0, 0, 0]


class Pair(ProcessJoinFunction[str, str, str]):
    def process_element(self, left: str, right: str, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        yield left + right


def test_interval_join_keeps_nothing_that_can_meet_nobody_any_more() -> None:
    def joined(left: Any, right: Any) -> Any:
        keyed = left.key_by(lambda text: text[0]).interval_join(right.key_by(lambda text: text[0]))
        return keyed.between(Time.milliseconds(-5), Time.milliseconds(5)).process(Pair())

    with StreamHarness(joined, inputs=2) as harness:
        for text, timestamp in (("al", 10), ("am", 30), ("bn", 11)):
            harness.send(text, timestamp=timestamp)
        harness.send_second("ar", timestamp=12)
        assert harness.output == ["alar"]
        harness.set_watermark(20)
        assert harness.state.keys() == ["a"]
        harness.send_second("as", timestamp=28)
        assert harness.output == ["alar", "amas"]
        harness.finish()
        assert (harness.state.keys(), harness.state.timers()) == ([], [])


def test_timers_without_keys_are_refused(env: StreamExecutionEnvironment) -> None:
    numbers, texts = env.from_collection([1, 2], Types.INT()), env.from_collection(["a"], Types.STRING())
    with pytest.raises(UserFunctionError, match="timers is only supported on a keyed stream"):
        elements(numbers.connect(texts).process(Timed()))


def test_half_keyed_streams_are_refused(env: StreamExecutionEnvironment) -> None:
    numbers, texts = env.from_collection([1], Types.INT()), env.from_collection(["a"], Types.STRING())
    with pytest.raises(DefinitionError, match="one of two connected streams is keyed"):
        numbers.key_by(abs).connect(texts).map(Named())
    with pytest.raises(TypeError, match="takes a CoProcessFunction, not Meet"):
        numbers.connect(numbers).process(Meet())  # type: ignore[arg-type]  # what this test is about
