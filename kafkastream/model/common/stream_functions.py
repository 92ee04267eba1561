"""What users implement: functions that a job applies to its elements."""

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
    """Base of all functions: ``open`` runs before the first element, ``close`` after the last.

    A function is opened once per Python worker and subtask and kept between micro-batches.
    Differs from Flink: a function that overrides ``close`` is opened and closed with every task of every micro-batch,
    because Spark may take a worker away between two of them; what such a function buffers is never lost.
    """

    def open(self, runtime_context: RuntimeContext) -> None:
        """Prepare: open connections, load models."""

    def close(self) -> None:
        """Tear down: flush and release what ``open`` has taken."""


class WrappingFunction(Function):
    """A function that calls others: it opens them, and closes those that want to be."""

    def __init__(self, *wrapped: object) -> None:
        self.wrapped = tuple(one for one in wrapped if isinstance(one, Function))

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open them."""
        for function in self.wrapped:
            function.open(runtime_context)

    def close(self) -> None:
        """Close them."""
        for function in self.wrapped:
            function.close()


class MapFunction(Function, ABC, Generic[IN_contra, OUT]):
    """One element in, one out."""

    @abstractmethod
    def map(self, value: IN_contra) -> OUT:
        """Return the element that takes the place of ``value``."""


class FlatMapFunction(Function, ABC, Generic[IN_contra, OUT]):
    """One element in, any number out."""

    @abstractmethod
    def flat_map(self, value: IN_contra) -> Iterable[OUT]:
        """Yield, or return, the elements that take the place of ``value``."""


class FilterFunction(Function, ABC, Generic[IN_contra]):
    """Decide whether an element stays."""

    @abstractmethod
    def filter(self, value: IN_contra) -> bool:
        """Return true for an element to keep."""


class KeySelector(Function, ABC, Generic[IN_contra, KEY]):
    """Decide by what elements belong together."""

    @abstractmethod
    def get_key(self, value: IN_contra) -> KEY:
        """Return the key of ``value``: the same for the same element, whenever it is asked."""


class NullByteKeySelector(KeySelector[Any, int]):
    """Gives all elements one key."""

    def get_key(self, value: Any) -> int:
        """Zero, as in Flink."""
        return 0


class ReduceFunction(Function, ABC, Generic[T]):
    """Two elements in, one of the same type out."""

    @abstractmethod
    def reduce(self, value1: T, value2: T) -> T:
        """Return the element that takes the place of both."""


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
    """Any number of elements in, one result out, by way of an accumulator."""

    @abstractmethod
    def create_accumulator(self) -> ACC:
        """Return an accumulator that has taken nothing in yet."""

    @abstractmethod
    def add(self, value: IN_contra, accumulator: ACC) -> ACC:
        """Return the accumulator that has taken ``value`` in."""

    @abstractmethod
    def get_result(self, accumulator: ACC) -> OUT:
        """Return the result of what the accumulator has taken in."""

    @abstractmethod
    def merge(self, acc_a: ACC, acc_b: ACC) -> ACC:
        """Return the accumulator that stands for both; called when session windows merge."""


def method_of(function: Any, kind: type[Function], name: str) -> Callable[..., Any]:
    """What is called per element: the method of a function of this kind, or a plain function itself."""
    call: Callable[..., Any] = getattr(function, name) if isinstance(function, kind) else function
    return call


def iterated(results: Iterable[T] | None) -> Iterator[T]:
    """What a function has returned, element by element; None is as good as nothing, as in PyFlink.

    Raises:
        TypeError: It cannot be gone through.
    """
    try:
        return iter(() if results is None else results)
    except TypeError:
        raise TypeError(
            f"its result is of type {type(results).__name__}: yield elements, or return a list of them"
        ) from None


def something(method: str, content: T | None) -> T:
    """What a function wants to be kept, which None cannot be: it stands for nothing at all.

    Raises:
        DefinitionError: It is None.
    """
    if content is None:
        raise DefinitionError(
            f"{method} returned None", now="Return what is to be kept, also if it was changed in place."
        )
    return content


def overrides_close(function: object) -> bool:
    """Whether a function, or one that it wraps, has something to do at the end."""
    if isinstance(function, WrappingFunction):
        return any(map(overrides_close, function.wrapped))
    return isinstance(function, Function) and type(function).close is not Function.close


def function_name(function: Function | Callable[..., object]) -> str:
    """A name to show for a function: its own, or its class's."""
    name = getattr(function, "__name__", None)
    return type(function).__name__ if name is None else str(name)
