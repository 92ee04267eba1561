"""``WindowedStream`` and ``AllWindowedStream``: the elements of a stream in windows, with and without keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, final, overload

import attrs
from typing_extensions import Self

from kafkastream.datastream.field_aggregations import FieldAggregations
from kafkastream.datastream.stream import DataStream, add_keyed_operator
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stream_functions import (
    AggregateFunction,
    Function,
    ReduceFunction,
    as_reduce_function,
)
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.graph.job_graph import KeyedInput, OperatorKind
from kafkastream.model.windows.evictor_interface import Evictor
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.window_functions import (
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import Window

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["AllWindowedStream", "WindowSetters", "WindowedStream"]

T = TypeVar("T")
TUPLE = TypeVar("TUPLE", bound=tuple[Any, ...])
K = TypeVar("K")
W = TypeVar("W", bound=Window)
ACC = TypeVar("ACC")
RESULT = TypeVar("RESULT")
OUT = TypeVar("OUT")


@checked_methods
class WindowSetters(FieldAggregations[T], Generic[T]):
    """Setters of a stream in windows: when the windows fire, with which elements, and where late ones go."""

    def __init__(
        self,
        stream: DataStream[T],
        keyed: KeyedInput,
        operation: WindowOperation,
    ) -> None:
        self._stream = stream
        self._keyed = keyed
        self._operation = operation

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Return the environment in which the stream was created."""
        return self._stream.get_execution_environment()

    getExecutionEnvironment = get_execution_environment

    def get_input_type(self) -> TypeInformation[T] | None:
        """Return the type of the elements, or None if none was declared."""
        return self._stream.get_type()

    getInputType = get_input_type

    def trigger(self, trigger: Trigger[Any, Any]) -> Self:
        """Set the trigger that decides when windows fire, replacing the assigner's default."""
        return self._with(trigger=trigger)

    def evictor(self, evictor: Evictor[Any, Any]) -> Self:
        """Set the evictor that removes elements from windows when they fire.

        Same as in Flink: windows then buffer all their elements, and ``reduce`` and ``aggregate`` process those that
        remain each time a window fires.
        """
        return self._with(evictor=evictor)

    def allowed_lateness(self, time_ms: int) -> Self:
        """Keep windows open for late elements, each of which fires its window again.

        Args:
            time_ms: Time in ms after the end of a window; event time only.

        Raises:
            DefinitionError: ``time_ms`` is negative.
        """
        return self._with(allowed_lateness=time_ms)

    allowedLateness = allowed_lateness

    def side_output_late_data(self, output_tag: OutputTag[T]) -> Self:
        """Send elements that come after the allowed lateness to a side output instead of dropping them.

        Args:
            output_tag: Tag for ``get_side_output`` of the resulting stream.
        """
        return self._with(late=output_tag)

    sideOutputLateData = side_output_late_data

    @abstractmethod
    def _with(self, **changes: Any) -> Self:
        """Return a stream with changed windows."""

    def _apply(
        self,
        combine: ReduceFunction[Any] | AggregateFunction[Any, Any, Any] | None,
        function: Function | None,
        output_type: TypeInformation[OUT] | None,
    ) -> DataStream[OUT]:
        operation = attrs.evolve(self._operation, combine=combine, function=function)
        if function is None and isinstance(combine, ReduceFunction):
            output_type = output_type or cast("Any", self._stream.get_type())
        return add_keyed_operator(self._stream._env, [self._keyed], OperatorKind.WINDOW, operation, output_type)


