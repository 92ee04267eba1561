"""Trigger interface: decides when a window fires."""

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
    """Decision of a trigger: fire the window (emit its result), purge it (drop its contents), both, or neither."""

    CONTINUE = (False, False)
    FIRE_AND_PURGE = (True, True)
    FIRE = (True, False)
    PURGE = (False, True)

    def is_fire(self) -> bool:
        """Return whether the window fires."""
        return self.value[0]

    isFire = is_fire

    def is_purge(self) -> bool:
        """Return whether the window's contents are dropped."""
        return self.value[1]

    isPurge = is_purge


class WindowTimers(Timers, Protocol):
    """Timers and states of the current key and window."""

    @property
    def metrics(self) -> MetricGroup:
        """Metric group of the operator."""

    def window_cell(self, descriptor: StateDescriptor) -> Any:
        """Return the storage of a state of the key and window."""

    def merge_states(self, descriptor: StateDescriptor) -> None:
        """Merge the states of the merged windows into the state of the resulting window."""


class Trigger(ABC, Generic[T, W]):
    """Decides, for each window of a key, when it fires."""

    class TriggerContext(WindowTimes):
        """Clock, watermark, timers and state of the window; valid during one call."""

        def __init__(self, timers: WindowTimers) -> None:
            super().__init__(timers)
            self._timers = timers
            self._states = CellStore(timers.window_cell)

        def get_metric_group(self) -> MetricGroup:
            """Return the operator's metric group."""
            return self._timers.metrics

        getMetricGroup = get_metric_group

        def register_event_time_timer(self, time: int) -> None:
            """Call ``on_event_time`` when the watermark reaches ``time`` (ms since the epoch)."""
            self._timers.register(TimeDomain.EVENT_TIME, time)

        registerEventTimeTimer = register_event_time_timer

        def register_processing_time_timer(self, time: int) -> None:
            """Call ``on_processing_time`` when the wall clock reaches ``time`` (ms since the epoch)."""
            self._timers.register(TimeDomain.PROCESSING_TIME, time)

        registerProcessingTimeTimer = register_processing_time_timer

        def delete_event_time_timer(self, time: int) -> None:
            """Delete the window's event-time timer at ``time`` (ms since the epoch)."""
            self._timers.delete(TimeDomain.EVENT_TIME, time)

        deleteEventTimeTimer = delete_event_time_timer

        def delete_processing_time_timer(self, time: int) -> None:
            """Delete the window's processing-time timer at ``time`` (ms since the epoch)."""
            self._timers.delete(TimeDomain.PROCESSING_TIME, time)

        deleteProcessingTimeTimer = delete_processing_time_timer

        def get_partitioned_state(self, state_descriptor: StateDescriptor) -> State:
            """Return the state of this key and window for ``state_descriptor``."""
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
        """``TriggerContext`` of ``on_merge``, which can also merge state."""

        def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
            """Merge the states of the merged windows into the state of the resulting window.

            Args:
                state_descriptor: Descriptor of a state that can be merged: a list, a reducing or an aggregating one.
            """
            self._timers.merge_states(state_descriptor)

        mergePartitionedState = merge_partitioned_state

    @abstractmethod
    def on_element(self, element: T, timestamp: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Handle an element that was added to the window.

        Args:
            element: The element.
            timestamp: Timestamp of the element, in ms.
            window: The window.
            ctx: Clock, watermark, timers and state of the window.
        """

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Handle a processing-time timer of the window.

        Args:
            time: Time for which the timer was registered, in ms.
            window: The window.
            ctx: Clock, watermark, timers and state of the window.
        """

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Handle an event-time timer of the window.

        Args:
            time: Time for which the timer was registered, in ms.
            window: The window.
            ctx: Clock, watermark, timers and state of the window.
        """

    def can_merge(self) -> bool:
        """Return whether the trigger supports merging windows, such as sessions; then it implements ``on_merge``, too."""
        return False

    def on_merge(self, window: W, ctx: Trigger.OnMergeContext) -> None:
        """Handle the merge of several windows. Called only if ``can_merge`` returns True.

        Args:
            window: The merged window, for which timers have to be registered.
            ctx: Clock, watermark, timers and state of the window; it also merges state.
        """
        raise NotImplementedError(f"{type(self).__name__} does not support merging")

    @abstractmethod
    def clear(self, window: W, ctx: Trigger.TriggerContext) -> None:
        """Delete the timers and the state of a window that has ended.

        Args:
            window: The window.
            ctx: Timers and state of the window.
        """
