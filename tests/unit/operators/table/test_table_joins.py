"""Joins of rows tell what Flink's do, and their changes make the table that SQL computes from scratch."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.sql.plan.operations import Join, JoinKind, TableOperation, TimeAttribute
from tests.unit.operators.table.rows_driving import KINDS, NAMES, Driven, TableRow, materialised, row

LEFT, RIGHT = 0, 1


def joining(kind: JoinKind, **more: Any) -> Driven:
    """Of rows of a key and a value."""
    return Driven(TableOperation(Join(kind=kind, widths=(2, 2), **more), retracts=True, keys=((0,), (0,))))


def test_an_inner_join_gives_the_kinds_that_come() -> None:
    driven = joining(JoinKind.INNER)
    assert driven.give(row("+I", "k", 1), row("+I", "k", 2), side=LEFT) == []
    driven.checkpoint()
    assert driven.give(row("+I", "k", 7), side=RIGHT) == [("+I", "k", 1, "k", 7), ("+I", "k", 2, "k", 7)]
    assert driven.give(row("-U", "k", 1), row("+U", "k", 3), side=LEFT) == [
        ("-U", "k", 1, "k", 7),
        ("+U", "k", 3, "k", 7),
    ]
    assert driven.give(row("-D", "k", 7), side=RIGHT) == [("-D", "k", 2, "k", 7), ("-D", "k", 3, "k", 7)]
    assert driven.give(row("-D", "k", 2), row("-D", "k", 3), row("-D", "k", 9), side=LEFT) == []
    assert driven.entry() == {}


def test_rows_that_are_there_twice_meet_twice() -> None:
    driven = joining(JoinKind.LEFT)
    twice = [("+I", "k", 1, None, None)] * 2
    assert driven.give(row("+I", "k", 1), row("+I", "k", 1), side=LEFT) == twice
    assert driven.give(row("+I", "k", 7), side=RIGHT) == [("-D", "k", 1, None, None), ("+I", "k", 1, "k", 7)] * 2
    assert driven.give(row("+I", "k", 7), side=RIGHT) == [("+I", "k", 1, "k", 7)] * 2
    assert driven.give(row("-U", "k", 7), side=RIGHT) == [("-U", "k", 1, "k", 7)] * 2
    assert driven.give(row("-D", "k", 7), side=RIGHT) == [("-D", "k", 1, "k", 7), ("+I", "k", 1, None, None)] * 2


def test_a_full_join_pads_both_sides() -> None:
    driven = joining(JoinKind.FULL)
    assert driven.give(row("+U", "k", 1), side=RIGHT) == [("+I", None, None, "k", 1)]
    assert driven.give(row("+I", "k", 2), side=LEFT) == [("-D", None, None, "k", 1), ("+I", "k", 2, "k", 1)]
    assert driven.give(row("-D", "k", 2), side=LEFT) == [("-D", "k", 2, "k", 1), ("+I", None, None, "k", 1)]
    assert driven.give(row("-U", "k", 1), side=RIGHT) == [("-D", None, None, "k", 1)]


def test_semi_and_anti_joins_let_left_rows_come_and_go() -> None:
    semi, anti = joining(JoinKind.SEMI), joining(JoinKind.ANTI)
    assert semi.give(row("+I", "k", 1), side=LEFT) == []
    assert anti.give(row("+I", "k", 1), side=LEFT) == [("+I", "k", 1)]
    assert semi.give(row("+U", "k", 7), row("+I", "k", 8), side=RIGHT) == [("+U", "k", 1)]
    assert anti.give(row("+U", "k", 7), row("+I", "k", 8), side=RIGHT) == [("-D", "k", 1)]
    assert semi.give(row("-D", "k", 7), row("-U", "k", 8), side=RIGHT) == [("-U", "k", 1)]
    assert anti.give(row("-D", "k", 7), row("-U", "k", 8), side=RIGHT) == [("+I", "k", 1)]


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        (JoinKind.INNER, [], []),
        (JoinKind.FULL, [("+I", None, 1, None, None)], [("+I", None, None, None, 2)]),
        (JoinKind.SEMI, [], []),
        (JoinKind.ANTI, [("+I", None, 1)], []),
    ],
)
def test_null_equals_nothing(kind: JoinKind, left: list[TableRow], right: list[TableRow]) -> None:
    driven = joining(kind)
    assert driven.give(row("+I", None, 1), side=LEFT) == left
    assert driven.give(row("+I", None, 2), side=RIGHT) == right
    assert driven.entry() == {}


def test_each_row_is_forgotten_after_its_time_to_live() -> None:
    driven = joining(JoinKind.INNER, ttl_ms=100)
    driven.give(row("+I", "k", 1), side=LEFT)
    driven.now = 60
    driven.give(row("+I", "k", 2), side=LEFT)
    driven.now = 100  # no timer has fired yet
    assert driven.give(row("+I", "k", 7), side=RIGHT) == [("+I", "k", 2, "k", 7)]
    assert driven.advance(now=100) == []
    assert driven.entry()["left"].keys() == {("k", 2)}
    driven.advance(now=160)
    assert "left" not in driven.entry()
    driven.advance(now=200)
    assert driven.entry() == {}


def test_windows_are_joined_when_they_are_over() -> None:
    driven = joining(JoinKind.FULL, window_end=(1, 1))
    driven.give(row("+I", "a", 10_000), row("+I", "a", 20_000), side=LEFT)
    driven.give(row("+I", "a", 10_000), row("+I", "b", 10_000), side=RIGHT)
    driven.checkpoint()
    assert driven.advance(8) == []
    # One key's rows: those of "b" would come with another one.
    assert driven.advance(9) == [("+I", "a", 10_000, "a", 10_000), ("+I", "a", 10_000, "b", 10_000)]
    assert driven.give(row("+I", "a", 10_000), side=RIGHT) == []
    assert driven.late == 1
    assert driven.advance(19) == [("+I", "a", 20_000, None, None)]
    assert driven.entry() == {}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JoinKind.INNER, []),
        (JoinKind.LEFT, [("+I", None, 10_000, None, None)]),
        (JoinKind.RIGHT, [("+I", None, None, None, 10_000)]),
        (JoinKind.SEMI, []),
        (JoinKind.ANTI, [("+I", None, 10_000)]),
    ],
)
def test_null_equals_nothing_in_windows(kind: JoinKind, expected: list[TableRow]) -> None:
    driven = joining(kind, window_end=(1, 1), time=TimeAttribute.PROCESSING)
    for side in (LEFT, RIGHT):
        driven.give(row("+I", None, 10_000), side=side)
    assert driven.advance(now=9) == expected


def joined(kind: JoinKind, lefts: list[Any], rights: list[Any]) -> Counter[TableRow]:
    """What SQL computes of two tables."""

    def matches(one: Any, others: list[Any]) -> list[Any]:
        return [other for other in others if None not in {one[0], other[0]} and one[0] == other[0]]

    if kind in {JoinKind.SEMI, JoinKind.ANTI}:
        return Counter(left for left in lefts if bool(matches(left, rights)) is (kind is JoinKind.SEMI))
    table = Counter((*left, *right) for left in lefts for right in matches(left, rights))
    if kind in {JoinKind.LEFT, JoinKind.FULL}:
        table.update((*left, None, None) for left in lefts if not matches(left, rights))
    if kind in {JoinKind.RIGHT, JoinKind.FULL}:
        table.update((None, None, *right) for right in rights if not matches(right, lefts))
    return table


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 1), st.sampled_from(["a", "b", None]), st.integers(0, 2)),
        st.tuples(st.just("take"), st.integers(0, 1), st.sampled_from(["-U", "-D"]), st.integers(0, 100)),
        st.tuples(st.just("checkpoint"), st.just(0), st.none(), st.just(0)),
    ),
    max_size=40,
)


@pytest.mark.parametrize("kind", JoinKind)
@given(changes=CHANGES)
def test_changes_make_the_table_that_sql_computes_from_scratch(kind: JoinKind, changes: list[Any]) -> None:
    driven = joining(kind)
    present: tuple[list[Any], list[Any]] = ([], [])
    out: list[TableRow] = []
    for what, side, name, number in changes:
        if what == "checkpoint":
            driven.checkpoint()
        elif what == "add":
            present[side].append((name, number))
            out += driven.raw((name, (KINDS["+I"], name, number)), side=side)
        elif present[side]:
            gone = present[side].pop(number % len(present[side]))
            out += driven.raw((gone[0], (KINDS[name], *gone)), side=side)
    assert materialised(out) == joined(kind, *present)
    assert {NAMES[one[0]] for one in out} <= {"+I", "-U", "-D"}


def test_rows_of_each_side_have_a_time_to_live_of_their_own() -> None:
    driven = joining(JoinKind.LEFT, ttl_ms=0, right_ttl_ms=100)
    driven.give(row("+I", "k", 1), side=LEFT)
    driven.give(row("+I", "k", 7), side=RIGHT)
    driven.checkpoint()
    driven.advance(now=99)
    assert driven.give(row("+I", "k", 2), side=LEFT) == [("+I", "k", 2, "k", 7)]
    driven.advance(now=100)
    assert driven.give(row("+I", "k", 3), side=LEFT) == [("+I", "k", 3, None, None)]
    assert len(driven.give(row("+I", "k", 8), side=RIGHT)) == 4
