"""What users implement to see an element's time and key, and to be called again when a time has come."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Protocol, final

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.output_tag import OutputTag, SideOutputs
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.common.time import wall_clock_ms

__all__ = ["KeyedProcessFunction", "ProcessFunction", "TimeDomain", "TimerService", "Timers", "WindowTimes"]

K = TypeVar("K", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)
T = TypeVar("T", default=Any)


class TimeDomain(enum.Enum):
    """By which clock a timer fires."""

    EVENT_TIME = 0
    PROCESSING_TIME = 1


class Timers(Protocol):
    """The timers of the current key."""

    @property
    def watermark(self) -> int:
        """The operator's watermark, in ms."""

    def register(self, domain: TimeDomain, timestamp: int) -> None:
        """Fire once at ``timestamp``."""

    def delete(self, domain: TimeDomain, timestamp: int) -> None:
        """Do not fire at ``timestamp``."""


@final
class TimerService:
    """What a function knows of time, and where it registers timers.

    Same as in Flink: one timer for each key, time and domain; an event-time timer fires when the watermark has come to
    its time, and its elements have that time.
    Differs from Flink: timers fire between micro-batches; one that is in the past already fires at the end of this one.
    """

    __slots__ = ("_timers",)

    def __init__(self, timers: Timers | None = None) -> None:
        self._timers = timers

    def current_processing_time(self) -> int:
        """The wall clock of the worker, in ms since the epoch."""
        return wall_clock_ms()

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> int:
        """How far event time has come, in ms; ``-2**63`` in the beginning.

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
        """Have ``on_timer`` called when the watermark has come to ``timestamp`` (ms).

        Raises:
            DefinitionError: The stream has no keys, or the time is no whole number of ms.
        """
        self._known().register(TimeDomain.EVENT_TIME, timestamp)

    registerEventTimeTimer = register_event_time_timer

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Have ``on_timer`` called when the wall clock has come to ``timestamp`` (ms).

        Raises:
            DefinitionError: The stream has no keys, or the time is no whole number of ms.
        """
        self._known().register(TimeDomain.PROCESSING_TIME, timestamp)

    registerProcessingTimeTimer = register_processing_time_timer

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Take an event-time timer back; nothing happens if there is none."""
        self._known().delete(TimeDomain.EVENT_TIME, timestamp)

    deleteEventTimeTimer = delete_event_time_timer

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Take a processing-time timer back; nothing happens if there is none."""
        self._known().delete(TimeDomain.PROCESSING_TIME, timestamp)

    deleteProcessingTimeTimer = delete_processing_time_timer

    def _known(self) -> Timers:
        if self._timers is None:
            raise DefinitionError("Setting timers is only supported on a keyed stream.", now="Use key_by before.")
        return self._timers


class WindowTimes:
    """How far the wall clock and event time have come, as triggers and evictors ask."""

    def __init__(self, timers: Timers) -> None:
        self._time = TimerService(timers)

    def get_current_processing_time(self) -> int:
        """The wall clock, in ms."""
        return self._time.current_processing_time()

    getCurrentProcessingTime = get_current_processing_time

    def get_current_watermark(self) -> int:
        """How far event time has come, in ms."""
        return self._time.current_watermark()

    getCurrentWatermark = get_current_watermark


class _Context(SideOutputs):
    """What a call may ask; valid during this call only."""

    __slots__ = ("_timer_service", "_timestamp")

    def __init__(self, timers: Timers | None = None) -> None:
        super().__init__()
        self._timestamp: int | None = None
        self._timer_service = TimerService(timers)

    def timestamp(self) -> int | None:
        """The element's event time in ms: Kafka's timestamp, or what the timestamp assigner made of it."""
        return self._timestamp

    def timer_service(self) -> TimerService:
        """The time service; timers need a keyed stream."""
        return self._timer_service

    timerService = timer_service


class ProcessFunction(Function, ABC, Generic[IN_contra, OUT]):
    """Like a flat map that also sees the element's timestamp and the time."""

    class Context(_Context):
        """The element's timestamp and the time; valid only during one call."""

        __slots__ = ()

    @abstractmethod
    def process_element(
        self, value: IN_contra, ctx: ProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of ``value``; ``tag, element`` goes to a side output."""


class Keyed(Protocol):
    """Who knows the current key."""

    @property
    def key(self) -> Any:
        """The current key."""


class KeyedProcessFunction(Function, ABC, Generic[K, IN_contra, OUT]):
    """A process function on a keyed stream: it has state for each key, and timers.

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
        """The element's timestamp and key, and the time; valid only during one call."""

        __slots__ = ("_keyed",)

        def __init__(self, timers: Timers, keyed: Keyed) -> None:
            super().__init__(timers)
            self._keyed = keyed

        def get_current_key(self) -> Any:
            """The key of the element, or of the timer."""
            return self._keyed.key

        getCurrentKey = get_current_key

    class OnTimerContext(Context):
        """The timer's time, key and domain; valid only during one call."""

        __slots__ = ("_domain",)

        def __init__(self, timers: Timers, keyed: Keyed) -> None:
            super().__init__(timers, keyed)
            self._domain = TimeDomain.EVENT_TIME

        def time_domain(self) -> TimeDomain:
            """By which clock the timer has fired."""
            return self._domain

        timeDomain = time_domain

    @abstractmethod
    def process_element(
        self, value: IN_contra, ctx: KeyedProcessFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, the elements that take the place of ``value``; ``tag, element`` goes to a side output."""

    def on_timer(
        self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, elements when a timer fires; ``timestamp`` is the timer's, in ms."""
        return None
