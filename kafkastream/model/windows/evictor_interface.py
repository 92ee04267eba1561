"""Evictors: which elements leave a window when it fires; Java's, which PyFlink lacks."""

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
    """An element of a window, with its event time in ms, if it has one; no other is equal to it.

    Example:
        >>> TimestampedValue("a", 5).get_timestamp(), TimestampedValue("a").has_timestamp()
        (5, False)
    """

    value: T
    timestamp: int | None = None

    def get_value(self) -> T:
        """The element."""
        return self.value

    getValue = get_value

    def has_timestamp(self) -> bool:
        """Whether it has an event time."""
        return self.timestamp is not None

    hasTimestamp = has_timestamp

    def get_timestamp(self) -> int:
        """Its event time, in ms.

        Raises:
            DefinitionError: It has none.
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
    """The elements of a window, in the order in which they came; those that are removed leave the window.

    It is a list that may be changed while it is iterated: what Java does by ``iterator.remove()`` is ``remove(element)``.

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
    """Removes elements from a window when it fires, before or after the window's function sees them.

    Same as in Flink: what is removed is gone for good, and a window with an evictor keeps all its elements: ``reduce``
    and ``aggregate`` go over those that are left when it fires.
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
        """The time, and where metrics are registered; valid during one call."""

        def __init__(self, timers: Timers, metrics: MetricGroup) -> None:
            super().__init__(timers)
            self._metrics = metrics

        def get_metric_group(self) -> MetricGroup:
            """The metrics of the operator."""
            return self._metrics

        getMetricGroup = get_metric_group

    @abstractmethod
    def evict_before(
        self, elements: WindowElements[T], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove elements before the window's function sees them; ``size`` is how many there are."""

    @abstractmethod
    def evict_after(
        self, elements: WindowElements[T], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove elements after the window's function has seen them; ``size`` is how many are left."""
