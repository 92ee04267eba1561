from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.state import state_pages
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
        memory.calls = memory.reads = memory.writes = 0
        entries.load(map(key, range(10_000)))
        for number in range(10_000):
            entries.of(key(number))["count"] = batch
            entries.changed(key(number))
        entries.flush()
    assert memory.calls < 3
    assert memory.reads < 300
    assert memory.writes < 300
    assert max(map(len, memory.content.values())) < 8 * 1024


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


def test_large_entries_have_a_page_each() -> None:
    memory = Memory()
    entries = StatePages(memory, b"n/")
    for number in range(100):
        entries.of(key(number))["value"] = "x" * 15_000
        entries.changed(key(number))
    entries.flush()
    assert len(memory.content) < 260


def test_pages_of_four_times_the_size_are_split_when_they_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pages were in checkpoints of format 1."""
    memory = Memory()
    with monkeypatch.context() as earlier:
        earlier.setattr(state_pages, "_PAGE_BYTES", 16 * 1024)
        entries = StatePages(memory, b"n/")
        for number in range(10_000):
            entries.of(key(number))["count"] = number
            entries.changed(key(number))
        entries.flush()
    before = dict(memory.content)
    for first in (0, 7_000, 0):
        entries = StatePages(memory, b"n/")
        entries.load([key(first), key(first + 1)])
        entries.of(key(first))["count"] += 1
        entries.changed(key(first))
        entries.flush()
    assert 0 < len(before.keys() - memory.content.keys()) < len(before) / 2
    entries = StatePages(memory, b"n/")
    counts = [entries.of(key(number))["count"] - number for number in range(10_000)]
    assert (sum(counts), counts[0], counts[7_000]) == (3, 2, 1)
    entries.flush()
    entries.remove()
    assert memory.content == {}


def test_nothing_is_written_of_what_is_only_read() -> None:
    memory = Memory()
    entries = StatePages(memory, b"n/")
    assert entries.of(b"k") == {}
    entries.flush()
    assert memory.content == {}
