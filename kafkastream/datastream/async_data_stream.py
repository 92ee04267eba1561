"""Streams with a function that waits for something else, many elements at a time."""

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

    ``timeout`` limits all attempts of an element together; 0 means no limit.
    Same as in Flink: results have their element's event time, and none overtakes a watermark.
    Differs from Flink: a micro-batch ends when all of its results are there, so nothing in flight belongs to a
    checkpoint, and a restart repeats the invocations of the micro-batch that was cut off.

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
        """Put the results of ``async_function`` in the place of the elements, as they are completed.

        Raises:
            DefinitionError: An argument is not what it should be.
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
        """Like ``unordered_wait``, with invocations tried again as a strategy says; errors are the same."""
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
        """Put the results of ``async_function`` in the place of the elements, in the order of the elements.

        Raises:
            DefinitionError: An argument is not what it should be.
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
        """Like ``ordered_wait``, with invocations tried again as a strategy says; errors are the same."""
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
    """Put the operator behind a stream; keys bring the function nothing, so those of a keyed stream are left out."""
    plain = stream._stream if isinstance(stream, KeyedStream) else stream
    return plain._apply(OperatorKind.ASYNC_WAIT, descriptor, output_type)
