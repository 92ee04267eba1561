"""Basic user functions: map, flat map, filter, key selector, reduce and aggregate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError

if TYPE_CHECKING:
    from kafkastream.model.functions.runtime_context import RuntimeContext


__all__ = [
    "AggregateFunction",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "MapFunction",
    "NullByteKeySelector",
    "ReduceFunction",
    "WrappingFunction",
    "as_reduce_function",
    "function_name",
    "iterated",
    "method_of",
    "overrides_close",
    "something",
]

T = TypeVar("T", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
KEY = TypeVar("KEY", default=Any)
ACC = TypeVar("ACC", default=Any)
OUT = TypeVar("OUT", default=Any)


class Function:
    """Base of all user functions: ``open`` runs before the first element, ``close`` after the last.

    A function is opened once per Python worker and subtask and kept between micro-batches.
    Differs from Flink: a function that overrides ``close`` is opened and closed with every task of every micro-batch,
    because Spark may take a worker away between two of them; what such a function buffers is never lost.
    """

    def open(self, runtime_context: RuntimeContext) -> None:
        """Initialize the function: open connections, load models, get state.

        Args:
            runtime_context: Task, subtask, job parameters, metrics and keyed state.
        """

    def close(self) -> None:
        """Flush and release what ``open`` has acquired."""


class WrappingFunction(Function):
    """Function that calls others: it opens them, and closes those that override ``close``."""

    def __init__(self, *wrapped: object) -> None:
        self.wrapped = tuple(one for one in wrapped if isinstance(one, Function))

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the wrapped functions."""
        for function in self.wrapped:
            function.open(runtime_context)

    def close(self) -> None:
        """Close the wrapped functions."""
        for function in self.wrapped:
            function.close()


class MapFunction(Function, ABC, Generic[IN_contra, OUT]):
    """User function that returns one element for each element."""

    @abstractmethod
    def map(self, value: IN_contra) -> OUT:
        """Return the element that replaces ``value``."""


class FlatMapFunction(Function, ABC, Generic[IN_contra, OUT]):
    """User function that returns any number of elements for each element."""

    @abstractmethod
    def flat_map(self, value: IN_contra) -> Iterable[OUT]:
        """Yield, or return, the elements that replace ``value``."""


class FilterFunction(Function, ABC, Generic[IN_contra]):
    """User function that decides which elements to keep."""

    @abstractmethod
    def filter(self, value: IN_contra) -> bool:
        """Return True to keep ``value``."""


class KeySelector(Function, ABC, Generic[IN_contra, KEY]):
    """User function that extracts the key of an element."""

    @abstractmethod
    def get_key(self, value: IN_contra) -> KEY:
        """Return the key of ``value``.

        Warning:
            Return equal keys for equal elements, in every process: a key that depends on time, chance or Python's
            ``hash`` of text sends an element to the wrong subtask.
        """


class NullByteKeySelector(KeySelector[Any, int]):
    """Key selector that gives all elements the same key."""

    def get_key(self, value: Any) -> int:
        """Return 0, as Flink does."""
        return 0


class ReduceFunction(Function, ABC, Generic[T]):
    """User function that combines two elements into one of the same type."""

    @abstractmethod
    def reduce(self, value1: T, value2: T) -> T:
        """Combine two elements. The function must be associative.

        Args:
            value1: Result of the elements so far, or the first element.
            value2: Next element.

        Returns:
            The combination, of the type of the elements; None fails the job.
        """


@final
@attrs.frozen
class _Reduction(ReduceFunction[T]):
    function: Callable[[T, T], T]

    def reduce(self, value1: T, value2: T) -> T:
        return self.function(value1, value2)


def as_reduce_function(function: ReduceFunction[T] | Callable[[T, T], T]) -> ReduceFunction[T]:
    """Return a plain function as a ``ReduceFunction``."""
    return function if isinstance(function, ReduceFunction) else _Reduction(function)


class AggregateFunction(Function, ABC, Generic[IN_contra, ACC, OUT]):
    """User function that aggregates elements in an accumulator, from which it computes a result."""

    @abstractmethod
    def create_accumulator(self) -> ACC:
        """Return an empty accumulator."""

    @abstractmethod
    def add(self, value: IN_contra, accumulator: ACC) -> ACC:
        """Add an element to an accumulator.

        Args:
            value: The element.
            accumulator: The accumulator, which may be changed in place.

        Returns:
            The accumulator with the element; None fails the job.
        """

    @abstractmethod
    def get_result(self, accumulator: ACC) -> OUT:
        """Return the result of the elements in ``accumulator``."""

    @abstractmethod
    def merge(self, acc_a: ACC, acc_b: ACC) -> ACC:
        """Merge two accumulators. Called only when session windows merge.

        Args:
            acc_a: First accumulator, which may be changed in place.
            acc_b: Second accumulator.

        Returns:
            An accumulator with the elements of both; None fails the job.
        """


def method_of(function: Any, kind: type[Function], name: str) -> Callable[..., Any]:
    """Return the callable to call per element: the method of a function of this kind, or a plain function itself."""
    call: Callable[..., Any] = getattr(function, name) if isinstance(function, kind) else function
    return call


def iterated(results: Iterable[T] | None) -> Iterator[T]:
    """Return an iterator over a function's results; None means no results, as in PyFlink.

    Raises:
        TypeError: ``results`` is not iterable.
    """
    try:
        return iter(() if results is None else results)
    except TypeError:
        raise TypeError(
            f"its result is of type {type(results).__name__}: yield elements, or return a list of them"
        ) from None


def something(method: str, content: T | None) -> T:
    """Return content to be kept in state, unless it is None, which means no state at all.

    Raises:
        DefinitionError: ``content`` is None.
    """
    if content is None:
        raise DefinitionError(
            f"{method} returned None", now="Return what is to be kept, also if it was changed in place."
        )
    return content


def overrides_close(function: object) -> bool:
    """Return whether a function, or one that it wraps, overrides ``close``."""
    if isinstance(function, WrappingFunction):
        return any(map(overrides_close, function.wrapped))
    return isinstance(function, Function) and type(function).close is not Function.close


def function_name(function: Function | Callable[..., object]) -> str:
    """Return a name to show for a function: its own, or its class's."""
    name = getattr(function, "__name__", None)
    return type(function).__name__ if name is None else str(name)
