"""State of a driven job's operators: kinds of keyed state, windows, broadcast state, time to live, timers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kafkastream import Types
from kafkastream.common import Time
from kafkastream.datastream.functions import (
    BroadcastProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
    RuntimeContext,
)
from kafkastream.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.datastream.window import (
    CountEvictor,
    CountTrigger,
    CountWindow,
    EventTimeSessionWindows,
    GlobalWindow,
    TimeWindow,
    TumblingEventTimeWindows,
)
from kafkastream.errors import DefinitionError
from kafkastream.testing import StreamHarness
from tests.driven import Mean

NOW = 1_767_225_600_000


LAST = ValueStateDescriptor("last", Types.INT())
SEEN = ListStateDescriptor("seen", Types.INT())
SQUARES = MapStateDescriptor("squares", Types.INT(), Types.INT())
SUM = ReducingStateDescriptor("sum", lambda left, right: left + right, Types.INT())
MEAN = AggregatingStateDescriptor("mean", Mean(), Types.PICKLED_BYTE_ARRAY())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())
FIRES = ValueStateDescriptor("fires", Types.INT())
TOTAL = ValueStateDescriptor("total", Types.INT())


class Remember(KeyedProcessFunction[bool, int, int]):
    """Keeps each number in states of all kinds."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.last = runtime_context.get_state(LAST)
        self.seen = runtime_context.get_list_state(SEEN)
        self.squares = runtime_context.get_map_state(SQUARES)
        self.sum = runtime_context.get_reducing_state(SUM)
        self.mean = runtime_context.get_aggregating_state(MEAN)

    def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[int]:
        self.last.update(value)
        self.seen.add(value)
        self.squares.put(value, value * value)
        self.sum.add(value)
        self.mean.add(value)
        yield from ()


def is_even(number: int) -> bool:
    return number % 2 == 0


def parity(number: int) -> str:
    return "even" if number % 2 == 0 else "odd"


def minutes(numbers: Any) -> Any:
    return numbers.key_by(parity).window(TumblingEventTimeWindows.of(Time.minutes(1)))


@pytest.mark.parametrize("parallelism", [1, 3])
def test_keyed_state_of_each_kind(parallelism: int) -> None:
    with StreamHarness(lambda numbers: numbers.key_by(is_even).process(Remember()), parallelism=parallelism) as harness:
        for number in (1, 2, 3):
            harness.send(number)
        state = harness.state
        assert state.get(LAST, False) == state.get("last", False) == 3
        assert state.get(SEEN, False) == [1, 3]
        assert state.get(SQUARES, False) == {1: 1, 3: 9}
        assert state.get(SUM, False) == 4
        assert state.get(MEAN, False) == 2.0
        assert sorted(state.keys()) == [False, True]
        state.set(LAST, False, 10)
        state.set(SEEN, False, [10])
        state.set(SQUARES, False, {10: 100})
        state.set(SUM, False, 10)
        with state.edit(False) as store:
            store.get_aggregating_state(MEAN).add(8)
            store.get_list_state(SEEN).add(11)
        assert state.get(LAST, False) == 10
        assert state.get(SEEN, False) == [10, 11]
        assert state.get(SQUARES, False) == {10: 100}
        assert state.get(SUM, False) == 10
        assert state.get(MEAN, False) == 4.0
        harness.send(5)
        assert (state.get(SUM, False), state.get(MEAN, False)) == (15, 4.25)
        for descriptor in (LAST, SEEN, SQUARES, SUM, MEAN):
            state.set(descriptor, False, None)
        assert (state.get(LAST, False), state.get(SEEN, False), state.get(SQUARES, False)) == (None, [], {})
        assert (state.get(SUM, False), state.get(MEAN, False)) == (None, None)
        assert state.keys() == [True]


