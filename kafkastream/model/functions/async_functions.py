"""Asynchronous functions: calls to services with many elements in flight."""

from __future__ import annotations

import enum
import inspect
from abc import ABC, abstractmethod
from typing import Any, Generic, final

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stream_functions import Function, WrappingFunction
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.functions.async_retries import AsyncRetryPredicate, AsyncRetryStrategy, NoRetryStrategy

__all__ = ["AsyncFunction", "AsyncFunctionDescriptor"]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)


class AsyncFunction(Function, ABC, Generic[IN_contra, OUT]):
    """User function that waits for something, such as a service, and returns any number of elements for each.

    ``AsyncDataStream`` runs many invocations at a time. All invocations of a subtask share one event loop and one
    thread, so a call that blocks holds them all up: use a client for asyncio, or ``asyncio.to_thread``.
    """

    @abstractmethod
    async def async_invoke(self, value: IN_contra) -> list[OUT]:
        """Return the elements that replace ``value``, in a list; an exception fails the job unless the retry strategy
        takes it.
        """

    def timeout(self, value: IN_contra) -> list[OUT]:
        """Return the elements that replace one whose invocation has timed out; fail the job by default.

        Differs from Flink: the invocation is cancelled (``asyncio.CancelledError`` is raised in it), where Flink lets
        it continue and ignores its result.

        Args:
            value: Element whose invocation has timed out.

        Raises:
            TimeoutError: Unless overridden.
        """
        raise TimeoutError(f"Async function call has timed out for input: {value}")


@final
@checked_methods
class AsyncFunctionDescriptor(WrappingFunction):
    """Asynchronous function with the timeout, capacity, order and retries that ``AsyncDataStream`` was given.

    Args:
        async_function: The function.
        timeout: Longest time that an element may take, retries included; no limit where it is 0 or less.
        capacity: Largest number of elements in flight in each subtask.
        async_retry_strategy: Decides when an invocation is retried.
        output_mode: Whether results keep the order of the elements, or are emitted as they are completed.

    Raises:
        DefinitionError: An argument has the wrong type, or ``capacity`` is not positive.
    """

    class OutputMode(enum.Enum):
        """Order in which results are emitted."""

        ORDERED = 0
        UNORDERED = 1

    def __init__(
        self,
        async_function: AsyncFunction[Any, Any],
        timeout: Time | Duration,
        capacity: int,
        async_retry_strategy: AsyncRetryStrategy[Any],
        output_mode: OutputMode,
    ) -> None:
        super().__init__(async_function)
        self.function = _checked_function(async_function)
        self.timeout_ms = millis_of("timeout", timeout)
        self.capacity = _checked_capacity(capacity)
        self.retry_strategy = _checked_strategy(async_retry_strategy, self.timeout_ms)
        self.is_ordered = output_mode is self.OutputMode.ORDERED


def _checked_function(function: AsyncFunction[Any, Any]) -> AsyncFunction[Any, Any]:
    if not inspect.iscoroutinefunction(function.async_invoke):
        raise DefinitionError(
            f"async_invoke of {type(function).__name__} is not a coroutine function",
            now="Write async def async_invoke(self, value), and return a list instead of yielding.",
        )
    return function


def _checked_capacity(capacity: int) -> int:
    if capacity < 1:
        raise DefinitionError(f"capacity must be 1 or more, not {capacity}")
    return capacity


def _checked_strategy(strategy: AsyncRetryStrategy[Any], timeout_ms: int) -> AsyncRetryStrategy[Any]:
    if not isinstance(strategy, NoRetryStrategy) and timeout_ms <= 0:
        raise DefinitionError(
            f"retries need a timeout greater than 0, not {timeout_ms} ms", now="It limits all attempts of an element."
        )
    if not isinstance(strategy.get_retry_predicate(), AsyncRetryPredicate):
        raise DefinitionError(
            f"get_retry_predicate of {type(strategy).__name__} does not return an AsyncRetryPredicate"
        )
    return strategy
