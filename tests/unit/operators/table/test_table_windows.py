"""Aggregates of windows and sessions come once, when event time or the wall clock has passed them."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.table.time_columns import instant_of, local_of
from kafkastream.sql.plan.operations import (
    SessionAggregate,
    SessionRows,
    TableOperation,
    TimeAttribute,
    WindowAggregate,
)
from tests.unit.operators.table.rows_driving import Driven, TableRow, call, row

MS = 1_000
HOUR = 3_600_000


def windows(zone: str = "UTC", time: TimeAttribute = TimeAttribute.EVENT, *, in_parts: bool = False) -> Driven:
    calls = (call("SUM", 3, distinct=not in_parts),)
    return Driven(TableOperation(WindowAggregate(calls=calls, keys=1, time=time, zone=zone), retracts=True))


def window(kind: str, key: str, start: int, end: int, value: int | None) -> TableRow:
    return row(kind, key, start * MS, end * MS, value)


def test_a_window_comes_once_when_it_is_over() -> None:
    driven = windows()
    assert driven.give(window("+I", "k", 0, 10, 1), window("+I", "k", 5, 15, 1), window("+I", "k", 0, 10, 2)) == []
    assert driven.advance(8) == []
    driven.checkpoint()
    assert driven.advance(9) == [("+I", "k", 3, 0, 10_000)]
    assert driven.give(window("+I", "k", 0, 10, 4), window("+I", "k", 5, 15, 4)) == []
    assert driven.late == 1
    assert driven.advance(20) == [("+I", "k", 5, 5_000, 15_000)]
    assert driven.entry() == {}


def test_a_window_whose_rows_have_gone_tells_nothing() -> None:
    driven = windows()
    driven.give(window("+I", "k", 0, 10, 1), window("-U", "k", 0, 10, 1))
    driven.give(window("+I", "k", 10, 20, 1), window("-U", "k", 10, 20, 1), window("+U", "k", 10, 20, None))
    assert driven.advance(30) == [("+I", "k", None, 10_000, 20_000)]


def test_rows_in_parts_stand_for_several() -> None:
    driven = windows(in_parts=True)
    assert (
        driven.give((2, "k", 0, 10_000, (7, 2)), (1, "k", 0, 10_000, (None, 0)), (-1, "k", 0, 10_000, (-3, -1))) == []
    )
    assert driven.advance(9) == [("+I", "k", 4, 0, 10_000)]
    assert driven.give((3, "k", 0, 10_000, (1, 1))) == []
    assert driven.late == 3


def test_by_processing_time_the_wall_clock_of_the_zone_ends_windows() -> None:
    driven = windows("Asia/Shanghai", TimeAttribute.PROCESSING)
    end = 9 * HOUR
    driven.give(window("+I", "k", 8 * HOUR, end, 1))
    assert driven.advance(2**62, now=HOUR - 2) == []  # event time says nothing
    assert driven.advance(now=HOUR - 1) == [("+I", "k", 1, 8 * HOUR * MS, end * MS)]
    assert driven.late == 0


def test_by_event_time_the_bounds_are_times_of_the_zone_too() -> None:
    driven = windows("Asia/Shanghai")
    driven.give(window("+I", "k", 8 * HOUR, 9 * HOUR, 1))
    assert driven.advance(HOUR - 2) == []
    assert len(driven.advance(HOUR - 1)) == 1


def test_times_that_clocks_skip_or_show_twice() -> None:
    shown = instant_of("America/Los_Angeles")
    skipped, before = 1_615_689_000_000, 1_615_687_199_999  # 2021-03-14, 02:30 and 01:59:59.999
    assert shown(skipped) == shown(before) + 1 == 1_615_716_000_000
    twice = 1_636_248_600_000  # 2021-11-07 01:30, the second time at 09:30 UTC
    assert shown(twice) == 1_636_277_400_000
    assert local_of("America/Los_Angeles")(1_636_277_400_000) == twice


def sessions(time: TimeAttribute = TimeAttribute.EVENT, zone: str = "UTC") -> Driven:
    calls = (call("SUM", 2),)
    operation = SessionAggregate(calls=calls, keys=1, gap_ms=10, time=time, zone=zone)
    return Driven(TableOperation(operation))


def at(key: str, time: int, value: int) -> TableRow:
    return row("+I", key, time * MS, value)


def test_sessions_become_one_when_a_row_comes_between_them() -> None:
    driven = sessions()
    driven.give(at("k", 0, 1), at("k", 20, 2), at("k", 50, 8))
    driven.checkpoint()
    driven.give(at("k", 10, 4))  # it touches both
    assert driven.advance(28) == []
    assert driven.advance(29) == [("+I", "k", 7, 0, 30_000)]
    driven.give(at("k", 19, 1), at("k", 41, 1))
    assert driven.late == 1
    assert driven.advance(100) == [("+I", "k", 9, 41_000, 60_000)]
    assert driven.entry() == {}


def test_rows_of_a_session_come_when_it_is_over() -> None:
    driven = Driven(TableOperation(SessionRows(gap_ms=10, column=1)))
    rows = [row("+I", "k", time * MS) for time in (100, 115, 108)]
    assert driven.give(*rows) == []
    driven.checkpoint()
    assert driven.advance(123) == []
    assert driven.give(row("+I", "k", 90 * MS), row("+I", "k", 126 * MS)) == []
    out = driven.advance(134)
    assert [time // MS for _, _, time, _, _ in out] == [100, 115, 108, 90]
    assert {(start, end) for *_, start, end in out} == {(90 * MS, 125 * MS)}
    assert driven.give(row("+I", "k", 60 * MS)) == []
    assert driven.late == 1
    assert driven.advance(200) == [("+I", "k", 126 * MS, 126 * MS, 136 * MS)]
    assert driven.entry() == {}


def test_sessions_of_the_wall_clock() -> None:
    driven = sessions(TimeAttribute.PROCESSING, "Asia/Shanghai")
    driven.now = 5
    driven.give(row("+I", "k", None, 1))
    driven.now = 12
    driven.give(row("+I", "k", None, 2))
    assert driven.advance(now=20) == []
    assert driven.advance(now=21) == [("+I", "k", 3, (8 * HOUR + 5) * MS, (8 * HOUR + 22) * MS)]


STEPS = st.lists(st.tuples(st.sampled_from(["a", "b", "watermark", "checkpoint"]), st.integers(0, 120)), max_size=30)


@given(steps=STEPS)
def test_sessions_are_what_a_model_says(steps: list[tuple[str, int]]) -> None:
    driven, watermark = sessions(), -1
    kept: dict[str, list[tuple[int, int]]] = defaultdict(list)  # the times of each open session: first and last
    expected, out = [], []
    for what, time in [*steps, ("watermark", 1_000)]:
        if what == "checkpoint":
            driven.checkpoint()
        elif what == "watermark":
            watermark = max(watermark, time)
            out += driven.advance(watermark)
            for key, spans in kept.items():
                expected += [(key, first, last + 10) for first, last in spans if last + 9 <= watermark]
                kept[key] = [span for span in spans if span[1] + 9 > watermark]
        else:
            driven.give(at(what, time, 1), key=what)
            near = [span for span in kept[what] if span[0] - 10 <= time <= span[1] + 10]
            whole = (min([time, *(first for first, _ in near)]), max([time, *(last for _, last in near)]))
            if whole[1] + 9 > watermark:
                kept[what] = [span for span in kept[what] if span not in near] + [whole]
    assert sorted((key, start // MS, end // MS) for _, key, _, start, end in out) == sorted(expected)
