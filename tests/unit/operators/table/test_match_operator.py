"""Patterns of rows: order of matches, times, and what stays in state."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.operators.table.patterns.match_automaton import Automaton
from kafkastream.sql.plan.expression import Call, ColumnRef, Literal, TypedExpression
from kafkastream.sql.plan.match_operation import (
    MatchAggregate,
    MatchCondition,
    MatchRecognize,
    MatchTime,
    Navigation,
    PatternVariable,
    Reading,
    SkipTo,
    ThisRow,
)
from kafkastream.sql.plan.operations import Order, TableOperation, TimeAttribute
from kafkastream.sql.types import DataType, Kind
from tests.unit.operators.table.rows_driving import BIG, Driven, call, row

BOOLEAN = DataType.of(Kind.BOOLEAN)
VALUE = 1


def compared(sign: str, one: TypedExpression, other: TypedExpression, *readings: Reading) -> MatchCondition:
    return MatchCondition(readings, Call(sign, (one, other), BOOLEAN))


def more_than(variable: int) -> MatchCondition:
    """The value is more than that of the last row of a variable."""
    this, last = ColumnRef(0, BIG), ColumnRef(1, BIG)
    return compared(">", this, last, ThisRow(VALUE), Navigation(variable, VALUE))


def below(limit: int) -> MatchCondition:
    return compared("<", ColumnRef(0, BIG), Literal.whole(limit), ThisRow(VALUE))


def matching(*variables: PatternVariable, clock: bool = False, **more: Any) -> Driven:
    """Rows of time and value; a match gives its first and last value, the sum, and its time."""
    operation = MatchRecognize(
        variables=variables,
        keys=(),
        measures=(
            Navigation(None, VALUE, 0, is_first=True),
            Navigation(None, VALUE),
            MatchAggregate(None, call("SUM", VALUE)),
            MatchTime(),
        ),
        time=TimeAttribute.PROCESSING if clock else TimeAttribute.EVENT,
        column=None if clock else 0,
        **more,
    )
    return Driven(TableOperation(operation))


def at(second: int, value: int | None) -> tuple[Any, ...]:
    return row("+I", second * 1_000_000, value)


A = PatternVariable("A")


def test_rows_are_taken_in_the_order_of_their_times_over_restarts() -> None:
    driven = matching(A, PatternVariable("B", 1, None, is_greedy=False, condition=more_than(0)))
    assert driven.give(at(2, 5), at(1, 3), at(2, 1)) == []
    driven.checkpoint()
    assert driven.advance(1_000) == []
    driven.checkpoint()
    assert driven.give(at(1, 9)) == []
    assert driven.late == 1
    assert driven.advance(2_000) == [("+I", 3, 5, 8, 2_000_000)]
    driven.checkpoint()
    driven.give(at(3, 2))
    assert driven.advance(MAX_WATERMARK) == [("+I", 1, 2, 3, 3_000_000)]


def test_state_ends_with_the_search() -> None:
    driven = matching(A, PatternVariable("B"))
    driven.give(at(1, 1), at(2, 2))
    driven.advance(5_000)
    assert driven.entry() == {}


def test_a_row_without_a_match_is_forgotten() -> None:
    driven = matching(PatternVariable("A", condition=below(5)), PatternVariable("B"), within_ms=1_000)
    driven.give(at(1, 7), at(2, 8))
    driven.advance(2_000)
    assert driven.entry() == {}
    driven.give(at(3, 1))
    driven.advance(3_000)
    assert driven.entry() != {}
    driven.advance(4_000)
    assert driven.entry() == {}


def test_state_of_a_long_search_does_not_grow_with_the_rows_that_it_has_seen() -> None:
    driven = matching(PatternVariable("A", condition=below(0)), PatternVariable("B"), clock=True)
    sizes = []
    for _ in range(3):
        for number in range(200):
            driven.give(at(number, number))
        driven.checkpoint()
        sizes.append(sum(map(len, driven.memory.content.values())))
    assert max(sizes) < 2 * min(sizes)


@pytest.mark.parametrize("watermark", [11_000, 12_000, MAX_WATERMARK])
def test_a_match_that_an_older_partial_match_holds_back_comes_when_that_one_ends(watermark: int) -> None:
    few = PatternVariable("B", 0, None, is_greedy=False, condition=below(5))
    driven = matching(A, few, PatternVariable("C", condition=more_than(0)), within_ms=10_000)
    driven.give(at(1, 9), at(2, 1), at(3, 2))
    assert driven.advance(10_999) == []
    driven.checkpoint()
    assert driven.advance(watermark) == [("+I", 1, 2, 3, 11_000_000)]


def test_rows_of_the_clock_are_taken_at_once() -> None:
    driven = matching(A, PatternVariable("B", condition=more_than(0)), clock=True, within_ms=100)
    assert driven.give(at(0, 1)) == []
    driven.advance(now=50)
    assert driven.give(at(0, 2)) == [("+I", 1, 2, 3, 50_000)]
    assert driven.give(at(0, 3)) == []
    driven.advance(now=200)
    assert driven.entry() == {}
    assert driven.give(at(0, 4)) == []


def test_rows_of_one_moment_of_the_clock_are_ordered() -> None:
    driven = matching(A, PatternVariable("B", condition=more_than(0)), clock=True, order=(Order(VALUE),))
    assert driven.give(at(0, 2), at(0, 1)) == []
    assert driven.advance(now=1) == [("+I", 1, 2, 3, 0)]


@pytest.mark.parametrize(("skip", "why"), [(SkipTo.FIRST, "No such element"), (SkipTo.LAST, "No such element")])
def test_a_match_without_the_row_to_skip_to_fails_the_job(skip: SkipTo, why: str) -> None:
    absent = PatternVariable("B", 0, 1, condition=below(0))
    driven = matching(A, absent, PatternVariable("C"), skip=skip, skip_variable=1)
    driven.give(at(1, 1), at(2, 2))
    with pytest.raises(CallError) as raised:
        driven.advance(9_000)
    assert why in str(raised.value.__cause__)


def test_a_pattern_of_optional_variables_may_be_empty() -> None:
    assert Automaton([PatternVariable("A", 0, None), PatternVariable("B", 0, 1)]).can_be_empty
    assert not Automaton([PatternVariable("A", 0, None), PatternVariable("B", 1, 3)]).can_be_empty
