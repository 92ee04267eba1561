"""Functions on keyed streams: state, timers and side outputs mean what they mean in Flink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from kafkastream import StreamExecutionEnvironment, Types
from kafkastream.datastream import DataStream, MapFunction, OutputTag, ProcessFunction, RuntimeContext
from kafkastream.datastream.functions import KeyedProcessFunction
from kafkastream.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from kafkastream.errors import UserFunctionError
from kafkastream.testing import JobTestDriver
from tests.driven import elements, send, sink, source
from tests.integration.timed import MONOTONOUS, T0, Journal, at, key_of


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)


@pytest.fixture
def records(env: StreamExecutionEnvironment) -> DataStream[str]:
    return env.from_source(source("in"), MONOTONOUS, "in")


def test_all_timers_fire_at_the_end_of_bounded_input(env: StreamExecutionEnvironment, records: DataStream[str]) -> None:
    records.key_by(key_of).process(Journal(), Types.STRING()).name("journal")
    with JobTestDriver.of(env, partitions={"in": 2}) as driver:
        send(driver, "in", [at(0, "a"), at(1, "b", 1), at(2, "a", 1)])
        assert set(driver.sink("journal")) == {"a@0 is a's 1", "b@1 is b's 1", "a@2 is a's 2"}
        driver.finish()
        assert set(driver.sink("journal")[3:]) == {
            "a at 5, watermark the end, 2",
            "a at 7, watermark the end, 2",
            "b at 6, watermark the end, 1",
        }


class Everything(KeyedProcessFunction[str, str, Any]):
    """Uses every kind of state that collects."""

    late: OutputTag[str] = OutputTag("late", Types.STRING())

    def open(self, runtime_context: RuntimeContext) -> None:
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.STRING()))
        self.lengths = runtime_context.get_map_state(MapStateDescriptor("lengths", Types.INT(), Types.INT()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        self.all.add(value)
        self.lengths[len(value)] = (self.lengths[len(value)] or 0) + 1
        yield self.late, f"aside {value}"
        yield list(self.all.get()), sorted(self.lengths.items())


def test_side_outputs_and_collecting_state(env: StreamExecutionEnvironment, records: DataStream[str]) -> None:
    processed = records.key_by(lambda value: value[0]).process(Everything())
    processed.map(str, Types.STRING()).sink_to(sink("main"))
    processed.get_side_output(Everything.late).sink_to(sink("aside"))
    with JobTestDriver.of(env) as driver:
        for value in ("a1", "b1", "a22", "a3"):
            driver.send("in", value)
        assert driver.values("aside") == [b"aside a1", b"aside b1", b"aside a22", b"aside a3"]
        assert driver.values("main") == [
            b"(['a1'], [(2, 1)])",
            b"(['b1'], [(2, 1)])",
            b"(['a1', 'a22'], [(2, 1), (3, 1)])",
            b"(['a1', 'a22', 'a3'], [(2, 2), (3, 1)])",
        ]


class Odd(ProcessFunction[int, int]):
    odd: OutputTag[int] = OutputTag("odd", Types.INT())

    def process_element(self, value: int, ctx: ProcessFunction.Context) -> Iterable[int] | None:
        if value % 2:
            ctx.output(self.odd, value)
            return None
        return [value]


def test_side_outputs_without_keys(env: StreamExecutionEnvironment) -> None:
    stream = env.from_collection([1, 2, 3, 4], Types.INT()).process(Odd(), Types.INT())
    united = stream.map(lambda value: f"even {value}").union(
        stream.get_side_output(Odd.odd).map(lambda value: f"odd {value}")
    )
    assert sorted(elements(united)) == ["even 2", "even 4", "odd 1", "odd 3"]


class Seen(MapFunction[str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def map(self, value: str) -> str:
        before = self.last.value()
        self.last.update(value)
        return f"{value} after {before}"


def test_simple_functions_have_keyed_state_too(env: StreamExecutionEnvironment) -> None:
    keyed = env.from_collection(["a1", "b1", "a2"], Types.STRING()).key_by(lambda value: value[0])
    assert sorted(elements(keyed.map(Seen()))) == ["a1 after None", "a2 after a1", "b1 after None"]


ELEMENTS = [("a", 3, "x"), ("b", 1, "y"), ("a", 1, "z"), ("a", 3, "w")]


@pytest.mark.parametrize(
    ("rolling", "expected"),
    [
        (lambda keyed: keyed.sum(1), [("a", 3, "x"), ("a", 4, "x"), ("a", 7, "x"), ("b", 1, "y")]),
        (lambda keyed: keyed.min(1), [("a", 1, "x"), ("a", 1, "x"), ("a", 3, "x"), ("b", 1, "y")]),
        (lambda keyed: keyed.max_by(1), [("a", 3, "x"), ("a", 3, "x"), ("a", 3, "x"), ("b", 1, "y")]),
        (lambda keyed: keyed.min_by(1), [("a", 1, "z"), ("a", 1, "z"), ("a", 3, "x"), ("b", 1, "y")]),
        (
            lambda keyed: keyed.reduce(lambda one, other: (one[0], one[1] * other[1], one[2] + other[2])),
            [("a", 3, "x"), ("a", 3, "xz"), ("a", 9, "xzw"), ("b", 1, "y")],
        ),
    ],
    ids=["sum", "min", "max_by", "min_by", "reduce"],
)
def test_rolling(env: StreamExecutionEnvironment, rolling: Callable[[Any], Any], expected: list[Any]) -> None:
    keyed = env.from_collection(ELEMENTS).key_by(lambda element: element[0])
    assert sorted(elements(rolling(keyed))) == expected


def test_one_key_after_the_other(env: StreamExecutionEnvironment) -> None:
    stream = env.from_collection([("a", 1), ("b", 2), ("a", 3), ("c", 4)])
    by_letter = stream.key_by(lambda element: element[0]).sum(1)
    found = elements(
        by_letter.key_by(lambda element: element[1] % 2).reduce(lambda one, other: ("", one[1] + other[1]))
    )
    assert len(found) == 4
    assert max(value for _, value in found) == 2 + 4 + 4  # b, and what a and c have come to
    assert ("a", 1) in found


class Failing(KeyedProcessFunction[str, str, str]):
    def __init__(self, where: str) -> None:
        self.where = where

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> None:
        if self.where == "element" and value == "b@1":
            raise ZeroDivisionError("no")
        ctx.timer_service().register_event_time_timer(T0 + 7)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> None:
        raise ZeroDivisionError("no timer")


@pytest.mark.parametrize(
    ("where", "what", "place"),
    [
        ("element", "the function of operator 'fails' raised ZeroDivisionError: no", "key 'b'; element 'b@1'"),
        ("timer", "on_timer of operator 'fails' raised ZeroDivisionError: no timer", f"timer {T0 + 7}"),
    ],
)
def test_function_that_raises_is_told_with_its_key(
    env: StreamExecutionEnvironment, records: DataStream[str], where: str, what: str, place: str
) -> None:
    records.key_by(key_of).process(Failing(where), Types.STRING()).name("fails").print()
    with JobTestDriver.of(env) as driver, pytest.raises(UserFunctionError) as raised:
        send(driver, "in", [at(0, "a"), at(1, "b")])
    assert what in raised.value.what
    assert place in raised.value.where


class Numbers(KeyedProcessFunction[str, str, Any]):
    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        yield len(value)


def test_element_of_another_type_than_was_said_is_told(
    env: StreamExecutionEnvironment, records: DataStream[str]
) -> None:
    numbers = records.key_by(key_of).process(Numbers(), Types.STRING()).name("numbers")
    numbers.sink_to(sink("out")).name("out")
    with (
        JobTestDriver.of(env) as driver,
        pytest.raises(
            UserFunctionError, match=r"'numbers' gave an element .* 3 \(a int\) is not of type String"
        ) as raised,
    ):
        send(driver, "in", [at(0, "a")])
    assert raised.value.where == "what came out of operator 'numbers'; element 3"


@pytest.mark.parametrize(
    ("selector", "reason"),
    [(lambda value: {value}, "a set has no order"), (lambda value: value.nothing, "no attribute 'nothing'")],
    ids=["set", "raises"],
)
def test_key_that_is_none_is_told_with_its_record(
    env: StreamExecutionEnvironment, records: DataStream[str], selector: Callable[[Any], Any], reason: str
) -> None:
    records.key_by(selector).process(Journal()).name("count").print()
    with JobTestDriver.of(env) as driver, pytest.raises(UserFunctionError, match=reason) as raised:
        send(driver, "in", [at(0, "a")])
    assert "topic in, partition 0, offset 0" in raised.value.where