def test_what_an_operator_does_not_have() -> None:
    with StreamHarness(lambda numbers: numbers.key_by(is_even).process(Remember())) as harness:
        unknown = ValueStateDescriptor("lsat", Types.INT())
        for name in ("lsat", unknown):
            with pytest.raises(DefinitionError, match=r"(?s)no state 'lsat'.*'last', 'mean', 'seen', 'squares', 'sum'"):
                harness.state.get(name, True)
            with pytest.raises(DefinitionError, match="no state 'lsat'"):
                harness.state.set(name, True, 1)
        with pytest.raises(TypeError, match="state 'last' is declared as Integer"):
            harness.state.set(LAST, True, "one")
        with pytest.raises(DefinitionError, match=r"state 'mean' holds an accumulator"):
            harness.state.set(MEAN, True, 1.0)
        with pytest.raises(DefinitionError, match="the operator has no windows"):
            harness.state.windows(True)
        with pytest.raises(DefinitionError, match="no broadcast state 'rules'"):
            harness.state.broadcast(RULES)
        assert harness.state.keys() == []
        harness.send(1)  # an error of the test is none of the job


class TotalOfWindow(ProcessWindowFunction[int, str, str, TimeWindow]):
    """Counts a window's firings, and adds up the elements of all."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[str]:
        fires = context.window_state().get_state(FIRES)
        fires.update((fires.value() or 0) + 1)
        total = context.global_state().get_state(TOTAL)
        total.update((total.value() or 0) + sum(elements))
        yield f"{key} {fires.value()} {total.value()}"

    def clear(self, context: ProcessWindowFunction.Context[TimeWindow]) -> None:
        context.window_state().get_state(FIRES).clear()


FIRST, SECOND = TimeWindow(0, 60_000), TimeWindow(60_000, 120_000)


def test_windows_and_their_states() -> None:
    count = ReducingStateDescriptor("count", lambda left, right: left + right, Types.LONG())
    with StreamHarness(lambda numbers: minutes(numbers).trigger(CountTrigger(2)).process(TotalOfWindow())) as harness:
        with pytest.raises(DefinitionError, match="no state 'total'; one that is not declared in open exists from its"):
            harness.state.get(TOTAL, "odd")
        for number, seconds in ((1, 1), (3, 2), (5, 61), (7, 3)):
            harness.send(number, timestamp=seconds * 1_000)
        state = harness.state
        assert state.windows("odd") == {FIRST: [1, 3, 7], SECOND: [5]}
        assert state.windows("even") == {}
        assert state.get(FIRES, "odd", FIRST) == 1
        assert state.get(FIRES, "odd", SECOND) is None
        assert state.get(count, "odd", FIRST) == state.get(count, "odd", SECOND) == 1
        assert state.get(TOTAL, "odd") == 4
        state.set(FIRES, "odd", 41, FIRST)
        harness.send(9, timestamp=4_000)
        assert harness.output[-1] == "odd 42 24"
        timers = [(timer.key, timer.timestamp, timer.window) for timer in state.timers()]
        assert timers == [("odd", 59_999, FIRST), ("odd", 119_999, SECOND)]
        harness.set_watermark(59_999)
        assert state.windows("odd") == {SECOND: [5]}
        assert state.get(FIRES, "odd", FIRST) is None
        assert state.watermark == 59_999


def test_what_aggregated_windows_hold() -> None:
    def largest(numbers: Any) -> Any:
        return minutes(numbers).reduce(max)

    def mean(numbers: Any) -> Any:
        return minutes(numbers).aggregate(Mean(), accumulator_type=Types.PICKLED_BYTE_ARRAY())

    def last_two(numbers: Any) -> Any:
        return minutes(numbers).evictor(CountEvictor.of(2)).process(TotalOfWindow())

    for build, content in ((largest, 3), (mean, 2.0), (last_two, [1, 3])):
        with StreamHarness(build) as harness:
            harness.send(1, timestamp=1_000)
            harness.send(3, timestamp=2_000)
            assert harness.state.windows("odd") == {FIRST: content}


def test_merged_and_counted_windows_and_those_without_keys() -> None:
    def sessions(numbers: Any) -> Any:
        return numbers.key_by(parity).window(EventTimeSessionWindows.with_gap(Time.seconds(10))).reduce(max)

    with StreamHarness(sessions) as harness:
        for number, seconds in ((1, 0), (5, 15), (3, 8)):
            harness.send(number, timestamp=seconds * 1_000)
        assert harness.state.windows("odd") == {TimeWindow(0, 25_000): 5}
    with StreamHarness(lambda numbers: numbers.key_by(parity).count_window(3).reduce(max)) as harness:
        harness.send(1)
        [(window, content)] = harness.state.windows("odd").items()
        assert (window in (GlobalWindow(), CountWindow(0)), content) == (True, 1)
    with StreamHarness(
        lambda numbers: numbers.window_all(TumblingEventTimeWindows.of(Time.minutes(1))).reduce(max)
    ) as harness:
        harness.send(1, timestamp=1)
        [key] = harness.state.keys()
        assert harness.state.windows(key) == {FIRST: 1}


class Rules(BroadcastProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        yield f"{value} {ctx.get_broadcast_state(RULES).get(value)}"

    def process_broadcast_element(self, value: str, ctx: BroadcastProcessFunction.Context) -> Iterator[str]:
        name, number = value.split("=")
        ctx.get_broadcast_state(RULES).put(name, int(number))
        yield from ()


class KeyedRules(KeyedBroadcastProcessFunction[str, str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.total = runtime_context.get_state(TOTAL)

    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        self.total.update((self.total.value() or 0) + (ctx.get_broadcast_state(RULES).get(value) or 0))
        yield f"{value} {self.total.value()}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> Iterator[str]:
        name, number = value.split("=")
        ctx.get_broadcast_state(RULES).put(name, int(number))
        yield from ()


@pytest.mark.parametrize("is_keyed", [False, True])
def test_broadcast_state(is_keyed: bool) -> None:
    def ruled(texts: Any, rules: Any) -> Any:
        stream = texts.key_by(str) if is_keyed else texts
        return stream.connect(rules.broadcast(RULES)).process(KeyedRules() if is_keyed else Rules(), Types.STRING())

    with StreamHarness(ruled, parallelism=3) as harness:
        state = harness.state
        assert state.broadcast(RULES) == {}
        harness.send_second("a=1")
        assert state.broadcast(RULES) == {"a": 1}
        state.set_broadcast(RULES, {"b": 2, "c": 3})
        assert state.broadcast(RULES) == {"b": 2, "c": 3}
        for text in "abc":
            harness.send(text)
        assert harness.output == (["a 0", "b 2", "c 3"] if is_keyed else ["a None", "b 2", "c 3"])
        if is_keyed:
            assert (sorted(state.keys()), state.get(TOTAL, "b")) == (["a", "b", "c"], 2)
        with pytest.raises(TypeError, match="state 'rules' is declared as"):
            state.set_broadcast(RULES, {"b": "two"})  # type: ignore[misc]


def test_state_expires_by_the_processing_time() -> None:
    descriptor = ValueStateDescriptor("last", Types.INT())
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.minutes(1)).build())

    class Last(KeyedProcessFunction[bool, int, int]):
        def open(self, runtime_context: RuntimeContext) -> None:
            self.last = runtime_context.get_state(descriptor)

        def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[int]:
            self.last.update(value)
            yield from ()

    with StreamHarness(lambda numbers: numbers.key_by(is_even).process(Last())) as harness:
        harness.send(2)
        harness.advance(59_000)
        assert harness.state.get(descriptor, True) == 2
        harness.state.set(descriptor, True, 4)
        harness.advance(59_000)
        assert harness.state.get(descriptor, True) == 4
        harness.advance(1_000)
        assert harness.state.get(descriptor, True) is None


def test_keys_have_their_declared_type() -> None:
    def by_double(numbers: Any) -> Any:
        return numbers.key_by(lambda number: number, key_type=Types.DOUBLE()).process(Remember())

    with StreamHarness(by_double) as harness:
        harness.send(1)
        assert (harness.state.keys(), harness.state.get(LAST, 1), harness.state.get(LAST, 1.0)) == ([1.0], 1, 1)
