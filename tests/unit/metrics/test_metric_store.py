from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.metrics import DistributionValue, Group, MeterValue, MetricGroup, MetricKind, MetricsSnapshot
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import Change, MeterIncrement, OperatorChanges, RateWindow, Reading

OPERATORS = {1: Operator("Source: in", "src"), 2: Operator("Map", "2")}
NUMBERS = st.integers(-1000, 1000)
TASKS = st.lists(st.tuples(st.integers(0, 2), st.lists(NUMBERS)))


def spread(values: Sequence[int]) -> DistributionValue:
    return DistributionValue(len(values), sum(values), min(values), max(values)) if values else DistributionValue()


VALUES = st.lists(NUMBERS).map(spread)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> MetricStore:
    return MetricStore("job", "id", OPERATORS, clock)


def changed(kind: MetricKind, name: str, value: object, *groups: Group, node: int = 2, subtask: int = 0) -> Any:
    return [OperatorChanges(node, subtask, (Change(kind, groups, name, value),))]


@given(TASKS)
def test_sums_do_not_depend_on_which_worker_ran_which_task(tasks: list[tuple[int, list[int]]]) -> None:
    store = MetricStore("job", "id", OPERATORS)
    workers = [MetricGroup() for _ in range(3)]
    for worker, updates in tasks:
        group = workers[worker]
        counter, meter, sizes = group.counter("count"), group.meter("events"), group.distribution("sizes")
        for update in updates:
            counter.inc(update)
            meter.mark_event()
            sizes.update(update)
        store.merge([OperatorChanges(2, 0, tuple(group._take()))])
    everything = [update for _, updates in tasks for update in updates]
    snapshot = store.snapshot()
    if tasks:
        assert snapshot["job.Map.0.count"] == snapshot.total("count") == sum(everything)
        assert snapshot.total("events") == len(everything)
        assert snapshot["job.Map.0.sizes"] == spread(everything)


@given(VALUES, VALUES, VALUES)
def test_distributions_merge_in_any_order(
    one: DistributionValue, two: DistributionValue, three: DistributionValue
) -> None:
    assert one.merged(two) == two.merged(one)
    assert one.merged(two).merged(three) == one.merged(two.merged(three))
    assert one.merged(DistributionValue()) == one


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)), min_size=1), st.integers(0, 100))
def test_rate_is_the_growth_over_the_span(steps: list[tuple[int, int]], later: int) -> None:
    window, at, count, noted = RateWindow(30), 0, 0, []
    for seconds, more in steps:
        at, count = at + seconds, count + more
        window.note(at, count)
        noted.append((at, count))
    now = at + later
    before = max((total for when, total in noted if when <= now - 30), default=0)
    assert window.rate(now) == (count - before) / 30


def test_rate_of_a_burst_within_a_second_is_kept() -> None:
    window = RateWindow(10)
    for tenth in range(10):
        window.note(100 + tenth / 10, tenth + 1)
    assert window.rate(101) == 1.0
    assert window.rate(111) == 0.0


def test_mean_of_nothing_is_zero() -> None:
    assert (DistributionValue().mean, spread([1, 2]).mean) == (0.0, 1.5)


def test_subtasks_and_groups_are_kept_apart(store: MetricStore) -> None:
    store.merge(changed(MetricKind.COUNTER, "n", 1))
    store.merge(changed(MetricKind.COUNTER, "n", 2, subtask=1))
    store.merge(changed(MetricKind.COUNTER, "n", 3, Group("shop", "Lyon")))
    snapshot = store.snapshot()
    assert dict(snapshot) == {"job.Map.0.n": 1, "job.Map.1.n": 2, "job.Map.0.shop.Lyon.n": 3}
    assert (snapshot.total("n"), snapshot.total("shop.Lyon.n")) == (3, 3)
    with pytest.raises(KeyError):
        snapshot.total("m")


def test_last_value_of_a_gauge_stays(store: MetricStore) -> None:
    for value in ("a", 2, False):
        store.merge(changed(MetricKind.GAUGE, "g", value))
    assert dict(store.snapshot()) == {"job.Map.0.g": False}


def test_flinks_own_counters_have_rates(store: MetricStore, clock: Clock) -> None:
    store.merge(changed(MetricKind.COUNTER, "numRecordsIn", 120))
    assert dict(store.snapshot()) == {
        "job.Map.0.numRecordsIn": 120,
        "job.Map.0.numRecordsInPerSecond": MeterValue(120, 2.0),
    }
    clock.now += 61
    assert store.snapshot()["job.Map.0.numRecordsInPerSecond"] == MeterValue(120, 0.0)
    store.merge(changed(MetricKind.COUNTER, "numRecordsIn", 1, Group("mine")))
    assert "job.Map.0.mine.numRecordsInPerSecond" not in store.snapshot()


def test_meters_tell_count_and_rate(store: MetricStore, clock: Clock) -> None:
    store.merge(changed(MetricKind.METER, "m", MeterIncrement(30, 10)))
    clock.now += 5
    store.merge(changed(MetricKind.METER, "m", MeterIncrement(10, 10)))
    assert store.snapshot()["job.Map.0.m"] == MeterValue(40, 4.0)
    clock.now += 5
    assert store.snapshot()["job.Map.0.m"] == MeterValue(40, 1.0)


def test_growth_is_remembered_by_subtask(store: MetricStore, clock: Clock) -> None:
    store.merge(changed(MetricKind.COUNTER, "numRecordsIn", 1, node=1))
    clock.now += 2
    store.merge(changed(MetricKind.COUNTER, "numRecordsIn", 1, node=1, subtask=3))
    store.merge(changed(MetricKind.COUNTER, "numRecordsIn", 0, node=1))
    clock.now += 1
    assert store.seconds_since_growth(1, "numRecordsIn") == {0: 3.0, 3: 1.0}


def test_providers_are_asked_when_metrics_are_read_and_tasks_go_first(store: MetricStore) -> None:
    asked: list[int] = []

    def provider() -> list[Reading]:
        asked.append(len(asked))
        return [Reading(2, 0, MetricKind.GAUGE, (), name, asked[-1]) for name in ("offset", "other")]

    store.provide("driver", provider)
    store.merge(changed(MetricKind.GAUGE, "offset", 41))
    assert dict(store.snapshot()) == {"job.Map.0.offset": 41, "job.Map.0.other": 0}
    assert store.snapshot()["job.Map.0.other"] == 1


def test_snapshots_are_values(store: MetricStore) -> None:
    store.merge(changed(MetricKind.COUNTER, "n", 1))
    store.merge(changed(MetricKind.COUNTER, "n", 1, node=1))
    before = store.snapshot()
    assert before == store.snapshot()
    assert len({before, store.snapshot()}) == 1
    store.merge(changed(MetricKind.COUNTER, "n", 1))
    assert before["job.Map.0.n"] == 1
    assert [(one.operator, one.operator_id) for one in before.metrics] == [("Map", "2"), ("Source: in", "src")]
    assert dict(before.of_operator("Source: in")) == {"job.Source: in.0.n": 1}
    assert before.of_operator("?") == MetricsSnapshot("job", "id")
