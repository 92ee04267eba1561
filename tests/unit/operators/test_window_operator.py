"""Windows in one subtask are what a plain model of Flink's rules says, whatever comes late and when the watermark moves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.common import Time
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK
from kafkastream.model.windows.window_assigners import (
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from kafkastream.model.windows.window_functions import ProcessWindowFunction
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import TimeWindow, WindowAssigner
from kafkastream.operators.stream.window_operator import WindowOperator
from tests.unit.operators.driving import driven, entry
from tests.unit.operators.memory import Memory

LATE: OutputTag[int] = OutputTag("late")
Fired = tuple[str, int, int, tuple[int, ...]]


class Told(ProcessWindowFunction[int, Fired, str, TimeWindow]):
    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[Fired]:
        yield key, context.window().start, context.window().end, tuple(sorted(elements))


# A step is an element (its key and time), a new watermark, or the end of a micro-batch.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("element"), st.sampled_from("ab"), st.integers(0, 60)),
        st.tuples(st.just("watermark"), st.just(""), st.integers(0, 60)),
        st.tuples(st.just("micro-batch"), st.just(""), st.just(0)),
    ),
    max_size=30,
)


def operated(assigner: WindowAssigner[Any, Any], lateness: int, steps: Sequence[tuple[str, str, int]]) -> list[Any]:
    """What the operator puts out, in order."""
    operator = WindowOperator(WindowOperation(assigner=assigner, allowed_lateness=lateness, late=LATE, function=Told()))
    memory = Memory()
    out = driven(operator, memory, [*steps, ("watermark", "", MAX_WATERMARK)])
    assert [entry(memory, key) for key in "ab"] == [{}, {}]  # nothing is left of what is over
    return [("late", value[1]) if value[0] == LATE else value for value in out]


def modelled(size: int, slide: int, lateness: int, steps: Sequence[tuple[str, str, int]]) -> list[Any]:
    """Tumbling and sliding windows, as Flink's documentation has them."""
    watermark, out = MIN_WATERMARK, list[Any]()
    kept: dict[tuple[str, int], list[int]] = defaultdict(list)
    for what, key, time in (*steps, ("watermark", "", MAX_WATERMARK)):
        if what == "element":
            starts = [start for start in range(-size, time + 1) if start % slide == 0 and start <= time < start + size]
            open_ones = [start for start in starts if start + size - 1 + lateness > watermark]
            for start in sorted(open_ones, reverse=True):
                kept[key, start].append(time)
                if start + size - 1 <= watermark:
                    out.append((key, start, start + size, tuple(sorted(kept[key, start]))))
            if not open_ones and time + lateness <= watermark:
                out.append(("late", time))
        elif what == "watermark" and time > watermark:
            due = [(start + size - 1, key, start) for key, start in kept if watermark < start + size - 1 <= time]
            out += [(key, start, start + size, tuple(sorted(kept[key, start]))) for _, key, start in sorted(due)]
            watermark = time
            for over in [one for one in kept if one[1] + size - 1 + lateness <= watermark]:
                del kept[over]
    return out


@given(STEPS, st.sampled_from([(10, 10), (10, 5), (9, 4)]), st.sampled_from([0, 7]))
def test_aligned_windows(steps: list[tuple[str, str, int]], shape: tuple[int, int], lateness: int) -> None:
    size, slide = (Time.milliseconds(one) for one in shape)
    assigner = SlidingEventTimeWindows.of(size, slide) if shape[0] != shape[1] else TumblingEventTimeWindows.of(size)
    assert operated(assigner, lateness, steps) == modelled(*shape, lateness, steps)


@given(st.lists(st.tuples(st.just("element"), st.sampled_from("ab"), st.integers(0, 200)), max_size=25), st.data())
def test_sessions(elements: list[tuple[str, str, int]], data: st.DataObject) -> None:
    """Without late elements, sessions are what the sorted times say, in whatever order they come."""
    breaks = data.draw(st.lists(st.integers(0, len(elements)), max_size=3))
    steps: list[tuple[str, str, int]] = list(elements)
    for position in sorted(breaks, reverse=True):
        steps.insert(position, ("micro-batch", "", 0))
    expected = []
    for key in "ab":
        session: list[int] = []
        for time in sorted(time for _, owner, time in elements if owner == key):
            if session and time > session[-1] + 10:
                expected.append((key, session[0], session[-1] + 10, tuple(session)))
                session = []
            session.append(time)
        if session:
            expected.append((key, session[0], session[-1] + 10, tuple(session)))
    found = operated(EventTimeSessionWindows.with_gap(Time.milliseconds(10)), 0, steps)
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("element", "a", 1), ("element", "a", 8), ("watermark", "", 17)], [("a", 1, 18, (1, 8))]),
        (
            [("element", "a", 1), ("watermark", "", 10), ("element", "a", 12)],
            [("a", 1, 11, (1,)), ("a", 12, 22, (12,))],
        ),
        ([("element", "a", 1), ("watermark", "", 10), ("element", "a", 0)], [("a", 1, 11, (1,)), ("late", 0)]),
        # It is behind the watermark, but becomes a part of a session that is not.
        (
            [("element", "a", 20), ("watermark", "", 19), ("element", "a", 12)],
            [("a", 12, 30, (12, 20))],
        ),
    ],
    ids=["fires at its end", "a new one", "late", "late but merged"],
)
def test_sessions_and_watermarks(steps: list[tuple[str, str, int]], expected: list[Any]) -> None:
    assert operated(EventTimeSessionWindows.with_gap(Time.milliseconds(10)), 0, steps) == expected


@pytest.mark.parametrize(
    ("assigner", "expected"),
    [
        (TumblingEventTimeWindows.of(Time.milliseconds(10)), [("a", 0, 10, (1,))]),
        (
            SlidingEventTimeWindows.of(Time.milliseconds(20), Time.milliseconds(10)),
            [("a", -10, 10, (1,)), ("a", 0, 20, (1,))],
        ),
        (EventTimeSessionWindows.with_gap(Time.milliseconds(10)), [("a", 1, 11, (1,))]),
    ],
    ids=["tumbling", "sliding", "session"],
)
def test_windows_beyond_the_end_of_time_are_late(assigner: WindowAssigner[Any, Any], expected: list[Any]) -> None:
    steps = [("element", "a", 1), ("element", "a", MAX_WATERMARK), ("watermark", "", MAX_WATERMARK - 1)]
    assert operated(assigner, 0, steps) == expected
