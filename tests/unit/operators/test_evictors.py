"""What evictors remove is what Flink's remove, and it is gone for good."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.common import Duration, Time
from kafkastream.datastream.window import (
    CountEvictor,
    CountTrigger,
    DeltaEvictor,
    DeltaFunction,
    EventTimeSessionWindows,
    Evictor,
    GlobalWindows,
    PurgingTrigger,
    TimeEvictor,
    TimestampedValue,
    TumblingEventTimeWindows,
    Window,
    WindowElements,
)
from kafkastream.errors import DefinitionError
from kafkastream.model.common.stream_functions import AggregateFunction, as_reduce_function
from kafkastream.model.functions.field_aggregation import FieldAggregation, FieldChoice
from kafkastream.model.functions.process_functions import TimerService
from kafkastream.model.windows.window_functions import WindowFunction
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.operators.stream.window_operator import WindowOperator
from tests.unit.operators.driving import Step, driven, entry
from tests.unit.operators.memory import Memory

ELEMENTS = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 20)), max_size=8)
EVERYTHING = GlobalWindows.create()
TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


class Content(WindowFunction[Any, Any, Any, Any]):
    """Tells what it has got."""

    def apply(self, key: Any, window: Window, inputs: Iterable[Any]) -> Iterable[Any]:
        yield list(inputs)


def numbers(*times: int | str) -> list[Step]:
    """Elements of one key, whose values are their times; ``|`` ends a micro-batch."""
    return [("micro-batch",) if time == "|" else ("element", "a", time) for time in times]


def fired(operation: WindowOperation, steps: Iterable[Step], memory: Memory | None = None) -> list[Any]:
    return driven(WindowOperator(operation), Memory() if memory is None else memory, steps)


def evicted(
    evictor: Evictor[Any, Any], elements: Iterable[tuple[Any, int | None]], *, after: bool = False
) -> list[Any]:
    """The values that stay when an evictor is called on one side of the function."""
    window = WindowElements([TimestampedValue(*one) for one in elements])
    call: Any = evictor.evict_after if after else evictor.evict_before
    call(window, len(window), None, None)
    return [one.value for one in window]


# Flink's own loops, with an iterator that removes.


@given(ELEMENTS, st.integers(0, 9))
def test_count(elements: list[tuple[int, int]], most: int) -> None:
    expected, count = [value for value, _ in elements], 0
    if len(elements) > most:
        for value, _ in elements:
            count += 1
            if count > len(elements) - most:
                break
            expected.remove(value)
    assert evicted(CountEvictor.of(most), elements) == expected


@given(ELEMENTS, st.integers(0, 20))
def test_time(elements: list[tuple[int, int]], size: int) -> None:
    latest = max((time for _, time in elements), default=0)
    expected = [value for value, time in elements if not time <= latest - size]
    assert evicted(TimeEvictor.of(Duration.of_millis(size)), elements) == expected


@given(ELEMENTS, st.integers(-3, 8))
def test_delta(elements: list[tuple[int, int]], threshold: int) -> None:
    class Distance(DeltaFunction[int]):
        def get_delta(self, old_data_point: int, new_data_point: int) -> float:
            return abs(new_data_point - old_data_point)

    expected = [value for value, _ in elements if not abs(elements[-1][0] - value) >= threshold]
    assert evicted(DeltaEvictor.of(threshold, Distance()), elements) == expected
    assert evicted(DeltaEvictor.of(threshold, lambda old, new: abs(new - old)), elements) == expected


@pytest.mark.parametrize(
    "kind",
    [lambda after: CountEvictor.of(1, after), lambda after: TimeEvictor.of(Time.milliseconds(1), after)],
    ids=["count", "time"],
)
def test_an_evictor_works_on_one_side_of_the_function(kind: Any) -> None:
    two = [("a", 1), ("b", 2)]
    kept = {(after, side): evicted(kind(after), two, after=side) for after in (False, True) for side in (False, True)}
    assert kept == {(False, False): ["b"], (False, True): ["a", "b"], (True, False): ["a", "b"], (True, True): ["b"]}


def test_elements_without_a_time_are_not_evicted_by_time() -> None:
    evictor = TimeEvictor.of(Time.milliseconds(1))
    assert evicted(evictor, [("a", None), ("b", 1), ("c", 9)]) == ["a", "b", "c"]  # the first one decides, as in Flink
    with pytest.raises(DefinitionError, match="no timestamp"):
        evicted(evictor, [("a", 1), ("b", None)])


def test_an_element_may_be_removed_while_elements_are_iterated() -> None:
    window = WindowElements([TimestampedValue(value) for value in ("a", "b", "b", "a")])
    for element in window[1:3]:
        window.remove(element)
    assert [element.value for element in window] == ["a", "a"]
    last = window[-1]
    for element in window:
        if element is last:
            window.remove(element)
    assert len(window) == 1
    assert window[0] is not last


# What the operator makes of them.


def test_windows_of_java_by_count_and_slide() -> None:
    """``countWindow(3, 2)`` of Java: every two elements, the last three."""
    operation = WindowOperation(assigner=EVERYTHING, trigger=CountTrigger.of(2), evictor=CountEvictor.of(3))
    memory = Memory()
    steps = numbers(1, "|", 2, 3, 4, "|", 5, 6, 7)
    assert fired(attrs.evolve(operation, function=Content()), steps, memory) == [[1, 2], [2, 3, 4], [4, 5, 6]]
    assert list(entry(memory, "a")["_windows"].values()) == [[(4, 4), (5, 5), (6, 6), (7, 7)]]


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        (as_reduce_function(lambda one, other: one + other), [1 + 2, 2 + 3 + 4, 4 + 5 + 6]),
        (FieldAggregation(0, "sum"), [1 + 2, 2 + 3 + 4, 4 + 5 + 6]),
        (FieldChoice(0, "max"), [2, 4, 6]),
    ],
    ids=["reduce", "sum", "max_by"],
)
def test_what_combines_elements_goes_over_those_that_are_left(combine: Any, expected: list[int]) -> None:
    operation = WindowOperation(
        assigner=EVERYTHING, trigger=CountTrigger.of(2), evictor=CountEvictor.of(3), combine=combine
    )
    steps = numbers(1, 2, "|", 3, 4, 5, "|", 6)
    assert fired(operation, steps) == expected
    assert fired(attrs.evolve(operation, function=Content()), steps) == [[one] for one in expected]


class Joined(AggregateFunction[Any, str, str]):
    def create_accumulator(self) -> str:
        return ""

    def add(self, value: Any, accumulator: str) -> str:
        return f"{accumulator}{value}"

    def get_result(self, accumulator: str) -> str:
        return f"<{accumulator}>"

    def merge(self, acc_a: str, acc_b: str) -> str:
        raise AssertionError("elements are merged, not accumulators")


def test_aggregate_goes_over_what_is_left_also_of_sessions_that_merge() -> None:
    sessions = EventTimeSessionWindows.with_gap(Time.milliseconds(10))
    operation = WindowOperation(assigner=sessions, evictor=TimeEvictor.of(Time.milliseconds(12)), combine=Joined())
    steps = [*numbers(1, "|", 15, "|", 8), ("watermark", "", 100)]
    memory = Memory()
    assert fired(operation, steps, memory) == ["<158>"]  # 1 is more than 12 ms older than 15
    assert entry(memory, "a") == {}


def test_what_is_evicted_does_not_come_back_with_a_late_element() -> None:
    operation = WindowOperation(
        assigner=TEN, allowed_lateness=5, evictor=TimeEvictor.of(Time.milliseconds(3)), function=Content()
    )
    steps = [*numbers(1, 5, 6), ("watermark", "", 9), *numbers("|", 7, 2), ("watermark", "", 14), *numbers(8)]
    assert fired(operation, steps) == [[5, 6], [5, 6, 7], [5, 6, 7]]


def test_evicting_after_the_function_leaves_an_empty_window_which_does_not_fire() -> None:
    after = CountEvictor.of(0, do_evict_after=True)
    operation = WindowOperation(assigner=TEN, trigger=CountTrigger.of(1), evictor=after, function=Content())
    memory = Memory()
    assert fired(operation, numbers(1, 2, 3), memory) == [[1], [2], [3]]
    assert "_windows" not in entry(memory, "a")
    merging = attrs.evolve(operation, assigner=EventTimeSessionWindows.with_gap(Time.milliseconds(5)))
    assert fired(merging, numbers(1, 2, "|", 3)) == [[1], [2], [3]]


@pytest.mark.parametrize(
    ("combine", "expected"),
    [(None, []), (as_reduce_function(max), [None]), (Joined(), ["<>"])],
    ids=["all", "reduce", "aggregate"],
)
def test_a_window_of_which_nothing_is_left_fires_as_in_flink(combine: Any, expected: list[Any]) -> None:
    operation = WindowOperation(assigner=TEN, evictor=CountEvictor.of(0), combine=combine, function=Content())
    assert fired(operation, [*numbers(1, 2), ("watermark", "", 9)]) == [expected]


def test_purging_leaves_nothing_for_the_evictor() -> None:
    purging = PurgingTrigger.of(CountTrigger.of(2))
    operation = WindowOperation(assigner=EVERYTHING, trigger=purging, evictor=CountEvictor.of(9), function=Content())
    assert fired(operation, numbers(1, 2, 3, "|", 4, 5)) == [[1, 2], [3, 4]]


def test_elements_keep_that_they_have_no_time() -> None:
    operation = WindowOperation(
        assigner=EVERYTHING,
        trigger=CountTrigger.of(2),
        evictor=TimeEvictor.of(Time.milliseconds(1)),
        function=Content(),
    )
    steps = [("element", "a", None, "x"), ("micro-batch",), ("element", "a", None, "y")]
    assert fired(operation, steps) == [["x", "y"]]


class Odd(Evictor[int, Window]):
    """Removes odd elements before, those behind the watermark after, as a port from Java does it."""

    def evict_before(
        self, elements: WindowElements[int], size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        assert size == len(elements)
        for element in elements:
            if element.get_value() % 2:
                elements.remove(element)
                evictor_context.get_metric_group().counter("odd").inc()

    def evict_after(
        self, elements: WindowElements[int], size: int, window: Window, evictor_context: Evictor.EvictorContext
    ) -> None:
        assert size == len(elements)
        assert evictor_context.get_current_processing_time() == pytest.approx(
            TimerService().current_processing_time(), abs=60_000
        )
        for element in elements:
            if element.get_timestamp() < evictor_context.get_current_watermark():
                elements.remove(element)


def test_an_evictor_of_ones_own_knows_the_time() -> None:
    operation = WindowOperation(assigner=EVERYTHING, trigger=CountTrigger.of(3), evictor=Odd(), function=Content())
    steps = [*numbers(1, 2, 4), ("watermark", "", 3), *numbers("|", 5, 6, 7, 9, 10, 11)]
    assert fired(operation, steps) == [[2, 4], [2, 4, 6], [4, 6, 10]]


def test_an_evictor_that_fails_is_told_with_the_element() -> None:
    operation = WindowOperation(
        assigner=EVERYTHING, trigger=CountTrigger.of(1), evictor=DeltaEvictor.of(1, lambda old, new: old - new)
    )
    with pytest.raises(CallError) as raised:
        fired(operation, [("element", "a", 1, "text")])
    assert (raised.value.key, raised.value.element) == ("a", "text")
    assert isinstance(raised.value.__cause__, TypeError)
