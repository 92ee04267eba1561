"""Access to keyed state by descriptors, as functions have it in ``open``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.functions.keyed_state import AggregatingState, Cell, ListState, ReducingState, ValueState
from kafkastream.model.functions.map_state import MapState
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)

__all__ = ["CellStore", "Cells", "KeyedStateStore"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
ACC = TypeVar("ACC")
OUT = TypeVar("OUT")

Cells = Callable[[StateDescriptor], Cell]
"""Finds the storage of a descriptor's state."""


@checked_methods
class KeyedStateStore(ABC):
    """Access to keyed state; functions get it as their runtime context in ``open``."""

    @property
    @abstractmethod
    def cells(self) -> Cells | None:
        """Return the function that finds the storage of a state; None on a stream without keys."""

    def get_state(self, state_descriptor: ValueStateDescriptor[T]) -> ValueState[T]:
        """Return the ``ValueState`` of ``state_descriptor``.

        Warning:
            A state is found again after a restart by its descriptor's name, within its operator.

        Raises:
            DefinitionError: The stream has no keys, or the name is taken by a state of another kind or type.
        """
        return ValueState(self._cell_of(state_descriptor))

    getState = get_state

    def get_list_state(self, state_descriptor: ListStateDescriptor[T]) -> ListState[T]:
        """Return the ``ListState`` of ``state_descriptor``; raises as ``get_state`` does."""
        return ListState(self._cell_of(state_descriptor))

    getListState = get_list_state

    def get_map_state(self, state_descriptor: MapStateDescriptor[K, V]) -> MapState[K, V]:
        """Return the ``MapState`` of ``state_descriptor``; raises as ``get_state`` does."""
        return MapState(self._cell_of(state_descriptor))

    getMapState = get_map_state

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor[T]) -> ReducingState[T]:
        """Return the ``ReducingState`` of ``state_descriptor``; raises as ``get_state`` does."""
        cell = self._cell_of(state_descriptor)
        return ReducingState(cell, state_descriptor.reduce_function)

    getReducingState = get_reducing_state

    def get_aggregating_state(
        self, state_descriptor: AggregatingStateDescriptor[IN, ACC, OUT]
    ) -> AggregatingState[IN, OUT]:
        """Return the ``AggregatingState`` of ``state_descriptor``; raises as ``get_state`` does."""
        cell = self._cell_of(state_descriptor)
        return AggregatingState(cell, state_descriptor.agg_function)

    getAggregatingState = get_aggregating_state

    def _cell_of(self, descriptor: StateDescriptor) -> Cell:
        if self.cells is None:
            raise DefinitionError(
                f"state {descriptor.name!r} is used on a stream without keys",
                now="Keyed state can only be used on a keyed stream, i.e. after key_by.",
            )
        return self.cells(descriptor)


@final
class CellStore(KeyedStateStore):
    """``KeyedStateStore`` on given cells."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    @property
    def cells(self) -> Cells:
        """Return the function that finds the storage of a state."""
        return self._cells
