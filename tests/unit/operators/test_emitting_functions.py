"""What a function emits is what it had when it emitted it, behind each kind of function."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from kafkastream import StreamExecutionEnvironment, Types, WatermarkStrategy
from kafkastream.common import Time
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import (
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.testing import JobTestDriver
from tests.driven import elements, lines

LEFT, RIGHT, AFTER = (OutputTag(name, Types.LIST(Types.INT())) for name in ("left", "right", "after"))


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)


class Buffering:
    """Emits one list again and again, and changes it in between."""

    def __init__(self) -> None:
        self.buffer: list[int] = []

    def emit(self, value: int) -> Iterator[list[int]]:
        self.buffer.append(value)
        yield self.buffer
        self.buffer.append(-value)
        yield self.buffer
        self.buffer.clear()


class Asking(AsyncFunction[Any, Any]):
    def __init__(self) -> None:
        self.results: list[list[int]] = [[]]

    async def async_invoke(self, value: Any) -> list[list[int]]:
        self.results[0][:] = [value]
        return self.results


class Timed(KeyedProcessFunction[Any, Any, Any], Buffering):
    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> None:
        ctx.timer_service().register_event_time_timer(value)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[list[int]]:
        return self.emit(timestamp)


class Sided(ProcessFunction[Any, Any], Buffering):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Iterator[Any]:
        for place, element in enumerate(self.emit(value)):
            ctx.output((LEFT, RIGHT)[place], element)
            yield AFTER, element


class Connected(CoFlatMapFunction[Any, Any, Any], Buffering):
    def flat_map1(self, value: Any) -> Iterator[list[int]]:
        return self.emit(value)

    def flat_map2(self, value: Any) -> Iterator[list[int]]:
        return self.emit(value)


class Broadcasting(BroadcastProcessFunction[Any, Any, Any], Buffering):
    def process_element(self, value: Any, ctx: Any) -> Iterator[list[int]]:
        return self.emit(value)

    def process_broadcast_element(self, value: Any, ctx: Any) -> Iterator[list[int]]:
        return self.emit(value)


class Own(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value)


TWO = [[1], [1, -1], [2], [2, -2]]


def test_each_kind_of_function(env: StreamExecutionEnvironment) -> None:
    in_order = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
    numbers = env.from_collection([1, 2], Types.INT()).assign_timestamps_and_watermarks(in_order)
    keyed = numbers.key_by(lambda _: 0, Types.INT())
    sided = numbers.process(Sided(), Types.LIST(Types.INT()))
    states = MapStateDescriptor("state", Types.INT(), Types.INT())
    streams = {
        "async": AsyncDataStream.ordered_wait(numbers, Asking(), Time.seconds(30), capacity=1),
        "timers": keyed.process(Timed()),
        "output": sided.get_side_output(LEFT).union(sided.get_side_output(RIGHT)),
        "yielded aside": sided.get_side_output(AFTER),
        "connected": keyed.connect(keyed).flat_map(Connected()),
        "broadcast": numbers.connect(env.from_collection([], Types.INT()).broadcast(states)).process(Broadcasting()),
    }
    shown = [stream.map(partial(lambda *pair: pair, name)) for name, stream in streams.items()]
    found: dict[str, list[Any]] = {}
    for name, value in elements(shown[0].union(*shown[1:])):
        found.setdefault(name, []).append(value)
    assert found.pop("async") == [[1], [2]]
    assert found.pop("connected") == [*TWO, *TWO]
    assert sorted(found.pop("output")) == TWO
    assert found == dict.fromkeys(["timers", "yielded aside", "broadcast"], TWO)


def test_functions_do_not_change_what_state_or_a_join_holds(env: StreamExecutionEnvironment) -> None:
    """One record in each micro-batch: what a later function changed would be in the state that is written."""

    class Count(KeyedProcessFunction[Any, Any, Any]):
        def open(self, runtime_context: RuntimeContext) -> None:
            self.state = runtime_context.get_state(ValueStateDescriptor("s", Types.PICKLED_BYTE_ARRAY()))

        def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
            state = self.state.value() or {"n": 0, "token": "x"}
            state["n"] += 1
            state["had"] = "token" in state
            self.state.update(state)
            yield state

    def without_token(element: dict[str, Any]) -> str:
        element.pop("token", None)
        return str(element)

    counted = lines(env).key_by(lambda value: value, Types.STRING()).process(Count()).rebalance()
    counted.map(without_token, Types.STRING()).print()
    with JobTestDriver.of(env) as driver:
        for _ in range(3):
            driver.send("lines", "k")
        assert driver.printed == [
            "{'n': 1, 'had': True}",
            "{'n': 2, 'had': True}",
            "{'n': 3, 'had': True}",
        ]
