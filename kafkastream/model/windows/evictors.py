"""Evictors that Flink ships: by count, time and delta."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.windows.evictor_interface import Evictor, WindowElements
from kafkastream.model.windows.windows import Window

__all__ = ["CountEvictor", "DeltaEvictor", "DeltaFunction", "TimeEvictor"]

T = TypeVar("T", default=Any)


@attrs.frozen
class _Sided(Evictor[Any, Window], ABC):
    """Base of evictors that evict before the window function, or after it if ``do_evict_after`` is set."""

    do_evict_after: bool = attrs.field(default=False, kw_only=True)

    def evict_before(
        self, elements: WindowElements, size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Evict, unless ``do_evict_after`` is set."""
        if not self.do_evict_after:
            self._evict(elements)

    def evict_after(
        self, elements: WindowElements, size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Evict, if ``do_evict_after`` is set."""
        if self.do_evict_after:
            self._evict(elements)

    @abstractmethod
    def _evict(self, elements: WindowElements) -> None:
        """Remove elements."""


@final
@attrs.frozen
class CountEvictor(_Sided):
    """Evictor that keeps the last ``max_count`` elements."""

    max_count: int

    @staticmethod
    @checked
    def of(max_count: int, do_evict_after: bool = False) -> CountEvictor:
        """Return an evictor that keeps the last ``max_count`` elements.

        Args:
            max_count: Number of elements to keep.
            do_evict_after: Evict after the window function instead of before it.

        Example:
            >>> window = WindowElements("abcd")
            >>> CountEvictor.of(3).evict_before(window, 4, None, None)
            >>> window
            ['b', 'c', 'd']
        """
        return CountEvictor(max_count, do_evict_after=do_evict_after)

    def _evict(self, elements: WindowElements) -> None:
        del elements[: max(len(elements) - self.max_count, 0)]


@final
@attrs.frozen
class TimeEvictor(_Sided):
    """Evictor that keeps elements that are less than ``window_size`` older than the latest in the window.

    Same as in Flink: if the first element has no timestamp, all stay.
    """

    window_size: int

    @staticmethod
    @checked
    def of(window_size: Time | Duration, do_evict_after: bool = False) -> TimeEvictor:
        """Return an evictor that keeps the elements of the last ``window_size``.

        Args:
            window_size: Age, relative to the latest element, from which on elements are evicted.
            do_evict_after: Evict after the window function instead of before it.
        """
        return TimeEvictor(millis_of("window size", window_size), do_evict_after=do_evict_after)

    def _evict(self, elements: WindowElements) -> None:
        if elements and elements[0].has_timestamp():
            cutoff = max(one.get_timestamp() for one in elements) - self.window_size
            elements[:] = [one for one in elements if one.get_timestamp() > cutoff]


class DeltaFunction(ABC, Generic[T]):
    """Distance between two elements, for a ``DeltaEvictor``."""

    @abstractmethod
    def get_delta(self, old_data_point: T, new_data_point: T) -> float:
        """Return the distance between two elements.

        Args:
            old_data_point: An element of the window.
            new_data_point: The last element of the window.
        """


@final
@attrs.frozen
class DeltaEvictor(_Sided):
    """Evictor that keeps elements whose distance to the last one is below a threshold."""

    threshold: float
    delta_function: DeltaFunction[Any] | Callable[[Any, Any], float]

    @staticmethod
    @checked
    def of(
        threshold: float,
        delta_function: DeltaFunction[T] | Callable[[T, T], float],
        do_evict_after: bool = False,
    ) -> DeltaEvictor:
        """Return an evictor of elements whose distance to the last one is ``threshold`` or more.

        Args:
            threshold: Distance from which on elements are evicted.
            delta_function: Distance between two elements: a ``DeltaFunction``, or a plain function.
            do_evict_after: Evict after the window function instead of before it.
        """
        return DeltaEvictor(threshold, delta_function, do_evict_after=do_evict_after)

    def _evict(self, elements: WindowElements) -> None:
        given = self.delta_function
        delta = given.get_delta if isinstance(given, DeltaFunction) else given
        last = elements[-1].value if elements else None
        elements[:] = [one for one in elements if delta(one.value, last) < self.threshold]
