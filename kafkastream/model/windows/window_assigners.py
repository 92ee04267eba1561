"""Flink's own windows: by time, by sessions, by count, and one for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Final, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.windows.triggers import CountTrigger, NeverTrigger, PurgingTrigger
from kafkastream.model.windows.window_serializers import (
    CountWindowSerializer,
    GlobalWindowSerializer,
    TimeWindowSerializer,
)
from kafkastream.model.windows.windows import (
    CountWindow,
    GlobalWindow,
    MergingWindowAssigner,
    TimeWindow,
    WindowAssigner,
    WindowAssignerContext,
)

__all__ = [
    "CountSlidingWindowAssigner",
    "CountTumblingWindowAssigner",
    "EventTimeSessionWindows",
    "GlobalWindows",
    "ProcessingTimeSessionWindows",
    "SessionWindowTimeGapExtractor",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
]

Length = Time | Duration


_NO_OFFSET: Final = Time.milliseconds(0)


def _checked(name: str, size: int, offset: int, period: int) -> None:
    if size <= 0 or period <= 0 or abs(offset) >= period:
        raise DefinitionError(
            f"{name} parameters must satisfy abs(offset) < {'slide' if period != size else 'size'} and size > 0",
            where=f"size {size} ms, offset {offset} ms" + (f", slide {period} ms" if period != size else ""),
        )


def _timed(timestamp: int) -> int:
    if timestamp == MIN_WATERMARK:
        raise DefinitionError(
            "Record has Java Long.MIN_VALUE timestamp (= no timestamp marker).",
            now="Event-time windows need a timestamp: give the source a WatermarkStrategy with a timestamp assigner, "
            "or call assign_timestamps_and_watermarks.",
        )
    return timestamp


class _Timed(WindowAssigner[Any, TimeWindow], ABC):
    """What windows by a clock have in common."""

    @abstractmethod
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        """The time that counts for an element."""

    def get_window_serializer(self) -> TimeWindowSerializer:
        """Return the serializer of windows by time."""
        return TimeWindowSerializer()


class _ByEventTime(_Timed):
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        return _timed(timestamp)

    def is_event_time(self) -> bool:
        """Yes."""
        return True


class _ByProcessingTime(_Timed):
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        return context.get_current_processing_time()

    def is_event_time(self) -> bool:
        """No."""
        return False


@attrs.frozen
class _Aligned(_Timed):
    """Windows of one size that begin every ``slide`` ms."""

    size: int
    slide: int
    offset: int

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """The windows with the element's time inside."""
        time = self._time(timestamp, context)
        last = TimeWindow.get_window_start_with_offset(time, self.offset, self.slide)
        starts = range(last, time - self.size, -self.slide)
        return [TimeWindow(start, start + self.size) for start in starts]


class _Tumbling(_Aligned):
    @classmethod
    @checked
    def of(cls, size: Length, offset: Length | None = None) -> Self:
        """Windows of ``size``, aligned with 1970 in UTC, and moved by ``offset``.

        Raises:
            DefinitionError: The size is not positive, or the offset not less.
        """
        millis, moved = millis_of("size", size), millis_of("offset", offset or _NO_OFFSET)
        _checked(cls.__name__, millis, moved, millis)
        return cls(millis, millis, moved)


class _Sliding(_Aligned):
    @classmethod
    @checked
    def of(cls, size: Length, slide: Length, offset: Length | None = None) -> Self:
        """Windows of ``size``, one every ``slide``, moved by ``offset``.

        Raises:
            DefinitionError: Size or slide is not positive, or the offset not less than the slide.
        """
        millis, every = millis_of("size", size), millis_of("slide", slide)
        moved = millis_of("offset", offset or _NO_OFFSET)
        _checked(cls.__name__, millis, moved, every)
        return cls(millis, every, moved)


@final
class TumblingEventTimeWindows(_ByEventTime, _Tumbling):
    """One window after the other, by event time.

    Example:
        >>> TumblingEventTimeWindows.of(Time.seconds(5)).size
        5000
    """


@final
class TumblingProcessingTimeWindows(_ByProcessingTime, _Tumbling):
    """One window after the other, by the wall clock."""


@final
class SlidingEventTimeWindows(_ByEventTime, _Sliding):
    """Windows that overlap, by event time."""


@final
class SlidingProcessingTimeWindows(_ByProcessingTime, _Sliding):
    """Windows that overlap, by the wall clock."""


class SessionWindowTimeGapExtractor(ABC):
    """Decides how long a session waits after an element."""

    @abstractmethod
    def extract(self, element: Any) -> int:
        """Return the gap after ``element``, in ms."""


