"""Single functions in the harness: process, keyed, connected, broadcast, windows, async, aggregates, schemas."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kafkastream import SimpleStringSchema, Types
from kafkastream.common import Time
from kafkastream.common.serialization import DeserializationSchema
from kafkastream.datastream import ConnectedStreams, DataStream, OutputTag
from kafkastream.datastream.async_data_stream import AsyncDataStream
from kafkastream.datastream.async_retry_predicates import has_exception_predicate
from kafkastream.datastream.async_retry_strategies import FixedDelayRetryStrategy
from kafkastream.datastream.functions import (
    AsyncFunction,
    BroadcastProcessFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.datastream.window import CountEvictor, CountTrigger, TimeWindow, TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.testing import StreamHarness
from tests.driven import Mean

BIG = OutputTag("big", Types.INT())
TOTAL = ValueStateDescriptor("total", Types.INT())
LEFT = ValueStateDescriptor("left", Types.STRING())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


def is_odd(number: int) -> bool:
    return number % 2 == 1


class Split(ProcessFunction[int, int]):
    def process_element(self, value: int, ctx: ProcessFunction.Context) -> Iterator[int | tuple[OutputTag[int], int]]:
        yield (BIG, value) if value > 9 else value


class Total(KeyedProcessFunction[bool, int, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.total = runtime_context.get_state(TOTAL)

    def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        self.total.update((self.total.value() or 0) + value)
        ctx.timer_service().register_event_time_timer(10_000)
        yield from ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()}: {self.total.value()}"


class Both(CoProcessFunction[int, str, str]):
    def process_element1(self, value: int, ctx: CoProcessFunction.Context) -> Iterator[str]:
        yield f"number {value}"

    def process_element2(self, value: str, ctx: CoProcessFunction.Context) -> Iterator[str]:
        yield f"text {value}"


class KeyedBoth(KeyedCoProcessFunction[str, str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.left = runtime_context.get_state(LEFT)

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        self.left.update(value)
        ctx.timer_service().register_event_time_timer(10_000)
        yield from ()

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        yield f"{self.left.value()} {value}"

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer of {ctx.get_current_key()}"


class Rules(BroadcastProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        yield f"{value} {ctx.get_broadcast_state(RULES).get(value)}"

    def process_broadcast_element(self, value: str, ctx: BroadcastProcessFunction.Context) -> Iterator[str]:
        name, number = value.split("=")
        ctx.get_broadcast_state(RULES).put(name, int(number))
        yield from ()


class KeyedRules(KeyedBroadcastProcessFunction[str, str, str, str]):
    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()} {ctx.get_broadcast_state(RULES).get(value)}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> Iterator[str]:
        ctx.get_broadcast_state(RULES).put(value, len(value))
        yield from ()


class InWindow(ProcessWindowFunction[int, str, bool, TimeWindow]):
    def process(
        self, key: bool, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[str]:
        yield f"{key} {sorted(elements)}"


class Slow(AsyncFunction[int, int]):
    """Takes as many seconds as the number says, and fails at its first attempts for odd ones."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.failures = {3: 2, 5: 9}

    async def async_invoke(self, value: int) -> list[int]:
        await asyncio.sleep(value)
        if self.failures.get(value, 0):
            self.failures[value] -= 1
            raise ConnectionError(f"no answer for {value}")
        return [10 * value]

    def timeout(self, value: int) -> list[int]:
        return [-value]


def test_process_functions_and_side_outputs() -> None:
    with StreamHarness(lambda numbers: numbers.process(Split(), Types.INT()), side_outputs=[BIG]) as harness:
        for number in (1, 10, 2):
            harness.send(number)
        assert (harness.output, harness.side_output(BIG)) == ([1, 2], [10])


def test_keyed_process_functions_with_state_and_timers() -> None:
    with StreamHarness(lambda numbers: numbers.key_by(is_odd).process(Total()), Types.INT()) as harness:
        for number in (1, 3, 4):
            harness.send(number, timestamp=1_000)
        assert harness.state.get(TOTAL, True) == 4
        assert {(timer.key, timer.timestamp) for timer in harness.state.timers()} == {(False, 10_000), (True, 10_000)}
        harness.set_watermark(9_999)
        assert harness.output == []
        harness.state.set(TOTAL, False, 40)
        harness.set_watermark(10_000)
        assert sorted(harness.timestamped_output) == [("False: 40", 10_000), ("True: 4", 10_000)]


