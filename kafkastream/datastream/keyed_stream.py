"""``KeyedStream``: a stream partitioned by key, on which functions have keyed state and timers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, final, overload

from kafkastream.datastream.connected_streams import (
    BroadcastConnectedStream,
    BroadcastStream,
    ConnectedStreams,
    connected,
)
from kafkastream.datastream.field_aggregations import FieldAggregations
from kafkastream.datastream.joined_streams import IntervalJoined
from kafkastream.datastream.stream import DataStream, add_keyed_operator
from kafkastream.datastream.stream_outputs import DataStreamSink, StreamOutputs
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream
from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.stream_functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    KeySelector,
    MapFunction,
    ReduceFunction,
    as_reduce_function,
)
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.functions.process_functions import KeyedProcessFunction
from kafkastream.model.graph.job_graph import KeyedInput, OperatorKind
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.windows.window_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import CountWindow, Window, WindowAssigner

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["KeyedStream", "UnsupportedOnKeyed"]

T = TypeVar("T")
K = TypeVar("K")
K2 = TypeVar("K2")
T2 = TypeVar("T2")
TUPLE = TypeVar("TUPLE", bound=tuple[Any, ...])
OUT = TypeVar("OUT")
W = TypeVar("W", bound=Window)


def _refused(method: str) -> Callable[..., NoReturn]:
    def refuse(self: UnsupportedOnKeyed, *_: object, **__: object) -> NoReturn:
        raise DefinitionError(
            f"{method} cannot be called on a keyed stream, which is not an operator",
            where=f"KeyedStream.{method}",
            now="Call it before key_by, or on the result of an operation on the keyed stream.",
        )

    refuse.__doc__ = f"Refused, as in Flink: call ``{method}`` before ``key_by``, or on the result of an operation."
    return refuse


class UnsupportedOnKeyed:
    """Mixin that refuses the methods of operators and of physical partitioning: a keyed stream is not an operator."""

    name = _refused("name")
    get_name = getName = _refused("get_name")
    uid = _refused("uid")
    set_uid_hash = setUidHash = _refused("set_uid_hash")
    set_description = setDescription = _refused("set_description")
    set_parallelism = setParallelism = _refused("set_parallelism")
    set_max_parallelism = setMaxParallelism = _refused("set_max_parallelism")
    force_non_parallel = forceNonParallel = _refused("force_non_parallel")
    set_buffer_timeout = setBufferTimeout = _refused("set_buffer_timeout")
    start_new_chain = startNewChain = _refused("start_new_chain")
    disable_chaining = disableChaining = _refused("disable_chaining")
    slot_sharing_group = slotSharingGroup = _refused("slot_sharing_group")
    cache = _refused("cache")
    shuffle = _refused("shuffle")
    rebalance = _refused("rebalance")
    rescale = _refused("rescale")
    forward = _refused("forward")
    broadcast = _refused("broadcast")
    partition_custom = partitionCustom = _refused("partition_custom")
    get_side_output = getSideOutput = _refused("get_side_output")


@final
@checked_methods
class KeyedStream(FieldAggregations[T], StreamOutputs[T], UnsupportedOnKeyed, Generic[T, K]):
    """Stream partitioned by key, as returned by ``key_by``.

    Same as in Flink: all elements of a key are processed by one subtask, and rich functions get keyed state in
    ``open``. A keyed stream is not an operator, so it has no name, uid or parallelism; results of its operations have.
    """

    _j_data_stream = Refused()

    class AccumulateType(enum.Enum):
        """Kinds of rolling aggregations."""

        MIN = 1
        MAX = 2
        MIN_BY = 3
        MAX_BY = 4
        SUM = 5

    def __init__(
        self,
        stream: DataStream[T],
        selector: KeySelector[T, K] | Callable[[T], K],
        key_type: TypeInformation[K] | None = None,
    ) -> None:
        self._stream = stream
        self._selector = snapshot(selector)
        self._key_type = key_type

    def get_type(self) -> TypeInformation[T] | None:
        """Return the type of the elements, or None if none was declared."""
        return self._stream.get_type()

    getType = get_type

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Return the environment in which the stream was created."""
        return self._stream.get_execution_environment()

    getExecutionEnvironment = get_execution_environment

    def get_execution_config(self) -> ExecutionConfig:
        """Return the execution settings of the job."""
        return self._stream.get_execution_config()

    getExecutionConfig = get_execution_config

    def map(
        self, func: Callable[[T], OUT] | MapFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into exactly one.

        Args:
            func: Function of an element, or ``MapFunction``, which may use keyed state.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(OperatorKind.MAP, func, output_type)

    def flat_map(
        self,
        func: Callable[[T], Iterable[OUT]] | FlatMapFunction[T, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more.

        Args:
            func: Function of an element that returns an iterable or yields, or ``FlatMapFunction``, which may use keyed
                state.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(OperatorKind.FLAT_MAP, func, output_type)

    flatMap = flat_map

    def filter(self, func: Callable[[T], object] | FilterFunction[T]) -> DataStream[T]:
        """Keep the elements for which ``func`` returns a true value; a ``FilterFunction`` may use keyed state."""
        return self._apply(OperatorKind.FILTER, func, self.get_type())

    def process(
        self, func: KeyedProcessFunction[K, T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more, with keyed state, timers and side outputs.

        Args:
            func: Function whose ``process_element`` and ``on_timer`` yield results, or ``(tag, value)`` for a side
                output.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(OperatorKind.KEYED_PROCESS, func, output_type)

    @overload
    def reduce(self, func: Callable[[T, T], T] | ReduceFunction[T]) -> DataStream[T]: ...

    @overload  # pyright takes a lambda's ("a", 1) for tuple[str, Literal[1]], which no reduction gives
    def reduce(self, func: Callable[[T, T], TUPLE] | ReduceFunction[TUPLE]) -> DataStream[TUPLE]: ...

    def reduce(self, func: Callable[[T, T], Any] | ReduceFunction[Any]) -> DataStream[Any]:
        """Reduce the elements of each key so far to one, and emit it after each element (a rolling reduce).

        In BATCH mode only the last result of each key is emitted, as in Flink.

        Args:
            func: Function of the result so far and the next element, or ``ReduceFunction``.

        Example:
            >>> from kafkastream.datastream import StreamExecutionEnvironment
            >>> env = StreamExecutionEnvironment.get_execution_environment()
            >>> counts = env.from_elements(("a", 1), ("b", 1)).key_by(lambda pair: pair[0])
            >>> counts.reduce(lambda total, pair: (total[0], total[1] + pair[1])).get_name()
            'Keyed Reduce'
        """
        return self._apply(OperatorKind.REDUCE, as_reduce_function(func), self.get_type())

    def key_by(
        self, key_selector: KeySelector[T, K2] | Callable[[T], K2], key_type: TypeInformation[K2] | None = None
    ) -> KeyedStream[T, K2]:
        """Partition the stream by another key.

        Args:
            key_selector: Function that returns an element's key, or ``KeySelector``, as in ``DataStream.key_by``.
            key_type: Type into which keys are converted before they are grouped; without one, keys have to be hashable.
        """
        return self._stream.key_by(key_selector, key_type)

    keyBy = key_by

    def project(self, *field_indexes: int) -> DataStream[tuple[Any, ...]]:
        """Select fields of tuples, in the order given; the result is not keyed.

        Args:
            field_indexes: Positions of the fields, from 0.

        Raises:
            DefinitionError: The stream has no tuple type, or its tuples have no such field.
        """
        return self._stream.project(*field_indexes)

    def union(self, *others: DataStream[T] | KeyedStream[T, Any]) -> DataStream[T]:
        """Merge this stream and others of the same type; the result is not keyed."""
        return self._stream.union(*others)

    @overload
    def connect(self, ds: DataStream[T2] | KeyedStream[T2, Any]) -> ConnectedStreams[T, T2]: ...

    @overload
    def connect(self, ds: BroadcastStream[T2]) -> BroadcastConnectedStream[T, T2]: ...

    def connect(
        self, ds: DataStream[T2] | KeyedStream[T2, Any] | BroadcastStream[T2]
    ) -> ConnectedStreams[T, T2] | BroadcastConnectedStream[T, T2]:
        """Connect this stream with another, so that one function processes both.

        Args:
            ds: Keyed stream, whose elements share keyed state with those of equal keys here; or broadcast stream.
        """
        return connected(self._stream._env, self._input, ds)

    def interval_join(self, other: KeyedStream[T2, Any]) -> IntervalJoined[T, T2]:
        """Join elements of equal keys whose timestamps are close: continue with ``between`` and ``process``.

        Args:
            other: Second stream, whose keys are compared with those of this stream.
        """
        return IntervalJoined(self, other)

    intervalJoin = interval_join

    @property
    def _input(self) -> KeyedInput:
        return KeyedInput(node=self._stream._id, selector=self._selector, key_type=self._key_type)

    def window_all(self, window_assigner: WindowAssigner[Any, W]) -> AllWindowedStream[T, W]:
        """Assign all elements to windows regardless of key; as in Flink, a single subtask processes them all.

        Args:
            window_assigner: Assigner of windows, such as ``TumblingEventTimeWindows.of(Time.minutes(1))``.
        """
        return self._stream.window_all(window_assigner)

    windowAll = window_all

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[T]) -> DataStream[T]:
        """Assign event timestamps and generate watermarks; as in Flink, the result is not keyed.

        Args:
            watermark_strategy: Strategy with a ``TimestampAssigner``, as in
                ``DataStream.assign_timestamps_and_watermarks``.
        """
        return self._stream.assign_timestamps_and_watermarks(watermark_strategy)

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    def window(self, window_assigner: WindowAssigner[Any, W]) -> WindowedStream[T, K, W]:
        """Assign the elements of each key to windows.

        Args:
            window_assigner: For example ``TumblingEventTimeWindows.of(Time.minutes(1))``.
        """
        return WindowedStream(self._stream, self._input, WindowOperation(assigner=window_assigner))

    def count_window(self, size: int, slide: int = 0) -> WindowedStream[T, K, CountWindow]:
        """Assign the elements of each key to windows of a fixed number of elements.

        Same as in PyFlink: a window fires when it is full; one that never fills never fires, not even at the end of
        input.

        Args:
            size: Elements in a window.
            slide: Elements from the start of one window to the start of the next; 0 for windows that do not overlap.
        """
        if slide:
            return self.window(CountSlidingWindowAssigner.of(size, slide))
        return self.window(CountTumblingWindowAssigner.of(size))

    countWindow = count_window

    def _apply(
        self,
        kind: OperatorKind,
        function: Function | Callable[..., Any],
        output_type: TypeInformation[OUT] | None,
    ) -> DataStream[OUT]:
        return add_keyed_operator(self._stream._env, [self._input], kind, function, output_type)

    def _end(self, name: str, sink: Sink) -> DataStreamSink:
        return self._stream._end(name, sink)
