"""A stream whose elements belong to keys: functions on it have state for each key, and timers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final, overload

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
from kafkastream.datastream.unsupported_on_keyed import UnsupportedOnKeyed
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream
from kafkastream.model.common.argument_checks import checked_methods
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
from kafkastream.model.connectors.file_sink import FileSink
from kafkastream.model.connectors.jdbc_sink import JdbcSink
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.functions.process_functions import KeyedProcessFunction
from kafkastream.model.graph.job_graph import CollectSink, KeyedInput, OperatorKind, PrintSink
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.windows.window_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import CountWindow, Window, WindowAssigner

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["KeyedStream"]

T = TypeVar("T")
K = TypeVar("K")
K2 = TypeVar("K2")
T2 = TypeVar("T2")
TUPLE = TypeVar("TUPLE", bound=tuple[Any, ...])
OUT = TypeVar("OUT")
W = TypeVar("W", bound=Window)


@final
@checked_methods
class KeyedStream(FieldAggregations[T], StreamOutputs[T], UnsupportedOnKeyed, Generic[T, K]):
    """What ``key_by`` gives.

    Same as in Flink: all elements of a key go to one subtask, and rich functions reach keyed state in ``open``.
    Differs from Flink: it is no operator, so it has no name, uid or parallelism; what comes of it has.
    """

    _j_data_stream = Refused()

    class AccumulateType(enum.Enum):
        """What ``sum`` and its like compute."""

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
        """The type of the elements, if it was given."""
        return self._stream.get_type()

    getType = get_type

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment that this stream belongs to."""
        return self._stream.get_execution_environment()

    getExecutionEnvironment = get_execution_environment

    def get_execution_config(self) -> ExecutionConfig:
        """The settings of the job."""
        return self._stream.get_execution_config()

    getExecutionConfig = get_execution_config

    def map(
        self, func: Callable[[T], OUT] | MapFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Put one element in the place of each; a ``MapFunction`` may have keyed state."""
        return self._apply(OperatorKind.MAP, func, output_type)

    def flat_map(
        self,
        func: Callable[[T], Iterable[OUT]] | FlatMapFunction[T, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Put any number of elements in the place of each; a ``FlatMapFunction`` may have keyed state."""
        return self._apply(OperatorKind.FLAT_MAP, func, output_type)

    flatMap = flat_map

    def filter(self, func: Callable[[T], object] | FilterFunction[T]) -> DataStream[T]:
        """Keep the elements for which ``func`` is true; a ``FilterFunction`` may have keyed state."""
        return self._apply(OperatorKind.FILTER, func, self.get_type())

    def process(
        self, func: KeyedProcessFunction[K, T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Put any number of elements in the place of each, with state, timers and side outputs."""
        return self._apply(OperatorKind.KEYED_PROCESS, func, output_type)

    @overload
    def reduce(self, func: Callable[[T, T], T] | ReduceFunction[T]) -> DataStream[T]: ...

    @overload  # pyright takes a lambda's ("a", 1) for tuple[str, Literal[1]], which no reduction gives
    def reduce(self, func: Callable[[T, T], TUPLE] | ReduceFunction[TUPLE]) -> DataStream[TUPLE]: ...

    def reduce(self, func: Callable[[T, T], Any] | ReduceFunction[Any]) -> DataStream[Any]:
        """What all elements of a key so far come to: a new value for each element."""
        return self._apply(OperatorKind.REDUCE, as_reduce_function(func), self.get_type())

    def key_by(
        self, key_selector: KeySelector[T, K2] | Callable[[T], K2], key_type: TypeInformation[K2] | None = None
    ) -> KeyedStream[T, K2]:
        """Sort the elements by another key."""
        return self._stream.key_by(key_selector, key_type)

    keyBy = key_by

    def project(self, *field_indexes: int) -> DataStream[tuple[Any, ...]]:
        """Keep these fields of tuples, in this order, without keys."""
        return self._stream.project(*field_indexes)

    def union(self, *others: DataStream[T] | KeyedStream[T, Any]) -> DataStream[T]:
        """All elements of this stream and the others, without keys."""
        return self._stream.union(*others)

    @overload
    def connect(self, ds: DataStream[T2] | KeyedStream[T2, Any]) -> ConnectedStreams[T, T2]: ...

    @overload
    def connect(self, ds: BroadcastStream[T2]) -> BroadcastConnectedStream[T, T2]: ...

    def connect(
        self, ds: DataStream[T2] | KeyedStream[T2, Any] | BroadcastStream[T2]
    ) -> ConnectedStreams[T, T2] | BroadcastConnectedStream[T, T2]:
        """Give the elements of this stream and another to one function; keyed, those of one key meet."""
        return connected(self._stream._env, self._input, ds)

    def interval_join(self, other: KeyedStream[T2, Any]) -> IntervalJoined[T, T2]:
        """Pairs of elements of one key whose times are near each other: ``between`` and ``process`` say the rest."""
        return IntervalJoined(self, other)

    intervalJoin = interval_join

    @property
    def _input(self) -> KeyedInput:
        return KeyedInput(node=self._stream._id, selector=self._selector, key_type=self._key_type)

    def window_all(self, window_assigner: WindowAssigner[Any, W]) -> AllWindowedStream[T, W]:
        """Put all elements into windows, whatever their keys; one subtask has them all."""
        return self._stream.window_all(window_assigner)

    windowAll = window_all

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[T]) -> DataStream[T]:
        """Give the elements event times and watermarks; the keys are lost, as in Flink."""
        return self._stream.assign_timestamps_and_watermarks(watermark_strategy)

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    def window(self, window_assigner: WindowAssigner[Any, W]) -> WindowedStream[T, K, W]:
        """Put the elements of each key into windows."""
        return WindowedStream(self._stream, self._input, WindowOperation(assigner=window_assigner))

    def count_window(self, size: int, slide: int = 0) -> WindowedStream[T, K, CountWindow]:
        """Put the elements of each key into windows of ``size`` elements, one every ``slide`` (or ``size``) elements.

        Same as in PyFlink: a window fires when it is full, and one that is not full never does.
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

    def _end(self, name: str, sink: KafkaSink[Any] | JdbcSink | FileSink | PrintSink | CollectSink) -> DataStreamSink:
        return self._stream._end(name, sink)
