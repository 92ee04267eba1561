"""A stream of elements, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, final, overload

from typing_extensions import Self, TypeVar

from kafkastream.datastream.operator_handle import OperatorHandle, StreamHandle
from kafkastream.errors import ArgumentError, DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.projection import Projection
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stream_functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    KeySelector,
    MapFunction,
)
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.file_sink import FileSink, StreamingFileSink
from kafkastream.model.connectors.jdbc_sink import JdbcSink
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.legacy_connectors import FlinkKafkaProducer
from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.model.functions.process_functions import ProcessFunction
from kafkastream.model.functions.state_descriptors import MapStateDescriptor
from kafkastream.model.graph.job_graph import (
    CollectSink,
    KeyedInput,
    KeyedNode,
    OperatorKind,
    OperatorNode,
    PrintSink,
    SideOutputNode,
    SinkNode,
    UnionNode,
)
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import Window, WindowAssigner

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment
    from kafkastream.datastream.joined_streams import CoGroupedStreams, JoinedStreams

from kafkastream.datastream.functions import Partitioner
from kafkastream.datastream.slot_sharing_group import SlotSharingGroup
from kafkastream.model.common.endpoints import SinkFunction
from kafkastream.model.common.row import Row
from kafkastream.model.common.stand_ins import Refused, StandIn
from kafkastream.model.common.stream_functions import AggregateFunction, ReduceFunction
from kafkastream.model.common.types import Types
from kafkastream.model.functions.co_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
)
from kafkastream.model.functions.process_functions import KeyedProcessFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.window_functions import ProcessWindowFunction, WindowFunction
from kafkastream.model.windows.windows import MergingWindowAssigner

__all__ = [
    "WINDOW_STATE_NAME",
    "AggregateFunction",
    "AllWindowedStream",
    "BroadcastConnectedStream",
    "BroadcastProcessFunction",
    "BroadcastStream",
    "CachedDataStream",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "ExecutionConfig",
    "FilterFunction",
    "FlatMapFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "MergingWindowAssigner",
    "OutputTag",
    "Partitioner",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "Row",
    "RuntimeContext",
    "SinkFunction",
    "SlotSharingGroup",
    "Trigger",
    "TypeInformation",
    "Types",
    "WatermarkStrategy",
    "WindowAssigner",
    "WindowFunction",
    "WindowedStream",
]

WINDOW_STATE_NAME: Final = "window-contents"
_CACHED: Final = "Write it to a topic and read that, or take its elements with execute_and_collect."

T = TypeVar("T", default=Any)
K = TypeVar("K")
T2 = TypeVar("T2")
OUT = TypeVar("OUT")
W = TypeVar("W", bound=Window)
T_co = TypeVar("T_co", covariant=True)


class CloseableIterator(Protocol[T_co]):
    """The elements of a running job, one by one; leaving the ``with`` block, or ``close``, cancels the job."""

    def __iter__(self) -> Iterator[T_co]: ...

    def __next__(self) -> T_co: ...

    def next(self) -> T_co:
        """The next element; ``StopIteration`` when the job has ended."""

    def close(self) -> None:
        """Cancel the job."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@final
class DataStreamSink(OperatorHandle):
    """The end of a stream."""

    _j_data_stream_sink = Refused()


