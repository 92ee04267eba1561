"""Joins by time: of rows so far apart, and with what a table held at a row's time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.plan.operations import (
    IntervalJoin,
    JoinKind,
    LookupJoin,
    TableOperation,
    TemporalJoin,
    TimeAttribute,
)
from tests.unit.operators.table.rows_driving import Driven, TableRow, row

LEFT, RIGHT = 0, 1
MS = 1_000


def near(kind: JoinKind, lower: int = -5, upper: int = 10, time: TimeAttribute = TimeAttribute.EVENT) -> Driven:
    """Of rows of a key and a time."""
    join = IntervalJoin(kind=kind, widths=(2, 2), times=(1, 1), lower_ms=lower, upper_ms=upper, time=time)
    return Driven(TableOperation(join, keys=((0,), (0,))))


def at(time: int | None, key: str | None = "k") -> TableRow:
    return row("+I", key, None if time is None else time * MS)


def test_rows_meet_that_are_so_far_apart() -> None:
    driven = near(JoinKind.INNER)
    assert driven.give(at(15), at(16), at(25), at(10), side=LEFT) == []
    driven.checkpoint()
    met = [left for _, _, left, _, _ in driven.give(at(15), side=RIGHT)]
    assert met == [10 * MS, 15 * MS, 16 * MS, 25 * MS]
    assert driven.give(at(31), side=RIGHT) == []
    assert driven.advance(100) == []
    assert driven.entry() == {}


def test_rows_without_a_match_come_when_none_can_come_any_more() -> None:
    driven = near(JoinKind.FULL)
    driven.give(at(100), side=LEFT)
    driven.give(at(200), side=RIGHT)
    assert driven.advance(105) == []  # a right row of 105 is not late before
    assert driven.advance(106) == [("+I", "k", 100 * MS, None, None)]
    assert driven.advance(210) == []
    assert driven.advance(211) == [("+I", None, None, "k", 200 * MS)]
    assert driven.entry() == {}


def test_late_rows_meet_those_that_are_kept_and_are_not_kept_themselves() -> None:
    driven = near(JoinKind.LEFT)
    driven.give(at(100), side=RIGHT)
    driven.advance(110)
    assert driven.give(at(104), side=LEFT) == [("+I", "k", 104 * MS, "k", 100 * MS)]
    assert driven.give(at(80), side=LEFT) == [("+I", "k", 80 * MS, None, None)]
    driven.advance(111)
    assert driven.entry() == {}


def test_rows_of_the_wall_clock_meet_by_when_they_come() -> None:
    driven = near(JoinKind.LEFT, -5, 0, TimeAttribute.PROCESSING)
    driven.now = 10
    driven.give(at(None), side=LEFT)
    driven.now = 15
    assert driven.give(at(None), side=RIGHT) == [("+I", "k", None, "k", None)]
    driven.give(at(None), side=LEFT)
    assert driven.advance(now=20) == []
    assert driven.advance(now=21) == [("+I", "k", None, None, None)]
    assert driven.entry() == {}


def test_null_meets_nobody_at_any_time() -> None:
    driven = near(JoinKind.FULL)
    driven.give(at(10, None), side=LEFT)
    assert driven.give(at(10, None), side=RIGHT) == []
    assert driven.advance(100) == [("+I", None, 10 * MS, None, None), ("+I", None, None, None, 10 * MS)]


def test_a_row_without_a_time_is_refused() -> None:
    with pytest.raises(CallError) as raised:
        near(JoinKind.INNER).give(at(None))
    assert isinstance(raised.value.__cause__, DefinitionError)


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL])
@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 30)), max_size=20),
    lower=st.integers(-6, 6),
    length=st.integers(0, 6),
)
def test_rows_in_time_make_the_table_that_sql_computes(
    kind: JoinKind, rows: list[tuple[int, int]], lower: int, length: int
) -> None:
    upper = lower + length
    driven, out = near(kind, lower, upper), []
    for side, time in sorted(rows, key=lambda one: one[1]):
        out += driven.give(at(time), side=side)
        out += driven.advance(time - 1)
        driven.checkpoint()
    out += driven.advance(1_000)
    lefts, rights = ([time for side, time in rows if side == one] for one in (LEFT, RIGHT))
    expected: Counter[Any] = Counter()
    for left in lefts:
        met = [right for right in rights if right + lower <= left <= right + upper]
        expected.update((left, right) for right in met)
        if not met and kind in {JoinKind.LEFT, JoinKind.FULL}:
            expected[left, None] += 1
    if kind in {JoinKind.RIGHT, JoinKind.FULL}:
        lonely = [right for right in rights if not any(right + lower <= left <= right + upper for left in lefts)]
        expected.update((None, right) for right in lonely)
    assert Counter((left and left // MS, right and right // MS) for _, _, left, _, right in out) == Counter(
        {(left, right): count for (left, right), count in expected.items()}
    )
    assert driven.entry() == {}


def versioned(kind: JoinKind = JoinKind.LEFT, time: TimeAttribute = TimeAttribute.EVENT, ttl_ms: int = 0) -> Driven:
    """Of rows of a key, a time, and for the right ones a rate."""
    times = (1, 1) if time is TimeAttribute.EVENT else (None, None)
    join = TemporalJoin(kind=kind, widths=(2, 3), times=times, time=time, ttl_ms=ttl_ms)
    return Driven(TableOperation(join, retracts=True, keys=((0,), (0,))))


def rate(kind: str, time: int, value: int) -> TableRow:
    return row(kind, "k", time * MS, value)


def test_a_row_gets_what_held_at_its_time() -> None:
    driven = versioned()
    driven.give(at(12), at(5), at(25), row("-U", "k", 15 * MS), side=LEFT)
    driven.give(rate("+I", 10, 1), rate("-U", 10, 1), rate("+U", 20, 2), side=RIGHT)
    driven.checkpoint()
    assert driven.advance(9) == [("+I", "k", 5 * MS, None, None, None)]
    assert driven.advance(24) == [
        ("+I", "k", 12 * MS, "k", 10 * MS, 1),
        ("-U", "k", 15 * MS, "k", 10 * MS, 1),
    ]
    assert list(driven.entry()["versions"]) == [20]  # what is past is forgotten but for the last
    driven.give(rate("-D", 30, 2), side=RIGHT)
    driven.give(at(35), at(29), side=LEFT)
    assert driven.advance(40) == [
        ("+I", "k", 25 * MS, "k", 20 * MS, 2),
        ("+I", "k", 35 * MS, None, None, None),
        ("+I", "k", 29 * MS, "k", 20 * MS, 2),
    ]


def test_without_a_version_an_inner_join_gives_nothing() -> None:
    driven = versioned(JoinKind.INNER)
    driven.give(rate("+I", 10, 1), side=RIGHT)
    driven.give(at(5), at(10), side=LEFT)
    assert driven.advance(10) == [("+I", "k", 10 * MS, "k", 10 * MS, 1)]


def test_a_row_without_a_key_has_no_version() -> None:
    driven = versioned(time=TimeAttribute.PROCESSING)
    driven.give(row("+I", None, 0, 1), side=RIGHT)
    assert driven.give(at(5, None), side=LEFT) == [("+I", None, 5 * MS, None, None, None)]


def test_by_processing_time_a_row_gets_what_is_there_now() -> None:
    driven = versioned(time=TimeAttribute.PROCESSING, ttl_ms=100)
    assert driven.give(at(5), side=LEFT) == [("+I", "k", 5 * MS, None, None, None)]
    driven.give(rate("+I", 0, 1), rate("-U", 0, 1), rate("+U", 0, 2), side=RIGHT)
    driven.checkpoint()
    assert driven.give(at(5), side=LEFT) == [("+I", "k", 5 * MS, "k", 0, 2)]
    driven.give(rate("-D", 0, 2), side=RIGHT)
    assert driven.entry() == {}
    driven.give(rate("+I", 0, 3), side=RIGHT)
    for driven.now in (60, 120):  # what is asked for lives on
        assert driven.give(at(5), side=LEFT) == [("+I", "k", 5 * MS, "k", 0, 3)]
    driven.now = 220
    assert driven.give(at(5), side=LEFT) == [("+I", "k", 5 * MS, None, None, None)]


def test_rows_look_up_a_table_that_comes_with_them() -> None:
    driven = Driven(TableOperation(LookupJoin(kind=JoinKind.LEFT, widths=(2, 2)), keys=((0,), (0,))))
    assert driven.give(row("+I", "k", 1), side=LEFT) == []
    assert driven.give(row("+I", "k", "a"), row("+I", "k", "b"), row("+I", "k", "b"), side=RIGHT) == []
    met = [("+I", "k", 1, "k", one) for one in ("a", "b", "b")]
    assert driven.advance(now=0) == met
    driven.checkpoint()
    assert driven.give(row("+I", "k", 1), row("+I", None, 2), side=LEFT) == []
    assert driven.advance(now=0) == [*met, ("+I", None, 2, None, None)]
    assert list(driven.entry()) == ["table"]
    driven.raw(("other", row("+I", "other", 3)), side=LEFT)
    assert driven.advance(now=0) == [("+I", "other", 3, None, None)]
    assert driven.entry("other") == {}
