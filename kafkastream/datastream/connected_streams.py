"""Two streams processed by one function: ``ConnectedStreams``, and ``BroadcastConnectedStream`` with broadcast state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from kafkastream.datastream.stream import DataStream, add_keyed_operator
from kafkastream.errors import ArgumentError, DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stream_functions import Function, KeySelector
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.functions.co_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
)
from kafkastream.model.functions.state_descriptors import MapStateDescriptor
from kafkastream.model.graph.job_graph import KeyedInput, OperatorKind

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment
    from kafkastream.datastream.keyed_stream import KeyedStream

__all__ = ["BroadcastConnectedStream", "BroadcastStream", "ConnectedStreams", "connected"]

IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
T = TypeVar("T")
K = TypeVar("K")
OUT = TypeVar("OUT")


@final
@checked_methods
class ConnectedStreams(Generic[IN1, IN2]):
    """Two connected streams, possibly of different types; either both are keyed or neither is."""

    def __init__(self, env: StreamExecutionEnvironment, first: KeyedInput, second: KeyedInput) -> None:
        self._env = env
        self._inputs = (first, second)

    def key_by(
        self,
        key_selector1: KeySelector[IN1, K] | Callable[[IN1], K],
        key_selector2: KeySelector[IN2, K] | Callable[[IN2], K],
        key_type: TypeInformation[K] | None = None,
    ) -> ConnectedStreams[IN1, IN2]:
        """Partition both streams by key, so that elements with equal keys share keyed state.

        Args:
            key_selector1: Function that returns the key of an element of the first stream, or ``KeySelector``.
            key_selector2: Function that returns the key of an element of the second stream, or ``KeySelector``.
            key_type: Type into which the keys of both are converted.
        """
        first, second = self._inputs
        return ConnectedStreams(
            self._env,
            KeyedInput(node=first.node, selector=snapshot(key_selector1), key_type=key_type),
            KeyedInput(node=second.node, selector=snapshot(key_selector2), key_type=key_type),
        )

    keyBy = key_by

    def map(
        self, func: CoMapFunction[IN1, IN2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into exactly one, with ``map1`` or ``map2`` by its stream.

        Args:
            func: ``CoMapFunction``; a result of None is dropped, as in PyFlink.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: Only one of the streams is keyed.
        """
        return self._apply(OperatorKind.CO_MAP, func, output_type)

    def flat_map(
        self, func: CoFlatMapFunction[IN1, IN2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more, with ``flat_map1`` or ``flat_map2`` by its stream.

        Args:
            func: ``CoFlatMapFunction``.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: Only one of the streams is keyed.
        """
        return self._apply(OperatorKind.CO_FLAT_MAP, func, output_type)

    flatMap = flat_map

    def process(
        self,
        func: CoProcessFunction[IN1, IN2, OUT] | KeyedCoProcessFunction[Any, IN1, IN2, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more, with timestamps and side outputs.

        Keyed streams also have state and timers.

        Args:
            func: ``CoProcessFunction``; on keyed streams also ``KeyedCoProcessFunction``.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            ArgumentError: The function is of another class.
            DefinitionError: Only one of the streams is keyed.
        """
        kinds = (CoProcessFunction, KeyedCoProcessFunction) if self._is_keyed else (CoProcessFunction,)
        return self._apply(OperatorKind.CO_PROCESS, _checked_kind(func, *kinds), output_type)

    @property
    def _is_keyed(self) -> bool:
        keyed = {stream.selector is not None for stream in self._inputs}
        if len(keyed) == 2:
            raise DefinitionError(
                "one of two connected streams is keyed, and the other is not", now="Call key_by on both, or on neither."
            )
        return keyed == {True}

    def _apply(
        self, kind: OperatorKind, function: Function, output_type: TypeInformation[OUT] | None
    ) -> DataStream[OUT]:
        _ = self._is_keyed
        return add_keyed_operator(self._env, self._inputs, kind, function, output_type)


@final
class BroadcastStream(Generic[T]):
    """Stream whose elements are sent to every subtask, as returned by ``DataStream.broadcast``."""

    def __init__(self, stream: DataStream[T], descriptors: Sequence[MapStateDescriptor[Any, Any]]) -> None:
        if not descriptors or not all(isinstance(one, MapStateDescriptor) for one in descriptors):
            raise DefinitionError(
                "broadcast takes one MapStateDescriptor or more",
                where="DataStream.broadcast",
                now="Without one, Flink would hand each element to every subtask: flat_map can repeat elements.",
            )
        self._stream = stream
        self._descriptors = descriptors


@final
@checked_methods
class BroadcastConnectedStream(Generic[IN1, IN2]):
    """Stream, keyed or not, connected with a broadcast stream."""

    def __init__(self, env: StreamExecutionEnvironment, own: KeyedInput, broadcast: BroadcastStream[IN2]) -> None:
        self._env = env
        self._inputs = (own, KeyedInput(node=broadcast._stream._id, is_broadcast=True))
        self._descriptors = broadcast._descriptors

    def process(
        self,
        func: BroadcastProcessFunction[IN1, IN2, OUT] | KeyedBroadcastProcessFunction[Any, IN1, IN2, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Transform each element into zero, one or more, with broadcast state.

        Differs from Flink: within a micro-batch, broadcast elements are processed before the others.

        Args:
            func: ``BroadcastProcessFunction``, or ``KeyedBroadcastProcessFunction`` if the first stream is keyed.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            ArgumentError: The function is of another class.
        """
        kind = BroadcastProcessFunction if self._inputs[0].selector is None else KeyedBroadcastProcessFunction
        function = _checked_kind(func, kind)
        return add_keyed_operator(
            self._env, self._inputs, OperatorKind.BROADCAST_PROCESS, function, output_type, self._descriptors
        )


def connected(
    env: StreamExecutionEnvironment,
    own: KeyedInput,
    other: DataStream[IN2] | KeyedStream[IN2, Any] | BroadcastStream[IN2],
) -> ConnectedStreams[Any, IN2] | BroadcastConnectedStream[Any, IN2]:
    """Connect a stream with another, or with a broadcast one.

    Args:
        env: Environment of both streams.
        own: First stream, with its key if it is keyed.
        other: Second stream.
    """
    if isinstance(other, BroadcastStream):
        return BroadcastConnectedStream(env, own, other)
    return ConnectedStreams(env, own, other._input)


def _checked_kind(function: Any, *kinds: type[Function]) -> Any:
    """Return the function if it is an instance of one of the classes.

    Raises:
        ArgumentError: The function is of no such class.
    """
    if not isinstance(function, kinds):
        wanted = " or a ".join(kind.__name__ for kind in kinds)
        raise ArgumentError(
            f"this takes a {wanted}, not {type(function).__name__}", where="process of connected streams"
        )
    return function
