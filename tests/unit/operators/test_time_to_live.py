"""State that expires goes away, also of keys that never come again."""

from __future__ import annotations

from typing import TypeVar

import pytest

from kafkastream.common import Time, Types
from kafkastream.datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    StateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_store import CellStore
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext
from tests.unit.operators.memory import Memory

KEYS = [encoded_key(f"customer {number}") for number in range(2000)]
TTL_MS = 1000


class Clock:
    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def config(*, background: bool = True) -> StateTtlConfig:
    builder = StateTtlConfig.new_builder(Time.milliseconds(TTL_MS))
    return builder.build() if background else builder.disable_cleanup_in_background().build()


D = TypeVar("D", bound=StateDescriptor)


def lasting(descriptor: D, ttl: StateTtlConfig) -> D:
    descriptor.enable_time_to_live(ttl)
    return descriptor


def bytes_left(memory: Memory) -> int:
    return sum(map(len, memory.content.values()))


def fill(scope: KeyedContext, memory: Memory, ttl: StateTtlConfig) -> None:
    store = CellStore(scope.cell)
    value = store.get_state(lasting(ValueStateDescriptor("value", Types.STRING()), ttl))
    several = store.get_list_state(lasting(ListStateDescriptor("several", Types.STRING()), ttl))
    mapped = store.get_map_state(lasting(MapStateDescriptor("mapped", Types.STRING(), Types.STRING()), ttl))
    scope.begin(memory, b"n/")
    for key in KEYS:
        scope.select(key)
        value.update("x" * 20)
        several.add("y" * 20)
        mapped.put("z", "z" * 20)
    scope.end()


def wait(scope: KeyedContext, memory: Memory, clock: Clock, micro_batches: int) -> None:
    for _ in range(micro_batches):
        clock.now += 7
        scope.begin(memory, b"n/")
        scope.end()


def test_what_has_expired_goes_away_without_its_keys() -> None:
    clock, memory = Clock(), Memory()
    scope = KeyedContext(clock)
    fill(scope, memory, config())
    before = bytes_left(memory)
    wait(scope, memory, clock, TTL_MS // 7 - 2)
    assert bytes_left(memory) == pytest.approx(before, rel=0.01), "nothing has expired yet"
    wait(scope, memory, clock, 1000)
    assert bytes_left(memory) < before / 20


def test_each_micro_batch_looks_through_four_pages() -> None:
    clock, memory = Clock(), Memory()
    scope = KeyedContext(clock)
    fill(scope, memory, config())
    memory.reads = memory.writes = 0
    scope.begin(memory, b"n/")
    before = memory.reads
    scope.end()
    assert (memory.reads - before, memory.writes) == (4, 0)


def test_it_stays_where_the_user_wants_it_to() -> None:
    clock, memory = Clock(), Memory()
    scope = KeyedContext(clock)
    fill(scope, memory, config(background=False))
    before = bytes_left(memory)
    clock.now = 10 * TTL_MS
    wait(scope, memory, clock, 100)
    assert bytes_left(memory) == before


def test_what_is_used_lives_on() -> None:
    clock, memory = Clock(), Memory()
    scope = KeyedContext(clock)
    value = CellStore(scope.cell).get_state(lasting(ValueStateDescriptor("value", Types.LONG()), config()))
    for number in range(500):
        clock.now += 100
        scope.begin(memory, b"n/")
        scope.select(KEYS[0])
        assert value.value() == (number - 1 if number else None)
        value.update(number)
        scope.select(KEYS[1])
        if number == 0:
            value.update(-1)
        scope.end()
    scope.begin(memory, b"n/")
    assert scope.pages.of(KEYS[1]) == {}


def test_a_long_list_goes_away_as_a_whole() -> None:
    clock, memory = Clock(), Memory()
    scope = KeyedContext(clock)
    descriptor = lasting(ListStateDescriptor("several", Types.STRING()), config())
    several = CellStore(scope.cell).get_list_state(descriptor)
    for number in range(50):
        clock.now += 10
        scope.begin(memory, b"n/")
        scope.select(KEYS[0])
        several.add_all(f"{number} {one}" for one in range(100))
        scope.end()
    assert bytes_left(memory) > 50_000
    wait(scope, memory, clock, 2 * TTL_MS // 7)
    assert bytes_left(memory) < 1000
