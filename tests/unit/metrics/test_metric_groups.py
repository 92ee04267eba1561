from __future__ import annotations

import logging
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pyspark import cloudpickle

from kafkastream.errors import DefinitionError
from kafkastream.metrics import DistributionValue, Group, MetricGroup, MetricKind
from kafkastream.metrics.values import Change, MeterIncrement

ROOT = ("job", "Map", "1")


def taken(group: MetricGroup) -> dict[str, object]:
    return {change.name: change.value for change in group._take()}


def test_only_what_has_changed_is_told_and_first_also_a_zero() -> None:
    group = MetricGroup()
    counter, meter, sizes = group.counter("calls"), group.meter("events", 60), group.distribution("sizes")
    assert taken(group) == {"calls": 0, "events": MeterIncrement(0, 60), "sizes": DistributionValue()}
    assert taken(group) == {}
    counter.inc()
    counter.inc(5)
    counter.dec(2)
    meter.mark_event()
    meter.mark_event(2)
    sizes.update(3)
    sizes.update(-1.5)
    assert taken(group) == {
        "calls": 4,
        "events": MeterIncrement(3, 60),
        "sizes": DistributionValue(2, 1.5, -1.5, 3),
    }
    counter.dec()
    assert taken(group) == {"calls": -1}
    assert (counter.get_count(), meter.get_count(), sizes.get_statistics()) == (
        3,
        3,
        DistributionValue(2, 1.5, -1.5, 3),
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [(7, 7), (1.5, 1.5), (True, True), ("a", "a"), (np.int64(3), 3), (np.float32(0.5), 0.5), (Decimal(2), "2")],
)
def test_gauge_is_told_as_plain_python(value: Any, told: object) -> None:
    group = MetricGroup()
    group.gauge("g", lambda: value)
    ((_, _, _, found),) = group._take()
    assert (found, type(found)) == (told, type(told))


def test_gauge_that_fails_or_has_nothing_to_say_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    group = MetricGroup()
    group.gauge("nothing", lambda: None)
    group.gauge("broken", lambda: 1 / 0)
    group.gauge("fine", lambda: 1)
    with caplog.at_level(logging.WARNING, "kafkastream"):
        assert taken(group) == {"fine": 1}
    assert "ZeroDivisionError" in caplog.text


def test_gauge_is_replaced_by_the_one_that_was_registered_last() -> None:
    group = MetricGroup()
    group.gauge("g", lambda: 1)
    group.gauge("g", lambda: 2)
    assert taken(group) == {"g": 2}


def test_groups_are_places_and_with_a_value_variables() -> None:
    group = MetricGroup(ROOT)
    inner = group.add_group("shops").addGroup("shop", "Lyon")
    inner.counter("orders").inc()
    assert list(group._take()) == [
        Change(MetricKind.COUNTER, (Group("shops"), Group("shop", "Lyon")), "orders", 1),
    ]
    assert inner.get_scope_components() == ["job", "Map", "1", "shops", "shop", "Lyon"]
    assert inner.get_metric_identifier("orders") == "job.Map.1.shops.shop.Lyon.orders"
    assert inner.get_all_variables() == {
        "<job_name>": "job",
        "<operator_name>": "Map",
        "<subtask_index>": "1",
        "<shop>": "Lyon",
    }


def test_same_name_in_the_same_group_is_the_same_metric() -> None:
    group = MetricGroup()
    assert group.add_group("a").counter("n") is group.add_group("a").counter("n")
    assert group.add_group("a").counter("n") is not group.add_group("b").counter("n")


def test_name_of_another_kind_is_refused() -> None:
    group = MetricGroup(ROOT)
    group.counter("n")
    with pytest.raises(DefinitionError, match=r"'job\.Map\.1\.n' already exists and is a counter"):
        group.meter("n")


def test_names_of_the_operator_itself_are_refused() -> None:
    group = MetricGroup(ROOT)
    own = group._own_counter("numRecordsIn")
    assert group._own_counter("numRecordsIn") is own
    with pytest.raises(DefinitionError, match="a counter of the operator itself"):
        group.counter("numRecordsIn")
    group.add_group("mine").counter("numRecordsIn").inc()
    assert own.get_count() == 0


def test_meters_of_functions_tell_their_rate() -> None:
    group = MetricGroup()
    meter = group.meter("events", 13)
    meter.mark_event(20)
    assert taken(group) == {"events": MeterIncrement(20, 10)}  # whole updates of 5 s
    assert meter.get_rate() == 2.0
    assert taken_span(group.meter("short", 1)) == 5


def taken_span(meter: Any) -> float:
    increment = meter._take()
    assert isinstance(increment, MeterIncrement)
    return increment.span_s


def test_what_is_told_travels() -> None:
    group = MetricGroup()
    group.add_group("a", "b").meter("m").mark_event()
    group.distribution("d").update(2)
    changes = list(group._take())
    assert cloudpickle.loads(cloudpickle.dumps(changes)) == changes
