"""Windows of keyed streams, and the interface of the assigners that put elements into them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, final

import attrs
from typing_extensions import TypeVar

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK

if TYPE_CHECKING:
    from kafkastream.model.functions.runtime_context import RuntimeContext
    from kafkastream.model.windows.trigger_interface import Trigger
    from kafkastream.model.windows.window_serializers import TypeSerializer

__all__ = [
    "CountWindow",
    "GlobalWindow",
    "MergingWindowAssigner",
    "TimeWindow",
    "Window",
    "WindowAssigner",
    "WindowAssignerContext",
]

T = TypeVar("T", default=Any)
W = TypeVar("W", bound="Window", default=Any)
W2 = TypeVar("W2", bound="Window", default=Any)


class Window(ABC):
    """Bucket of elements of a key."""

    @abstractmethod
    def max_timestamp(self) -> int:
        """Return the largest timestamp that belongs to the window, in ms."""

    def __lt__(self, other: Window) -> bool:
        """Order windows whose timers have the same time: the lesser one fires first."""
        return self._order() < other._order()

    def _order(self) -> tuple[Any, ...]:
        return (repr(self),)


@final
@attrs.frozen(order=False)
class TimeWindow(Window):
    """Window from ``start`` (inclusive) to ``end`` (exclusive), in ms since the epoch.

    Example:
        >>> TimeWindow(0, 5).max_timestamp(), TimeWindow(0, 5).intersects(TimeWindow(5, 9))
        (4, True)
    """

    start: int
    end: int

    def get_start(self) -> int:
        """Return the first timestamp that belongs to the window, in ms since the epoch."""
        return self.start

    getStart = get_start

    def get_end(self) -> int:
        """Return the first timestamp after the window, in ms since the epoch."""
        return self.end

    getEnd = get_end

    def max_timestamp(self) -> int:
        """Return the last timestamp that belongs to the window, in ms since the epoch."""
        return self.end - 1

    maxTimestamp = max_timestamp

    def _order(self) -> tuple[Any, ...]:
        return self.start, self.end

    def intersects(self, other: TimeWindow) -> bool:
        """Return whether this window and ``other`` overlap or touch."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: TimeWindow) -> TimeWindow:
        """Return the smallest window that contains this one and ``other``."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """Return the start of the window that contains a timestamp.

        Args:
            timestamp: Timestamp in ms.
            offset: Offset of the windows from the epoch, in ms.
            window_size: Length of the windows, in ms.

        Example:
            >>> TimeWindow.get_window_start_with_offset(12, 1, 5)
            11
        """
        return timestamp - (timestamp - offset) % window_size

    getWindowStartWithOffset = get_window_start_with_offset

    @staticmethod
    def merge_windows(
        windows: Iterable[TimeWindow], callback: Callable[[Iterable[TimeWindow], TimeWindow], None]
    ) -> None:
        """Merge windows that overlap or touch.

        Args:
            windows: The windows.
            callback: Called with the windows of each merge and the window that covers them.
        """
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

    mergeWindows = merge_windows


@final
@attrs.frozen(order=False)
class CountWindow(Window):
    """Window of a fixed number of elements, known by its number among the key's windows."""

    id: int

    def _order(self) -> tuple[Any, ...]:
        return (self.id,)

    def max_timestamp(self) -> int:
        """Return the largest timestamp of all: the window does not end by time."""
        return MAX_WATERMARK

    maxTimestamp = max_timestamp


@final
@attrs.frozen(order=False)
class GlobalWindow(Window):
    """Only window of all elements of a key."""

    @staticmethod
    def get() -> GlobalWindow:
        """Return the global window."""
        return GlobalWindow()

    def max_timestamp(self) -> int:
        """Return the largest timestamp of all: the window does not end by time."""
        return MAX_WATERMARK

    maxTimestamp = max_timestamp


class WindowAssignerContext(Protocol):
    """Context of a window assigner."""

    def get_current_processing_time(self) -> int:
        """Return the worker's wall clock, in ms since the epoch."""

    def get_runtime_context(self) -> RuntimeContext:
        """Return the operator's runtime context, which has the state of the current key."""

    def next_count(self) -> int:
        """Return the number of elements of the key that came before this one."""


_Context: TypeAlias = WindowAssignerContext


class WindowAssigner(ABC, Generic[T, W]):
    """Assigns each element to windows."""

    WindowAssignerContext: TypeAlias = _Context

    @abstractmethod
    def assign_windows(self, element: T, timestamp: int, context: WindowAssignerContext) -> Collection[W]:
        """Return the windows of an element.

        Args:
            element: The element.
            timestamp: Timestamp of the element, in ms.
            context: Clock and state of the operator.
        """

    @abstractmethod
    def is_event_time(self) -> bool:
        """Return whether windows end by event time rather than processing time."""

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Return the trigger of windows for which the job sets none; here, one that fires at the window's end.

        Args:
            env: The environment in PyFlink; None here.
        """
        from kafkastream.model.windows.triggers import EventTimeTrigger, ProcessingTimeTrigger

        return EventTimeTrigger() if self.is_event_time() else ProcessingTimeTrigger()

    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return the serializer of the windows; never called here, since windows are pickled."""
        from kafkastream.model.windows.window_serializers import TypeSerializer

        return TypeSerializer()


class MergingWindowAssigner(WindowAssigner[T, W], ABC):
    """Window assigner whose windows may merge, such as sessions."""

    @final
    @attrs.frozen
    class MergeCallback(Generic[W2]):
        """Callback for merged windows: call it, or its ``merge``, with the windows and the result."""

        _merge: Callable[[Iterable[W2], W2], None]

        def merge(self, to_be_merged: Iterable[W2], merge_result: W2) -> None:
            """Merge ``to_be_merged`` into ``merge_result``.

            Args:
                to_be_merged: Windows to merge.
                merge_result: Window that covers them.
            """
            self._merge(to_be_merged, merge_result)

        __call__ = merge

    @abstractmethod
    def merge_windows(self, windows: Iterable[W], callback: MergeCallback[W]) -> None:
        """Decide which windows to merge, and call ``callback`` for each merge.

        Args:
            windows: Windows of a key, including that of the new element.
            callback: Called with the windows of a merge and the window that replaces them.
        """