@final
@checked_methods
class DataStream(StreamHandle, Generic[T]):
    """A stream of elements of one type.

    Functions may be lambdas, plain functions, or instances of ``MapFunction`` and its like.
    Elements become values of an ``output_type`` where Flink serializes them (see docs/types.md); without one they stay
    Python objects.
    """

    _j_data_stream = Refused()

    def get_name(self) -> str:
        """The operator's name."""
        return self._env._node(self._id).name

    getName = get_name

    def get_type(self) -> TypeInformation[T] | None:
        """The type of the elements, if it was given."""
        return self._env._node(self._id).output_type

    getType = get_type

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment that this stream belongs to."""
        return self._env

    getExecutionEnvironment = get_execution_environment

    def get_execution_config(self) -> ExecutionConfig:
        """The settings of the job."""
        return self._env.get_config()

    getExecutionConfig = get_execution_config

    def cache(self) -> NoReturn:
        """Refused: a stream's elements are not kept for the next job.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "a stream cannot be cached",
            where=f"cache of {self.get_name()!r}",
            now=_CACHED,
        )

    def map(
        self, func: Callable[[T], OUT] | MapFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Put one element in the place of each."""
        return self._apply(OperatorKind.MAP, func, output_type)

    def flat_map(
        self,
        func: Callable[[T], Iterable[OUT]] | FlatMapFunction[T, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Put any number of elements in the place of each: what ``func`` returns or yields."""
        return self._apply(OperatorKind.FLAT_MAP, func, output_type)

    flatMap = flat_map

    def filter(self, func: Callable[[T], object] | FilterFunction[T]) -> DataStream[T]:
        """Keep the elements for which ``func`` is true."""
        return self._apply(OperatorKind.FILTER, func, self.get_type())

    def project(self, *field_indexes: int) -> DataStream[tuple[Any, ...]]:
        """Keep these fields of tuples, in this order.

        Raises:
            DefinitionError: The stream's type is none of tuples, or they have no such field.
        """
        projection = Projection.of(self.get_type(), field_indexes)
        return self._apply(OperatorKind.MAP, projection, projection.output_type).name("Projection")

    def process(
        self, func: ProcessFunction[T, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Put any number of elements in the place of each, knowing its timestamp."""
        return self._apply(OperatorKind.PROCESS, func, output_type)

    def union(self, *others: DataStream[T] | KeyedStream[T, Any]) -> DataStream[T]:
        """All elements of this stream and the others; no order between streams."""
        streams = [other if isinstance(other, DataStream) else other._stream for other in others]
        if any(stream._env is not self._env for stream in streams):
            raise DefinitionError("streams of two environments cannot be united", where="union")
        merged = (self._id, *(stream._id for stream in streams))
        node = UnionNode(id=self._env._next_id(), name="Union", merged=merged, output_type=self.get_type())
        return DataStream(self._env, self._env._add(node))

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[T]) -> DataStream[T]:
        """Give each element the event time that the strategy's timestamp assigner finds."""
        return self._apply(OperatorKind.TIMESTAMPS, watermark_strategy, self.get_type())

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Write each element to standard output, as Flink does: ``identifier:subtask> value``.

        Differs from Flink: output appears in the program's own terminal, batch by batch, also on a cluster.
        """
        return self._end("Print to Std. Out", PrintSink(sink_identifier or ""))

    def print_to_err(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Like ``print``, on standard error."""
        return self._end("Print to Std. Err", PrintSink(sink_identifier or "", to_err=True))

    printToErr = print_to_err

    def sink_to(self, sink: KafkaSink[T] | FileSink) -> DataStreamSink:
        """Write the elements to a sink: of Kafka, or of files."""
        return self._end("Writer", sink)

    sinkTo = sink_to

    def add_sink(self, sink_func: FlinkKafkaProducer[T] | JdbcSink | StreamingFileSink) -> DataStreamSink:
        """Write the elements with a producer of Flink 1.x, to a database with ``JdbcSink``, or to files.

        Raises:
            DefinitionError: One of the producer's properties is wrong.
        """
        return self._end("Unnamed", sink_func.to_sink())

    addSink = add_sink

    @overload
    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: None = None
    ) -> CloseableIterator[T]: ...

    @overload
    def execute_and_collect(self, job_execution_name: str | None = None, *, limit: int) -> list[T]: ...

    @overload
    def execute_and_collect(self, job_execution_name: str | None, limit: int) -> list[T]: ...

    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: int | None = None
    ) -> CloseableIterator[T] | list[T]:
        """Run the job and iterate over this stream's elements, or take a list of the first ``limit``.

        The iterator is a context manager; close it to cancel a job that has no end.

        Raises:
            DefinitionError: The limit is less than 1.
            KafkastreamError: The job cannot start.
        """
        if limit is not None and limit < 1:
            raise DefinitionError(f"limit {limit} is less than 1", where="execute_and_collect", now="Give 1 or more.")
        self._end("Collect", CollectSink())
        elements: CloseableIterator[T] = self._env._collect(job_execution_name)
        if limit is None:
            return elements
        with elements:
            return list(islice(elements, limit))

    executeAndCollect = execute_and_collect

    def key_by(
        self, key_selector: KeySelector[T, K] | Callable[[T], K], key_type: TypeInformation[K] | None = None
    ) -> KeyedStream[T, K]:
        """Sort the elements by a key: functions on what comes of it have state for each key, and timers.

        Same as in Flink: elements of one key that come of one partition stay in order.
        Where ``key_type`` is given, keys become values of this type before they are grouped, as in Flink; a checkpoint
        keeps the type, and a program with another one is refused.
        Without a type, keys have to be hashable. They are grouped by type and value, as they are
        between Flink's subtasks (within one, PyFlink mixes up what Python finds equal).
        """
        return KeyedStream(self, key_selector, key_type)

    keyBy = key_by

    @overload
    def connect(self, ds: DataStream[T2] | KeyedStream[T2, Any]) -> ConnectedStreams[T, T2]: ...

    @overload
    def connect(self, ds: BroadcastStream[T2]) -> BroadcastConnectedStream[T, T2]: ...

    def connect(
        self, ds: DataStream[T2] | KeyedStream[T2, Any] | BroadcastStream[T2]
    ) -> ConnectedStreams[T, T2] | BroadcastConnectedStream[T, T2]:
        """Give the elements of this stream and another to one function.

        Differs from Flink: a function's own fields last as long as a Python worker; use keyed or broadcast state for
        what is to be remembered.
        """
        from kafkastream.datastream.connected_streams import connected

        return connected(self._env, self._input, ds)

    @property
    def _input(self) -> KeyedInput:
        """This stream as the input of an operator that has state."""
        return KeyedInput(node=self._id)

    def broadcast(
        self,
        broadcast_state_descriptor: MapStateDescriptor[Any, Any] | None = None,
        *other_broadcast_state_descriptors: MapStateDescriptor[Any, Any],
    ) -> BroadcastStream[T]:
        """Have each element come to every subtask of the function that this is connected to.

        Args:
            broadcast_state_descriptor: A state that the function may ask for.
            other_broadcast_state_descriptors: More of them.

        Raises:
            DefinitionError: There is none.
        """
        given = (broadcast_state_descriptor, *other_broadcast_state_descriptors)
        return BroadcastStream(self, tuple(one for one in given if one is not None))

    def join(self, other: DataStream[T2]) -> JoinedStreams[T, T2]:
        """Pairs of elements that share a key and a window: ``where``, ``equal_to``, ``window``, ``apply`` say the rest."""
        from kafkastream.datastream.joined_streams import JoinedStreams

        return JoinedStreams(self, other)

    def co_group(self, other: DataStream[T2]) -> CoGroupedStreams[T, T2]:
        """All elements that share a key and a window: ``where``, ``equal_to``, ``window``, ``apply`` say the rest."""
        from kafkastream.datastream.joined_streams import CoGroupedStreams

        return CoGroupedStreams(self, other)

    coGroup = co_group

    def window_all(self, window_assigner: WindowAssigner[Any, W]) -> AllWindowedStream[T, W]:
        """Put all elements into windows, without keys; one subtask has them all."""
        return AllWindowedStream(self, WindowOperation(assigner=window_assigner))

    windowAll = window_all

    def get_side_output(self, output_tag: OutputTag[OUT]) -> DataStream[OUT]:
        """What the function of this operator has written to a side output."""
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

    def _end(self, name: str, sink: KafkaSink[Any] | JdbcSink | FileSink | PrintSink | CollectSink) -> DataStreamSink:
        node = SinkNode(id=self._env._next_id(), name=name, input=self._id, sink=sink, output_type=self.get_type())
        return DataStreamSink(self._env, self._env._add(node))


def keyed_operator(
    env: StreamExecutionEnvironment,
    inputs: Sequence[KeyedInput],
    kind: OperatorKind,
    function: Function | Callable[..., Any] | KeyedOperation,
    output_type: TypeInformation[OUT] | None,
    broadcast: Sequence[MapStateDescriptor[Any, Any]] = (),
) -> DataStream[OUT]:
    """What comes of an operator on the keys of streams."""
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


def of_kind(function: Any, *kinds: type[Function]) -> Any:
    """A function that is of one of these kinds.

    Raises:
        ArgumentError: It is not.
    """
    if not isinstance(function, kinds):
        wanted = " or a ".join(kind.__name__ for kind in kinds)
        raise ArgumentError(f"this takes a {wanted}, not {type(function).__name__}")
    return function


class CachedDataStream(StandIn, instead=_CACHED):
    """Keeps its elements for the next job."""


# PyFlink has all streams in one module; these need the classes above.
from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams  # noqa: E402
from kafkastream.datastream.keyed_stream import KeyedStream  # noqa: E402
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream  # noqa: E402