def test_co_process_functions() -> None:
    def both(numbers: DataStream[int], texts: DataStream[str]) -> DataStream[str]:
        return numbers.connect(texts).process(Both(), Types.STRING())

    with StreamHarness(both) as harness:
        harness.send(1, timestamp=10)
        harness.send_second("a", timestamp=20)
        assert harness.timestamped_output == [("number 1", 10), ("text a", 20)]


def test_keyed_co_process_functions() -> None:
    def both(left: DataStream[str], right: DataStream[str]) -> DataStream[str]:
        streams: ConnectedStreams[str, str] = left.connect(right)
        return streams.key_by(lambda text: text[0], lambda text: text[0]).process(KeyedBoth(), Types.STRING())

    with StreamHarness(both) as harness:
        harness.send_second("a2")
        harness.send("a1")
        harness.send_second("a3")
        assert harness.output == ["None a2", "a1 a3"]
        harness.set_watermark(20_000, stream=1)
        assert harness.state.watermark < 0  # operators go by the lower watermark
        harness.set_watermark(10_000, stream=2)
        assert (harness.state.watermark, harness.output[2:]) == (10_000, ["timer of a"])
        harness.set_watermark(5_000)  # behind the watermark
        assert harness.state.watermark == 10_000


def test_broadcast_process_functions() -> None:
    def ruled(texts: DataStream[str], rules: DataStream[str]) -> DataStream[str]:
        return texts.connect(rules.broadcast(RULES)).process(Rules(), Types.STRING())

    with StreamHarness(ruled, parallelism=2) as harness:
        harness.send("a")
        harness.send_second("a=1")
        harness.send("a")
        assert harness.output == ["a None", "a 1"]


def test_keyed_broadcast_process_functions() -> None:
    def ruled(texts: DataStream[str], rules: DataStream[str]) -> DataStream[str]:
        return texts.key_by(str.upper).connect(rules.broadcast(RULES)).process(KeyedRules(), Types.STRING())

    with StreamHarness(ruled) as harness:
        harness.send_second("ab")
        harness.send("ab")
        assert harness.output == ["AB 2"]
        assert harness.state.broadcast(RULES) == {"ab": 2}


def test_windows_with_a_trigger() -> None:
    def windows(numbers: DataStream[int]) -> DataStream[str]:
        in_minutes = numbers.key_by(is_odd).window(TumblingEventTimeWindows.of(Time.minutes(1)))
        return in_minutes.trigger(CountTrigger(2)).process(InWindow(), Types.STRING())

    with StreamHarness(windows) as harness:
        for number in (1, 3, 2, 5, 7):
            harness.send(number, timestamp=number * 1_000)
        assert harness.timestamped_output == [("True [1, 3]", 59_999), ("True [1, 3, 5, 7]", 59_999)]


def test_windows_with_an_evictor() -> None:
    def windows(numbers: DataStream[int]) -> DataStream[str]:
        in_minutes = numbers.key_by(is_odd).window(TumblingEventTimeWindows.of(Time.minutes(1)))
        return in_minutes.evictor(CountEvictor.of(2)).process(InWindow(), Types.STRING())

    with StreamHarness(windows) as harness:
        for number in (1, 3, 5):
            harness.send(number, timestamp=number * 1_000)
        harness.set_watermark(59_999)
        assert harness.output == ["True [3, 5]"]


def test_reduce_and_aggregate() -> None:
    with StreamHarness(lambda numbers: numbers.key_by(is_odd).reduce(lambda a, b: a + b), Types.INT()) as harness:
        for number in (1, 3, 2):
            harness.send(number)
        assert harness.output == [1, 4, 2]
    with StreamHarness(
        lambda numbers: numbers.key_by(is_odd).window(TumblingEventTimeWindows.of(Time.minutes(1))).aggregate(Mean()),
        Types.INT(),
    ) as means:
        for number in (1, 3, 5):
            means.send(number, timestamp=0)
        means.finish()
        assert means.output == [3.0]


@pytest.mark.parametrize(
    ("wait", "output"), [(AsyncDataStream.ordered_wait, [20, 10]), (AsyncDataStream.unordered_wait, [10, 20])]
)
def test_async_functions_in_order_or_as_they_complete(wait: Any, output: list[int]) -> None:
    with StreamHarness(lambda numbers: wait(numbers, Slow(), Time.hours(1), 10, Types.INT())) as harness:
        with harness.micro_batch():
            harness.send(2)
            harness.send(1)
        assert harness.output == output


