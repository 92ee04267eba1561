"""Sorted rows: as their time comes, or at the end of the input."""

from __future__ import annotations

import pytest

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.sql.plan.operations import Join, JoinKind, Order, Sort, TableOperation
from kafkastream.sql.plan.sort_operation import SortMoment
from tests.unit.operators.table.rows_driving import Driven, TableRow, row


def sorting(moment: SortMoment, *order: Order, column: int | None = None, retracts: bool = False) -> Driven:
    return Driven(TableOperation(Sort(order=order, moment=moment, column=column), retracts))


def test_rows_come_in_the_order_of_their_times_when_the_watermark_passes_them() -> None:
    driven = sorting(SortMoment.WATERMARK, Order(1, descending=True), column=0)
    given = (row("+I", 3_000, 1), row("+I", 1_000, 1), row("+I", 3_000, 2), row("+I", 9_000, 1))
    assert driven.give(*given) == []
    driven.checkpoint()
    assert driven.advance(5) == [("+I", 1_000, 1), ("+I", 3_000, 2), ("+I", 3_000, 1)]
    driven.checkpoint()
    assert driven.give(row("+I", 3_000, 7), row("+I", 4_000, 1)) == []
    assert driven.late == 1
    assert driven.advance(MAX_WATERMARK) == [("+I", 4_000, 1), ("+I", 9_000, 1)]


def test_rows_come_at_the_end_with_those_that_are_left() -> None:
    driven = sorting(SortMoment.END, Order(0, nulls_last=True), Order(1), retracts=True)
    driven.give(row("+I", 2, "b"), row("+I", None, "a"), row("+I", 2, "a"), row("+I", 1, "z"), row("+I", 2, "a"))
    driven.checkpoint()
    driven.give(row("-U", 1, "z"), row("+U", 3, "z"))
    assert driven.advance(10) == []
    assert driven.advance(MAX_WATERMARK) == [
        ("+I", 2, "a"),
        ("+I", 2, "a"),
        ("+I", 2, "b"),
        ("+I", 3, "z"),
        ("+I", None, "a"),
    ]


def test_the_first_rows_may_be_left_out() -> None:
    driven = Driven(TableOperation(Sort(order=(Order(0),), moment=SortMoment.END, skipped=2)))
    driven.give(*(row("+I", value) for value in (3, 1, 1, 2)))
    assert driven.advance(MAX_WATERMARK) == [("+I", 2), ("+I", 3)]


def test_rows_of_one_moment_of_the_clock_come_with_its_next_tick() -> None:
    driven = sorting(SortMoment.CLOCK, Order(0))
    assert driven.give(row("+I", 2), row("+I", 1)) == []
    assert driven.advance(now=1) == [("+I", 1), ("+I", 2)]
    assert driven.advance(now=2) == []


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [(JoinKind.SEMI, [], [("+I", None, 1)]), (JoinKind.ANTI, [("+I", None, 1)], [("-D", None, 1)])],
)
def test_null_equals_null_where_a_join_is_told_so(
    kind: JoinKind, before: list[TableRow], after: list[TableRow]
) -> None:
    join = Join(kind=kind, widths=(2, 2), null_safe=(0, 1))
    driven = Driven(TableOperation(join, retracts=True, keys=((0, 1), (0, 1))))
    assert driven.give(row("+I", None, 1), side=0) == before
    driven.checkpoint()
    assert driven.give(row("+I", None, 1), side=1) == after