@final
@attrs.frozen
class _FixedGap(SessionWindowTimeGapExtractor):
    gap: int

    def extract(self, element: Any) -> int:
        return self.gap


@attrs.frozen
class _Sessions(_Timed, MergingWindowAssigner[Any, TimeWindow]):
    """Windows that last as long as elements follow each other within a gap."""

    gap: SessionWindowTimeGapExtractor

    @classmethod
    @checked
    def with_gap(cls, size: Length) -> Self:
        """A session ends when no element has come for ``size``.

        Raises:
            DefinitionError: The gap is not positive.
        """
        millis = millis_of("gap", size)
        if millis <= 0:
            raise DefinitionError(f"{cls.__name__} parameters must satisfy 0 < size", where=f"gap {millis} ms")
        return cls(_FixedGap(millis))

    withGap = with_gap

    @classmethod
    @checked
    def with_dynamic_gap(cls, extractor: SessionWindowTimeGapExtractor) -> Self:
        """Each element says how long the session waits after it."""
        return cls(extractor)

    withDynamicGap = with_dynamic_gap

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """From the element's time up to the end of the gap."""
        time, gap = self._time(timestamp, context), self.gap.extract(element)
        if gap <= 0:
            raise DefinitionError("Dynamic session time gap must satisfy 0 < gap", where=f"gap {gap} ms")
        return [TimeWindow(time, time + gap)]

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Those that overlap or touch become one."""
        TimeWindow.merge_windows(windows, callback)


@final
class EventTimeSessionWindows(_ByEventTime, _Sessions):
    """Sessions by event time.

    Example:
        >>> EventTimeSessionWindows.with_gap(Time.minutes(10)).is_event_time()
        True
    """


@final
class ProcessingTimeSessionWindows(_ByProcessingTime, _Sessions):
    """Sessions by the wall clock."""


@final
@attrs.frozen
class CountTumblingWindowAssigner(WindowAssigner[Any, CountWindow]):
    """One window after the other, each of so many elements of a key."""

    size: int

    @staticmethod
    @checked
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """Windows of ``window_size`` elements."""
        return CountTumblingWindowAssigner(_positive(window_size))

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[CountWindow]:
        """The window that is not full."""
        return [CountWindow(context.next_count() // self.size)]

    def is_event_time(self) -> bool:
        """No."""
        return False

    def get_default_trigger(self, env: Any) -> PurgingTrigger:
        """Return what fires a window when it is full, and forgets it."""
        return PurgingTrigger(CountTrigger(self.size))

    def get_window_serializer(self) -> CountWindowSerializer:
        """Return the serializer of windows by count."""
        return CountWindowSerializer()


@final
@attrs.frozen
class CountSlidingWindowAssigner(WindowAssigner[Any, CountWindow]):
    """Windows of so many elements of a key, one every few elements."""

    size: int
    slide: int

    @staticmethod
    @checked
    def of(window_size: int, window_slide: int) -> CountSlidingWindowAssigner:
        """Windows of ``window_size`` elements, one every ``window_slide``; as in PyFlink, only full ones fire."""
        return CountSlidingWindowAssigner(_positive(window_size), _positive(window_slide))

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[CountWindow]:
        """The windows that the element is in."""
        count = context.next_count()
        first = max(0, -(-(count - self.size + 1) // self.slide))
        return [CountWindow(number) for number in range(first, count // self.slide + 1)]

    def is_event_time(self) -> bool:
        """No."""
        return False

    def get_default_trigger(self, env: Any) -> PurgingTrigger:
        """Return what fires a window when it is full, and forgets it."""
        return PurgingTrigger(CountTrigger(self.size))

    def get_window_serializer(self) -> CountWindowSerializer:
        """Return the serializer of windows by count."""
        return CountWindowSerializer()


def _positive(size: int) -> int:
    if size <= 0:
        raise DefinitionError(f"a count window has at least one element, not {size}")
    return size


@final
@attrs.frozen
class GlobalWindows(WindowAssigner[Any, GlobalWindow]):
    """One window for all elements of a key; without a trigger of its own it never fires."""

    @staticmethod
    def create() -> GlobalWindows:
        """The assigner."""
        return GlobalWindows()

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[GlobalWindow]:
        """The one window."""
        return [GlobalWindow()]

    def is_event_time(self) -> bool:
        """No."""
        return False

    def get_default_trigger(self, env: Any) -> NeverTrigger:
        """Return a trigger that never fires."""
        return NeverTrigger()

    def get_window_serializer(self) -> GlobalWindowSerializer:
        """Return the serializer of the global window."""
        return GlobalWindowSerializer()
