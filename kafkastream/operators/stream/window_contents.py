"""Contents of windows: the elements, or their aggregate, until a window fires."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import reduce
from itertools import starmap
from typing import Any, ClassVar, cast, final

from kafkastream.metrics.groups import MetricGroup
from kafkastream.model.common.stream_functions import AggregateFunction, Function, ReduceFunction, something
from kafkastream.model.functions.process_functions import Timers
from kafkastream.model.windows.evictor_interface import Evictor, TimestampedValue, WindowElements
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import Window

__all__ = ["Contents", "Keeping", "keeping"]

Contents = dict[Window, Any]
"""Content of each window of a key."""

Take = Callable[[list[Any]], None]
"""Lets the window's function have elements, and its results out."""


class Keeping(ABC):
    """Strategy that keeps elements, or their aggregate, until their window fires.

    Attributes:
        keeps_all: Whether the content is a list of all elements.
    """

    keeps_all: ClassVar[bool] = False

    def open(self, timers: Timers, metrics: MetricGroup) -> None:
        """Prepare for elements."""

    @abstractmethod
    def added(self, content: Any, value: Any, timestamp: int | None) -> Any:
        """Return the content with one more element; ``content`` is None before the first."""

    @abstractmethod
    def merged(self, one: Any, other: Any) -> Any:
        """Return the content of two windows that have merged."""

    @abstractmethod
    def value(self, content: Any) -> Any:
        """Return content as a test sees it: the elements, or what the aggregate gives so far."""

    @abstractmethod
    def fire(self, content: Any, window: Window, take: Take) -> Any:
        """Pass the content to ``take``, which calls the window function; return what stays, or None."""


class _All(Keeping):
    keeps_all = True

    def added(self, content: Any, value: Any, timestamp: int | None) -> Any:
        if content is None:
            return [value]
        content.append(value)
        return content

    def merged(self, one: Any, other: Any) -> Any:
        return [*one, *other]

    def value(self, content: Any) -> Any:
        return list(content)

    def fire(self, content: Any, window: Window, take: Take) -> Any:
        take(list(content))
        return content


@final
class _Reduced(Keeping):
    def __init__(self, function: ReduceFunction[Any]) -> None:
        self._reduce = function.reduce

    def added(self, content: Any, value: Any, timestamp: int | None) -> Any:
        return value if content is None else something("reduce", self._reduce(content, value))

    def merged(self, one: Any, other: Any) -> Any:
        return something("reduce", self._reduce(one, other))

    def value(self, content: Any) -> Any:
        return content

    def fire(self, content: Any, window: Window, take: Take) -> Any:
        take([content])
        return content


@final
class _Aggregated(Keeping):
    def __init__(self, function: AggregateFunction[Any, Any, Any]) -> None:
        self._function = function

    def added(self, content: Any, value: Any, timestamp: int | None) -> Any:
        before = self._function.create_accumulator() if content is None else content
        return something("add", self._function.add(value, before))

    def merged(self, one: Any, other: Any) -> Any:
        return something("merge", self._function.merge(one, other))

    def value(self, content: Any) -> Any:
        return self._function.get_result(content)

    def fire(self, content: Any, window: Window, take: Take) -> Any:
        take([self._function.get_result(content)])
        return content


@final
class _Evicting(_All):
    """Strategy that keeps all elements with their timestamps for an evictor (Flink's EvictingWindowOperator)."""

    def __init__(self, evictor: Evictor[Any, Any], combine: Function | None) -> None:
        self._evictor = evictor
        self._combine = combine
        self._context: Evictor.EvictorContext | None = None

    def open(self, timers: Timers, metrics: MetricGroup) -> None:
        self._context = Evictor.EvictorContext(timers, metrics)

    def added(self, content: Any, value: Any, timestamp: int | None) -> Any:
        return super().added(content, (value, timestamp), timestamp)

    def value(self, content: Any) -> Any:
        return [value for value, _ in content]

    def fire(self, content: Any, window: Window, take: Take) -> Any:
        assert self._context is not None
        elements: WindowElements[Any] = WindowElements(starmap(TimestampedValue, content))
        self._evictor.evict_before(elements, len(elements), window, self._context)
        take(_combined(self._combine, [element.value for element in elements]))
        self._evictor.evict_after(elements, len(elements), window, self._context)
        return [(element.value, element.timestamp) for element in elements] or None


def _combined(combine: Function | None, values: list[Any]) -> list[Any]:
    """Return the aggregate of all elements, as a list; empty if there are none, as in Flink."""
    match combine:
        case ReduceFunction():
            return [reduce(combine.reduce, values) if values else None]
        case AggregateFunction():
            accumulator = combine.create_accumulator()
            for value in values:
                accumulator = combine.add(value, accumulator)
            return [combine.get_result(accumulator)]
        case _:
            return values


def keeping(operation: WindowOperation) -> Keeping:
    """Return the strategy that keeps the elements of these windows."""
    combine = operation.combine
    if operation.evictor is not None:
        return _Evicting(operation.evictor, combine)
    if combine is None:
        return _All()
    return _Reduced(combine) if isinstance(combine, ReduceFunction) else _Aggregated(cast("Any", combine))
