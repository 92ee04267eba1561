"""Process functions: user functions that see an element's timestamp and key, and may register timers."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, final

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.output_tag import Outputs, SideOutputs
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.common.time import wall_clock_ms

__all__ = ["KeyedProcessFunction", "ProcessFunction", "TimeDomain", "TimerService", "Timers", "WindowTimes"]

K = TypeVar("K", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)
T = TypeVar("T", default=Any)


class TimeDomain(enum.Enum):
    """Clock of a timer: event time or processing time."""

    EVENT_TIME = 0
    PROCESSING_TIME = 1


class Timers(Protocol):
    """Timers of the current key."""

    @property
    def watermark(self) -> int:
        """Return the operator's watermark, in ms since the epoch."""

    def register(self, domain: TimeDomain, timestamp: int) -> None:
        """Register a timer that fires once at ``timestamp``."""

    def delete(self, domain: TimeDomain, timestamp: int) -> None:
        """Delete the timer at ``timestamp``, if there is one."""


@final
class TimerService:
    """Current processing time and watermark, and registration of timers.

    Same as in Flink: one timer for each key, time and time domain; an event-time timer fires when the watermark reaches
    its time, and elements that it emits have that timestamp.
    Differs from Flink: timers fire between micro-batches; one that is in the past when registered fires at the end of
    the micro-batch that registered it.
    """

    __slots__ = ("_timers",)

    def __init__(self, timers: Timers | None = None) -> None:
        self._timers = timers

    def current_processing_time(self) -> int:
        """Return the worker's wall clock, in ms since the epoch."""
        return wall_clock_ms()

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> int:
        """Return the operator's watermark, in ms since the epoch; ``-2**63`` before the first one.

        Raises:
            UnsupportedFeatureError: The stream has no keys.
        """
        if self._timers is None:
            raise UnsupportedFeatureError(
                "the watermark is not known in a function on a stream without keys",
                now="current_processing_time() and ctx.timestamp() work.",
            )
        return self._timers.watermark

    currentWatermark = current_watermark

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_timer`` when the watermark reaches ``timestamp``.

        Args:
            timestamp: Event time in ms since the epoch.

        Raises:
            DefinitionError: The stream has no keys, or ``timestamp`` is not an integer.
        """
        self._known().register(TimeDomain.EVENT_TIME, timestamp)

    registerEventTimeTimer = register_event_time_timer

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_timer`` when the wall clock reaches ``timestamp``.

        Args:
            timestamp: Processing time in ms since the epoch.

        Raises:
            DefinitionError: The stream has no keys, or ``timestamp`` is not an integer.
        """
        self._known().register(TimeDomain.PROCESSING_TIME, timestamp)

    registerProcessingTimeTimer = register_processing_time_timer

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete the event-time timer of the current key at ``timestamp`` (ms); do nothing if there is none."""
        self._known().delete(TimeDomain.EVENT_TIME, timestamp)

    deleteEventTimeTimer = delete_event_time_timer

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete the processing-time timer of the current key at ``timestamp`` (ms); do nothing if there is none."""
        self._known().delete(TimeDomain.PROCESSING_TIME, timestamp)

    deleteProcessingTimeTimer = delete_processing_time_timer

    def _known(self) -> Timers:
        if self._timers is None:
            raise DefinitionError("Setting timers is only supported on a keyed stream.", now="Use key_by before.")
        return self._timers


class WindowTimes:
    """Clock and watermark, as triggers and evictors see them."""

    def __init__(self, timers: Timers) -> None:
        self._time = TimerService(timers)

    def get_current_processing_time(self) -> int:
        """Return the worker's wall clock, in ms since the epoch."""
        return self._time.current_processing_time()

    getCurrentProcessingTime = get_current_processing_time

    def get_current_watermark(self) -> int:
        """Return the operator's watermark, in ms since the epoch."""
        return self._time.current_watermark()

    getCurrentWatermark = get_current_watermark


class _Context(SideOutputs):
    """Context of one call of a process function; valid during this call only."""

    __slots__ = ("_timer_service", "_timestamp")

    def __init__(self, timers: Timers | None = None) -> None:
        super().__init__()
        self._timestamp: int | None = None
        self._timer_service = TimerService(timers)

    def timestamp(self) -> int | None:
        """Return the element's timestamp in ms: Kafka's, or the one from the timestamp assigner."""
        return self._timestamp

    def timer_service(self) -> TimerService:
        """Return the timer service; timers need a keyed stream."""
        return self._timer_service

    timerService = timer_service


class ProcessFunction(Function, ABC, Generic[IN_contra, OUT]):
    """User function that returns any number of elements for each, and sees its timestamp and the current time."""

    class Context(_Context):
        """Timestamp of the element and the current time; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element(self, value: IN_contra, ctx: ProcessFunction.Context) -> Outputs[OUT]:
        """Process an element.

        Args:
            value: The element.
            ctx: Timestamp of the element and the current time.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """


class Keyed(Protocol):
    """Source of the current key."""

    @property
    def key(self) -> Any:
        """Return the current key."""


class KeyedProcessFunction(Function, ABC, Generic[K, IN_contra, OUT]):
    """Process function on a keyed stream, with keyed state and timers.

    Example:
        >>> class Count(KeyedProcessFunction[str, str, tuple[str, int]]):
        ...     def open(self, runtime_context):
        ...         self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        ...
        ...     def process_element(self, value, ctx):
        ...         count = (self.count.value() or 0) + 1
        ...         self.count.update(count)
        ...         yield ctx.get_current_key(), count
    """

    class Context(_Context):
        """Timestamp and key of the element, and the current time; valid only during one call."""

        __slots__ = ("_keyed",)

        def __init__(self, timers: Timers, keyed: Keyed) -> None:
            super().__init__(timers)
            self._keyed = keyed

        def get_current_key(self) -> Any:
            """Return the key of the element, or of the timer."""
            return self._keyed.key

        getCurrentKey = get_current_key

    class OnTimerContext(Context):
        """Time, key and time domain of the timer; valid only during one call."""

        __slots__ = ("_domain",)

        def __init__(self, timers: Timers, keyed: Keyed) -> None:
            super().__init__(timers, keyed)
            self._domain = TimeDomain.EVENT_TIME

        def time_domain(self) -> TimeDomain:
            """Return whether an event-time or a processing-time timer has fired."""
            return self._domain

        timeDomain = time_domain

    @abstractmethod
    def process_element(self, value: IN_contra, ctx: KeyedProcessFunction.Context) -> Outputs[OUT]:
        """Process an element.

        Args:
            value: The element.
            ctx: Timestamp and key of the element, and the timer service.

        Returns:
            Elements that replace ``value``, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the
            side output.
        """

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Outputs[OUT]:
        """Yield, or return, elements when a timer fires.

        Args:
            timestamp: Time for which the timer was registered, in ms since the epoch.
            ctx: Time, key and time domain of the timer, and the timer service.
        """
        return None
