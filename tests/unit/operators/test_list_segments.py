"""Long lists are what short ones are, and a micro-batch that adds to one writes little more than it adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.common import Time, Types
from kafkastream.datastream.window import (
    CountEvictor,
    EventTimeSessionWindows,
    Evictor,
    TumblingEventTimeWindows,
    WindowAssigner,
)
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.functions.state_descriptors import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from kafkastream.model.functions.state_store import CellStore
from kafkastream.model.windows.window_functions import WindowFunction
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.state.list_segments import LONG_BYTES
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.operators.stream.window_operator import WindowOperator
from tests.unit.operators.driving import driven, entry
from tests.unit.operators.memory import Memory

ALL: ListStateDescriptor[Any] = ListStateDescriptor("all", Types.PICKLED_BYTE_ARRAY())
FEW: ListStateDescriptor[Any] = ListStateDescriptor("few", Types.PICKLED_BYTE_ARRAY())

# What happens to a key's list: so many elements of so many bytes are added, or it is replaced, cleared or read.
CHANGES = st.tuples(
    st.sampled_from(["add", "add", "add", "update", "clear", "read"]),
    st.sampled_from("ab"),
    st.sampled_from([ALL, FEW]),
    st.sampled_from([(1, 10), (3, 9_000), (500, 20), (2_000, 20)]),
)


@given(st.lists(st.lists(CHANGES, max_size=4), max_size=6))
def test_lists_are_what_was_added(batches: list[list[tuple[str, str, Any, tuple[int, int]]]]) -> None:
    memory, model = Memory(), dict[Any, list[str]]()
    numbers = iter(range(10**9))
    for batch in batches:
        scope = KeyedContext()
        store = CellStore(scope.cell)
        scope.begin(memory, b"n/")
        for what, key, descriptor, (count, size) in batch:
            scope.select(encoded_key(key))
            state = store.get_list_state(descriptor)
            before = model.get((key, descriptor.name), [])
            new = [f"{next(numbers):0{size}}" for _ in range(count)]
            if what == "add":
                state.add_all(new)
                model[key, descriptor.name] = before + new
            elif what == "update":
                state.update(new)
                model[key, descriptor.name] = new
            elif what == "clear":
                state.clear()
                model[key, descriptor.name] = []
            assert list(state.get()) == model.get((key, descriptor.name), [])
        scope.end()
    scope = KeyedContext()
    scope.begin(memory, b"n/")
    for key in "ab":
        scope.select(encoded_key(key))
        for descriptor in (ALL, FEW):
            state = CellStore(scope.cell).get_list_state(descriptor)
            assert list(state.get()) == model.get((key, descriptor.name), [])
            state.clear()
    scope.end()
    assert [place for place in memory.content if encoded_key("a") in place or encoded_key("b") in place] == []


class Got(WindowFunction[Any, Any, Any, Any]):
    def apply(self, key: Any, window: Any, inputs: Iterable[Any]) -> Iterator[Any]:
        yield list(inputs)


def test_a_micro_batch_writes_little_more_than_it_adds() -> None:
    operation = WindowOperation(assigner=TumblingEventTimeWindows.of(Time.hours(1)), function=Got())
    operator = WindowOperator(operation)
    operator.open(RuntimeContext(task_name="windows", cells=operator.keyed_context.cell))
    memory, key, written = Memory(), encoded_key("a"), list[int]()
    for number in range(0, 20_000, 100):
        some = [f"element {one:05}" for one in range(number, number + 100)]
        before = memory.written
        operator.keyed_context.begin(memory, b"n/")
        operator.elements(KeyedElements(0, [key] * 100, some, [0] * 100))
        operator.keyed_context.end()
        written.append(memory.written - before)
    assert max(written) < 3 * LONG_BYTES
    assert sum(written) < 200 * LONG_BYTES
    operator.keyed_context.begin(memory, b"n/")
    assert operator.advance(MAX_WATERMARK, 0).values == [[f"element {one:05}" for one in range(20_000)]]
    operator.keyed_context.end()
    assert [place for place in memory.content if key in place] == []


@pytest.mark.parametrize(
    ("assigner", "evictor", "left"),
    [
        (EventTimeSessionWindows.with_gap(Time.milliseconds(5)), None, 4_000),
        (EventTimeSessionWindows.with_gap(Time.milliseconds(5)), CountEvictor.of(2_500), 2_500),
    ],
    ids=["merged", "merged and evicted"],
)
def test_long_windows_merge(assigner: WindowAssigner[Any, Any], evictor: Evictor[Any, Any] | None, left: int) -> None:
    memory = Memory()
    parts = [[("element", "a", time, f"{time} {number:020}") for number in range(1_000)] for time in (0, 8, 4, 2)]
    steps = list(chain.from_iterable([*part, ("micro-batch",)] for part in parts))
    operator = WindowOperator(WindowOperation(assigner=assigner, evictor=evictor, function=Got()))
    (window,) = driven(operator, memory, [*steps, ("watermark", "", MAX_WATERMARK)])
    everything = [one[3] for part in parts for one in part]
    assert len(window) == left
    assert set(window) <= set(everything)
    assert evictor is not None or sorted(window) == sorted(everything)
    assert entry(memory, "a") == {}
    assert [place for place in memory.content if encoded_key("a") in place] == []


def test_list_segments_outlive_a_micro_batch_that_does_not_know_of_them() -> None:
    """A window's own state is asked for only when the window's function is called."""
    memory, key = Memory(), encoded_key("a")
    value: ValueStateDescriptor[Any] = ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY())
    for descriptor in (ALL, value, value):
        scope = KeyedContext()
        scope.begin(memory, b"n/")
        scope.select(key)
        store = CellStore(scope.cell)
        if descriptor is ALL:
            store.get_list_state(ALL).add_all(range(20_000))
        else:
            store.get_state(value).update("x")
        scope.end()
    scope = KeyedContext()
    scope.begin(memory, b"n/")
    scope.select(key)
    assert list(CellStore(scope.cell).get_list_state(ALL).get()) == list(range(20_000))


def test_long_values_of_the_users_stay_what_they_are() -> None:
    memory, key = Memory(), encoded_key("a")
    value: ValueStateDescriptor[Any] = ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY())
    lists: MapStateDescriptor[Any, Any] = MapStateDescriptor("lists", Types.STRING(), Types.PICKLED_BYTE_ARRAY())
    for is_first in (True, False):
        scope = KeyedContext()
        scope.begin(memory, b"n/")
        scope.select(key)
        store = CellStore(scope.cell)
        store.get_list_state(ALL).add_all(range(20_000))
        if is_first:
            store.get_state(value).update(list(range(20_000)))
            store.get_map_state(lists).put("all", list(range(20_000)))
        scope.end()
    scope = KeyedContext()
    scope.begin(memory, b"n/")
    scope.select(key)
    store = CellStore(scope.cell)
    assert store.get_state(value).value() == list(range(20_000))
    assert store.get_map_state(lists).get("all") == list(range(20_000))


def test_a_store_that_is_away_is_not_told_as_an_element_that_cannot_be_pickled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(key: bytes, value: bytes) -> None:
        raise OSError("the state store is away")

    memory, scope = Memory(), KeyedContext()
    several = CellStore(scope.cell).get_list_state(ALL)
    scope.begin(memory, b"n/")
    scope.select(encoded_key("key"))
    several.add("x" * 2 * LONG_BYTES)
    monkeypatch.setattr(memory, "put", away)
    with pytest.raises(OSError, match="the state store is away"):
        scope.end()
