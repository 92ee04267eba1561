"""State of a key: what functions on keyed streams remember between elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.mutable_values import FIXED, any_may_change, may_change
from kafkastream.model.common.stream_functions import AggregateFunction, ReduceFunction, something
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_ttl import ABSENT, Life

__all__ = [
    "AggregatingState",
    "AppendingState",
    "BroadcastState",
    "Cell",
    "CellStore",
    "Cells",
    "KeyedStateStore",
    "ListState",
    "MapState",
    "MergingState",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "State",
    "ValueState",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
ACC = TypeVar("ACC")
OUT = TypeVar("OUT")


class Cell(Protocol):
    """Where a state's content is kept for the current key.

    Attributes:
        life: When it expires; None for never.
        check: Raises for a value, or the entries of a map, that are not of the declared type; None where any will do.
    """

    life: Life | None
    check: Callable[[Any], object] | None

    def get(self) -> Any:
        """The content; None when there is none. Who changes it in place says so by ``set``."""

    def seen(self) -> None:
        """The content is in the hands of the user's code: it is written if that changes it."""

    def set(self, content: Any) -> None:
        """Keep this content; None for no more."""


class State:
    """What is remembered for the current key under one name."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def clear(self) -> None:
        """Forget it for the current key."""
        self._cell.set(None)

    def _one(self) -> Any:
        """The content, where it is one value."""
        life, content = self._cell.life, self._cell.get()
        if life is None or content is None:
            return content
        value, kept = life.read(content)
        if kept is not content:
            self._cell.set(kept)
        return None if value is ABSENT else value

    def _shown(self, value: Any) -> Any:
        """A value for the user's code, which may change it in place."""
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
    """One value for each key."""

    __slots__ = ()

    def value(self) -> T | None:
        """The value of the current key; None when there is none. What is changed in it stays changed, also without ``update``."""
        value: T | None = self._shown(self._one())
        return value

    def update(self, value: T | None) -> None:
        """Set the value of the current key; None is as good as ``clear``."""
        self._keep_one(value)


class AppendingState(State, Generic[IN, OUT]):
    """Something that grows by what is added."""

    __slots__ = ()

    @abstractmethod
    def get(self) -> OUT | None:
        """What has come of all that was added; None when nothing was."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Add a value."""


class MergingState(AppendingState[IN, OUT], ABC):
    """An ``AppendingState`` whose contents can be merged, as windows that grow together do."""

    __slots__ = ()


@final
class ReducingState(MergingState[T, T]):
    """All values added so far as one, by a ``ReduceFunction``."""

    __slots__ = ("_reduce",)

    def __init__(self, cell: Cell, function: ReduceFunction[T]) -> None:
        super().__init__(cell)
        self._reduce = function.reduce

    def get(self) -> T | None:
        """What has come of all values; None when there was none."""
        value: T | None = self._shown(self._one())
        return value

    def add(self, value: T) -> None:
        """Take a value in.

        Raises:
            DefinitionError: The function returned None.
        """
        before = self._one()
        self._keep_one(value if before is None else something("reduce", self._reduce(before, value)))


@final
class AggregatingState(MergingState[IN, OUT]):
    """All values added so far as one, by an ``AggregateFunction``."""

    __slots__ = ("_function",)

    def __init__(self, cell: Cell, function: AggregateFunction[IN, Any, OUT]) -> None:
        super().__init__(cell)
        self._function = function

    def get(self) -> OUT | None:
        """The result of all values; None when there was none."""
        accumulator = self._shown(self._one())
        return None if accumulator is None else self._function.get_result(accumulator)

    def add(self, value: IN | None) -> None:
        """Take a value in; None forgets all, as in Flink.

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
    """A list for each key; ``get`` gives an empty one when nothing was added, as in PyFlink."""

    __slots__ = ()

    def get(self) -> Iterable[T]:
        """The elements, in the order in which they were added, as often as they are iterated.

        As in PyFlink, those are among them that are added before an iteration begins; when the list is cleared, or has
        others in its place, they stay.
        """
        return _Elements(self._cell)

    def add(self, value: T) -> None:
        """Add an element."""
        self.add_all([value])

    def update(self, values: Iterable[T]) -> None:
        """Put these elements in the place of all."""
        self._cell.set(self._begun(values) or None)

    def add_all(self, values: Iterable[T]) -> None:
        """Add several elements."""
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
    """What ``ListState.get`` gives: a list that grows while it is the state's."""

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
        """The elements that have not expired; nothing is kept of the others."""
        seen = [life.read(one) for one in content]
        left = [kept for _, kept in seen if kept is not None]
        if any(after is not before for (_, after), before in zip(seen, content, strict=True)):
            if self._cell.get() is self._content:
                self._cell.set(left or None)
            self._content = left
        return [value for value, _ in seen if value is not ABSENT]


