"""What users implement for two streams that are connected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Protocol

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.keyed_state import BroadcastState, Cell, ReadOnlyBroadcastState
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
    """One element in, of either stream, one out."""

    @abstractmethod
    def map1(self, value: IN1_contra) -> OUT:
        """Return the element that takes the place of one of the first stream."""

    @abstractmethod
    def map2(self, value: IN2_contra) -> OUT:
        """Return the element that takes the place of one of the second stream."""


class CoFlatMapFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """One element in, of either stream, any number out."""

    @abstractmethod
    def flat_map1(self, value: IN1_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements that take the place of one of the first stream."""

    @abstractmethod
    def flat_map2(self, value: IN2_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements that take the place of one of the second stream."""


class CoProcessFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """A process function for the elements of two streams."""

    class Context(ProcessFunction.Context):
        """The element's timestamp and the time; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element1(
        self, value: IN1_contra, ctx: CoProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of one of the first stream."""

    @abstractmethod
    def process_element2(
        self, value: IN2_contra, ctx: CoProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of one of the second stream."""


class KeyedCoProcessFunction(Function, ABC, Generic[KEY, IN1_contra, IN2_contra, OUT]):
    """A process function for two keyed streams: elements of one key meet, with common state and timers."""

    class Context(KeyedProcessFunction.Context):
        """The element's timestamp and key, and the time; valid only during one call."""

        __slots__ = ()

    class OnTimerContext(KeyedProcessFunction.OnTimerContext):
        """The timer's time, key and domain; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element1(
        self, value: IN1_contra, ctx: KeyedCoProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of one of the first stream."""

    @abstractmethod
    def process_element2(
        self, value: IN2_contra, ctx: KeyedCoProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of one of the second stream."""

    def on_timer(
        self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, elements when a timer fires; ``timestamp`` is the timer's, in ms."""
        return None


class BroadcastCells(Protocol):
    """Where broadcast state is kept."""

    def broadcast_cell(self, descriptor: MapStateDescriptor[Any, Any]) -> Cell:
        """The same in every subtask."""


class BroadcastStates:
    """The broadcast states that a stream was declared with."""

    def __init__(self, cells: BroadcastCells, names: frozenset[str]) -> None:
        self._cells = cells
        self._names = names

    def cell(self, descriptor: MapStateDescriptor[Any, Any]) -> Cell:
        """Where one of them is kept.

        Raises:
            DefinitionError: It is none of them.
        """
        if descriptor.name not in self._names:
            raise DefinitionError(
                f"The requested state does not exist: {descriptor.name!r} was not given to broadcast()",
                now=f"broadcast() was given {', '.join(sorted(self._names)) or 'nothing'}.",
            )
        return self._cells.broadcast_cell(descriptor)


class _BaseContext(ProcessFunction.Context):
    """The element's timestamp and the time."""

    def current_processing_time(self) -> int:
        """The wall clock of the worker, in ms."""
        return self.timer_service().current_processing_time()

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> int:
        """How far event time has come, in ms."""
        return self.timer_service().current_watermark()

    currentWatermark = current_watermark


class _BroadcastContext(_BaseContext):
    """The element's timestamp, the time, and broadcast state that may be changed."""

    def __init__(self, timers: Timers | None, broadcast: BroadcastStates) -> None:
        super().__init__(timers)
        self._broadcast = broadcast

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor[K, V]) -> BroadcastState[K, V]:
        """The state of this name; what is changed here is to be changed alike in every subtask."""
        return BroadcastState(self._broadcast.cell(state_descriptor))

    getBroadcastState = get_broadcast_state


class _ReadOnlyContext(_BaseContext):
    """The element's timestamp, the time, and broadcast state to be read."""

    def __init__(self, timers: Timers | None, broadcast: BroadcastStates) -> None:
        super().__init__(timers)
        self._broadcast = broadcast

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor[K, V]) -> ReadOnlyBroadcastState[K, V]:
        """The state of this name."""
        return ReadOnlyBroadcastState(self._broadcast.cell(state_descriptor))

    getBroadcastState = get_broadcast_state


class BaseBroadcastProcessFunction(Function, ABC):
    """What functions with broadcast state have in common."""

    class BaseContext(_BaseContext):
        """The element's timestamp and the time."""

    class Context(_BroadcastContext):
        """For elements that come to every subtask."""

    class ReadOnlyContext(_ReadOnlyContext):
        """For elements of the other stream."""


class BroadcastProcessFunction(BaseBroadcastProcessFunction, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """A process function for a stream without keys, and one whose elements come to every subtask."""

    @abstractmethod
    def process_element(
        self, value: IN1_contra, ctx: BroadcastProcessFunction.ReadOnlyContext
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of ``value``."""

    @abstractmethod
    def process_broadcast_element(
        self, value: IN2_contra, ctx: BroadcastProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Take in an element that comes to every subtask; each does the same to its broadcast state."""


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction, ABC, Generic[KEY, IN1_contra, IN2_contra, OUT]):
    """A process function for a keyed stream, and one whose elements come to every subtask."""

    class ReadOnlyContext(_ReadOnlyContext):
        """For elements of the keyed stream."""

        def __init__(self, timers: Timers, broadcast: BroadcastStates, keyed: Keyed) -> None:
            super().__init__(timers, broadcast)
            self._keyed = keyed

        def get_current_key(self) -> Any:
            """The key of the element."""
            return self._keyed.key

        getCurrentKey = get_current_key

    class OnTimerContext(KeyedProcessFunction.OnTimerContext, _BaseContext):
        """The timer's time, key and domain, and broadcast state to be read; valid only during one call."""

        def __init__(self, timers: Timers, broadcast: BroadcastStates, keyed: Keyed) -> None:
            super().__init__(timers, keyed)
            self._broadcast = broadcast

        def get_broadcast_state(self, state_descriptor: MapStateDescriptor[K, V]) -> ReadOnlyBroadcastState[K, V]:
            """The state of this name."""
            return ReadOnlyBroadcastState(self._broadcast.cell(state_descriptor))

        getBroadcastState = get_broadcast_state

    @abstractmethod
    def process_element(
        self, value: IN1_contra, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of ``value``."""

    @abstractmethod
    def process_broadcast_element(
        self, value: IN2_contra, ctx: KeyedBroadcastProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Take in an element that comes to every subtask; each does the same to its broadcast state."""

    def on_timer(
        self, timestamp: int, ctx: KeyedBroadcastProcessFunction.OnTimerContext
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, elements when a timer fires; ``timestamp`` is the timer's, in ms."""
        return None
