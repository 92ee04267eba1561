"""Invokes an asynchronous function on a worker: one event loop, many elements in flight."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, final

from kafkastream.model.common.mutable_values import detached
from kafkastream.model.common.stream_functions import iterated
from kafkastream.model.functions.async_functions import AsyncFunctionDescriptor
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.worker.batches import ElementError

__all__ = ["AsyncCalls", "Outcome", "event_loops"]

_UNWINDING_S: Final = 1.0
"""Seconds that a batch waits for cancelled invocations."""


_NEW_LOOP: Final[ContextVar[Callable[[], asyncio.AbstractEventLoop]]] = ContextVar(
    "new_loop", default=asyncio.new_event_loop
)

Outcome: TypeAlias = tuple[int, tuple[Any, ...]]
"""Index of an element, and its results."""


@contextmanager
def event_loops(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> Iterator[None]:
    """Let operators that are opened within a ``with`` block have event loops of this kind."""
    token = _NEW_LOOP.set(new_loop)
    try:
        yield
    finally:
        _NEW_LOOP.reset(token)


@final
class AsyncCalls:
    """Invokes a function on the elements of one batch after another; a batch ends when it has all results."""

    def __init__(self, descriptor: AsyncFunctionDescriptor) -> None:
        self._descriptor = descriptor
        self._timeout_s = descriptor.timeout_ms / 1000 if descriptor.timeout_ms > 0 else math.inf
        predicate = descriptor.retry_strategy.get_retry_predicate()
        self._of_result, self._of_error = predicate.result_predicate(), predicate.exception_predicate()
        self._loop = _NEW_LOOP.get()()
        self._cancelled: set[asyncio.Task[Any]] = set()

    def outcomes(self, values: Sequence[Any]) -> list[Outcome]:
        """Return the outcome of each element, in the order of completion.

        Raises:
            ElementError: An invocation raised, or its result is not a list.
        """
        return self._loop.run_until_complete(self._outcomes(values)) if values else []

    def close(self) -> None:
        """Close the event loop."""
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _outcomes(self, values: Sequence[Any]) -> list[Outcome]:
        found: list[Outcome] = []
        waiting = enumerate(NOTE.watched(values))
        slots = [self._loop.create_task(self._fill(waiting, found)) for _ in values[: self._descriptor.capacity]]
        done, others = await asyncio.wait(slots, return_when=asyncio.FIRST_EXCEPTION)
        for slot in others:
            slot.cancel()
        await _ended(others)
        await _ended(self._cancelled)
        self._cancelled.clear()
        errors = [slot.exception() for slot in (*done, *others) if slot.done()]
        for error in filter(None, errors):
            raise error
        return found

    async def _fill(self, waiting: Iterator[tuple[int, Any]], found: list[Outcome]) -> None:
        """Invoke the function on one waiting element after another."""
        for index, value in waiting:
            try:
                found.append((index, _elements(await self._result(value))))
            except BaseException as error:  # also sys.exit, which would end the worker
                raise ElementError(index) from error

    async def _result(self, value: Any) -> Any:
        """Return the result of an element's last attempt, or of ``timeout`` if the attempts take too long."""
        deadline = self._loop.time() + self._timeout_s
        attempts = self._loop.create_task(self._attempts(value, deadline))
        try:
            await asyncio.wait({attempts}, timeout=None if self._timeout_s == math.inf else self._timeout_s)
        finally:
            if not attempts.done():
                attempts.cancel()
                self._cancelled.add(attempts)
        # PyFlink's timer has its own thread: there an invocation that blocks the event loop for too long also times out:
        # https://github.com/apache/flink/blob/release-2.2.1/flink-python/pyflink/fn_execution/datastream/process/async_function/operation.py
        if not attempts.done() or self._loop.time() > deadline:
            return self._descriptor.function.timeout(value)
        result, error = attempts.result()
        if error is not None:
            raise error
        return result

    async def _attempts(self, value: Any, deadline: float) -> tuple[Any, BaseException | None]:
        """Invoke the function until its outcome needs no retry; return its result or error."""
        strategy = self._descriptor.retry_strategy
        for attempts in itertools.count(1):
            result, error = await self._attempt(value)
            wanted = self._retries_result(result) if error is None else self._retries_error(error)
            if not wanted or self._loop.time() > deadline or not strategy.can_retry(attempts):
                break
            await asyncio.sleep(strategy.get_backoff_time_millis(attempts) / 1000)
        return result, error

    async def _attempt(self, value: Any) -> tuple[Any, BaseException | None]:
        try:
            return await self._descriptor.function.async_invoke(value), None
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - sys.exit, too, which would end the event loop
            return None, error

    def _retries_result(self, result: Any) -> bool:
        return result is not None and self._of_result is not None and self._of_result(result)

    def _retries_error(self, error: BaseException) -> bool:
        return isinstance(error, Exception) and self._of_error is not None and self._of_error(error)


async def _ended(cancelled: set[asyncio.Task[Any]]) -> None:
    """Let cancelled tasks run their ``finally`` blocks; one that does not end in time is abandoned."""
    if cancelled:
        await asyncio.wait(cancelled, timeout=_UNWINDING_S)


def _elements(results: Any) -> tuple[Any, ...]:
    if results is None:
        raise TypeError(
            "its result is None: return a list of elements from async_invoke and timeout, if only an empty one"
        )
    return tuple(map(detached, iterated(results)))