def test_async_functions_with_timeouts_and_retries() -> None:
    strategy = FixedDelayRetryStrategy[int](3, 60_000, None, has_exception_predicate)

    def retried(numbers: DataStream[int]) -> DataStream[int]:
        return AsyncDataStream.ordered_wait_with_retry(
            numbers, Slow(), Time.hours(1), strategy, output_type=Types.INT()
        )

    with StreamHarness(retried) as harness:
        harness.send(3)  # succeeds at its third attempt
        harness.send(3_601)  # takes longer than an hour
        assert harness.output == [30, -3_601]
        with pytest.raises(UserFunctionError, match="no answer for 5"):
            harness.send(5)


def test_schemas_need_no_harness() -> None:
    class Upper(DeserializationSchema[str]):
        def deserialize(self, message: bytes) -> str:
            return message.decode().upper()

    assert Upper().deserialize(b"order") == "ORDER"
    assert SimpleStringSchema().serialize("order") == b"order"


def test_functions_may_change_elements_and_the_tests_own_stay() -> None:
    class Append(ProcessFunction[list[int], list[int]]):
        def process_element(self, value: list[int], ctx: ProcessFunction.Context) -> Iterator[list[int]]:
            value.append(1)
            yield value
            value.append(2)

    with StreamHarness(lambda lists: lists.process(Append())) as harness:
        numbers = [0]
        for _ in range(2):
            harness.send(numbers)
        assert (harness.output, numbers) == ([[0, 1], [0, 1]], [0])


def test_timers_of_a_join_belong_to_no_window() -> None:
    class Pair(ProcessJoinFunction[str, str, str]):
        def process_element(self, left: str, right: str, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
            yield f"{left} {right}"

    def joined(lefts: DataStream[str], rights: DataStream[str]) -> DataStream[str]:
        interval = lefts.key_by(len).interval_join(rights.key_by(len)).between(Time.seconds(-5), Time.seconds(5))
        return interval.process(Pair(), Types.STRING())

    with StreamHarness(joined) as harness:
        harness.send("a", timestamp=1_000)
        harness.send_second("b", timestamp=2_000)
        assert harness.timestamped_output == [("a b", 2_000)]
        assert [(timer.key, timer.window) for timer in harness.state.timers()] == [(1, None), (1, None)]
        harness.set_watermark(100_000)
        assert (harness.state.keys(), harness.state.timers()) == ([], [])


def test_elements_have_the_declared_type_of_the_input() -> None:
    doubles = StreamHarness(lambda numbers: numbers.key_by(lambda number: number).map(repr), Types.DOUBLE())
    with doubles as harness:
        harness.send(1)
        assert harness.output == ["1.0"]


def test_a_harness_continues_from_a_snapshot() -> None:
    def build(numbers: DataStream[int]) -> DataStream[str]:
        return numbers.key_by(is_odd).process(Total()).uid("total")

    with StreamHarness(build) as harness:
        harness.send(1)
        snapshot = harness.snapshot()
    with StreamHarness(build, restored=snapshot) as harness:
        harness.send(3)
        assert harness.operator("total").get(TOTAL, True) == 4


def test_errors_name_the_operator_and_the_element() -> None:
    with (
        StreamHarness(lambda numbers: numbers.map(lambda n: 1 // n).name("invert")) as harness,
        pytest.raises(UserFunctionError, match=r"(?s)'invert' raised ZeroDivisionError.*element 1 sent to input-1-0"),
    ):
        harness.send(0)


def test_what_there_is_not() -> None:
    with StreamHarness(lambda numbers: numbers.map(str)) as harness:
        with pytest.raises(DefinitionError, match="one input"):
            harness.send_second(1)  # type: ignore[arg-type]
        with pytest.raises(DefinitionError, match="there are 0 keyed operators"):
            _ = harness.state
    builds_nothing: Any = lambda numbers: None  # noqa: E731
    with pytest.raises(DefinitionError, match=r"build returned None.*\n.*\n.*Return the stream"):
        StreamHarness(builds_nothing)
    three: Any = lambda first, second, third: first  # noqa: E731
    with pytest.raises(DefinitionError, match="one or two inputs, not 3"):
        StreamHarness(three)
    with (
        StreamHarness(lambda numbers: numbers.map(str)) as harness,
        pytest.raises(DefinitionError, match="the harness has no stream 2"),
    ):
        harness.set_watermark(1, stream=2)
