"""Keyed state: what functions on keyed streams remember for each key between elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar, final

from kafkastream.model.common.mutable_values import FIXED, any_may_change, may_change
from kafkastream.model.common.stream_functions import AggregateFunction, ReduceFunction, something
from kafkastream.model.functions.state_ttl import ABSENT, Life

__all__ = [
    "AggregatingState",
    "AppendingState",
    "Cell",
    "ListState",
    "MergingState",
    "ReducingState",
    "State",
    "ValueState",
]

T = TypeVar("T")
IN = TypeVar("IN")
OUT = TypeVar("OUT")


class Cell(Protocol):
    """Storage of one state for the current key.

    Attributes:
        life: Time to live of the content; None for ever.
        check: Raises for a value, or the entries of a map, that are not of the declared type; None accepts everything.
    """

    life: Life | None
    check: Callable[[Any], object] | None

    def get(self) -> Any:
        """Return the content, or None if there is none; after changing it in place, call ``set``."""

    def seen(self) -> None:
        """Note that user code holds the content, so that changes it makes in place are written."""

    def set(self, content: Any) -> None:
        """Replace the content; None removes it."""


class State:
    """Keyed state with one name."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def clear(self) -> None:
        """Remove the state of the current key."""
        self._cell.set(None)

    def _one(self) -> Any:
        """Return the content of a state that holds one value, or None if it is absent or has expired."""
        life, content = self._cell.life, self._cell.get()
        if life is None or content is None:
            return content
        value, kept = life.read(content)
        if kept is not content:
            self._cell.set(kept)
        return None if value is ABSENT else value

    def _shown(self, value: Any) -> Any:
        """Return a value to user code, noting that it may be changed in place."""
        if type(value) not in FIXED and may_change(value):
            self._cell.seen()
        return value

    def _keep_one(self, value: Any) -> None:
        life, check = self._cell.life, self._cell.check
        if check is not None and value is not None:
            check(value)
        self._cell.set(value if life is None or value is None else life.begun(value))


@final
class ValueState(State, Generic[T]):
    """State that holds one value for each key."""

    __slots__ = ()

    def value(self) -> T | None:
        """Return the value of the current key, or None if there is none.

        Changes made to a mutable value in place are kept, also without ``update``.
        """
        value: T | None = self._shown(self._one())
        return value

    def update(self, value: T | None) -> None:
        """Set the value of the current key; None removes it, as ``clear`` does.

        Raises:
            TypeError: ``value`` is not of the type that the state was declared with.
        """
        self._keep_one(value)


class AppendingState(State, Generic[IN, OUT]):
    """State that values are added to."""

    __slots__ = ()

    @abstractmethod
    def get(self) -> OUT | None:
        """Return the content, or None if nothing was added."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Add a value."""


class MergingState(AppendingState[IN, OUT], ABC):
    """``AppendingState`` whose contents can be merged, as those of session windows are."""

    __slots__ = ()


@final
class ReducingState(MergingState[T, T]):
    """State that holds one value for each key: all values added, combined by a ``ReduceFunction``."""

    __slots__ = ("_reduce",)

    def __init__(self, cell: Cell, function: ReduceFunction[T]) -> None:
        super().__init__(cell)
        self._reduce = function.reduce

    def get(self) -> T | None:
        """Return the reduced value, or None if nothing was added."""
        value: T | None = self._shown(self._one())
        return value

    def add(self, value: T) -> None:
        """Combine ``value`` with the value of the current key.

        Raises:
            DefinitionError: The function returned None.
        """
        before = self._one()
        self._keep_one(value if before is None else something("reduce", self._reduce(before, value)))


@final
class AggregatingState(MergingState[IN, OUT]):
    """State that holds an accumulator for each key, to which an ``AggregateFunction`` adds values."""

    __slots__ = ("_function",)

    def __init__(self, cell: Cell, function: AggregateFunction[IN, Any, OUT]) -> None:
        super().__init__(cell)
        self._function = function

    def get(self) -> OUT | None:
        """Return the result of the aggregation, or None if nothing was added."""
        accumulator = self._shown(self._one())
        return None if accumulator is None else self._function.get_result(accumulator)

    def add(self, value: IN | None) -> None:
        """Add ``value`` to the accumulator of the current key; None clears the state, as in Flink.

        Raises:
            DefinitionError: The function returned None.
        """
        if value is None:
            self.clear()
            return
        before = self._one()
        accumulator = self._function.create_accumulator() if before is None else before
        self._keep_one(something("add", self._function.add(value, accumulator)))


@final
class ListState(MergingState[T, Iterable[T]]):
    """State that holds a list for each key; ``get`` returns an empty iterable where nothing was added, as in PyFlink."""

    __slots__ = ()

    def get(self) -> Iterable[T]:
        """Return the elements in the order in which they were added; the result can be iterated repeatedly.

        Same as in PyFlink: an iteration sees elements that were added after this call and before the iteration began.
        After ``clear`` or ``update``, the result still yields the elements from before.
        """
        return _Elements(self._cell)

    def add(self, value: T) -> None:
        """Append an element."""
        self.add_all([value])

    def update(self, values: Iterable[T]) -> None:
        """Replace all elements by ``values``; an empty list clears the state.

        Raises:
            TypeError: An element is not of the type that the state was declared with.
        """
        self._cell.set(self._begun(values) or None)

    def add_all(self, values: Iterable[T]) -> None:
        """Append the elements of ``values``, in their order.

        Raises:
            TypeError: An element is not of the type that the state was declared with.
        """
        content = self._cell.get() or []
        content.extend(self._begun(values))
        self._cell.set(content or None)

    addAll = add_all

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())

    def _begun(self, values: Iterable[T]) -> list[Any]:
        life, check, elements = self._cell.life, self._cell.check, list(values)
        if check is not None:
            for element in elements:
                check(element)
        return elements if life is None else [life.begun(element) for element in elements]


@final
class _Elements(Iterable[T]):
    """Result of ``ListState.get``: grows with the state's list until that is replaced."""

    __slots__ = ("_cell", "_content")

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._content: Any = cell.get()

    def __iter__(self) -> Iterator[T]:
        if self._content is None:
            self._content = self._cell.get()
        elements = list(self._content or ())
        if self._cell.life is not None:
            elements = self._living(elements, self._cell.life)
        if any_may_change(elements):
            self._cell.seen()
        return iter(elements)

    def _living(self, content: list[Any], life: Life) -> list[Any]:
        """Return the elements that have not expired, and remove the others from the state."""
        seen = [life.read(one) for one in content]
        left = [kept for _, kept in seen if kept is not None]
        if any(after is not before for (_, after), before in zip(seen, content, strict=True)):
            if self._cell.get() is self._content:
                self._cell.set(left or None)
            self._content = left
        return [value for value, _ in seen if value is not ABSENT]
