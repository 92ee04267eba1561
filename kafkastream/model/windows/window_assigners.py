"""Window assigners that Flink ships: tumbling, sliding, session, count and global windows."""

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
    """Base of assigners of time windows."""

    @abstractmethod
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        """Return the time that assigns an element to windows, in ms."""

    def get_window_serializer(self) -> TimeWindowSerializer:
        """Return the serializer of ``TimeWindow``."""
        return TimeWindowSerializer()


class _ByEventTime(_Timed):
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        return _timed(timestamp)

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class _ByProcessingTime(_Timed):
    def _time(self, timestamp: int, context: WindowAssignerContext) -> int:
        return context.get_current_processing_time()

    def is_event_time(self) -> bool:
        """Return False."""
        return False


@attrs.frozen
class _Aligned(_Timed):
    """Base of assigners of windows of one size that begin every ``slide`` ms."""

    size: int
    slide: int
    offset: int

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """Return the windows that contain the element's time."""
        time = self._time(timestamp, context)
        last = TimeWindow.get_window_start_with_offset(time, self.offset, self.slide)
        starts = range(last, time - self.size, -self.slide)
        return [TimeWindow(start, start + self.size) for start in starts]


class _Tumbling(_Aligned):
    @classmethod
    @checked
    def of(cls, size: Length, offset: Length | None = None) -> Self:
        """Return an assigner of windows of ``size``, which begin at multiples of it since the epoch.

        Args:
            size: Length of the windows.
            offset: Moves the beginning of all windows, e.g. by -8 hours for days in China (UTC+08:00).

        Raises:
            DefinitionError: ``size`` is not positive, or ``offset`` not shorter than it.
        """
        millis, moved = millis_of("size", size), millis_of("offset", offset or _NO_OFFSET)
        _checked(cls.__name__, millis, moved, millis)
        return cls(millis, millis, moved)


class _Sliding(_Aligned):
    @classmethod
    @checked
    def of(cls, size: Length, slide: Length, offset: Length | None = None) -> Self:
        """Return an assigner of windows of ``size``, one of which begins every ``slide``.

        Args:
            size: Length of the windows.
            slide: Distance between the beginnings of windows; shorter than ``size`` for windows that overlap.
            offset: Moves the beginning of all windows, e.g. by -8 hours for days in China (UTC+08:00).

        Raises:
            DefinitionError: ``size`` or ``slide`` is not positive, or ``offset`` not shorter than ``slide``.
        """
        millis, every = millis_of("size", size), millis_of("slide", slide)
        moved = millis_of("offset", offset or _NO_OFFSET)
        _checked(cls.__name__, millis, moved, every)
        return cls(millis, every, moved)


@final
class TumblingEventTimeWindows(_ByEventTime, _Tumbling):
    """Windows of event time that follow each other without gaps.

    Example:
        >>> TumblingEventTimeWindows.of(Time.seconds(5)).size
        5000
    """


@final
class TumblingProcessingTimeWindows(_ByProcessingTime, _Tumbling):
    """Windows of processing time that follow each other without gaps."""


@final
class SlidingEventTimeWindows(_ByEventTime, _Sliding):
    """Windows of event time that overlap."""


@final
class SlidingProcessingTimeWindows(_ByProcessingTime, _Sliding):
    """Windows of processing time that overlap."""


class SessionWindowTimeGapExtractor(ABC):
    """Reads the session gap from an element."""

    @abstractmethod
    def extract(self, element: Any) -> int:
        """Return the session gap that follows ``element``, in ms."""


@final
@attrs.frozen
class _FixedGap(SessionWindowTimeGapExtractor):
    gap: int

    def extract(self, element: Any) -> int:
        return self.gap