class ReadOnlyBroadcastState(State, Generic[K, V]):
    """A map that is the same in all subtasks, as functions see it that may not change it."""

    __slots__ = ()

    def get(self, key: K) -> V | None:
        """The value of an entry; None when there is none."""
        if self._cell.life is None:
            return self._shown(self._content().get(key))  # type: ignore[no-any-return]
        value = self._read(self._content(), key)
        return None if value is ABSENT else self._shown(value)

    def contains(self, key: K) -> bool:
        """Whether there is an entry."""
        return self._read(self._content(), key) is not ABSENT

    def items(self) -> Iterable[tuple[K, V]]:
        """All entries."""
        content = self._content()
        seen = [(key, self._read(content, key)) for key in list(content)]
        return iter([(key, self._shown(value)) for key, value in seen if value is not ABSENT])

    def keys(self) -> Iterable[K]:
        """The keys of all entries."""
        return iter([key for key, _ in self.items()])

    def values(self) -> Iterable[V]:
        """The values of all entries."""
        return iter([value for _, value in self.items()])

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return not self._content()

    isEmpty = is_empty

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())

    def _content(self) -> dict[K, Any]:
        content: dict[K, Any] | None = self._cell.get()
        return {} if content is None else content

    def _read(self, content: dict[K, Any], key: K) -> Any:
        """What is seen of an entry, ``ABSENT`` for nothing."""
        life, before = self._cell.life, content.get(key, ABSENT)
        if life is None or before is ABSENT:
            return before
        value, kept = life.read(before)
        if kept is None:
            del content[key]
            self._cell.set(content or None)
        elif kept is not before:
            content[key] = kept
            self._cell.set(content)
        return value


class BroadcastState(ReadOnlyBroadcastState[K, V]):
    """A map that is the same in all subtasks."""

    __slots__ = ()

    def put(self, key: K, value: V) -> None:
        """Set an entry."""
        self.put_all({key: value})

    def put_all(self, dict_value: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:
        """Set several entries: those of a mapping, or pairs, which is what PyFlink takes."""
        content, life, entries = self._content(), self._cell.life, dict(dict_value)
        if self._cell.check is not None:
            self._cell.check(entries)
        content.update(entries if life is None else {key: life.begun(value) for key, value in entries.items()})
        self._cell.set(content or None)

    putAll = put_all

    def remove(self, key: K) -> None:
        """Forget an entry, if there is one."""
        content = self._content()
        if key in content:
            del content[key]
            self._cell.set(content or None)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)


@final
class MapState(BroadcastState[K, V]):
    """A map for each key of the stream."""

    __slots__ = ()


Cells = Callable[[StateDescriptor], Cell]
"""Finds where the state of a descriptor is kept."""


@checked_methods
class KeyedStateStore(ABC):
    """Where functions get their state, in ``open``."""

    @property
    @abstractmethod
    def cells(self) -> Cells | None:
        """Where the states are kept; None where there are no keys."""

    def get_state(self, state_descriptor: ValueStateDescriptor[T]) -> ValueState[T]:
        """A value for each key.

        Raises:
            DefinitionError: The stream has no keys, or another state has this name.
        """
        return ValueState(self._cell_of(state_descriptor))

    getState = get_state

    def get_list_state(self, state_descriptor: ListStateDescriptor[T]) -> ListState[T]:
        """A list for each key; errors as with ``get_state``."""
        return ListState(self._cell_of(state_descriptor))

    getListState = get_list_state

    def get_map_state(self, state_descriptor: MapStateDescriptor[K, V]) -> MapState[K, V]:
        """A map for each key; errors as with ``get_state``."""
        return MapState(self._cell_of(state_descriptor))

    getMapState = get_map_state

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor[T]) -> ReducingState[T]:
        """A reduced value for each key; errors as with ``get_state``."""
        cell = self._cell_of(state_descriptor)
        return ReducingState(cell, state_descriptor.reduce_function)

    getReducingState = get_reducing_state

    def get_aggregating_state(
        self, state_descriptor: AggregatingStateDescriptor[IN, ACC, OUT]
    ) -> AggregatingState[IN, OUT]:
        """An aggregate for each key; errors as with ``get_state``."""
        cell = self._cell_of(state_descriptor)
        return AggregatingState(cell, state_descriptor.agg_function)

    getAggregatingState = get_aggregating_state

    def _cell_of(self, descriptor: StateDescriptor) -> Cell:
        if self.cells is None:
            raise DefinitionError(
                f"state {descriptor.name!r} is asked for on a stream without keys",
                now="Keyed state can only be used on a keyed stream, i.e. after key_by.",
            )
        return self.cells(descriptor)


@final
class CellStore(KeyedStateStore):
    """Where functions get state that ``cells`` keep."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    @property
    def cells(self) -> Cells:
        """Where the states are kept."""
        return self._cells
