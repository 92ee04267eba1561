"""What is known of the elements of streams, behind lambdas and function classes."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import reveal_type

from kafkastream.common import Time, Types
from kafkastream.datastream import (
    AsyncDataStream,
    AsyncFunction,
    AsyncRetryStrategy,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.async_retry_predicates import has_exception_predicate
from kafkastream.datastream.window import TumblingEventTimeWindows

env = StreamExecutionEnvironment.get_execution_environment()
words = env.from_collection(["a b"], Types.STRING()).flat_map(lambda line: line.split())
keyed = words.map(lambda word: (word, 1)).key_by(lambda pair: pair[0])
windowed = keyed.window(TumblingEventTimeWindows.of(Time.seconds(1)))

reveal_type(keyed.reduce(lambda one, other: (one[0], one[1] + other[1])))  # reveals: DataStream[tuple[str, int]]
reveal_type(windowed.reduce(lambda one, other: (one[0], one[1] + other[1])))  # reveals: DataStream[tuple[str, int]]
reveal_type(words.key_by(len).reduce(lambda one, other: one + other))  # reveals: DataStream[str]
words.key_by(len).reduce(lambda one, other: len(one + other))  # error: "reduce"
keyed.reduce(lambda one, other: one[1])  # error: "reduce"


class Total(ReduceFunction[tuple[str, int]]):
    """Adds numbers up."""

    def reduce(self, value1: tuple[str, int], value2: tuple[str, int]) -> tuple[str, int]:
        """Keep the word."""
        return value1[0], value1[1] + value2[1]


class Shown(KeyedProcessFunction[str, tuple[str, int], str]):
    """Makes text of pairs."""

    def process_element(self, value: tuple[str, int], ctx: KeyedProcessFunction.Context) -> Iterable[str]:
        """Leave the number out."""
        yield value[0]


class Text(MapFunction[object, str]):
    """Makes text of anything, so of everything."""

    def map(self, value: object) -> str:
        """Return it as text."""
        return str(value)


class Stamped(ProcessFunction[str, tuple[int | None, str]]):
    """Adds the time."""

    def process_element(self, value: str, ctx: ProcessFunction.Context) -> Iterable[tuple[int | None, str]]:
        """Put it first."""
        yield ctx.timestamp(), value


class Length(AsyncFunction[str, int]):
    """Asks for the length."""

    async def async_invoke(self, value: str) -> list[int]:
        """Ask nobody."""
        return [len(value)]


reveal_type(keyed.reduce(Total()))  # reveals: DataStream[tuple[str, int]]
reveal_type(keyed.process(Shown()))  # reveals: DataStream[str]
reveal_type(words.map(len).map(Text()))  # reveals: DataStream[str]
reveal_type(words.process(Stamped()))  # reveals: DataStream[tuple[int | None, str]]
words.map(len).process(Stamped())  # error: "Stamped"
words.key_by(len).process(Shown())  # error: "Shown"

soon = Time.seconds(1)
retry = AsyncRetryStrategy.fixed_delay(3, 100, None, has_exception_predicate)
reveal_type(AsyncDataStream.ordered_wait(words, Length(), soon))  # reveals: DataStream[int]
reveal_type(AsyncDataStream.unorderedWait(words, Length(), soon))  # reveals: DataStream[int]
AsyncDataStream.ordered_wait_with_retry(words, Length(), soon, retry).map(Text())
AsyncDataStream.ordered_wait(words, Length(), 5)  # error: "int"; expected "Time | Duration"
AsyncDataStream.ordered_wait(words.map(len), Length(), soon)  # error: "ordered_wait"
