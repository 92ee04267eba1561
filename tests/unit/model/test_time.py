from __future__ import annotations

import datetime
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.common.time import Duration, Instant, Time

numbers = st.integers(-(10**12), 10**12)


@pytest.mark.parametrize(
    ("duration", "millis"),
    [
        (Duration.of_days(1), 86_400_000),
        (Duration.of_hours(1), 3_600_000),
        (Duration.of_minutes(1), 60_000),
        (Duration.of_seconds(1), 1_000),
        (Duration.of_millis(1), 1),
        (Duration.of_nanos(1_999_999), 1),
        (Duration.of_nanos(-1_999_999), -1),
        (Duration.of(datetime.timedelta(seconds=1, microseconds=500_000)), 1_500),
    ],
)
def test_a_duration_is_given_in_any_unit(duration: Duration, millis: int) -> None:
    assert duration.to_millis() == millis


@given(numbers, numbers)
def test_durations_compare_as_their_lengths(left: int, right: int) -> None:
    assert (Duration.of_millis(left) < Duration.of_millis(right)) == (left < right)
    assert (Duration.of_millis(left) == Duration.of_nanos(left * 1_000_000)) is True


@given(numbers)
def test_the_repr_of_a_duration_makes_it_again(nanos: int) -> None:
    duration = Duration.of_nanos(nanos)
    assert eval(repr(duration)) == duration
    assert pickle.loads(pickle.dumps(duration)) == duration
    assert hash(Duration.of_nanos(nanos)) == hash(duration)


@pytest.mark.parametrize(
    "make",
    [
        *(Duration.of_days, Duration.of_hours, Duration.of_minutes),
        *(Duration.of_seconds, Duration.of_millis, Duration.of_nanos),
        *(Time.days, Time.hours, Time.minutes, Time.seconds, Time.milliseconds),
    ],
)
@pytest.mark.parametrize("fraction", [1.5, 2.0, "3", None])
def test_a_length_of_time_is_a_whole_number_of_units(make: Callable[[object], object], fraction: object) -> None:
    with pytest.raises(DefinitionError, match="takes a whole number, not"):
        make(fraction)


@pytest.mark.parametrize(
    ("time", "millis"),
    [
        (Time.days(1), 86_400_000),
        (Time.hours(1), 3_600_000),
        (Time.minutes(1), 60_000),
        (Time.seconds(1), 1_000),
        (Time.milliseconds(1), 1),
        (Time(7), 7),
    ],
)
def test_a_time_is_given_in_any_unit(time: Time, millis: int) -> None:
    assert time.to_milliseconds() == millis
    assert time == Time(millis)


@given(numbers)
def test_an_instant_keeps_its_milliseconds(millis: int) -> None:
    instant = Instant.of_epoch_milli(millis)
    assert instant.to_epoch_milli() == millis
    assert 0 <= instant.nanos < 1_000_000_000


def test_instants_compare_as_points_in_time() -> None:
    assert Instant(1, 5) < Instant(2, 0)
    assert Instant(1, 5) == Instant(1, 5)
