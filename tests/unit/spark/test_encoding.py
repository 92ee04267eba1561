"""What a sink does before a record reaches the client."""

from __future__ import annotations

import pytest

from kafkastream.spark.batches import ElementError
from kafkastream.spark.encoding import _written_times


def test_none_and_negative_times_become_the_time_of_writing() -> None:
    assert _written_times([5, None, -1]) == [5, 0, 0]


def test_event_time_zero_is_refused_with_its_element() -> None:
    with pytest.raises(ElementError) as raised:
        _written_times([5, 0])
    assert raised.value.index == 1
    assert "event time 0" in str(raised.value.__cause__)
