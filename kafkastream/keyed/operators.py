"""Operators on keyed streams, in one subtask: elements in, and what functions make of them and of their timers out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, final

from kafkastream.keyed.scope import KeyedScope
from kafkastream.keyed.timers import Timer
from kafkastream.spec.functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    MapFunction,
    ReduceFunction,
)
from kafkastream.spec.graph import OperatorKind
from kafkastream.spec.process_functions import KeyedProcessFunction, TimeDomain
from kafkastream.spec.runtime_context import RuntimeContext
from kafkastream.spec.state import ReducingState, ReducingStateDescriptor
from kafkastream.spec.types import Types

__all__ = ["CallError", "Emitted", "KeyedElements", "KeyedOperator", "process_operator"]


class CallError(Exception):
    """A user's function raised; ``__cause__`` is what it raised.

    Attributes:
        key: The current key.
        element: What it was called with; None for a timer.
        timer: When the timer was to fire, in ms; None for an element.
    """

    def __init__(self, key: Any, element: Any = None, timer: int | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.element = element
        self.timer = timer


class KeyedElements(NamedTuple):
    """Elements for a keyed operator, with the key and the event time of each.

    Args:
        side: Which of its inputs they come by.
    """

    side: int
    keys: list[bytes]
    values: list[Any]
    timestamps: list[int | None]


@final
class Emitted:
    """What comes out, with the time of each; a pair of tag and element goes to a side output."""

    __slots__ = ("timestamps", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.timestamps: list[int | None] = []

    def take(self, results: Iterable[Any], timestamp: int | None) -> None:
        """Take in several results of one time."""
        for result in results:
            self.values.append(result)
            self.timestamps.append(timestamp)


class KeyedOperator(ABC):
    """What happens to the elements of one subtask's keys, and at the times that were registered for them.

    Attributes:
        scope: The keys, with their state and timers.
    """

    def __init__(self) -> None:
        self.scope = KeyedScope()

    @abstractmethod
    def open(self, context: RuntimeContext) -> None:
        """Prepare for elements."""

    @property
    @abstractmethod
    def functions(self) -> Sequence[Function]:
        """The user's functions."""

    @abstractmethod
    def elements(self, arrived: KeyedElements) -> Emitted:
        """What comes out for elements, in order.

        Raises:
            CallError: A function raised.
        """

    @abstractmethod
    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """A timer fires; its key is the current one, its namespace too.

        Raises:
            CallError: A function raised.
        """

    @final
    def advance(self, watermark: int, now: int) -> Emitted:
        """What comes out when event time has come so far, and the wall clock (both in ms).

        Raises:
            CallError: A function raised.
        """
        out = Emitted()
        self.scope.watermark = max(watermark, self.scope.watermark)
        self._fire(TimeDomain.EVENT_TIME, self.scope.watermark, out)
        self._fire(TimeDomain.PROCESSING_TIME, now, out)
        return out

    def _fire(self, domain: TimeDomain, up_to: int, out: Emitted) -> None:
        scope = self.scope
        queue = scope.event_timers if domain is TimeDomain.EVENT_TIME else scope.processing_timers
        for timer in queue.fire(up_to):
            scope.select(timer.key)
            scope.namespace = timer.namespace
            self.on_timer(timer, domain, out)
        scope.namespace = ()


@final
class ProcessOperator(KeyedOperator):
    """Runs a ``KeyedProcessFunction``, which may stand for another function of the user's."""

    def __init__(self, function: KeyedProcessFunction[Any, Any, Any], users: object) -> None:
        super().__init__()
        self.function = function
        self._users = users
        self._context = KeyedProcessFunction.Context(self.scope, self.scope)
        self._timer_context = KeyedProcessFunction.OnTimerContext(self.scope, self.scope)

    def open(self, context: RuntimeContext) -> None:
        """Open the function."""
        self.function.open(context)

    @property
    def functions(self) -> Sequence[Function]:
        """The one function, if it is more than a plain one."""
        return (self._users,) if isinstance(self._users, Function) else ()

    def elements(self, arrived: KeyedElements) -> Emitted:
        """Call the function for each element."""
        out = Emitted()
        scope, context, process_element = self.scope, self._context, self.function.process_element
        last = None
        value = None
        try:
            for key, value, timestamp in zip(*arrived[1:], strict=True):
                if key is not last:
                    scope.select(key)
                    last = key
                context._timestamp = timestamp
                results = process_element(value, context)
                if results is not None:
                    out.take(results, timestamp)
                if context._aside:
                    out.take(context._taken_aside(), timestamp)
        except Exception as error:
            raise CallError(scope.key, value) from error
        return out

    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Call the function's ``on_timer``."""
        context = self._timer_context
        context._timestamp, context._domain = timer.timestamp, domain
        time = timer.timestamp if domain is TimeDomain.EVENT_TIME else None
        try:
            out.take(self.function.on_timer(timer.timestamp, context) or (), time)
            out.take(context._taken_aside(), time)
        except Exception as error:
            raise CallError(self.scope.key, timer=timer.timestamp) from error


@final
class _Adapted(KeyedProcessFunction[Any, Any, Any]):
    """A simpler function as a process function; ``open`` reaches it, and so does keyed state."""

    def __init__(
        self,
        function: Any,
        kind: type[Function],
        method: str,
        results: Callable[[Any, Any], Iterable[Any]],
    ) -> None:
        self._function = function
        self._call = getattr(function, method) if isinstance(function, kind) else function
        self._results = results

    def open(self, runtime_context: RuntimeContext) -> None:
        if isinstance(self._function, Function):
            self._function.open(runtime_context)

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        return self._results(self._call(value), value)


@final
class _Reducing(KeyedProcessFunction[Any, Any, Any]):
    """The rolling reduction of each key: one result for each element."""

    def __init__(self, function: ReduceFunction[Any]) -> None:
        self._function = function
        self._state: ReducingState[Any] | None = None

    def open(self, runtime_context: RuntimeContext) -> None:
        self._function.open(runtime_context)
        descriptor = ReducingStateDescriptor("_reduced", self._function, Types.PICKLED_BYTE_ARRAY())
        self._state = runtime_context.get_reducing_state(descriptor)

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        assert self._state is not None
        self._state.add(value)
        return (self._state.get(),)


def process_operator(kind: OperatorKind, function: Any) -> KeyedOperator:
    """What calls a function for each element."""
    return ProcessOperator(_as_process_function(kind, function), function)


def _as_process_function(kind: OperatorKind, given: Any) -> KeyedProcessFunction[Any, Any, Any]:
    match kind:
        case OperatorKind.KEYED_PROCESS:
            function: KeyedProcessFunction[Any, Any, Any] = given
            return function
        case OperatorKind.REDUCE:
            return _Reducing(given)
        case OperatorKind.MAP:
            return _Adapted(given, MapFunction, "map", lambda result, _: (result,))
        case OperatorKind.FLAT_MAP:
            return _Adapted(given, FlatMapFunction, "flat_map", lambda results, _: results or ())
        case OperatorKind.FILTER:
            return _Adapted(given, FilterFunction, "filter", lambda result, value: (value,) if result else ())
        case _:
            raise AssertionError(kind)
