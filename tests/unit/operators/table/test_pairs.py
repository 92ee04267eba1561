"""Joins with conditions on pairs of rows: all pairs are emitted, wrong ones are left out, and the others are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.sql.plan.operations import IntervalJoin, Join, JoinKind, Matches, Pairs, TableOperation
from tests.unit.operators.table.rows_driving import KINDS, NAMES, Driven, TableRow, materialised, row, shown

LEFT, RIGHT = 0, 1
OUTER = [JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL]
EVERY = [*OUTER, JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK]
MS = 1_000


@final
class Joined:
    """A join of rows of a key and a value, in which the left value must be greater than the right one."""

    def __init__(self, join: Join | IntervalJoin, *, ttl_ms: int = 0) -> None:
        pairs = Pairs(join=join)
        number = 1 if pairs.is_final else 0
        self.width = 2 + number
        self.pairs = Driven(TableOperation(pairs, retracts=True, keys=((0,), (0,))))
        widths = (self.width, self.width)
        matches = Matches(kind=join.kind, keys=1, widths=widths, is_final=pairs.is_final, ttl_ms=ttl_ms)
        self.matches = Driven(TableOperation(matches, retracts=True, keys=((1,),)))

    def give(self, *rows: TableRow, side: int) -> list[TableRow]:
        """What comes out for rows."""
        return shown(self.raw(rows, side))

    def raw(self, rows: Iterable[TableRow], side: int) -> list[TableRow]:
        return self.behind(self.pairs.raw(*((one[1], one) for one in rows), side=side))

    def behind(self, emitted: Iterable[TableRow]) -> list[TableRow]:
        """What the second operator gives for the pairs that meet the condition."""
        kept = [one for one in emitted if one[1] or one[4] > one[4 + self.width]]
        return self.matches.raw(*((one[2], one) for one in kept))

    def advance(self, watermark: int) -> list[TableRow]:
        return shown(self.behind([(KINDS[one[0]], *one[1:]) for one in self.pairs.advance(watermark)]))

    def checkpoint(self) -> None:
        self.pairs.checkpoint()
        self.matches.checkpoint()


def joining(kind: JoinKind, **more: Any) -> Joined:
    return Joined(Join(kind=kind, widths=(2, 2), **more), ttl_ms=more.get("ttl_ms", 0))


def test_a_left_row_is_padded_until_one_meets_the_condition() -> None:
    joined = joining(JoinKind.LEFT)
    assert joined.give(row("+I", "k", 9), side=RIGHT) == []
    assert joined.give(row("+I", "k", 5), side=LEFT) == [("+I", "k", 5, None, None)]
    joined.checkpoint()
    assert joined.give(row("+I", "k", 3), side=RIGHT) == [("-D", "k", 5, None, None), ("+I", "k", 5, "k", 3)]
    assert joined.give(row("+I", "k", 4), side=RIGHT) == [("+I", "k", 5, "k", 4)]
    assert joined.give(row("-U", "k", 3), side=RIGHT) == [("-D", "k", 5, "k", 3)]
    assert joined.give(row("-D", "k", 4), side=RIGHT) == [("-D", "k", 5, "k", 4), ("+I", "k", 5, None, None)]
    assert joined.give(row("-D", "k", 5), row("+I", None, 5), side=LEFT) == [
        ("-D", "k", 5, None, None),
        ("+I", None, 5, None, None),
    ]


def test_a_row_that_comes_to_its_matches_is_never_without_one() -> None:
    full, anti = joining(JoinKind.FULL), joining(JoinKind.ANTI)
    assert full.give(row("+I", "k", 1), side=RIGHT) == [("+I", None, None, "k", 1)]
    assert full.give(row("+I", "k", 2), side=LEFT) == [("-D", None, None, "k", 1), ("+I", "k", 2, "k", 1)]
    assert full.give(row("-D", "k", 2), side=LEFT) == [("-D", "k", 2, "k", 1), ("+I", None, None, "k", 1)]
    anti.give(row("+I", "k", 1), side=RIGHT)
    assert anti.give(row("+I", "k", 2), row("-D", "k", 2), side=LEFT) == []


def test_a_mark_says_whether_there_is_a_match() -> None:
    joined = joining(JoinKind.MARK)
    assert joined.give(row("+I", "k", 2), row("+I", None, 2), side=LEFT) == [
        ("+I", "k", 2, False),
        ("+I", None, 2, False),
    ]
    assert joined.give(row("+I", "k", 1), side=RIGHT) == [("-U", "k", 2, False), ("+U", "k", 2, True)]
    assert joined.give(row("+I", "k", 0), row("-D", "k", 0), row("+I", "k", 7), side=RIGHT) == []
    assert joined.give(row("-D", "k", 1), side=RIGHT) == [("-U", "k", 2, True), ("+U", "k", 2, False)]
    assert joined.give(row("-D", "k", 2), side=LEFT) == [("-D", "k", 2, False)]


def test_both_operators_forget_a_row_after_its_time_to_live() -> None:
    joined = joining(JoinKind.LEFT, ttl_ms=100)
    joined.give(row("+I", "k", 5), side=LEFT)
    for driven in (joined.pairs, joined.matches):
        driven.now = 100
        assert driven.advance(now=100) == []
        assert driven.entry() == {}
    assert joined.give(row("+I", "k", 3), side=RIGHT) == []


def test_null_equals_null_where_the_key_says_so() -> None:
    joined = joining(JoinKind.LEFT, null_safe=(0,))
    joined.give(row("+I", None, 1), side=RIGHT)
    assert joined.give(row("+I", None, 2), side=LEFT) == [("+I", None, 2, None, 1)]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JoinKind.LEFT, [("k", 20, "k", 10), ("k", 20, "k", 10), ("k", 5, None, None)]),
        (JoinKind.SEMI, [("k", 20), ("k", 20)]),
        (JoinKind.ANTI, [("k", 5)]),
        (
            JoinKind.FULL,
            [("k", 20, "k", 10), ("k", 20, "k", 10), ("k", 5, None, None), (None, None, "k", 30)],
        ),
    ],
)
def test_windows_are_decided_when_they_are_over(kind: JoinKind, expected: list[TableRow]) -> None:
    joined = Joined(Join(kind=kind, widths=(2, 2), window_end=(0, 0)))
    ends = {"k": 10 * MS}
    for side, values in ((LEFT, (20, 5, 20)), (RIGHT, (10, 30))):
        assert joined.raw([row("+I", ends["k"], value) for value in values], side) == []
    joined.checkpoint()
    out = [tuple("k" if one == ends["k"] else one for one in found[1:]) for found in joined.advance(9)]
    assert sorted(out, key=repr) == sorted(expected, key=repr)
    joined.checkpoint()
    assert not any(page for page in (joined.matches.entry(ends["k"]), joined.pairs.entry(ends["k"])))


def near(kind: JoinKind) -> Joined:
    """Of rows of a key, and a time that is a value, too."""
    return Joined(IntervalJoin(kind=kind, widths=(2, 2), times=(1, 1), lower_ms=-5, upper_ms=5))


def at(time: int) -> TableRow:
    return row("+I", "k", time * MS)


def test_rows_in_time_without_a_match_come_when_none_can_come_any_more() -> None:
    joined = near(JoinKind.FULL)
    assert joined.give(at(10), side=RIGHT) == []
    assert joined.give(at(8), at(12), side=LEFT) == [("+I", "k", 12 * MS, "k", 10 * MS)]
    joined.checkpoint()
    assert joined.advance(13) == []
    assert joined.advance(14) == [("+I", "k", 8 * MS, None, None)]
    assert joined.give(at(8), side=LEFT) == [("+I", "k", 8 * MS, None, None)]  # late
    assert joined.advance(100) == []
    assert joined.pairs.entry() == {}
    assert joined.matches.entry() == {}


def from_scratch(kind: JoinKind, lefts: list[Any], rights: list[Any]) -> Counter[TableRow]:
    """What SQL computes of two tables."""

    def meets(left: Any, right: Any) -> bool:
        return left[0] is not None and left[0] == right[0] and left[1] > right[1]

    met = [any(meets(left, right) for right in rights) for left in lefts]
    if kind is JoinKind.MARK:
        return Counter((*left, one) for left, one in zip(lefts, met, strict=True))
    if kind in {JoinKind.SEMI, JoinKind.ANTI}:
        return Counter(left for left, one in zip(lefts, met, strict=True) if one is (kind is JoinKind.SEMI))
    table = Counter((*left, *right) for left in lefts for right in rights if meets(left, right))
    if kind in {JoinKind.LEFT, JoinKind.FULL}:
        table.update((*left, None, None) for left, one in zip(lefts, met, strict=True) if not one)
    if kind in {JoinKind.RIGHT, JoinKind.FULL}:
        lonely = (right for right in rights if not any(meets(left, right) for left in lefts))
        table.update((None, None, *right) for right in lonely)
    return table


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 1), st.sampled_from(["a", "b", None]), st.integers(0, 3)),
        st.tuples(st.just("take"), st.integers(0, 1), st.sampled_from(["-U", "-D"]), st.integers(0, 100)),
        st.tuples(st.just("checkpoint"), st.just(0), st.none(), st.just(0)),
    ),
    max_size=40,
)


@pytest.mark.parametrize("kind", EVERY)
@given(changes=CHANGES)
def test_changes_make_the_table_that_sql_computes_from_scratch(kind: JoinKind, changes: list[Any]) -> None:
    joined = joining(kind)
    present: tuple[list[Any], list[Any]] = ([], [])
    out: list[TableRow] = []
    for what, side, name, number in changes:
        if what == "checkpoint":
            joined.checkpoint()
        elif what == "add":
            present[side].append((name, number))
            out += joined.raw([row("+I", name, number)], side)
        elif present[side]:
            gone = present[side].pop(number % len(present[side]))
            out += joined.raw([row(name, *gone)], side)
    assert materialised(out) == from_scratch(kind, *present)
    assert {NAMES[one[0]] for one in out} <= {"+I", "-U", "+U", "-D"}


@pytest.mark.parametrize("kind", OUTER)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 30)), max_size=20))
def test_rows_in_time_make_the_table_that_sql_computes(kind: JoinKind, rows: list[tuple[int, int]]) -> None:
    joined, out = near(kind), []
    for side, time in sorted(rows, key=lambda one: one[1]):
        out += joined.raw([at(time)], side)
        out += [(KINDS[one[0]], *one[1:]) for one in joined.advance(time - 1)]
        joined.checkpoint()
    out += [(KINDS[one[0]], *one[1:]) for one in joined.advance(1_000)]
    lefts, rights = ([time for side, time in rows if side == one] for one in (LEFT, RIGHT))
    expected: Counter[Any] = Counter()
    met = [(left, right) for left in lefts for right in rights if left > right and abs(left - right) <= 5]
    expected.update(met)
    if kind is not JoinKind.RIGHT:
        expected.update((left, None) for left in lefts if left not in {one for one, _ in met})
    if kind is not JoinKind.LEFT:
        expected.update((None, right) for right in rights if right not in {one for _, one in met})
    assert Counter((left and left // MS, right and right // MS) for _, _, left, _, right in out) == expected
    assert joined.matches.entry() == joined.pairs.entry() == {}
