"""The first rows of each key."""

from __future__ import annotations

from collections import Counter
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.sql.plan.operations import Order, TableOperation, TimeAttribute, TopN
from tests.unit.operators.table.rows_driving import KINDS, Driven, TableRow, materialised, row


def top(
    last: int = 2, *, first: int = 1, number: bool = False, retracts: bool = False, order: Order | None = None
) -> TableOperation:
    orders = (Order(0) if order is None else order,)
    return TableOperation(TopN(order=orders, first=first, last=last, with_number=number), retracts)


@pytest.mark.parametrize("retracts", [False, True])
def test_rows_enter_and_leave(retracts: bool) -> None:
    driven = Driven(top(retracts=retracts))
    assert driven.give(row("+I", 5, "a"), row("+I", 7, "b"), row("+I", 7, "c")) == [("+I", 5, "a"), ("+I", 7, "b")]
    driven.checkpoint()
    assert driven.give(row("+I", 6, "d")) == [("-D", 7, "b"), ("+I", 6, "d")]


def test_the_first_row_of_a_top_1_is_updated_if_rows_are_only_added() -> None:
    added, retracted = Driven(top(1)), Driven(top(1, retracts=True))
    for driven in (added, retracted):
        assert driven.give(row("+I", 5, "a"), row("+I", 7, "b")) == [("+I", 5, "a")]
        driven.checkpoint()
    assert added.give(row("+I", 3, "c")) == [("-U", 5, "a"), ("+U", 3, "c")]
    assert retracted.give(row("+I", 3, "c")) == [("-D", 5, "a"), ("+I", 3, "c")]


def rising(last: int, *, first: int = 1, number: bool = False) -> TableOperation:
    """Top of counts, each of which replaces the former one of its name."""
    order = (Order(1, descending=True),)
    return TableOperation(
        TopN(order=order, first=first, last=last, with_number=number, replaced_by=(0,)), retracts=True
    )


def test_rows_that_rise_are_updated() -> None:
    driven = Driven(rising(1))
    assert driven.give(row("+I", "a", 1), row("+I", "b", 1)) == [("+I", "a", 1)]
    driven.checkpoint()
    assert driven.give(row("-U", "b", 1), row("+U", "b", 2)) == [("-U", "a", 1), ("+U", "b", 2)]
    assert driven.give(row("-U", "b", 2), row("+U", "b", 3)) == [("-U", "b", 2), ("+U", "b", 3)]
    assert driven.entry()["rows"] == [("b", 3)]


def test_of_several_rows_that_rise_one_enters_for_the_last() -> None:
    driven = Driven(rising(2))
    assert driven.give(*(row("+I", name, 1) for name in "abc")) == [("+I", "a", 1), ("+I", "b", 1)]
    driven.checkpoint()
    assert driven.give(row("-U", "b", 1), row("+U", "b", 2)) == [("-U", "b", 1), ("+U", "b", 2)]
    assert driven.give(row("-U", "c", 1), row("+U", "c", 2)) == [("-D", "a", 1), ("+I", "c", 2)]
    assert driven.entry()["rows"] == [("b", 2), ("c", 2)]


def test_only_the_numbers_between_two_places_change() -> None:
    driven = Driven(rising(4, number=True))
    driven.give(*(row("+I", name, 9 - at) for at, name in enumerate("abcd")))
    driven.checkpoint()
    assert driven.give(row("-U", "c", 7), row("+U", "c", 9)) == [
        ("-U", "b", 8, 2),
        ("-U", "c", 7, 3),
        ("+U", "c", 9, 2),
        ("+U", "b", 8, 3),
    ]


def test_rows_that_an_earlier_version_has_kept_are_dropped() -> None:
    operation = rising(1).operation
    assert isinstance(operation, TopN)
    retracted = Driven(TableOperation(attrs.evolve(operation, replaced_by=None), retracts=True))
    retracted.give(*(row("+I", name, 1) for name in "abc"))
    retracted.checkpoint()
    updated = Driven(rising(1))
    updated.memory = retracted.memory
    updated.checkpoint()
    assert updated.give(row("-U", "c", 1), row("+U", "c", 2)) == [("-U", "a", 1), ("+U", "c", 2)]
    assert updated.entry()["rows"] == [("c", 2)]


