"""A leak is told from noise, in an hour as in five minutes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from tests.soak.samples import Sample
from tests.soak.trend import Points, trend
from tests.soak.verdict import TOLERANCES, verdicts

HOUR = range(60, 3601, 60)
FIVE_MINUTES = range(5, 301, 5)
CHANCE = random.Random(16)
DESCRIPTORS, RSS = TOLERANCES["* descriptors"], TOLERANCES["* RSS"]


def curve(times: range, value: Callable[[int], float]) -> Points:
    return [(float(second), value(second)) for second in times]


def noisy(level: float, spread: float) -> float:
    return CHANCE.gauss(level, spread)


@pytest.mark.parametrize("times", [HOUR, FIVE_MINUTES], ids=["an hour", "five minutes"])
def test_descriptor_per_micro_batch_is_a_leak(times: range) -> None:
    assert trend(curve(times, lambda second: round(noisy(480 + second / 3, 8)))).rises(DESCRIPTORS)


def test_slow_leak_of_memory_shows_in_an_hour() -> None:
    assert trend(curve(HOUR, lambda second: noisy(700 + 100 * second / 3600, 15))).rises(RSS)


@pytest.mark.parametrize(
    "value",
    [
        lambda second: 480,
        lambda second: round(noisy(480, 8)),
        lambda second: 480 + 150 * (CHANCE.random() < 0.1),  # now and then somebody opens many for a moment
        lambda second: 480 + second % 40,  # a collection closes them
        lambda second: 480 - second / 60,
        lambda second: 480 + second / 600,  # six in an hour
        lambda second: 480 + 8 * math.sin(second / 200),
    ],
    ids=["level", "noise", "outliers", "sawtooth", "falling", "very slow", "wave"],
)
@pytest.mark.parametrize("times", [HOUR, FIVE_MINUTES], ids=["an hour", "five minutes"])
def test_what_comes_back_is_no_leak(times: range, value: Callable[[int], float]) -> None:
    assert not trend(curve(times, value)).rises(DESCRIPTORS)


def test_noise_is_hardly_ever_taken_for_a_leak() -> None:
    curves = (curve(HOUR, lambda second: noisy(20, 15)) for _ in range(300))
    assert sum(trend(points).rises(DESCRIPTORS) for points in curves) <= 1


def test_too_few_points_say_nothing() -> None:
    assert trend([(0.0, 1.0)]).at_least is None
    assert not trend([(60.0 * minute, 100.0 * minute) for minute in range(5)]).rises(DESCRIPTORS)


def test_slope_and_its_interval_are_those_of_a_line() -> None:
    found = trend(curve(HOUR, lambda second: 10 + second))
    assert found.per_hour == pytest.approx(3600)
    assert found.at_least == pytest.approx(3600)
    assert (found.level, found.seconds) == (1840, 3540)


def test_what_rises_only_while_it_warms_up_is_flat() -> None:
    """And a verdict is given on curves that have a tolerance alone."""
    series = [
        Sample(float(second), {"driver RSS": min(second, 1200), "jvm sockets": second, "orders": second})
        for second in HOUR
    ]
    assert {one.name: one.rises for one in verdicts(series)} == {"driver RSS": False, "jvm sockets": True}


@pytest.mark.parametrize("beside_mib", [0, 200])
def test_heap_that_grows_is_shown_and_what_grows_beside_it_is_judged(beside_mib: int) -> None:
    heap = [300 + second / 10 for second in HOUR]
    series = [
        Sample(float(second), {"jvm tracked: Java Heap": taken, "jvm RSS": taken + 500 + second / 3600 * beside_mib})
        for second, taken in zip(HOUR, heap, strict=True)
    ]
    rises = {one.name: one.rises for one in verdicts(series)}
    assert rises == {"jvm RSS": False, "jvm RSS beside the heap": beside_mib > 0}
