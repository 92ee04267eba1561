"""Whether and when a failed job is started again: Flink's strategies, failure by failure."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kafkastream.common import RestartStrategies, RestartStrategyConfiguration
from kafkastream.errors import DefinitionError, JobError, KafkastreamError, UnsupportedFeatureError
from kafkastream.spark.job.restarts import Restarts

FAILURE = JobError("it failed")


def waits(strategy: RestartStrategyConfiguration, failures_at: Iterable[int]) -> list[int | None]:
    """How long to wait after failures at these times, in ms."""
    times = iter(failures_at)
    restarts = Restarts(strategy, clock_ms=lambda: next(times))
    found = [restarts.wait_ms(FAILURE) for _ in list(failures_at)]
    assert restarts.count == len(found) - found.count(None)
    return found


def test_without_a_strategy_the_first_failure_is_the_end() -> None:
    for strategy in (RestartStrategies.no_restart(), RestartStrategies.fall_back_restart()):
        assert waits(strategy, [0]) == [None]


def test_fixed_delay_counts_all_failures() -> None:
    assert waits(RestartStrategies.fixed_delay_restart(2, 10), [0, 1, 10**9]) == [10, 10, None]
    assert waits(RestartStrategies.fixed_delay_restart(0, 10), [0]) == [None]


def test_failure_rate_counts_those_of_the_interval() -> None:
    strategy = RestartStrategies.failure_rate_restart(2, 100, 10)
    assert waits(strategy, [0, 50, 100]) == [10, 10, None]  # at the end of the interval counts, too
    assert waits(strategy, [0, 50, 101, 151, 152]) == [10, 10, 10, 10, None]


def test_exponential_delay_grows_up_to_its_maximum_and_is_reset() -> None:
    strategy = RestartStrategies.exponential_delay_restart(100, 350, 2.0, 1_000, 0.0)
    assert waits(strategy, [0, 101, 302, 653, 2_003]) == [100, 200, 350, 350, 100]


def test_failures_while_one_waits_are_one() -> None:
    strategy = RestartStrategies.exponential_delay_restart(100, 1_000, 2.0, 1_000, 0.0)
    assert waits(strategy, [0, 40, 100, 101]) == [100, 60, 0, 200]


def test_jitter_stays_within_its_part() -> None:
    strategy = RestartStrategies.exponential_delay_restart(1_000, 60_000, 3.0, 10**9, 0.1)
    for _ in range(20):
        first, second, third = waits(strategy, [0, 2_000, 10_000])
        assert first is not None
        assert second is not None
        assert third is not None
        assert 1_000 <= first <= 1_100
        assert 2_700 <= second <= 3_300
        assert 8_100 <= third <= 9_900


def test_exponential_delay_goes_on_for_ever() -> None:
    strategy = RestartStrategies.exponential_delay_restart(1, 60_000, 1_000.0, 10**9, 0.5)
    assert waits(strategy, range(0, 500 * 10**6, 10**6))[-1] == 60_000


@pytest.mark.parametrize("error", [DefinitionError("wrong"), UnsupportedFeatureError("not here")])
def test_what_stays_impossible_is_not_tried_again(error: KafkastreamError) -> None:
    restarts = Restarts(RestartStrategies.fixed_delay_restart(5, 0))
    assert restarts.wait_ms(error) is None
    assert restarts.count == 0
