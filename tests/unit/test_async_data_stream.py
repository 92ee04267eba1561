"""The door of asynchronous functions: what it takes, and what it refuses at the call."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.common import Duration, Time, Types
from kafkastream.datastream import (
    AsyncDataStream,
    AsyncFunction,
    AsyncRetryStrategy,
    DataStream,
    MapFunction,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.async_retry_strategies import (
    NO_RETRY_STRATEGY,
    ExponentialBackoffDelayRetryStrategy,
    FixedDelayRetryStrategy,
    NoRetryStrategy,
)
from kafkastream.errors import DefinitionError


class Echo(AsyncFunction[int, int]):
    async def async_invoke(self, value: int) -> list[int]:
        return [value]


class Blocking(AsyncFunction[int, int]):
    def async_invoke(self, value: int) -> list[int]:  # type: ignore[override]  # which is refused
        return [value]


class Yielding(AsyncFunction[int, int]):
    async def async_invoke(self, value: int) -> Any:
        yield value


class Plain(MapFunction[int, int]):
    def map(self, value: int) -> int:
        return value


class NoPredicate(NoRetryStrategy[int]):
    def get_retry_predicate(self) -> Any:
        return None


@pytest.fixture
def stream() -> DataStream[int]:
    return StreamExecutionEnvironment.get_execution_environment().from_collection([1])


def test_the_operator_is_called_as_in_flink(stream: DataStream[int]) -> None:
    found = AsyncDataStream.ordered_wait(stream, Echo(), Time.seconds(1), output_type=Types.INT())
    assert (found.get_name(), found.get_type()) == ("async wait operator", Types.INT())


def test_a_keyed_stream_and_a_duration_are_taken(stream: DataStream[int]) -> None:
    keyed: Any = stream.key_by(lambda value: value)
    assert AsyncDataStream.unordered_wait(keyed, Echo(), Duration.of_seconds(1)).get_name() == "async wait operator"


SECOND = Time.seconds(1)
RETRY = AsyncRetryStrategy.fixed_delay(1, 1, None, None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((Plain(), SECOND, NO_RETRY_STRATEGY), "must be an AsyncFunction, not a Plain"),
        ((Blocking(), SECOND, NO_RETRY_STRATEGY), "async_invoke of Blocking is not a coroutine function"),
        ((Yielding(), SECOND, NO_RETRY_STRATEGY), "async_invoke of Yielding is not a coroutine function"),
        ((Echo(), 1000, NO_RETRY_STRATEGY), "must be a Time or a Duration, not 1000"),
        ((Echo(), SECOND, NO_RETRY_STRATEGY, 0), "capacity must be 1 or more, not 0"),
        ((Echo(), SECOND, NO_RETRY_STRATEGY, "2"), "must be an int, not '2'"),
        ((Echo(), SECOND, None), "must be an AsyncRetryStrategy, not None"),
        ((Echo(), Time.seconds(0), RETRY), "retries need a timeout greater than 0, not 0 ms"),
        ((Echo(), SECOND, NoPredicate()), "get_retry_predicate of NoPredicate does not return an AsyncRetryPredicate"),
    ],
)
def test_wrong_arguments_are_refused_at_the_call(stream: DataStream[int], arguments: Any, said: str) -> None:
    for wait in (AsyncDataStream.ordered_wait_with_retry, AsyncDataStream.unordered_wait_with_retry):
        with pytest.raises(DefinitionError, match=said):
            wait(stream, *arguments)


def test_what_is_no_stream_is_refused() -> None:
    nothing: Any = [1]
    with pytest.raises(DefinitionError, match="must be a DataStream or a KeyedStream, not a list"):
        AsyncDataStream.ordered_wait(nothing, Echo(), SECOND)


@pytest.mark.parametrize("number", [0, -1, "2", True, None])
def test_retry_strategies_want_positive_numbers(number: Any) -> None:
    for wrong in (
        lambda: FixedDelayRetryStrategy(number, 1, None, None),
        lambda: FixedDelayRetryStrategy(1, number, None, None),
        lambda: ExponentialBackoffDelayRetryStrategy(number, 1, 1, 2.0, None, None),
        lambda: ExponentialBackoffDelayRetryStrategy(1, number, 1, 2.0, None, None),
        lambda: ExponentialBackoffDelayRetryStrategy(1, 1, number, 2.0, None, None),
        lambda: ExponentialBackoffDelayRetryStrategy(1, 1, 1, number, None, None),
    ):
        with pytest.raises(DefinitionError, match="must be a number greater than 0"):
            wrong()


def test_predicates_are_functions() -> None:
    wrong: Any = True
    with pytest.raises(DefinitionError, match="result_predicate must be a function or None, not True"):
        AsyncRetryStrategy.fixed_delay(1, 1, wrong, None)


def test_strategies_count_retries() -> None:
    assert AsyncRetryStrategy.no_restart() is NO_RETRY_STRATEGY
    assert not NO_RETRY_STRATEGY.can_retry(1)
    strategy = AsyncRetryStrategy.exponential_backoff(3, 20, 10, 2.0, None, None)
    assert [strategy.can_retry(attempt) for attempt in (1, 3, 4)] == [True, True, False]
    assert [strategy.get_backoff_time_millis(attempt) for attempt in (1, 2, 3)] == [20, 10, 10]
