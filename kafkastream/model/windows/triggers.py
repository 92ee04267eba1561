"""Triggers that Flink ships."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.common.types import Types
from kafkastream.model.functions.keyed_state import ReducingState
from kafkastream.model.functions.state_descriptors import ReducingStateDescriptor
from kafkastream.model.windows.trigger_interface import Trigger, TriggerResult
from kafkastream.model.windows.windows import Window

__all__ = [
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "CountTrigger",
    "EventTimeTrigger",
    "NeverTrigger",
    "ProcessingTimeTrigger",
    "PurgingTrigger",
]


@attrs.frozen
class _Quiet(Trigger[Any, Window]):
    """Base of the triggers: never fires, has no state, and supports merging windows."""

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Continue."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Continue."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Continue."""
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Return True."""
        return True

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Do nothing."""

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Do nothing."""


@final
@attrs.frozen
class EventTimeTrigger(_Quiet):
    """Trigger that fires when the watermark passes the window's end, and for each element that comes later."""

    @staticmethod
    def create() -> EventTimeTrigger:
        """Return the trigger."""
        return EventTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire for a late element; otherwise register a timer for the window's end."""
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at the window's end."""
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Register a timer for the end of the merged window."""
        if window.max_timestamp() > ctx.get_current_watermark():
            ctx.register_event_time_timer(window.max_timestamp())

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Delete the timer."""
        ctx.delete_event_time_timer(window.max_timestamp())


@final
@attrs.frozen
class ProcessingTimeTrigger(_Quiet):
    """Trigger that fires when the wall clock passes the window's end."""

    @staticmethod
    def create() -> ProcessingTimeTrigger:
        """Return the trigger."""
        return ProcessingTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Register a timer for the window's end."""
        ctx.register_processing_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at the window's end."""
        return TriggerResult.FIRE

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Register a timer for the end of the merged window."""
        if window.max_timestamp() > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(window.max_timestamp())

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Delete the timer."""
        ctx.delete_processing_time_timer(window.max_timestamp())


@final
@attrs.frozen
class CountTrigger(_Quiet):
    """Trigger that fires whenever ``window_size`` elements have come since it last fired."""

    count: int

    @staticmethod
    @checked
    def of(window_size: int) -> CountTrigger:
        """Return a trigger that fires every ``window_size`` elements."""
        return CountTrigger(window_size)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Count the element; fire when the count is reached."""
        counted = _state(ctx, _COUNT)
        counted.add(1)
        if (counted.get() or 0) < self.count:
            return TriggerResult.CONTINUE
        counted.clear()
        return TriggerResult.FIRE

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Add up the counts of the merged windows."""
        ctx.merge_partitioned_state(_COUNT)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Clear the count."""
        _state(ctx, _COUNT).clear()


def _sum(one: int, other: int) -> int:
    return one + other


_COUNT: ReducingStateDescriptor[int] = ReducingStateDescriptor("count", _sum, Types.LONG())
_FIRES_AT: ReducingStateDescriptor[int] = ReducingStateDescriptor("fire-time", min, Types.LONG())


def _state(ctx: Trigger.TriggerContext, descriptor: ReducingStateDescriptor[int]) -> ReducingState[int]:
    state: Any = ctx.get_partitioned_state(descriptor)
    reducing: ReducingState[int] = state
    return reducing


@attrs.frozen
class _Continuous(_Quiet):
    """Base of triggers that fire at an interval; the next time is kept for each window."""

    interval: int

    def register_next_fire_timestamp(
        self,
        time: int,
        window: Window,
        ctx: Trigger.TriggerContext,
        fire_timestamp_state: ReducingState[int] | None = None,
    ) -> None:
        """Register a timer one interval after ``time``, or at the window's end if that is earlier.

        Args:
            time: Start of the interval, in ms.
            window: The window.
            ctx: Clock, watermark, timers and state of the window.
            fire_timestamp_state: State that the time of the timer is added to.
        """
        fires_at = min(time + self.interval, window.max_timestamp())
        (fire_timestamp_state or _state(ctx, _FIRES_AT)).add(fires_at)
        self._register(ctx, fires_at)

    def _has_come(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> bool:
        """Return whether ``time`` is the registered time; if so, register the next one."""
        state = _state(ctx, _FIRES_AT)
        if state.get() != time:
            return False
        state.clear()
        self.register_next_fire_timestamp(time, window, ctx)
        return True

    @staticmethod
    @abstractmethod
    def _register(ctx: Trigger.TriggerContext, time: int) -> None: ...

    @staticmethod
    @abstractmethod
    def _delete(ctx: Trigger.TriggerContext, time: int) -> None: ...

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Keep the earliest of the merged windows' times."""
        ctx.merge_partitioned_state(_FIRES_AT)
        fires_at = _state(ctx, _FIRES_AT).get()
        if fires_at is not None:
            self._register(ctx, fires_at)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Delete the timer."""
        state = _state(ctx, _FIRES_AT)
        fires_at = state.get()
        if fires_at is not None:
            self._delete(ctx, fires_at)
            state.clear()


@final
class ContinuousEventTimeTrigger(_Continuous):
    """Trigger that fires at an interval of event time, and at the window's end."""

    @staticmethod
    @checked
    def of(interval: Time | Duration) -> ContinuousEventTimeTrigger:
        """Return a trigger that fires every ``interval`` of event time."""
        return ContinuousEventTimeTrigger(_interval(interval))

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire for a late element; otherwise register timers for the interval and the window's end."""
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        if _state(ctx, _FIRES_AT).get() is None:
            self.register_next_fire_timestamp(timestamp - timestamp % self.interval, window, ctx)
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at the end of an interval, and at the window's end."""
        if time == window.max_timestamp() or self._has_come(time, window, ctx):
            return TriggerResult.FIRE
        return TriggerResult.CONTINUE

    @staticmethod
    def _register(ctx: Trigger.TriggerContext, time: int) -> None:
        ctx.register_event_time_timer(time)

    @staticmethod
    def _delete(ctx: Trigger.TriggerContext, time: int) -> None:
        ctx.delete_event_time_timer(time)


