from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.state.state_pages import StatePages
from tests.unit.operators.memory import Memory

# Micro-batches of (key, content); a content of 0 forgets the key, large ones make pages split.
BATCHES = st.lists(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 2000)), max_size=80), max_size=6)


def key(number: int) -> bytes:
    return f"key {number}".encode()


@given(BATCHES)
def test_state_pages_are_what_was_kept_last(batches: list[list[tuple[int, int]]]) -> None:
    memory, model = Memory(), dict[int, Any]()
    for batch in batches:
        entries = StatePages(memory, b"n/")
        for number, size in batch:
            entry = entries.of(key(number))
            assert entry.get("value") == model.get(number)
            entry.clear()
            model.pop(number, None)
            if size:
                entry["value"] = model[number] = "x" * size
            entries.changed(key(number))
        entries.flush()
    entries = StatePages(memory, b"n/")
    assert {number: entries.of(key(number)).get("value") for number in range(301)} == {
        number: model.get(number) for number in range(301)
    }


def test_many_keys_cost_few_calls() -> None:
    memory = Memory()
    for batch in range(3):
        entries = StatePages(memory, b"n/")
        memory.reads = memory.writes = 0
        for number in range(10_000):
            entries.of(key(number))["count"] = batch
            entries.changed(key(number))
        entries.flush()
    assert memory.reads < 150
    assert memory.writes < 150
    assert max(map(len, memory.content.values())) < 64 * 1024


def test_one_key_of_many_costs_little() -> None:
    memory = Memory()
    entries = StatePages(memory, b"n/")
    for number in range(10_000):
        entries.of(key(number))["count"] = 1
        entries.changed(key(number))
    entries.flush()
    entries = StatePages(memory, b"n/")
    memory.reads = memory.writes = 0
    entries.of(key(7))["count"] = 2
    entries.changed(key(7))
    entries.flush()
    assert (memory.reads, memory.writes) == (1, 1)


def test_nothing_is_written_of_what_is_only_read() -> None:
    memory = Memory()
    entries = StatePages(memory, b"n/")
    assert entries.of(b"k") == {}
    entries.flush()
    assert memory.content == {}
