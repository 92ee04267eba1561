"""Evictor interface: decides which elements leave a window when it fires; Java's, since PyFlink has none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.metrics.groups import MetricGroup
from kafkastream.model.functions.process_functions import Timers, WindowTimes
from kafkastream.model.windows.windows import Window

__all__ = ["Evictor", "TimestampedValue", "WindowElements"]

T = TypeVar("T", default=Any)
W = TypeVar("W", bound=Window, default=Any)


@final
@attrs.frozen(eq=False)
class TimestampedValue(Generic[T]):
    """Element of a window with its timestamp in ms, if it has one; equal only to itself.

    Example:
        >>> TimestampedValue("a", 5).get_timestamp(), TimestampedValue("a").has_timestamp()
        (5, False)
    """

    value: T
    timestamp: int | None = None

    def get_value(self) -> T:
        """Return the element."""
        return self.value

    getValue = get_value

    def has_timestamp(self) -> bool:
        """Return whether the element has a timestamp."""
        return self.timestamp is not None

    hasTimestamp = has_timestamp

    def get_timestamp(self) -> int:
        """Return the timestamp, in ms since the epoch.

        Raises:
            DefinitionError: The element has no timestamp.
        """
        if self.timestamp is None:
            raise DefinitionError(
                "Record has no timestamp.",
                now="Give the source a WatermarkStrategy with a timestamp assigner, or ask has_timestamp() before.",
            )
        return self.timestamp

    getTimestamp = get_timestamp


@final
class WindowElements(list[TimestampedValue[T]]):
    """Elements of a window, in the order of arrival; removed ones leave the window.

    The list may be changed while it is iterated: Java's ``iterator.remove()`` is ``remove(element)`` here.

    Example:
        >>> elements = WindowElements(TimestampedValue(number) for number in (1, 2, 3, 4))
        >>> for element in elements:
        ...     if element.value < 3:
        ...         elements.remove(element)
        >>> [element.value for element in elements]
        [3, 4]
    """

    def __iter__(self) -> Iterator[TimestampedValue[T]]:
        return iter(self[:])


class Evictor(ABC, Generic[T, W]):
    """Removes elements from a window when it fires, before or after the window function sees them.

    Same as in Flink: removed elements are gone for good, and a window with an evictor keeps all its elements:
    ``reduce`` and ``aggregate`` run over those that are left when it fires, so its state is larger than without an
    evictor.
    Differs from Flink: ``elements`` is a list, from which elements are removed in any of Python's ways.

    Example:
        >>> class OnlyPaid(Evictor):
        ...     def evict_before(self, elements, size, window, evictor_context):
        ...         elements[:] = [element for element in elements if element.value.is_paid]
        ...
        ...     def evict_after(self, elements, size, window, evictor_context):
        ...         pass
    """

    @final
    class EvictorContext(WindowTimes):
        """Clock, watermark and metrics of the operator; valid during one call."""

        def __init__(self, timers: Timers, metrics: MetricGroup) -> None:
            super().__init__(timers)
            self._metrics = metrics

        def get_metric_group(self) -> MetricGroup:
            """Return the operator's metric group."""
            return self._metrics

        getMetricGroup = get_metric_group

    @abstractmethod
    def evict_before(
        self, elements: WindowElements[T], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove elements before the window function sees them.

        Args:
            elements: Elements of the window; remove from this list.
            size: Number of elements.
            window: The window that fires.
            evictor_context: Clock, watermark and metrics.
        """

    @abstractmethod
    def evict_after(
        self, elements: WindowElements[T], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove elements after the window function has seen them.

        Args:
            elements: Elements of the window; remove from this list.
            size: Number of elements.
            window: The window that fires.
            evictor_context: Clock, watermark and metrics.
        """
