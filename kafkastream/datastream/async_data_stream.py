"""Asynchronous I/O: an ``AsyncFunction`` on a stream, with many elements in flight."""

from __future__ import annotations

from typing import Any, TypeVar, final

from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.stream import DataStream
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.time import Duration, Time
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.functions.async_functions import AsyncFunction, AsyncFunctionDescriptor
from kafkastream.model.functions.async_retries import NO_RETRY_STRATEGY, AsyncRetryStrategy
from kafkastream.model.graph.job_graph import OperatorKind

__all__ = ["AsyncDataStream"]

IN = TypeVar("IN")
OUT = TypeVar("OUT")


@final
@checked_methods
class AsyncDataStream:
    """Applies an ``AsyncFunction`` to a stream, with up to ``capacity`` elements of a subtask in flight.

    Same as in Flink: results have their element's timestamp, and none overtakes a watermark.
    Differs from Flink: a micro-batch ends when all of its results have arrived, so a checkpoint holds no elements in
    flight, and a restart repeats the invocations of the interrupted micro-batch.

    Example:
        >>> import asyncio
        >>> from kafkastream.common import Time
        >>> from kafkastream.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment
        >>> class LookUp(AsyncFunction[str, str]):
        ...     async def async_invoke(self, value: str) -> list[str]:
        ...         await asyncio.sleep(0.1)  # ask a service
        ...         return [value.upper()]
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> words = env.from_collection(["a", "b", "c"])
        >>> AsyncDataStream.ordered_wait(words, LookUp(), Time.seconds(5), capacity=10).get_name()
        'async wait operator'
    """

    @staticmethod
    def unordered_wait(
        data_stream: DataStream[IN] | KeyedStream[IN, Any],
        async_function: AsyncFunction[IN, OUT],
        timeout: Time | Duration,
        capacity: int = 100,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply ``async_function`` and emit results as they complete.

        Args:
            data_stream: Stream; a key brings the function nothing.
            async_function: Function with a coroutine ``async_invoke``.
            timeout: Limit of an element's invocation, all retries included; 0 for none.
            capacity: Largest number of a subtask's elements in flight.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: ``async_invoke`` is not a coroutine function, or ``capacity`` is less than 1.
        """
        return AsyncDataStream.unordered_wait_with_retry(
            data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type
        )

    unorderedWait = unordered_wait

    @staticmethod
    def unordered_wait_with_retry(
        data_stream: DataStream[IN] | KeyedStream[IN, Any],
        async_function: AsyncFunction[IN, OUT],
        timeout: Time | Duration,
        async_retry_strategy: AsyncRetryStrategy[OUT],
        capacity: int = 100,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply ``async_function`` and emit results as they complete; failed invocations are retried.

        Args:
            data_stream: As for ``unordered_wait``.
            async_function: As for ``unordered_wait``.
            timeout: Limit of an element's invocation, all retries included; 0 for none.
            async_retry_strategy: Strategy made by ``AsyncRetryStrategy``: when to retry, how often, after which delay.
            capacity: As for ``unordered_wait``.
            output_type: As for ``unordered_wait``.

        Raises:
            DefinitionError: ``async_invoke`` is not a coroutine function, or ``capacity`` is less than 1.
        """
        descriptor = AsyncFunctionDescriptor(
            async_function, timeout, capacity, async_retry_strategy, AsyncFunctionDescriptor.OutputMode.UNORDERED
        )
        return _waiting(data_stream, descriptor, output_type)

    unorderedWaitWithRetry = unordered_wait_with_retry

    @staticmethod
    def ordered_wait(
        data_stream: DataStream[IN] | KeyedStream[IN, Any],
        async_function: AsyncFunction[IN, OUT],
        timeout: Time | Duration,
        capacity: int = 100,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply ``async_function`` and emit results in the order of the elements.

        Args:
            data_stream: Stream; a key brings the function nothing.
            async_function: Function with a coroutine ``async_invoke``.
            timeout: Limit of an element's invocation, all retries included; 0 for none.
            capacity: Largest number of a subtask's elements in flight.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: ``async_invoke`` is not a coroutine function, or ``capacity`` is less than 1.
        """
        return AsyncDataStream.ordered_wait_with_retry(
            data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type
        )

    orderedWait = ordered_wait

    @staticmethod
    def ordered_wait_with_retry(
        data_stream: DataStream[IN] | KeyedStream[IN, Any],
        async_function: AsyncFunction[IN, OUT],
        timeout: Time | Duration,
        async_retry_strategy: AsyncRetryStrategy[OUT],
        capacity: int = 100,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply ``async_function`` and emit results in the order of the elements; failed invocations are retried.

        Args:
            data_stream: As for ``ordered_wait``.
            async_function: As for ``ordered_wait``.
            timeout: Limit of an element's invocation, all retries included; 0 for none.
            async_retry_strategy: Strategy made by ``AsyncRetryStrategy``: when to retry, how often, after which delay.
            capacity: As for ``ordered_wait``.
            output_type: As for ``ordered_wait``.

        Raises:
            DefinitionError: ``async_invoke`` is not a coroutine function, or ``capacity`` is less than 1.
        """
        descriptor = AsyncFunctionDescriptor(
            async_function, timeout, capacity, async_retry_strategy, AsyncFunctionDescriptor.OutputMode.ORDERED
        )
        return _waiting(data_stream, descriptor, output_type)

    orderedWaitWithRetry = ordered_wait_with_retry


def _waiting(
    stream: DataStream[Any] | KeyedStream[Any, Any],
    descriptor: AsyncFunctionDescriptor,
    output_type: TypeInformation[OUT] | None,
) -> DataStream[OUT]:
    """Add the operator; a keyed stream's keys are dropped, since an ``AsyncFunction`` has no keyed state."""
    plain = stream._stream if isinstance(stream, KeyedStream) else stream
    return plain._apply(OperatorKind.ASYNC_WAIT, descriptor, output_type)
