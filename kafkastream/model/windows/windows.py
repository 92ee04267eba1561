"""Windows: stretches of a keyed stream, and who puts elements into them."""

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
    """A stretch of a stream."""

    @abstractmethod
    def max_timestamp(self) -> int:
        """The last time that belongs to it, in ms."""

    def __lt__(self, other: Window) -> bool:
        """Of timers for the same time, the lesser window's fires first."""
        return self._order() < other._order()

    def _order(self) -> tuple[Any, ...]:
        return (repr(self),)


@final
@attrs.frozen(order=False)
class TimeWindow(Window):
    """From a time up to another, which does not belong to it (ms since 1970).

    Example:
        >>> TimeWindow(0, 5).max_timestamp(), TimeWindow(0, 5).intersects(TimeWindow(5, 9))
        (4, True)
    """

    start: int
    end: int

    def get_start(self) -> int:
        """The first time that belongs to it."""
        return self.start

    getStart = get_start

    def get_end(self) -> int:
        """The first time behind it."""
        return self.end

    getEnd = get_end

    def max_timestamp(self) -> int:
        """The last time that belongs to it."""
        return self.end - 1

    maxTimestamp = max_timestamp

    def _order(self) -> tuple[Any, ...]:
        return self.start, self.end

    def intersects(self, other: TimeWindow) -> bool:
        """Whether they overlap, or touch."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: TimeWindow) -> TimeWindow:
        """The least window with both inside."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """Where the window of a timestamp begins.

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
        """Call ``callback`` with windows that overlap or touch, and with the window that covers them."""
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
    """The window with a number, of a key's windows by count."""

    id: int

    def _order(self) -> tuple[Any, ...]:
        return (self.id,)

    def max_timestamp(self) -> int:
        """It has no last time."""
        return MAX_WATERMARK

    maxTimestamp = max_timestamp


@final
@attrs.frozen(order=False)
class GlobalWindow(Window):
    """The one window of all elements of a key."""

    @staticmethod
    def get() -> GlobalWindow:
        """The one window."""
        return GlobalWindow()

    def max_timestamp(self) -> int:
        """It has no last time."""
        return MAX_WATERMARK

    maxTimestamp = max_timestamp


class WindowAssignerContext(Protocol):
    """What an assigner may ask."""

    def get_current_processing_time(self) -> int:
        """The wall clock, in ms."""

    def get_runtime_context(self) -> RuntimeContext:
        """The operator's context, which knows the state of the current key."""

    def next_count(self) -> int:
        """How many elements of the key came before this one."""


_Context: TypeAlias = WindowAssignerContext


class WindowAssigner(ABC, Generic[T, W]):
    """Decides to which windows an element belongs."""

    WindowAssignerContext: TypeAlias = _Context

    @abstractmethod
    def assign_windows(self, element: T, timestamp: int, context: WindowAssignerContext) -> Collection[W]:
        """Return the windows of an element with this event time (ms)."""

    @abstractmethod
    def is_event_time(self) -> bool:
        """Whether windows end by event time."""

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Return what fires the windows when the job says nothing else: here, the end of the window.

        Args:
            env: The environment in PyFlink; not given here.
        """
        from kafkastream.model.windows.triggers import EventTimeTrigger, ProcessingTimeTrigger

        return EventTimeTrigger() if self.is_event_time() else ProcessingTimeTrigger()

    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return the serializer of the windows, which nobody asks for here: they are pickled."""
        from kafkastream.model.windows.window_serializers import TypeSerializer

        return TypeSerializer()


class MergingWindowAssigner(WindowAssigner[T, W], ABC):
    """One whose windows may become one."""

    @final
    @attrs.frozen
    class MergeCallback(Generic[W2]):
        """Told which windows become one: by ``callback.merge(windows, one)``, or just by a call."""

        _merge: Callable[[Iterable[W2], W2], None]

        def merge(self, to_be_merged: Iterable[W2], merge_result: W2) -> None:
            """Have windows become one."""
            self._merge(to_be_merged, merge_result)

        __call__ = merge

    @abstractmethod
    def merge_windows(self, windows: Iterable[W], callback: MergeCallback[W]) -> None:
        """Call ``callback`` with windows that are to become one, and with that one."""