@attrs.frozen
class _Sessions(_Timed, MergingWindowAssigner[Any, TimeWindow]):
    """Base of assigners of session windows: a session lasts as long as elements follow each other within a gap."""

    gap: SessionWindowTimeGapExtractor

    @classmethod
    @checked
    def with_gap(cls, size: Length) -> Self:
        """Return an assigner of sessions that end when no element has come for ``size``.

        Raises:
            DefinitionError: ``size`` is not positive.
        """
        millis = millis_of("gap", size)
        if millis <= 0:
            raise DefinitionError(f"{cls.__name__} parameters must satisfy 0 < size", where=f"gap {millis} ms")
        return cls(_FixedGap(millis))

    withGap = with_gap

    @classmethod
    @checked
    def with_dynamic_gap(cls, extractor: SessionWindowTimeGapExtractor) -> Self:
        """Return an assigner of sessions whose gap ``extractor`` reads from each element."""
        return cls(extractor)

    withDynamicGap = with_dynamic_gap

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """Return a window from the element's time to the end of the gap."""
        time, gap = self._time(timestamp, context), self.gap.extract(element)
        if gap <= 0:
            raise DefinitionError("Dynamic session time gap must satisfy 0 < gap", where=f"gap {gap} ms")
        return [TimeWindow(time, time + gap)]

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Merge windows that overlap or touch."""
        TimeWindow.merge_windows(windows, callback)


@final
class EventTimeSessionWindows(_ByEventTime, _Sessions):
    """Session windows of event time.

    Example:
        >>> EventTimeSessionWindows.with_gap(Time.minutes(10)).is_event_time()
        True
    """


@final
class ProcessingTimeSessionWindows(_ByProcessingTime, _Sessions):
    """Session windows of processing time."""


@attrs.frozen
class _ByCount(WindowAssigner[Any, CountWindow]):
    """Base of assigners of windows of a fixed number of elements of a key."""

    size: int

    def is_event_time(self) -> bool:
        """Return False."""
        return False

    def get_default_trigger(self, env: Any) -> PurgingTrigger:
        """Return a trigger that fires and purges a window when it is full."""
        return PurgingTrigger(CountTrigger(self.size))

    def get_window_serializer(self) -> CountWindowSerializer:
        """Return the serializer of ``CountWindow``."""
        return CountWindowSerializer()


@final
@attrs.frozen
class CountTumblingWindowAssigner(_ByCount):
    """Windows of a fixed number of elements of a key that follow each other."""

    @staticmethod
    @checked
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """Return an assigner of windows of ``window_size`` elements."""
        return CountTumblingWindowAssigner(_positive(window_size))

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[CountWindow]:
        """Return the window that is not yet full."""
        return [CountWindow(context.next_count() // self.size)]


@final
@attrs.frozen
class CountSlidingWindowAssigner(_ByCount):
    """Windows of a fixed number of elements of a key, one of which begins every ``window_slide`` elements."""

    slide: int

    @staticmethod
    @checked
    def of(window_size: int, window_slide: int) -> CountSlidingWindowAssigner:
        """Return an assigner of sliding windows of a number of elements. As in PyFlink, only full windows fire.

        Args:
            window_size: Number of elements of a window, at least 1.
            window_slide: Number of elements between the starts of two windows, at least 1.

        Raises:
            DefinitionError: A number is less than 1.
        """
        return CountSlidingWindowAssigner(_positive(window_size), _positive(window_slide))

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[CountWindow]:
        """Return the windows that contain the element."""
        count = context.next_count()
        first = max(0, -(-(count - self.size + 1) // self.slide))
        return [CountWindow(number) for number in range(first, count // self.slide + 1)]


def _positive(size: int) -> int:
    if size <= 0:
        raise DefinitionError(f"a count window has at least one element, not {size}")
    return size


@final
@attrs.frozen
class GlobalWindows(WindowAssigner[Any, GlobalWindow]):
    """Assigner of one window for all elements of a key.

    Warning:
        The window never fires without a trigger of its own, and keeps all elements unless that trigger purges it.
    """

    @staticmethod
    def create() -> GlobalWindows:
        """Return the assigner."""
        return GlobalWindows()

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[GlobalWindow]:
        """Return the global window."""
        return [GlobalWindow()]

    def is_event_time(self) -> bool:
        """Return False."""
        return False

    def get_default_trigger(self, env: Any) -> NeverTrigger:
        """Return a trigger that never fires."""
        return NeverTrigger()

    def get_window_serializer(self) -> GlobalWindowSerializer:
        """Return the serializer of ``GlobalWindow``."""
        return GlobalWindowSerializer()