@final
class ContinuousProcessingTimeTrigger(_Continuous):
    """Trigger that fires at an interval of the wall clock."""

    @staticmethod
    @checked
    def of(interval: Time | Duration) -> ContinuousProcessingTimeTrigger:
        """Return a trigger that fires every ``interval`` of the wall clock."""
        return ContinuousProcessingTimeTrigger(_interval(interval))

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Register a timer for the end of the interval."""
        now = ctx.get_current_processing_time()
        if _state(ctx, _FIRES_AT).get() is None:
            self.register_next_fire_timestamp(now - now % self.interval, window, ctx)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at the end of an interval."""
        return TriggerResult.FIRE if self._has_come(time, window, ctx) else TriggerResult.CONTINUE

    @staticmethod
    def _register(ctx: Trigger.TriggerContext, time: int) -> None:
        ctx.register_processing_time_timer(time)

    @staticmethod
    def _delete(ctx: Trigger.TriggerContext, time: int) -> None:
        ctx.delete_processing_time_timer(time)


def _interval(interval: Time | Duration) -> int:
    millis = millis_of("interval", interval)
    if millis <= 0:
        raise DefinitionError(f"the interval of a trigger must be positive, not {millis} ms")
    return millis


@final
@attrs.frozen
class PurgingTrigger(_Quiet):
    """Trigger that purges the window whenever a nested trigger fires."""

    nested: Trigger[Any, Any]

    @staticmethod
    @checked
    def of(nested_trigger: Trigger[Any, Any]) -> PurgingTrigger:
        """Return a trigger that purges the window when ``nested_trigger`` fires."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the nested trigger; purge if it fires."""
        return _purging(self.nested.on_element(element, timestamp, window, ctx))

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the nested trigger; purge if it fires."""
        return _purging(self.nested.on_processing_time(time, window, ctx))

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the nested trigger; purge if it fires."""
        return _purging(self.nested.on_event_time(time, window, ctx))

    def can_merge(self) -> bool:
        """Return whether the nested trigger supports merging windows."""
        return self.nested.can_merge()

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Let the nested trigger merge."""
        self.nested.on_merge(window, ctx)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Let the nested trigger clear its timers and state."""
        self.nested.clear(window, ctx)


def _purging(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result


@final
@attrs.frozen
class NeverTrigger(_Quiet):
    """Trigger that never fires, the default of ``GlobalWindows``."""
