"""States of a key over several micro-batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Row, Types
from kafkastream.datastream.state import (
    ListState,
    ListStateDescriptor,
    MapStateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.map_state import BroadcastState, ReadOnlyBroadcastState
from kafkastream.model.functions.state_store import CellStore
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext
from tests.unit.operators.memory import Memory

MicroBatch = Callable[[], KeyedContext]


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def micro_batch(memory: Memory) -> MicroBatch:
    """Ends the micro-batch before, and begins one with the same state and key."""
    key, scopes = encoded_key("ann"), list[KeyedContext]()

    def next_one() -> KeyedContext:
        for scope in scopes:
            scope.end()
        scopes[:] = [KeyedContext()]
        scopes[0].begin(memory, b"n/")
        scopes[0].select(key)
        return scopes[0]

    return next_one


def map_of(scope: KeyedContext) -> Any:
    return CellStore(scope.cell).get_map_state(MapStateDescriptor("map", Types.STRING(), Types.PICKLED_BYTE_ARRAY()))


def value_of(scope: KeyedContext) -> Any:
    return CellStore(scope.cell).get_state(ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY()))


def broadcast_of(scope: KeyedContext) -> Any:
    descriptor = MapStateDescriptor("_apart", Types.STRING(), Types.PICKLED_BYTE_ARRAY())
    return BroadcastState[str, Any](scope.broadcast_cell(descriptor))


def list_of(scope: KeyedContext) -> ListState[int]:
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
    assert list(elements) == [1, 2, 3]
    state.clear()
    assert [list(elements), list(state.get())] == [[1, 2, 3], []]
    state.add_all(elements)
    assert list(list_of(micro_batch()).get()) == [1, 2, 3]


def test_list_may_grow_while_one_looks(micro_batch: MicroBatch) -> None:
    state = list_of(micro_batch())
    state.add_all([1, 2])
    for element in state.get():
        state.add(element * 10)
    assert list(state.get()) == [1, 2, 10, 20]


def test_what_is_changed_in_place_stays_changed(micro_batch: MicroBatch) -> None:
    value_of(micro_batch()).update(([1],))
    map_of(micro_batch()).put_all({"a": [1], "b": Row(1)})
    value_of(micro_batch()).value()[0].append(2)
    map_of(micro_batch()).get("a").append(2)
    next(iter(row for row in map_of(micro_batch()).values() if isinstance(row, Row)))[0] = 2
    assert value_of(micro_batch()).value() == ([1, 2],)
    assert dict(map_of(micro_batch()).items()) == {"a": [1, 2], "b": Row(2)}


def test_elements_of_a_long_list_may_be_changed_in_place(micro_batch: MicroBatch) -> None:
    descriptor = ListStateDescriptor("long", Types.PICKLED_BYTE_ARRAY())
    for start in range(0, 3000, 1000):
        CellStore(micro_batch().cell).get_list_state(descriptor).add_all(
            [[number] for number in range(start, start + 1000)]
        )
    for element in CellStore(micro_batch().cell).get_list_state(descriptor).get():
        if element[0] in (7, 2999):
            element.append("changed")
    found = CellStore(micro_batch().cell).get_list_state(descriptor).get()
    assert [element for element in found if len(element) > 1] == [[7, "changed"], [2999, "changed"]]
    assert len(list(found)) == 3000


def test_reading_writes_nothing(micro_batch: MicroBatch, memory: Memory) -> None:
    map_of(micro_batch()).put_all({"a": [1], "b": None})
    micro_batch()
    before = memory.writes
    assert dict(map_of(micro_batch()).items()) == {"a": [1], "b": None}
    micro_batch()
    assert memory.writes == before


@pytest.mark.parametrize("name", ["_count", "_apart"])
def test_names_of_the_operator_are_free_for_the_user(memory: Memory, name: str) -> None:
    for count in range(3):
        scope = KeyedContext(own=["_count"])
        scope.begin(memory, b"n/")
        scope.select(encoded_key("ann"))
        state = CellStore(scope.cell).get_state(ValueStateDescriptor(name, Types.LONG()))
        own = scope.own_cell("_count")
        assert (state.value(), own.get()) == ((100 + count - 1, -count) if count else (None, None))
        state.update(100 + count)
        own.set(-count - 1)
        scope.end()


def test_broadcast_state_has_entries_of_none(micro_batch: MicroBatch) -> None:
    broadcast_of(micro_batch()).put_all({"a": None, "b": [1], "_apart": 0})
    reading = ReadOnlyBroadcastState[str, Any](broadcast_of(micro_batch())._cell)
    assert (reading.contains("a"), "c" in reading, reading.get("a"), reading["b"]) == (True, False, None, [1])
    assert dict(reading.items()) == {"a": None, "b": [1], "_apart": 0}
    assert (list(reading.keys()), list(reading.values())) == (["a", "b", "_apart"], [None, [1], 0])
    broadcast_of(micro_batch()).get("b").append(2)
    state = broadcast_of(micro_batch())
    state.remove("a")
    assert (dict(state.items()), state.is_empty()) == ({"b": [1, 2], "_apart": 0}, False)
    state = broadcast_of(micro_batch())
    for key in state:
        state.remove(key)
    assert broadcast_of(micro_batch()).is_empty()
