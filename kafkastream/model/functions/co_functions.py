"""User functions on two connected streams, with and without keys and broadcast state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Protocol

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.output_tag import Outputs
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.keyed_state import Cell
from kafkastream.model.functions.map_state import BroadcastState, ReadOnlyBroadcastState
from kafkastream.model.functions.process_functions import Keyed, KeyedProcessFunction, ProcessFunction, Timers
from kafkastream.model.functions.state_descriptors import MapStateDescriptor

__all__ = [
    "BaseBroadcastProcessFunction",
    "BroadcastCells",
    "BroadcastProcessFunction",
    "BroadcastStates",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
]

IN1_contra = TypeVar("IN1_contra", contravariant=True, default=Any)
IN2_contra = TypeVar("IN2_contra", contravariant=True, default=Any)
KEY = TypeVar("KEY", default=Any)
OUT = TypeVar("OUT", default=Any)
K = TypeVar("K", default=Any)
V = TypeVar("V", default=Any)


class CoMapFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function that returns one element for each element of either stream."""

    @abstractmethod
    def map1(self, value: IN1_contra) -> OUT:
        """Return the element that replaces ``value`` of the first stream."""

    @abstractmethod
    def map2(self, value: IN2_contra) -> OUT:
        """Return the element that replaces ``value`` of the second stream."""


class CoFlatMapFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function that returns any number of elements for each element of either stream."""

    @abstractmethod
    def flat_map1(self, value: IN1_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements that replace ``value`` of the first stream."""

    @abstractmethod
    def flat_map2(self, value: IN2_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements that replace ``value`` of the second stream."""


class CoProcessFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """Process function on two connected streams without keys."""

    class Context(ProcessFunction.Context):
        """Timestamp of the element and the current time; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element1(self, value: IN1_contra, ctx: CoProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the first stream.

        Args:
            value: The element.
            ctx: Timestamp of the element and the current time.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    @abstractmethod
    def process_element2(self, value: IN2_contra, ctx: CoProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the second stream.

        Args:
            value: The element.
            ctx: Timestamp of the element and the current time.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """


class KeyedCoProcessFunction(Function, ABC, Generic[KEY, IN1_contra, IN2_contra, OUT]):
    """Process function on two keyed streams: elements with the same key share keyed state and timers."""

    class Context(KeyedProcessFunction.Context):
        """Timestamp and key of the element, and the current time; valid only during one call."""

        __slots__ = ()

    class OnTimerContext(KeyedProcessFunction.OnTimerContext):
        """Time, key and time domain of the timer; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element1(self, value: IN1_contra, ctx: KeyedCoProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the first stream.

        Args:
            value: The element.
            ctx: Timestamp and key of the element, and the timer service.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    @abstractmethod
    def process_element2(self, value: IN2_contra, ctx: KeyedCoProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the second stream.

        Args:
            value: The element.
            ctx: Timestamp and key of the element, and the timer service.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Outputs[OUT]:
        """Yield, or return, elements when a timer fires.

        Args:
            timestamp: Time for which the timer was registered, in ms since the epoch.
            ctx: Time, key and time domain of the timer, and the timer service.
        """
        return None


class BroadcastCells(Protocol):
    """Storage of broadcast state."""

    def broadcast_cell(self, descriptor: MapStateDescriptor[Any, Any]) -> Cell:
        """Return the cell of ``descriptor``; its content is equal in every subtask."""


class BroadcastStates:
    """Broadcast states that a stream was declared with."""

    def __init__(self, cells: BroadcastCells, names: frozenset[str]) -> None:
        self._cells = cells
        self._names = names

    def cell(self, descriptor: MapStateDescriptor[Any, Any]) -> Cell:
        """Return the cell of a declared broadcast state.

        Raises:
            DefinitionError: The stream was not declared with ``descriptor``.
        """
        if descriptor.name not in self._names:
            raise DefinitionError(
                f"The requested state does not exist: {descriptor.name!r} was not given to broadcast()",
                now=f"broadcast() was given {', '.join(sorted(self._names)) or 'nothing'}.",
            )
        return self._cells.broadcast_cell(descriptor)


class _BaseContext(ProcessFunction.Context):
    """Timestamp of the element and the current time."""

    def current_processing_time(self) -> int:
        """Return the worker's wall clock, in ms since the epoch."""
        return self.timer_service().current_processing_time()

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> int:
        """Return the operator's watermark, in ms since the epoch; ``-2**63`` before the first one."""
        return self.timer_service().current_watermark()

    currentWatermark = current_watermark


class _BroadcastContext(_BaseContext):
    """Context of broadcast elements: broadcast state may be changed."""

    def __init__(self, timers: Timers | None, broadcast: BroadcastStates) -> None:
        super().__init__(timers)
        self._broadcast = broadcast

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor[K, V]) -> BroadcastState[K, V]:
        """Return the broadcast state of ``state_descriptor``, for reading and writing.

        Warning:
            Change broadcast state in the same way in every subtask: the changes may depend only on the broadcast
            elements, since subtasks do not exchange their state.

        Raises:
            DefinitionError: The stream was not broadcast with ``state_descriptor``.
        """
        return BroadcastState(self._broadcast.cell(state_descriptor))

    getBroadcastState = get_broadcast_state


class _BroadcastReader:
    """Part of a context through which broadcast state can only be read."""

    _broadcast: BroadcastStates

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor[K, V]) -> ReadOnlyBroadcastState[K, V]:
        """Return the broadcast state of ``state_descriptor``, for reading.

        Raises:
            DefinitionError: The stream was not broadcast with ``state_descriptor``.
        """
        return ReadOnlyBroadcastState(self._broadcast.cell(state_descriptor))

    getBroadcastState = get_broadcast_state


class _ReadOnlyContext(_BroadcastReader, _BaseContext):
    """Context of the elements that are not broadcast."""

    def __init__(self, timers: Timers | None, broadcast: BroadcastStates) -> None:
        super().__init__(timers)
        self._broadcast = broadcast


class BaseBroadcastProcessFunction(Function, ABC):
    """Base of ``BroadcastProcessFunction`` and ``KeyedBroadcastProcessFunction``."""

    class BaseContext(_BaseContext):
        """Timestamp of the element and the current time."""

    class Context(_BroadcastContext):
        """Context of broadcast elements."""

    class ReadOnlyContext(_ReadOnlyContext):
        """Context of elements of the other stream."""


class BroadcastProcessFunction(BaseBroadcastProcessFunction, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """Process function on a stream without keys that is connected to a broadcast stream."""

    @abstractmethod
    def process_element(self, value: IN1_contra, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Outputs[OUT]:
        """Process an element of the stream that is not broadcast.

        Args:
            value: The element.
            ctx: Timestamp of the element, the current time, and broadcast state for reading.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    @abstractmethod
    def process_broadcast_element(self, value: IN2_contra, ctx: BroadcastProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the broadcast stream, which every subtask receives, and update broadcast state.

        Args:
            value: The element.
            ctx: Timestamp of the element, the current time, and broadcast state for reading and writing.

        Returns:
            Elements to emit, yielded or returned. Every subtask emits them.
        """


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction, ABC, Generic[KEY, IN1_contra, IN2_contra, OUT]):
    """Process function on a keyed stream that is connected to a broadcast stream."""

    class ReadOnlyContext(_ReadOnlyContext):
        """Context of elements of the keyed stream."""

        def __init__(self, timers: Timers, broadcast: BroadcastStates, keyed: Keyed) -> None:
            super().__init__(timers, broadcast)
            self._keyed = keyed

        def get_current_key(self) -> Any:
            """Return the key of the element."""
            return self._keyed.key

        getCurrentKey = get_current_key

    class OnTimerContext(_BroadcastReader, KeyedProcessFunction.OnTimerContext, _BaseContext):
        """Time, key and time domain of the timer, and broadcast state for reading; valid only during one call."""

        def __init__(self, timers: Timers, broadcast: BroadcastStates, keyed: Keyed) -> None:
            super().__init__(timers, keyed)
            self._broadcast = broadcast

    @abstractmethod
    def process_element(self, value: IN1_contra, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Outputs[OUT]:
        """Process an element of the keyed stream.

        Args:
            value: The element.
            ctx: Timestamp and key of the element, the timer service, and broadcast state for reading.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    @abstractmethod
    def process_broadcast_element(self, value: IN2_contra, ctx: KeyedBroadcastProcessFunction.Context) -> Outputs[OUT]:
        """Process an element of the broadcast stream, which every subtask receives, and update broadcast state.

        Args:
            value: The element.
            ctx: Timestamp of the element, the current time, and broadcast state for reading and writing.

        Returns:
            Elements to emit, yielded or returned. Every subtask emits them.
        """

    def on_timer(self, timestamp: int, ctx: KeyedBroadcastProcessFunction.OnTimerContext) -> Outputs[OUT]:
        """Yield, or return, elements when a timer fires.

        Args:
            timestamp: Time for which the timer was registered, in ms since the epoch.
            ctx: Time, key and time domain of the timer, the timer service, and broadcast state for reading.
        """
        return None