@final
@checked_methods
class WindowedStream(WindowSetters[T], Generic[T, K, W]):
    """Elements of each key in windows, to be reduced, aggregated or processed.

    Same as in Flink: event-time windows fire when the watermark passes their end, and each result has the window's
    ``max_timestamp``. Elements that come after the allowed lateness are dropped and counted in
    ``numLateRecordsDropped``, or sent to a side output.
    """

    @overload
    def reduce(
        self, reduce_function: Callable[[T, T], T] | ReduceFunction[T], *, output_type: TypeInformation[T] | None = None
    ) -> DataStream[T]: ...

    @overload  # as in KeyedStream
    def reduce(
        self,
        reduce_function: Callable[[T, T], TUPLE] | ReduceFunction[TUPLE],
        *,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[TUPLE]: ...

    @overload
    def reduce(
        self,
        reduce_function: Callable[[T, T], T] | ReduceFunction[T],
        window_function: WindowFunction[T, OUT, K, W] | ProcessWindowFunction[T, OUT, K, W],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]: ...

    def reduce(
        self,
        reduce_function: Callable[[T, T], Any] | ReduceFunction[Any],
        window_function: WindowFunction[T, OUT, K, W] | ProcessWindowFunction[T, OUT, K, W] | None = None,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[Any]:
        """Reduce the elements of each window incrementally to one.

        Args:
            reduce_function: Function of the result so far and the next element, or ``ReduceFunction``.
            window_function: Function that gets the reduced element as its only input, with key and window.
            output_type: Type of the results; by default that of the elements, if there is no window function.
        """
        return self._apply(as_reduce_function(reduce_function), window_function, output_type)

    @overload
    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        *,
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[RESULT] | None = None,
    ) -> DataStream[RESULT]: ...

    @overload
    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        window_function: WindowFunction[RESULT, OUT, K, W] | ProcessWindowFunction[RESULT, OUT, K, W],
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]: ...

    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        window_function: WindowFunction[RESULT, OUT, K, W] | ProcessWindowFunction[RESULT, OUT, K, W] | None = None,
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[Any]:
        """Aggregate the elements of each window incrementally into an accumulator.

        Args:
            aggregate_function: Function that creates, updates and merges accumulators.
            window_function: Function that gets the aggregate's result as its only input, with key and window.
            accumulator_type: No effect; accumulators are pickled.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(aggregate_function, window_function, output_type)

    def apply(
        self, window_function: WindowFunction[T, OUT, K, W], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Apply a function to all elements of each window when it fires.

        Windows buffer all their elements until then; ``aggregate`` and ``reduce`` keep only a result.

        Args:
            window_function: ``WindowFunction``, which gets key, window and elements.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(None, window_function, output_type)

    def process(
        self,
        process_window_function: ProcessWindowFunction[T, OUT, K, W],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply a function to all elements of each window when it fires, with a context of window, time and state.

        Windows buffer all their elements until then; ``aggregate`` and ``reduce`` keep only a result.

        Args:
            process_window_function: ``ProcessWindowFunction``, which gets key, context and elements.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(None, process_window_function, output_type)

    def _with(self, **changes: Any) -> WindowedStream[T, K, W]:
        return WindowedStream(self._stream, self._keyed, attrs.evolve(self._operation, **changes))


def _same_key(_: object) -> int:
    return 0


@final
@checked_methods
class AllWindowedStream(WindowSetters[T], Generic[T, W]):
    """Elements of a stream without keys in windows; as in Flink, a single subtask processes them all."""

    def __init__(self, stream: DataStream[T], operation: WindowOperation) -> None:
        super().__init__(stream, KeyedInput(node=stream._id, selector=_same_key), operation)

    @overload
    def reduce(
        self, reduce_function: Callable[[T, T], T] | ReduceFunction[T], *, output_type: TypeInformation[T] | None = None
    ) -> DataStream[T]: ...

    @overload  # as in KeyedStream
    def reduce(
        self,
        reduce_function: Callable[[T, T], TUPLE] | ReduceFunction[TUPLE],
        *,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[TUPLE]: ...

    @overload
    def reduce(
        self,
        reduce_function: Callable[[T, T], T] | ReduceFunction[T],
        window_function: AllWindowFunction[T, OUT, W] | ProcessAllWindowFunction[T, OUT, W],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]: ...

    def reduce(
        self,
        reduce_function: Callable[[T, T], Any] | ReduceFunction[Any],
        window_function: AllWindowFunction[T, OUT, W] | ProcessAllWindowFunction[T, OUT, W] | None = None,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[Any]:
        """Reduce the elements of each window incrementally to one.

        Args:
            reduce_function: Function of the result so far and the next element, or ``ReduceFunction``.
            window_function: Function that gets the reduced element as its only input, with the window.
            output_type: Type of the results; by default that of the elements, if there is no window function.
        """
        return self._apply(as_reduce_function(reduce_function), window_function, output_type)

    @overload
    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        *,
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[RESULT] | None = None,
    ) -> DataStream[RESULT]: ...

    @overload
    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        window_function: AllWindowFunction[RESULT, OUT, W] | ProcessAllWindowFunction[RESULT, OUT, W],
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]: ...

    def aggregate(
        self,
        aggregate_function: AggregateFunction[T, ACC, RESULT],
        window_function: AllWindowFunction[RESULT, OUT, W] | ProcessAllWindowFunction[RESULT, OUT, W] | None = None,
        accumulator_type: TypeInformation[ACC] | None = None,
        output_type: TypeInformation[Any] | None = None,
    ) -> DataStream[Any]:
        """Aggregate the elements of each window incrementally into an accumulator.

        Args:
            aggregate_function: Function that creates, updates and merges accumulators.
            window_function: Function that gets the aggregate's result as its only input, with the window.
            accumulator_type: No effect; accumulators are pickled.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(aggregate_function, window_function, output_type)

    def apply(
        self, window_function: AllWindowFunction[T, OUT, W], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Apply a function to all elements of each window when it fires.

        Args:
            window_function: ``AllWindowFunction``, which gets window and elements.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(None, window_function, output_type)

    def process(
        self,
        process_window_function: ProcessAllWindowFunction[T, OUT, W],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply a function to all elements of each window when it fires, with a context of window, time and state.

        Args:
            process_window_function: ``ProcessAllWindowFunction``, which gets context and elements.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(None, process_window_function, output_type)

    def _with(self, **changes: Any) -> AllWindowedStream[T, W]:
        return AllWindowedStream(self._stream, attrs.evolve(self._operation, **changes))
