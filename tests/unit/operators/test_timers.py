from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.state.timers import Timer, TimerQueue
from tests.unit.operators.memory import Memory

TIMES = st.integers(0, 400_000)
STEPS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["register", "delete", "fire"]), TIMES, st.sampled_from([b"a", b"b"])), max_size=12
    ),
    max_size=6,
)


@given(STEPS)
def test_timers_fire_once_and_in_order(batches: list[list[tuple[str, int, bytes]]]) -> None:
    memory, model = Memory(), set[Timer]()
    for batch in batches:
        queue = TimerQueue(memory, b"n/")
        for what, time, key in batch:
            timer = Timer(time, key)
            if what == "register":
                queue.register(timer)
                model.add(timer)
            elif what == "delete":
                queue.delete(timer)
                model.discard(timer)
            else:
                due = sorted(one for one in model if one.timestamp <= time)
                assert list(queue.fire(time)) == due
                model.difference_update(due)
        if model:
            assert queue.next is not None
            assert queue.next <= min(model).timestamp
        queue.flush()
        assert list(TimerQueue(memory, b"n/").waiting()) == sorted(model)
    assert list(TimerQueue(memory, b"n/").fire(10**9)) == sorted(model)


def test_timer_that_is_registered_while_others_fire_fires_too_if_it_is_due() -> None:
    memory = Memory()
    queue = TimerQueue(memory, b"n/")
    queue.register(Timer(10, b"a"))
    fired = []
    for timer in queue.fire(100):
        fired.append(timer.timestamp)
        if timer.timestamp < 90:
            queue.register(Timer(timer.timestamp + 40, b"a"))
    assert fired == [10, 50, 90]
    queue.flush()
    assert TimerQueue(memory, b"n/").next is None


def test_timer_that_is_deleted_while_others_fire_does_not_fire() -> None:
    queue = TimerQueue(Memory(), b"n/")
    queue.register(Timer(10, b"a"))
    queue.register(Timer(20, b"a"))
    fired = []
    for timer in queue.fire(100):
        fired.append(timer.timestamp)
        queue.delete(Timer(20, b"a"))
    assert fired == [10]


def test_micro_batch_writes_no_more_than_its_own_timers() -> None:
    memory = Memory()
    queue = TimerQueue(memory, b"n/")
    for number in range(10_000):
        queue.register(Timer(50_000, f"key {number}".encode()))
    queue.flush()
    queue = TimerQueue(memory, b"n/")
    queue.register(Timer(50_000, b"one more"))
    memory.reads = memory.writes = 0
    queue.flush()
    assert (memory.reads, memory.writes) == (0, 2)
    queue = TimerQueue(memory, b"n/")
    memory.reads = 0
    assert list(queue.fire(49_999)) == []
    assert memory.reads == 0
    assert len(list(queue.fire(50_000))) == 10_001


def test_a_slice_that_grows_for_long_has_few_segments() -> None:
    memory, expected = Memory(), []
    for number in range(1000):
        queue = TimerQueue(memory, b"n/")
        queue.register(Timer(50_000, b"%d" % number))
        if number % 3:
            expected.append(Timer(50_000, b"%d" % number))
        else:
            queue.delete(Timer(50_000, b"%d" % number))
        queue.register(Timer(50_001, b"again"))
        queue.flush()
    assert len(memory.content) < 15
    assert memory.reads + memory.writes < 1000 * 8
    fired = list(TimerQueue(memory, b"n/").fire(60_000))
    assert fired == [*sorted(expected), Timer(50_001, b"again")]