@given(
    names=st.lists(st.sampled_from("abcdef-"), max_size=40),
    first=st.integers(1, 2),
    more=st.integers(0, 2),
    number=st.booleans(),
)
def test_rows_that_rise_make_the_table_that_sql_computes_from_scratch(
    names: list[str], first: int, more: int, number: bool
) -> None:
    last = first + more
    driven, counts, out = Driven(rising(last, first=first, number=number)), Counter[str](), list[TableRow]()
    arrived: dict[str, int] = {}
    for at, name in enumerate(names):
        if name == "-":
            driven.checkpoint()
            continue
        former = counts[name]
        counts[name] += 1
        arrived[name] = at
        changes = [row("-U", name, former), row("+U", name, former + 1)] if former else [row("+I", name, 1)]
        out += driven.raw(*(("k", one) for one in changes))
    ranked = sorted(counts, key=lambda name: (-counts[name], arrived[name]))
    wanted = list(enumerate(ranked, start=1))[first - 1 : last]
    assert materialised(out) == Counter(
        (name, counts[name], place) if number else (name, counts[name]) for place, name in wanted
    )


@pytest.mark.parametrize("retracts", [False, True])
def test_rows_get_other_numbers(retracts: bool) -> None:
    driven = Driven(top(3, number=True, retracts=retracts))
    assert driven.give(row("+I", 5), row("+I", 7), row("+I", 6)) == [
        ("+I", 5, 1),
        ("+I", 7, 2),
        ("-U", 7, 2),
        ("+U", 6, 2),
        ("+I", 7, 3),
    ]
    assert driven.give(row("+I", 4)) == [
        ("-U", 5, 1),
        ("+U", 4, 1),
        ("-U", 6, 2),
        ("+U", 5, 2),
        ("-U", 7, 3),
        ("+U", 6, 3),
    ]


def test_what_goes_makes_room() -> None:
    plain, numbered = Driven(top(retracts=True)), Driven(top(number=True, retracts=True))
    rows = [row("+I", one) for one in (1, 2, 3)]
    plain.give(*rows)
    numbered.give(*rows)
    assert plain.give(row("-D", 9), row("-D", 1)) == [("-D", 1), ("+I", 3)]
    assert plain.give(row("-U", 3), row("-D", 2)) == [("-D", 3), ("-D", 2)]
    assert plain.entry() == {}
    assert numbered.give(row("-D", 1)) == [("-U", 1, 1), ("+U", 2, 1), ("-U", 2, 2), ("+U", 3, 2)]
    assert numbered.give(row("-D", 2)) == [("-U", 2, 1), ("+U", 3, 1), ("-D", 3, 2)]


def test_the_first_numbers_may_be_left_out() -> None:
    driven = Driven(top(2, first=2))
    assert driven.give(row("+I", 5), row("+I", 7), row("+I", 4), row("+I", 9)) == [
        ("+I", 7),
        ("-U", 7),
        ("+U", 5),
    ]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order(0), [None, 1, 2]),
        (Order(0, nulls_last=True), [1, 2, None]),
        (Order(0, descending=True), [None, 2, 1]),
        (Order(0, descending=True, nulls_last=True), [2, 1, None]),
    ],
)
def test_null_stands_where_it_is_told(order: Order, expected: list[int | None]) -> None:
    driven = Driven(top(3, number=True, order=order))
    table = materialised(driven.raw(*(("k", row("+I", one)) for one in (1, None, 2))))
    assert sorted(table, key=lambda one: int(one[1])) == [(one, number) for number, one in enumerate(expected, start=1)]


def test_no_more_rows_are_kept_than_are_wanted() -> None:
    driven = Driven(top())
    driven.give(*(row("+I", one) for one in range(50, 0, -1)))
    assert driven.entry()["rows"] == [(1,), (2,)]


