"""Single functions in the harness: process, keyed, connected, broadcast, windows, async."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kafkastream import Types
from kafkastream.common import Time
from kafkastream.datastream import OutputTag
from kafkastream.datastream.async_data_stream import AsyncDataStream
from kafkastream.datastream.functions import (
    AsyncFunction,
    BroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
    ProcessWindowFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.datastream.window import CountTrigger, TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.testing import StreamHarness

BIG = OutputTag("big", Types.INT())
TOTAL = ValueStateDescriptor("total", Types.INT())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Split(ProcessFunction[int, int]):
    def process_element(self, value: int, ctx: ProcessFunction.Context) -> Iterator[Any]:
        yield (BIG, value) if value > 9 else value


class Total(KeyedProcessFunction[int, int, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.total = runtime_context.get_state(TOTAL)

    def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        self.total.update((self.total.value() or 0) + value)
        ctx.timer_service().register_event_time_timer(10_000)
        yield from ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()}: {self.total.value()}"


class Both(KeyedCoProcessFunction[str, str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.STRING()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        self.left.update(value)
        yield from ()

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        yield f"{self.left.value()} {value}"


class Rules(BroadcastProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        yield f"{value} {ctx.get_broadcast_state(RULES).get(value)}"

    def process_broadcast_element(self, value: str, ctx: BroadcastProcessFunction.Context) -> Iterator[str]:
        name, number = value.split("=")
        ctx.get_broadcast_state(RULES).put(name, int(number))
        yield from ()


class InWindow(ProcessWindowFunction[int, str, int, Any]):
    def process(self, key: int, context: ProcessWindowFunction.Context[Any], elements: Iterable[int]) -> Iterator[str]:
        yield f"{key} {sorted(elements)}"


class Double(AsyncFunction[int, int]):
    async def async_invoke(self, value: int) -> list[int]:
        await asyncio.sleep(value)
        return [2 * value]


def test_side_outputs() -> None:
    with StreamHarness(lambda numbers: numbers.process(Split(), Types.INT()), side_outputs=[BIG]) as harness:
        for number in (1, 10, 2):
            harness.send(number)
        assert (harness.output, harness.side_output(BIG)) == ([1, 2], [10])


def test_keyed_state_and_timers() -> None:
    with StreamHarness(lambda numbers: numbers.key_by(lambda n: n % 2).process(Total())) as harness:
        for number in (1, 3, 4):
            harness.send(number, timestamp=1_000)
        assert harness.state.get(TOTAL, 1) == 4
        assert [(timer.key, timer.timestamp) for timer in harness.state.timers()] == [(0, 10_000), (1, 10_000)]
        harness.set_watermark(9_999)
        assert harness.output == []
        harness.state.set(TOTAL, 0, 40)
        harness.set_watermark(10_000)
        assert sorted(harness.output) == ["0: 40", "1: 4"]


def test_connected_streams() -> None:
    def both(left: Any, right: Any) -> Any:
        return left.connect(right).key_by(lambda text: text[0], lambda text: text[0]).process(Both(), Types.STRING())

    with StreamHarness(both, inputs=2) as harness:
        harness.send_second("a2")
        harness.send("a1")
        harness.send_second("a3")
        assert harness.output == ["None a2", "a1 a3"]


def test_broadcast_state() -> None:
    def ruled(texts: Any, rules: Any) -> Any:
        return texts.connect(rules.broadcast(RULES)).process(Rules(), Types.STRING())

    with StreamHarness(ruled, inputs=2, parallelism=2) as harness:
        harness.send("a")
        harness.send_second("a=1")
        harness.send("a")
        assert harness.output == ["a None", "a 1"]


def test_windows_with_triggers() -> None:
    def windows(numbers: Any) -> Any:
        minutes = numbers.key_by(lambda n: n % 2).window(TumblingEventTimeWindows.of(Time.minutes(1)))
        return minutes.trigger(CountTrigger(2)).process(InWindow(), Types.STRING())

    with StreamHarness(windows) as harness:
        for number in (1, 3, 2, 5, 7):
            harness.send(number, timestamp=number * 1_000)
        assert harness.output == ["1 [1, 3]", "1 [1, 3, 5, 7]"]


def test_async_functions() -> None:
    def doubled(numbers: Any) -> Any:
        return AsyncDataStream.ordered_wait(numbers, Double(), Time.hours(1), output_type=Types.INT())

    with StreamHarness(doubled) as harness:
        harness.send(1_800)
        assert harness.output == [3_600]


def test_errors_name_the_operator_and_the_element() -> None:
    with (
        StreamHarness(lambda numbers: numbers.map(lambda n: 1 // n).name("invert")) as harness,
        pytest.raises(UserFunctionError, match="'invert' raised ZeroDivisionError"),
    ):
        harness.send(0)


def test_what_there_is_not() -> None:
    with StreamHarness(lambda numbers: numbers.map(str)) as harness:
        with pytest.raises(DefinitionError, match="one input"):
            harness.send_second(1)
        with pytest.raises(DefinitionError, match="there are 0 keyed operators"):
            _ = harness.state
    builds_nothing: Any = lambda numbers: None  # noqa: E731
    with pytest.raises(DefinitionError, match=r"build returned None.*\n.*\n.*Return the stream"):
        StreamHarness(builds_nothing)
    with pytest.raises(DefinitionError, match="one or two inputs"):
        StreamHarness(lambda numbers: numbers, inputs=3)
