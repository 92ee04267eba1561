"""States of a key over several micro-batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Types
from kafkastream.datastream.state import ListState, ListStateDescriptor, MapState, MapStateDescriptor
from kafkastream.keyed.keys import encoded_key
from kafkastream.keyed.scope import KeyedScope
from kafkastream.spec.state import CellStore
from tests.unit.keyed.memory import Memory

MicroBatch = Callable[[], KeyedScope]


@pytest.fixture
def micro_batch() -> MicroBatch:
    """Ends the micro-batch before, and begins one with the same state and key."""
    memory, key, scopes = Memory(), encoded_key("ann"), list[KeyedScope]()

    def next_one() -> KeyedScope:
        for scope in scopes:
            scope.end()
        scopes[:] = [KeyedScope()]
        scopes[0].begin(memory, b"n/")
        scopes[0].select(key)
        return scopes[0]

    return next_one


def map_of(scope: KeyedScope) -> MapState[str, Any]:
    return CellStore(scope.cell).get_map_state(MapStateDescriptor("map", Types.STRING(), Types.PICKLED_BYTE_ARRAY()))


def list_of(scope: KeyedScope) -> ListState[int]:
    return CellStore(scope.cell).get_list_state(ListStateDescriptor("list", Types.LONG()))


@pytest.mark.parametrize("value", [None, 0, 5])
def test_entry_that_is_removed_stays_away(micro_batch: MicroBatch, value: int | None) -> None:
    map_of(micro_batch()).put_all({"a": value, "b": 1})
    state = map_of(micro_batch())
    assert state.contains("a")
    state.remove("a")
    state.remove("never there")
    assert dict(map_of(micro_batch()).items()) == {"b": 1}
    map_of(micro_batch()).remove("b")
    assert map_of(micro_batch()).is_empty()


def test_elements_are_there_each_time_one_looks(micro_batch: MicroBatch) -> None:
    list_of(micro_batch()).add_all([1, 2])
    state = list_of(micro_batch())
    elements = state.get()
    assert [list(elements), list(elements)] == [[1, 2], [1, 2]]
    state.add(3)
    assert list(elements) == [1, 2]
    assert list(list_of(micro_batch()).get()) == [1, 2, 3]
