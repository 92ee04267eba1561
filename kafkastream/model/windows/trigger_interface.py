"""Triggers: when a window's contents come out."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, final

from typing_extensions import TypeVar

from kafkastream.errors import ArgumentError
from kafkastream.metrics import MetricGroup
from kafkastream.model.functions.keyed_state import State
from kafkastream.model.functions.process_functions import TimeDomain, Timers, WindowTimes
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_store import CellStore
from kafkastream.model.windows.windows import Window

__all__ = ["Trigger", "TriggerResult", "WindowTimers"]

T = TypeVar("T", default=Any)
W = TypeVar("W", bound=Window, default=Any)


class TriggerResult(enum.Enum):
    """What becomes of a window's contents: they come out (fire), and are forgotten (purge)."""

    CONTINUE = (False, False)
    FIRE_AND_PURGE = (True, True)
    FIRE = (True, False)
    PURGE = (False, True)

    def is_fire(self) -> bool:
        """Whether they come out."""
        return self.value[0]

    isFire = is_fire

    def is_purge(self) -> bool:
        """Whether they are forgotten."""
        return self.value[1]

    isPurge = is_purge


class WindowTimers(Timers, Protocol):
    """The timers and states of the current key and window."""

    @property
    def metrics(self) -> MetricGroup:
        """The metrics of the operator."""

    def window_cell(self, descriptor: StateDescriptor) -> Any:
        """Where a state of the key and window is kept."""

    def merge_states(self, descriptor: StateDescriptor) -> None:
        """Have the states of the windows that were merged become that of the one window."""


class Trigger(ABC, Generic[T, W]):
    """Decides, for each window of a key, when its contents come out."""

    class TriggerContext(WindowTimes):
        """Time, timers and state of the window; valid during one call."""

        def __init__(self, timers: WindowTimers) -> None:
            super().__init__(timers)
            self._timers = timers
            self._states = CellStore(timers.window_cell)

        def get_metric_group(self) -> MetricGroup:
            """The metrics of the operator."""
            return self._timers.metrics

        getMetricGroup = get_metric_group

        def register_event_time_timer(self, time: int) -> None:
            """Have ``on_event_time`` called when the watermark has come to ``time`` (ms)."""
            self._timers.register(TimeDomain.EVENT_TIME, time)

        registerEventTimeTimer = register_event_time_timer

        def register_processing_time_timer(self, time: int) -> None:
            """Have ``on_processing_time`` called when the wall clock has come to ``time`` (ms)."""
            self._timers.register(TimeDomain.PROCESSING_TIME, time)

        registerProcessingTimeTimer = register_processing_time_timer

        def delete_event_time_timer(self, time: int) -> None:
            """Take an event-time timer back."""
            self._timers.delete(TimeDomain.EVENT_TIME, time)

        deleteEventTimeTimer = delete_event_time_timer

        def delete_processing_time_timer(self, time: int) -> None:
            """Take a processing-time timer back."""
            self._timers.delete(TimeDomain.PROCESSING_TIME, time)

        deleteProcessingTimeTimer = delete_processing_time_timer

        def get_partitioned_state(self, state_descriptor: StateDescriptor) -> State:
            """A state of this key and window."""
            match state_descriptor:
                case ValueStateDescriptor():
                    return self._states.get_state(state_descriptor)
                case ListStateDescriptor():
                    return self._states.get_list_state(state_descriptor)
                case MapStateDescriptor():
                    return self._states.get_map_state(state_descriptor)
                case ReducingStateDescriptor():
                    return self._states.get_reducing_state(state_descriptor)
                case AggregatingStateDescriptor():
                    return self._states.get_aggregating_state(state_descriptor)
                case _:
                    raise ArgumentError(f"no state descriptor: {state_descriptor!r}")

        getPartitionedState = get_partitioned_state

    @final
    class OnMergeContext(TriggerContext):
        """The same when windows have become one."""

        def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
            """Have the state of the windows that were merged become that of the one window."""
            self._timers.merge_states(state_descriptor)

        mergePartitionedState = merge_partitioned_state

    @abstractmethod
    def on_element(self, element: T, timestamp: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """An element was added to the window."""

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """A processing-time timer of the window fires."""

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """An event-time timer of the window fires."""

    def can_merge(self) -> bool:
        """Whether it serves windows that merge: then ``on_merge`` is there, too."""
        return False

    def on_merge(self, window: W, ctx: Trigger.OnMergeContext) -> None:
        """Windows have become this one."""
        raise NotImplementedError(f"{type(self).__name__} does not support merging")

    @abstractmethod
    def clear(self, window: W, ctx: Trigger.TriggerContext) -> None:
        """The window is over: take timers back, and forget state."""
