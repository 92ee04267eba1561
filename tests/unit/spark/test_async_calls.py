"""Asynchronous functions: the expected results are those of PyFlink 2.2."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from kafkastream.common import Time
from kafkastream.datastream import AsyncFunction, AsyncRetryStrategy
from kafkastream.datastream.async_retry_predicates import (
    empty_result_predicate,
    exception_type_predicate,
    has_exception_predicate,
)
from kafkastream.errors import UserFunctionError
from kafkastream.model.functions.async_functions import AsyncFunctionDescriptor
from kafkastream.model.functions.async_retries import NO_RETRY_STRATEGY
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import OperatorKind, OperatorNode
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.chained_operators import Operator
from kafkastream.spark.worker.operator_chain import applied
from kafkastream.spark.worker.user_operators import user_operator

Invoke = Callable[[Any], Awaitable[Any]]


class Asking(AsyncFunction[Any, Any]):
    def __init__(self, invoke: Invoke, on_timeout: Callable[[Any], Any] | None = None) -> None:
        self.invoke = invoke
        self.on_timeout = on_timeout
        self.events: list[str] = []

    def open(self, runtime_context: RuntimeContext) -> None:
        self.events.append(f"open {runtime_context.task_name}")

    async def async_invoke(self, value: Any) -> Any:
        return await self.invoke(value)

    def timeout(self, value: Any) -> Any:
        return super().timeout(value) if self.on_timeout is None else self.on_timeout(value)

    def close(self) -> None:
        self.events.append("close")


@contextmanager
def opened(
    function: Asking,
    *,
    timeout_ms: int = 5000,
    capacity: int = 100,
    retries: AsyncRetryStrategy[Any] = NO_RETRY_STRATEGY,
    is_ordered: bool = True,
) -> Iterator[Operator]:
    mode = AsyncFunctionDescriptor.OutputMode["ORDERED" if is_ordered else "UNORDERED"]
    descriptor = AsyncFunctionDescriptor(function, Time.milliseconds(timeout_ms), capacity, retries, mode)
    operator = user_operator(OperatorNode(id=2, name="ask", input=1, kind=OperatorKind.ASYNC_WAIT, function=descriptor))
    assert operator is not None
    operator.open(RuntimeContext(task_name="ask"))
    try:
        yield operator
    finally:
        operator.close()


def batch(*values: Any) -> Batch:
    return Batch(list(values), [100 * index for index in range(len(values))], range(len(values)))


def asked(function: Asking | Invoke, *values: Any, **how: Any) -> list[Any]:
    with opened(function if isinstance(function, Asking) else Asking(function), **how) as operator:
        return list(operator.apply(batch(*values)).values)


class Backwards:
    """Completes 3 before 2, and 2 before 1."""

    def __init__(self) -> None:
        self.next = 3

    async def __call__(self, value: int) -> list[int]:
        while value != self.next:
            await asyncio.sleep(0)
        self.next -= 1
        return [value, 10 * value]


async def hanging(value: int) -> list[int]:
    await asyncio.sleep(30 if value == 1 else 0)
    return [value]


def test_ordered_results_keep_the_order_times_and_origins() -> None:
    with opened(Asking(Backwards())) as operator:
        assert operator.apply(batch(1, 2, 3)) == Batch(
            [1, 10, 2, 20, 3, 30], [0, 0, 100, 100, 200, 200], [0, 0, 1, 1, 2, 2]
        )


def test_unordered_results_come_as_they_are_completed() -> None:
    with opened(Asking(Backwards()), is_ordered=False) as operator:
        assert operator.apply(batch(1, 2, 3)) == Batch(
            [3, 30, 2, 20, 1, 10], [200, 200, 100, 100, 0, 0], [2, 2, 1, 1, 0, 0]
        )


def test_capacity_limits_what_is_in_flight() -> None:
    in_flight = [0]

    async def counting(value: int) -> list[int]:
        in_flight.append(in_flight[-1] + 1)
        await asyncio.sleep(0.01)
        in_flight.append(in_flight[-1] - 1)
        return [value]

    assert asked(counting, *range(7), capacity=3) == list(range(7))
    assert max(in_flight) == 3


def test_a_hundred_elements_wait_together() -> None:
    async def slow(value: int) -> list[int]:
        await asyncio.sleep(0.1)
        return [value]

    begun = time.monotonic()
    assert asked(slow, *range(100)) == list(range(100))
    assert time.monotonic() - begun < 5


def test_batches_share_the_function_and_its_loop() -> None:
    loops = []

    async def noting(value: int) -> list[int]:
        loops.append(asyncio.get_running_loop())
        return [value]

    function = Asking(noting)
    with opened(function) as operator:
        assert [list(operator.apply(batch(*values)).values) for values in ([1], [], [2, 3])] == [[1], [], [2, 3]]
    assert len(set(loops)) == 1
    assert function.events == ["open ask", "close"]


@pytest.mark.parametrize(
    ("result", "elements"),
    [([], []), ([None, 0], [None, 0]), ("ab", ["a", "b"]), ((1, 2), [1, 2]), (iter([1, 2]), [1, 2])],
    ids=["nothing", "a list", "a text", "a tuple", "an iterator"],
)
def test_a_result_is_gone_through(result: Any, elements: list[Any]) -> None:
    async def given(_: int) -> Any:
        return result

    assert asked(given, 1) == elements


@pytest.mark.parametrize("result", [None, 5])
def test_a_result_that_is_no_list_fails(result: object) -> None:
    async def given(_: int) -> object:
        return result

    with pytest.raises(ElementError) as failure:
        asked(given, 1)
    assert isinstance(failure.value.__cause__, TypeError)


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), asyncio.CancelledError()], ids=repr)
def test_an_error_names_its_element_and_ends_the_others(error: BaseException) -> None:
    ended = []

    async def failing(value: int) -> list[int]:
        try:
            await asyncio.sleep(0.01 if value == 2 else 30)
        finally:
            ended.append(value)
        raise error

    with pytest.raises(ElementError) as failure:
        asked(failing, 1, 2, 3)
    assert failure.value.index == 1
    assert failure.value.__cause__ is error
    assert sorted(ended) == [1, 2, 3]


def test_a_timeout_fails_unless_it_is_overridden() -> None:
    with pytest.raises(ElementError) as failure:
        asked(hanging, 2, 1, timeout_ms=50)
    assert failure.value.index == 1
    assert repr(failure.value.__cause__) == "TimeoutError('Async function call has timed out for input: 1')"


def test_timeout_gives_elements() -> None:
    assert asked(Asking(hanging, lambda value: [-value] * 2), 1, 2, timeout_ms=50) == [-1, -1, 2]


def test_an_invocation_that_has_timed_out_is_cancelled() -> None:
    ended = []

    async def cleaning_up(value: int) -> list[int]:
        try:
            return await hanging(value)
        finally:
            await asyncio.sleep(0.01)
            ended.append(value)

    with opened(Asking(cleaning_up, lambda value: [-value]), timeout_ms=50) as operator:
        assert list(operator.apply(batch(1)).values) == [-1]
        assert ended == [1]


def test_an_invocation_that_will_not_end_holds_nobody_up() -> None:
    async def stubborn(_: int) -> list[int]:
        while True:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                continue

    with opened(Asking(stubborn, lambda value: [-value]), timeout_ms=50) as operator:
        assert list(operator.apply(batch(1)).values) == [-1]
        assert list(operator.apply(batch(2)).values) == [-2]


def test_an_invocation_that_blocks_times_out() -> None:
    async def blocking(value: int) -> list[int]:
        time.sleep(0.1)
        return [value]

    assert asked(Asking(blocking, lambda value: [-value]), 1, 2, timeout_ms=50) == [-1, -2]


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_without_a_timeout_there_is_no_limit(timeout_ms: int) -> None:
    async def slow(value: int) -> list[int]:
        await asyncio.sleep(0.05)
        return [value]

    assert asked(Asking(slow, lambda value: [-value]), 1, timeout_ms=timeout_ms) == [1]


class Tries:
    """Fails, or gives nothing, so many times for each element."""

    def __init__(self, failures: int, *, is_empty: bool = False) -> None:
        self.tries: Counter[int] = Counter()
        self.failures = failures
        self.is_empty = is_empty

    async def __call__(self, value: int) -> list[tuple[int, int]]:
        self.tries[value] += 1
        if self.tries[value] <= self.failures and not self.is_empty:
            raise ValueError(f"try {self.tries[value]}")
        return [] if self.tries[value] <= self.failures else [(value, self.tries[value])]


def retrying(number: int, **predicates: Any) -> AsyncRetryStrategy[Any]:
    both = {"result_predicate": None, "exception_predicate": None, **predicates}
    return AsyncRetryStrategy.fixed_delay(number, 1, **both)


ON_ANY = retrying(3, exception_predicate=has_exception_predicate)


def test_the_first_attempt_is_no_retry() -> None:
    assert asked(Tries(3), 1, 2, retries=ON_ANY) == [(1, 4), (2, 4)]
    with pytest.raises(ElementError) as failure:
        asked(Tries(4), 1, retries=ON_ANY)
    assert repr(failure.value.__cause__) == "ValueError('try 4')"


def test_the_last_result_counts_when_retries_are_used_up() -> None:
    tries = Tries(9, is_empty=True)
    assert asked(tries, 1, retries=retrying(2, result_predicate=empty_result_predicate)) == []
    assert tries.tries == {1: 3}


def test_predicates_choose() -> None:
    others = partial(exception_type_predicate, expected_error_type=KeyError)
    with pytest.raises(ElementError):
        asked(Tries(1), 1, retries=retrying(3, exception_predicate=others))
    with pytest.raises(ElementError):
        asked(Tries(1), 1, retries=retrying(3))
    assert asked(Tries(1, is_empty=True), 1, retries=ON_ANY) == []


def test_the_timeout_is_that_of_all_attempts() -> None:
    waiting = AsyncRetryStrategy.fixed_delay(100, 20, None, has_exception_predicate)
    tries = Tries(100)
    assert asked(Asking(tries, lambda value: ["late", value]), 1, timeout_ms=100, retries=waiting) == ["late", 1]
    assert 1 < tries.tries[1] <= 6


def test_a_predicate_that_raises_fails_the_element() -> None:
    with pytest.raises(ElementError) as failure:
        asked(Tries(0), 1, retries=retrying(3, result_predicate=lambda _: 1 / 0))
    assert isinstance(failure.value.__cause__, ZeroDivisionError)


def test_nothing_is_said_of_cancelled_invocations(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ElementError):
        asked(hanging, 1, 2, timeout_ms=20)
    assert capfd.readouterr() == ("", "")
    assert sys.exc_info() == (None, None, None)


def test_an_error_says_where_it_was() -> None:
    with opened(Asking(hanging), timeout_ms=20) as operator, pytest.raises(UserFunctionError) as failure:
        applied(operator, batch(2, 1), lambda origin: f"offset {origin}")
    assert failure.value.what == (
        "the function of operator 'ask' raised TimeoutError: Async function call has timed out for input: 1"
    )
    assert failure.value.where == "offset 1; element 1"
    assert "kafkastream/model/functions/async" not in failure.value.now.replace("\\", "/")
