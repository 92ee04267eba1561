"""State of windows: the elements, or their aggregate, until a window fires."""

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

__all__ = ["Contents", "WindowState", "window_state"]

Contents = dict[Window, Any]
"""Content of each window of a key."""

Emit = Callable[[list[Any]], None]
"""Callable that passes elements to the window function and emits its results."""


class WindowState(ABC):
    """Strategy for the state of windows: all elements, or their aggregate.

    Attributes:
        keeps_all: Whether the content is a list of all elements.
    """

    keeps_all: ClassVar[bool] = False

    def open(self, timers: Timers, metrics: MetricGroup) -> None:
        """Prepare for elements."""

    @abstractmethod
    def add(self, content: Any, value: Any, timestamp: int | None) -> Any:
        """Return the content with one more element; ``content`` is None before the first."""

    @abstractmethod
    def merge(self, first: Any, second: Any) -> Any:
        """Return the merged content of two windows."""

    @abstractmethod
    def value(self, content: Any) -> Any:
        """Return the content for a test: the elements, or the result of the aggregate so far."""

    @abstractmethod
    def fire(self, content: Any, window: Window, emit: Emit) -> Any:
        """Pass the content to ``emit``, which calls the window function; return the content that remains, or None."""


class _AllElements(WindowState):
    keeps_all = True

    def add(self, content: Any, value: Any, timestamp: int | None) -> Any:
        if content is None:
            return [value]
        content.append(value)
        return content

    def merge(self, first: Any, second: Any) -> Any:
        return [*first, *second]

    def value(self, content: Any) -> Any:
        return list(content)

    def fire(self, content: Any, window: Window, emit: Emit) -> Any:
        emit(list(content))
        return content


@final
class _ReducedState(WindowState):
    def __init__(self, function: ReduceFunction[Any]) -> None:
        self._reduce = function.reduce

    def add(self, content: Any, value: Any, timestamp: int | None) -> Any:
        return value if content is None else something("reduce", self._reduce(content, value))

    def merge(self, first: Any, second: Any) -> Any:
        return something("reduce", self._reduce(first, second))

    def value(self, content: Any) -> Any:
        return content

    def fire(self, content: Any, window: Window, emit: Emit) -> Any:
        emit([content])
        return content


@final
class _AggregatedState(WindowState):
    def __init__(self, function: AggregateFunction[Any, Any, Any]) -> None:
        self._function = function

    def add(self, content: Any, value: Any, timestamp: int | None) -> Any:
        accumulator = self._function.create_accumulator() if content is None else content
        return something("add", self._function.add(value, accumulator))

    def merge(self, first: Any, second: Any) -> Any:
        return something("merge", self._function.merge(first, second))

    def value(self, content: Any) -> Any:
        return self._function.get_result(content)

    def fire(self, content: Any, window: Window, emit: Emit) -> Any:
        emit([self._function.get_result(content)])
        return content


@final
class _EvictingState(_AllElements):
    """All elements with their timestamps, for an evictor (Flink's EvictingWindowOperator)."""

    def __init__(self, evictor: Evictor[Any, Any], combine: Function | None) -> None:
        self._evictor = evictor
        self._combine = combine
        self._context: Evictor.EvictorContext | None = None

    def open(self, timers: Timers, metrics: MetricGroup) -> None:
        self._context = Evictor.EvictorContext(timers, metrics)

    def add(self, content: Any, value: Any, timestamp: int | None) -> Any:
        return super().add(content, (value, timestamp), timestamp)

    def value(self, content: Any) -> Any:
        return [value for value, _ in content]

    def fire(self, content: Any, window: Window, emit: Emit) -> Any:
        assert self._context is not None
        elements: WindowElements[Any] = WindowElements(starmap(TimestampedValue, content))
        self._evictor.evict_before(elements, len(elements), window, self._context)
        emit(_aggregate(self._combine, [element.value for element in elements]))
        self._evictor.evict_after(elements, len(elements), window, self._context)
        return [(element.value, element.timestamp) for element in elements] or None


def _aggregate(combine: Function | None, values: list[Any]) -> list[Any]:
    """Aggregate all elements that the evictor left; return a list with the result, or the elements without an aggregate function."""
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


def window_state(operation: WindowOperation) -> WindowState:
    """Return the strategy for the state of a window operation."""
    combine = operation.combine
    if operation.evictor is not None:
        return _EvictingState(operation.evictor, combine)
    if combine is None:
        return _AllElements()
    return _ReducedState(combine) if isinstance(combine, ReduceFunction) else _AggregatedState(cast("Any", combine))
