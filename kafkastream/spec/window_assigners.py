"""Flink's own windows: by time, by sessions, by count, and one for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.time import Duration, Time, millis_of
from kafkastream.spec.watermark import MIN_WATERMARK
from kafkastream.spec.window import (
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


@attrs.frozen
class _Aligned(WindowAssigner[Any, TimeWindow]):
    """Windows of one size that begin every ``slide`` ms."""

    size: int
    slide: int
    offset: int

    def _windows(self, timestamp: int) -> list[TimeWindow]:
        last = TimeWindow.get_window_start_with_offset(timestamp, self.offset, self.slide)
        starts = range(last, timestamp - self.size, -self.slide)
        return [TimeWindow(start, start + self.size) for start in starts]


class _ByEventTime(_Aligned):
    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """The windows with this time inside."""
        return self._windows(_timed(timestamp))

    def is_event_time(self) -> bool:
        """Yes."""
        return True


class _ByProcessingTime(_Aligned):
    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """The windows with the present time inside."""
        return self._windows(context.get_current_processing_time())

    def is_event_time(self) -> bool:
        """No."""
        return False


@final
class TumblingEventTimeWindows(_ByEventTime):
    """One window after the other, by event time.

    Example:
        >>> TumblingEventTimeWindows.of(Time.seconds(5)).size
        5000
    """

    @staticmethod
    def of(size: Length, offset: Length = _NO_OFFSET) -> TumblingEventTimeWindows:
        """Windows of ``size``, aligned with 1970 in UTC, and moved by ``offset``.

        Raises:
            DefinitionError: The size is not positive, or the offset not less.
        """
        return TumblingEventTimeWindows(*_tumbling("TumblingEventTimeWindows", size, offset))


@final
class TumblingProcessingTimeWindows(_ByProcessingTime):
    """One window after the other, by the wall clock."""

    @staticmethod
    def of(size: Length, offset: Length = _NO_OFFSET) -> TumblingProcessingTimeWindows:
        """Windows of ``size``; arguments and errors as of ``TumblingEventTimeWindows.of``."""
        return TumblingProcessingTimeWindows(*_tumbling("TumblingProcessingTimeWindows", size, offset))


@final
class SlidingEventTimeWindows(_ByEventTime):
    """Windows that overlap, by event time."""

    @staticmethod
    def of(size: Length, slide: Length, offset: Length = _NO_OFFSET) -> SlidingEventTimeWindows:
        """Windows of ``size``, one every ``slide``, moved by ``offset``.

        Raises:
            DefinitionError: Size or slide is not positive, or the offset not less than the slide.
        """
        return SlidingEventTimeWindows(*_sliding("SlidingEventTimeWindows", size, slide, offset))


@final
class SlidingProcessingTimeWindows(_ByProcessingTime):
    """Windows that overlap, by the wall clock."""

    @staticmethod
    def of(size: Length, slide: Length, offset: Length = _NO_OFFSET) -> SlidingProcessingTimeWindows:
        """Windows of ``size``, one every ``slide``; as ``SlidingEventTimeWindows.of``."""
        return SlidingProcessingTimeWindows(*_sliding("SlidingProcessingTimeWindows", size, slide, offset))


def _tumbling(name: str, size: Length, offset: Length | None) -> tuple[int, int, int]:
    millis, moved = millis_of("size", size), millis_of("offset", offset or _NO_OFFSET)
    _checked(name, millis, moved, millis)
    return millis, millis, moved


def _sliding(name: str, size: Length, slide: Length, offset: Length | None) -> tuple[int, int, int]:
    millis, every, moved = millis_of("size", size), millis_of("slide", slide), millis_of("offset", offset or _NO_OFFSET)
    _checked(name, millis, moved, every)
    return millis, every, moved


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
class _Sessions(MergingWindowAssigner[Any, TimeWindow]):
    """Windows that last as long as elements follow each other within a gap."""

    gap: SessionWindowTimeGapExtractor

    def _windows(self, element: Any, timestamp: int) -> list[TimeWindow]:
        gap = self.gap.extract(element)
        if gap <= 0:
            raise DefinitionError("Dynamic session time gap must satisfy 0 < gap", where=f"gap {gap} ms")
        return [TimeWindow(timestamp, timestamp + gap)]

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: Callable[[Iterable[TimeWindow], TimeWindow], None]
    ) -> None:
        """Those that overlap or touch become one."""
        group: list[TimeWindow] = []
        whole: TimeWindow | None = None
        for window in sorted(windows):
            if whole is not None and whole.intersects(window):
                group.append(window)
                whole = whole.cover(window)
                continue
            if whole is not None and len(group) > 1:
                callback(group, whole)
            group, whole = [window], window
        if whole is not None and len(group) > 1:
            callback(group, whole)


@final
class EventTimeSessionWindows(_Sessions):
    """Sessions by event time.

    Example:
        >>> EventTimeSessionWindows.with_gap(Time.minutes(10)).is_event_time()
        True
    """

    @staticmethod
    def with_gap(size: Length) -> EventTimeSessionWindows:
        """A session ends when no element has come for ``size``.

        Raises:
            DefinitionError: The gap is not positive.
        """
        return EventTimeSessionWindows(_fixed_gap("EventTimeSessionWindows", size))

    withGap = with_gap

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> EventTimeSessionWindows:
        """Each element says how long the session waits after it."""
        return EventTimeSessionWindows(extractor)

    withDynamicGap = with_dynamic_gap

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """From its time up to the end of the gap."""
        return self._windows(element, _timed(timestamp))

    def is_event_time(self) -> bool:
        """Yes."""
        return True


@final
class ProcessingTimeSessionWindows(_Sessions):
    """Sessions by the wall clock."""

    @staticmethod
    def with_gap(size: Length) -> ProcessingTimeSessionWindows:
        """A session ends when no element has come for ``size``.

        Raises:
            DefinitionError: The gap is not positive.
        """
        return ProcessingTimeSessionWindows(_fixed_gap("ProcessingTimeSessionWindows", size))

    withGap = with_gap

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> ProcessingTimeSessionWindows:
        """Each element says how long the session waits after it."""
        return ProcessingTimeSessionWindows(extractor)

    withDynamicGap = with_dynamic_gap

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[TimeWindow]:
        """From now up to the end of the gap."""
        return self._windows(element, context.get_current_processing_time())

    def is_event_time(self) -> bool:
        """No."""
        return False


def _fixed_gap(name: str, size: Length) -> SessionWindowTimeGapExtractor:
    millis = millis_of("gap", size)
    if millis <= 0:
        raise DefinitionError(f"{name} parameters must satisfy 0 < size", where=f"gap {millis} ms")
    return _FixedGap(millis)


@final
@attrs.frozen
class CountTumblingWindowAssigner(WindowAssigner[Any, CountWindow]):
    """One window after the other, each of so many elements of a key."""

    size: int

    @staticmethod
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """Windows of ``window_size`` elements."""
        return CountTumblingWindowAssigner(_positive(window_size))

    def assign_windows(self, element: Any, timestamp: int, context: WindowAssignerContext) -> Collection[CountWindow]:
        """The window that is not full."""
        return [CountWindow(context.next_count() // self.size)]

    def is_event_time(self) -> bool:
        """No."""
        return False


@final
@attrs.frozen
class CountSlidingWindowAssigner(WindowAssigner[Any, CountWindow]):
    """Windows of so many elements of a key, one every few elements."""

    size: int
    slide: int

    @staticmethod
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
