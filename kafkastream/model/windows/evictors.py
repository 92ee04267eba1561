"""Flink's own evictors."""

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
    """Removes elements on one side of the window's function: before it, unless the job says after."""

    do_evict_after: bool = attrs.field(default=False, kw_only=True)

    def evict_before(
        self, elements: WindowElements, size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove them now, if this is the time."""
        if not self.do_evict_after:
            self._evict(elements)

    def evict_after(
        self, elements: WindowElements, size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove them now, if this is the time."""
        if self.do_evict_after:
            self._evict(elements)

    @abstractmethod
    def _evict(self, elements: WindowElements) -> None:
        """Remove elements."""


@final
@attrs.frozen
class CountEvictor(_Sided):
    """Keeps so many elements, those that came last."""

    max_count: int

    @staticmethod
    @checked
    def of(max_count: int, do_evict_after: bool = False) -> CountEvictor:
        """Keeps ``max_count`` elements.

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
    """Keeps elements that are less than so many ms older than the latest in the window.

    Same as in Flink: when the first element has no event time, all stay.
    """

    window_size: int

    @staticmethod
    @checked
    def of(window_size: Time | Duration, do_evict_after: bool = False) -> TimeEvictor:
        """Keeps elements of the last ``window_size``."""
        return TimeEvictor(millis_of("window size", window_size), do_evict_after=do_evict_after)

    def _evict(self, elements: WindowElements) -> None:
        if elements and elements[0].has_timestamp():
            cutoff = max(one.get_timestamp() for one in elements) - self.window_size
            elements[:] = [one for one in elements if one.get_timestamp() > cutoff]


class DeltaFunction(ABC, Generic[T]):
    """How far an element is from another, for a ``DeltaEvictor``."""

    @abstractmethod
    def get_delta(self, old_data_point: T, new_data_point: T) -> float:
        """Return how far the new one is from the old one."""


@final
@attrs.frozen
class DeltaEvictor(_Sided):
    """Keeps elements that are nearer than a threshold to the one that came last."""

    threshold: float
    delta_function: DeltaFunction[Any] | Callable[[Any, Any], float]

    @staticmethod
    @checked
    def of(
        threshold: float,
        delta_function: DeltaFunction[T] | Callable[[T, T], float],
        do_evict_after: bool = False,
    ) -> DeltaEvictor:
        """Removes elements whose delta to the last one is ``threshold`` or more; a plain function will do as well."""
        return DeltaEvictor(threshold, delta_function, do_evict_after=do_evict_after)

    def _evict(self, elements: WindowElements) -> None:
        given = self.delta_function
        delta = given.get_delta if isinstance(given, DeltaFunction) else given
        last = elements[-1].value if elements else None
        elements[:] = [one for one in elements if delta(one.value, last) < self.threshold]
