"""``DataStream``: transformations of a stream; each adds an operator to the environment's job graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, final, overload

from typing_extensions import TypeVar

from kafkastream.datastream.operator_handle import StreamHandle
from kafkastream.datastream.stream_outputs import DataStreamSink, StreamOutputs
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.html import html_table
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.projection import Projection
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.stream_functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    KeySelector,
    MapFunction,
)
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.model.functions.process_functions import ProcessFunction
from kafkastream.model.functions.state_descriptors import MapStateDescriptor
from kafkastream.model.graph.job_graph import (
    KeyedInput,
    KeyedNode,
    OperatorKind,
    OperatorNode,
    SideOutputNode,
    SinkNode,
    UnionNode,
)
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import Window, WindowAssigner

if TYPE_CHECKING:
    from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
    from kafkastream.datastream.environment import StreamExecutionEnvironment
    from kafkastream.datastream.joined_streams import CoGroupedStreams, JoinedStreams
    from kafkastream.datastream.keyed_stream import KeyedStream
    from kafkastream.datastream.windowed_stream import AllWindowedStream

__all__ = ["NO_CACHE", "DataStream", "add_keyed_operator"]

NO_CACHE: Final = "Write the stream to a topic and read the topic, or collect its elements with execute_and_collect."

T = TypeVar("T", default=Any)
K = TypeVar("K")
T2 = TypeVar("T2")
OUT = TypeVar("OUT")
W = TypeVar("W", bound=Window)


@final
@checked_methods
class DataStream(StreamHandle, StreamOutputs[T], Generic[T]):
    """Stream of elements of one type.

    Functions may be lambdas, plain functions, or instances of ``MapFunction`` and its like.
    With an ``output_type``, elements become values of that type where Flink serializes them (see docs/types.md);
    without one they stay the Python objects that the function returned.

    Example:
        >>> from kafkastream.datastream import StreamExecutionEnvironment
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> words = env.from_elements("to be", "or not").flat_map(str.split).name("split")
        >>> words.get_name()
        'split'
    """

    _j_data_stream = Refused()

    def _repr_html_(self) -> str:
        """Return name, type and parallelism of the stream for a notebook."""
        parallelism = str(self._env._node(self._id).parallelism or self._env.get_parallelism())
        return html_table(
            ["stream", "type", "parallelism"], [[self.get_name(), str(self.get_type() or ""), parallelism]]
        )

    def get_name(self) -> str:
        """Return the name of the operator that produces this stream."""
        return self._env._node(self._id).name

    getName = get_name

    def get_type(self) -> TypeInformation[T] | None:
        """Return the type of the elements, or None if none was declared."""
        return self._env._node(self._id).output_type

    getType = get_type

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Return the environment in which the stream was created."""
        return self._env

    getExecutionEnvironment = get_execution_environment

    def get_execution_config(self) -> ExecutionConfig:
        """Return the execution settings of the job."""
        return self._env.get_config()

    getExecutionConfig = get_execution_config

    def cache(self) -> NoReturn:
        """Not supported: elements are not kept for later jobs of the program.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError("a stream cannot be cached", where=f"cache of {self.get_name()!r}", now=NO_CACHE)

    def map(
        self, func: Callable[[T], OUT] | MapFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into exactly one.

        Args:
            func: Function of an element, or ``MapFunction``.
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
            func: Function of an element that returns an iterable or yields, or ``FlatMapFunction``.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(OperatorKind.FLAT_MAP, func, output_type)

    flatMap = flat_map

    def filter(self, func: Callable[[T], object] | FilterFunction[T]) -> DataStream[T]:
        """Keep the elements for which ``func`` returns a true value."""
        return self._apply(OperatorKind.FILTER, func, self.get_type())

    def project(self, *field_indexes: int) -> DataStream[tuple[Any, ...]]:
        """Select fields of tuples, in the order given.

        Args:
            field_indexes: Positions of the fields, from 0; a field may be repeated.

        Raises:
            DefinitionError: The stream has no tuple type, or its tuples have no such field.
        """
        projection = Projection.of(self.get_type(), field_indexes)
        return self._apply(OperatorKind.MAP, projection, projection.output_type).name("Projection")

    def process(
        self, func: ProcessFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more, with its timestamp and side outputs.

        Timers need a key: call ``key_by`` first, as in Flink.

        Args:
            func: Function whose ``process_element`` yields results, or ``(tag, value)`` for a side output.
            output_type: Type of the results; without one they stay Python objects.
        """
        return self._apply(OperatorKind.PROCESS, func, output_type)

    def union(self, *others: DataStream[T] | KeyedStream[T, Any]) -> DataStream[T]:
        """Merge this stream and others of the same type, in no order between streams.

        Raises:
            DefinitionError: A stream belongs to another environment.
        """
        streams = [other if isinstance(other, DataStream) else other._stream for other in others]
        if any(stream._env is not self._env for stream in streams):
            raise DefinitionError(
                "streams of two environments cannot be united",
                where="union",
                now="Create all of them with one StreamExecutionEnvironment.",
            )
        merged = (self._id, *(stream._id for stream in streams))
        node = UnionNode(id=self._env._next_id(), name="Union", merged=merged, output_type=self.get_type())
        return DataStream(self._env, self._env._add(node))

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[T]) -> DataStream[T]:
        """Assign event timestamps with the strategy's ``TimestampAssigner``, and generate watermarks from them.

        Prefer a strategy given to ``from_source``: watermarks are then generated per Kafka partition, so that a
        partition which lags behind does not make its records late.
        """
        return self._apply(OperatorKind.TIMESTAMPS, watermark_strategy, self.get_type())

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    def key_by(
        self, key_selector: KeySelector[T, K] | Callable[[T], K], key_type: TypeInformation[K] | None = None
    ) -> KeyedStream[T, K]:
        """Partition the stream by key: functions on it have keyed state and timers.

        Same as in Flink: elements of one key that come from one partition stay in order.
        Without a type, keys are grouped by Python type and value, as between Flink's subtasks (within one subtask,
        PyFlink mixes up keys that Python finds equal, such as 1 and 1.0).

        Args:
            key_selector: Function that returns an element's key, or ``KeySelector``; without a type, keys have to be
                hashable.
            key_type: Type into which keys are converted before they are grouped, as in Flink. A checkpoint keeps it,
                and a program with another key type is refused.
        """
        from kafkastream.datastream.keyed_stream import KeyedStream

        return KeyedStream(self, key_selector, key_type)

    keyBy = key_by

    @overload
    def connect(self, ds: DataStream[T2] | KeyedStream[T2, Any]) -> ConnectedStreams[T, T2]: ...

    @overload
    def connect(self, ds: BroadcastStream[T2]) -> BroadcastConnectedStream[T, T2]: ...

    def connect(
        self, ds: DataStream[T2] | KeyedStream[T2, Any] | BroadcastStream[T2]
    ) -> ConnectedStreams[T, T2] | BroadcastConnectedStream[T, T2]:
        """Connect this stream with another, possibly of another type, so that one function processes both.

        Differs from Flink: attributes of a function last only as long as its Python worker; what both inputs share
        belongs in keyed or broadcast state.

        Args:
            ds: Stream, keyed stream, or broadcast stream.
        """
        from kafkastream.datastream.connected_streams import connected

        return connected(self._env, self._input, ds)

    @property
    def _input(self) -> KeyedInput:
        """Input of a stateful operator: this stream, without key."""
        return KeyedInput(node=self._id)

    def broadcast(
        self,
        broadcast_state_descriptor: MapStateDescriptor[Any, Any] | None = None,
        *other_broadcast_state_descriptors: MapStateDescriptor[Any, Any],
    ) -> BroadcastStream[T]:
        """Send each element to every subtask of the function that another stream is connected with.

        Args:
            broadcast_state_descriptor: Broadcast state that the function may read and, for broadcast elements, write.
            other_broadcast_state_descriptors: Further broadcast states.

        Raises:
            DefinitionError: No descriptor is given.
        """
        from kafkastream.datastream.connected_streams import BroadcastStream

        given = (broadcast_state_descriptor, *other_broadcast_state_descriptors)
        return BroadcastStream(self, tuple(descriptor for descriptor in given if descriptor is not None))

    def join(self, other: DataStream[T2]) -> JoinedStreams[T, T2]:
        """Join elements that share a key and a window: continue with ``where``, ``equal_to``, ``window``, ``apply``.

        Args:
            other: Second stream; its elements may have another type.
        """
        from kafkastream.datastream.joined_streams import JoinedStreams

        return JoinedStreams(self, other)

    def co_group(self, other: DataStream[T2]) -> CoGroupedStreams[T, T2]:
        """Group elements that share a key and a window: continue with ``where``, ``equal_to``, ``window``, ``apply``.

        Args:
            other: Second stream; its elements may have another type.
        """
        from kafkastream.datastream.joined_streams import CoGroupedStreams

        return CoGroupedStreams(self, other)

    coGroup = co_group

    def window_all(self, window_assigner: WindowAssigner[Any, W]) -> AllWindowedStream[T, W]:
        """Assign all elements to windows regardless of key; as in Flink, a single subtask processes them all.

        Args:
            window_assigner: Assigner of windows, such as ``TumblingEventTimeWindows.of(Time.minutes(1))``.
        """
        from kafkastream.datastream.windowed_stream import AllWindowedStream

        return AllWindowedStream(self, WindowOperation(assigner=window_assigner))

    windowAll = window_all

    def get_side_output(self, output_tag: OutputTag[OUT]) -> DataStream[OUT]:
        """Return the elements that this operator's function has emitted to a side output.

        Args:
            output_tag: Tag that the function yields with the elements; its type is the type of the side output.
        """
        node = SideOutputNode(
            id=self._env._next_id(),
            name=f"Side output {output_tag.tag_id}",
            input=self._id,
            tag=output_tag,
            output_type=output_tag.type_info,
        )
        return DataStream(self._env, self._env._add(node))

    getSideOutput = get_side_output

    def _apply(
        self,
        kind: OperatorKind,
        function: Function | Callable[..., Any] | WatermarkStrategy[Any],
        output_type: TypeInformation[OUT] | None,
    ) -> DataStream[OUT]:
        node = OperatorNode(
            id=self._env._next_id(),
            name=kind.value,
            input=self._id,
            kind=kind,
            function=snapshot(function),
            output_type=output_type,
        )
        return DataStream(self._env, self._env._add(node))

    def _end(self, name: str, sink: Sink) -> DataStreamSink:
        node = SinkNode(id=self._env._next_id(), name=name, input=self._id, sink=sink, output_type=self.get_type())
        return DataStreamSink(self._env, self._env._add(node))


def add_keyed_operator(
    env: StreamExecutionEnvironment,
    inputs: Sequence[KeyedInput],
    kind: OperatorKind,
    function: Function | Callable[..., Any] | KeyedOperation,
    output_type: TypeInformation[OUT] | None,
    broadcast: Sequence[MapStateDescriptor[Any, Any]] = (),
) -> DataStream[OUT]:
    """Add a stateful operator with one or two inputs to the job graph, and return its output.

    Args:
        env: Environment of the inputs.
        inputs: Streams with their keys.
        kind: Kind of the operator, which is also its name unless the function has one.
        function: User function, or description of the operation.
        output_type: Type of the results; None for Python objects.
        broadcast: Descriptors of the broadcast state, for an operator with a broadcast input.
    """
    node = KeyedNode(
        id=env._next_id(),
        name=function.name if isinstance(function, WindowOperation) else kind.value,
        keyed=tuple(inputs),
        kind=kind,
        function=snapshot(function),
        broadcast=tuple(broadcast),
        output_type=output_type,
    )
    return DataStream(env, env._add(node))