def test_rows_are_forgotten_after_their_time_to_live() -> None:
    operation = TopN(order=(Order(0),), first=1, last=2, with_number=False, ttl_ms=100)
    driven = Driven(TableOperation(operation, retracts=True))
    driven.give(row("+I", 1), row("-D", 1))
    driven.now = 50
    driven.give(row("+I", 2))
    assert driven.advance(now=100) == []  # the time of what has gone
    assert driven.entry()["rows"] == [(2,)]
    assert driven.advance(now=150) == []
    assert driven.give(row("-D", 2)) == []
    assert driven.advance(now=160) == []
    assert driven.entry() == {}


def test_rows_of_windows_come_when_these_are_over() -> None:
    operation = TopN(order=(Order(0, descending=True),), first=1, last=2, with_number=True, window=1)
    driven = Driven(TableOperation(operation))
    assert (
        driven.give(*(row("+I", value, end) for value, end in ((1, 10_000), (3, 10_000), (2, 10_000), (9, 20_000))))
        == []
    )
    driven.checkpoint()
    assert driven.advance(9) == [("+I", 3, 10_000, 1), ("+I", 2, 10_000, 2)]
    assert driven.give(row("+I", 8, 10_000)) == []
    assert driven.late == 1
    assert driven.advance(19) == [("+I", 9, 20_000, 1)]
    assert driven.entry() == {}


def test_windows_of_processing_time() -> None:
    operation = TopN(
        order=(Order(0),), first=1, last=1, with_number=False, window=1, time=TimeAttribute.PROCESSING, ttl_ms=5
    )
    driven = Driven(TableOperation(operation))
    driven.give(row("+I", 2, 3_000), row("+I", 1, 3_000))
    assert driven.advance(100, now=2) == [("+I", 1, 3_000)]
    assert driven.entry() == {}


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.none() | st.integers(0, 4), st.sampled_from("xy")),
        st.tuples(st.just("take"), st.integers(0, 100), st.just("")),
        st.tuples(st.just("checkpoint"), st.just(0), st.just("")),
    ),
    max_size=30,
)


@given(
    changes=CHANGES,
    first=st.integers(1, 2),
    more=st.integers(0, 2),
    number=st.booleans(),
    descending=st.booleans(),
    retracts=st.booleans(),
)
def test_changes_make_the_table_that_sql_computes_from_scratch(
    changes: list[tuple[str, Any, str]], first: int, more: int, number: bool, descending: bool, retracts: bool
) -> None:
    last = first + more
    order = Order(0, descending=descending, nulls_last=descending)
    driven = Driven(top(last, first=first, number=number, retracts=retracts, order=order))
    present: list[tuple[Any, str]] = []
    out: list[TableRow] = []
    for what, value, name in changes:
        if what == "checkpoint":
            driven.checkpoint()
        elif what == "add":
            present.append((value, name))
            out += driven.raw(("k", (KINDS["+I"], value, name)))
        elif present and retracts:
            gone = present[value % len(present)]
            present.remove(gone)
            out += driven.raw(("k", (KINDS["-D"], *gone)))
    ranked = sorted(present, key=lambda one: -1 if one[0] is None else one[0], reverse=descending)
    wanted = list(enumerate(ranked, start=1))[first - 1 : last]
    assert materialised(out) == Counter((*one, place) if number else one for place, one in wanted)


def test_without_an_order_rows_come_first_that_came_first() -> None:
    limit = TopN(order=(), first=2, last=3, with_number=False)
    added = Driven(TableOperation(limit))
    assert added.give(*(row("+I", one) for one in (5, 4, 3, 2))) == [("+I", 4), ("+I", 3)]
    changed = Driven(TableOperation(attrs.evolve(limit, first=1, last=2), retracts=True))
    assert changed.give(row("+I", 5), row("+I", 4), row("+I", 3)) == [("+I", 5), ("+I", 4)]
    changed.checkpoint()
    assert changed.give(row("-U", 5), row("+U", 6)) == [("-D", 5), ("+I", 3)]
    assert changed.give(row("-D", 4)) == [("-D", 4), ("+I", 6)]
