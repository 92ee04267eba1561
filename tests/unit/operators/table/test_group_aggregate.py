"""Aggregates of groups tell what Flink tells, and their changes make the table that SQL computes from scratch."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal
from statistics import pvariance
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.plan.operations import AggregateCall, GroupAggregate, TableOperation
from kafkastream.sql.types import DataType, Kind
from tests.unit.operators.table.rows_driving import BIG, KINDS, Driven, TableRow, materialised, row
from tests.unit.operators.table.rows_driving import call as called

DOUBLE = DataType.of(Kind.DOUBLE)
TEXT = DataType.string()


def call(function: str, argument: int | None = 1, type_: DataType = BIG, **more: Any) -> AggregateCall:
    """Of the value, which stands behind the key."""
    return called(function, argument, type_, **more)


# With it rows come as they are: what is DISTINCT cannot be computed in parts.
PLAIN = call("COUNT", distinct=True)


def grouping(*calls: AggregateCall, keys: int = 1, retracts: bool = True, ttl_ms: int = 0) -> TableOperation:
    return TableOperation(GroupAggregate(calls=(*calls, PLAIN), keys=keys, ttl_ms=ttl_ms), retracts)


def results(function: AggregateCall, *values: Any, retracts: bool = True) -> Any:
    """What a function gives of values that are added, or taken away: those are pairs with a minus."""
    driven = Driven(grouping(function, call("COUNT", None), retracts=retracts))
    driven.give(row("+I", "k", None))  # so that the group stays
    for value in values:
        taken = isinstance(value, tuple) and value[0] == "-"
        driven.give(row("-D", "k", value[1]) if taken else row("+I", "k", value))
    driven.checkpoint()
    ((_, _, result, _, _),) = [out for out in driven.give(row("+I", "k", None)) if out[0] == "+U"]
    return result


def test_a_group_comes_changes_and_goes() -> None:
    driven = Driven(grouping(call("COUNT", None), call("SUM")))
    assert driven.give(row("-D", "k", 1)) == []  # nobody knows it
    assert driven.give(row("+I", "k", 1)) == [("+I", "k", 1, 1, 1)]
    assert driven.give(row("+I", "k", None)) == [("-U", "k", 1, 1, 1), ("+U", "k", 2, 1, 1)]
    driven.checkpoint()
    assert driven.give(row("-U", "k", 1), row("+U", "k", 5)) == [
        ("-U", "k", 2, 1, 1),
        ("+U", "k", 1, None, 0),
        ("-U", "k", 1, None, 0),
        ("+U", "k", 2, 5, 1),
    ]
    assert driven.give(row("-D", "k", 5), row("-D", "k", None)) == [
        ("-U", "k", 2, 5, 1),
        ("+U", "k", 1, None, 0),
        ("-D", "k", 1, None, 0),
    ]
    assert driven.entry() == {}


def test_a_group_of_all_rows_has_no_key_and_goes_as_well() -> None:
    driven = Driven(grouping(call("COUNT", None), keys=0))
    assert driven.give(row("+I", 0, 7), row("-D", 0, 7)) == [("+I", 1, 1), ("-D", 1, 1)]


def test_what_is_equal_is_not_told_but_with_a_time_to_live() -> None:
    assert Driven(grouping(call("MAX"))).give(row("+I", "k", 3), row("+I", "k", 3)) == [("+I", "k", 3, 1)]
    living = Driven(grouping(call("MAX"), ttl_ms=100))
    assert living.give(row("+I", "k", 3), row("+I", "k", 3)) == [
        ("+I", "k", 3, 1),
        ("-U", "k", 3, 1),
        ("+U", "k", 3, 1),
    ]


def test_without_calls_a_group_tells_that_it_is_there() -> None:
    driven = Driven(TableOperation(GroupAggregate(calls=(), keys=1), retracts=True))
    # COUNT(*) of no calls can be computed in parts: in place of the kind is how many rows there are.
    assert driven.give((2, "k"), (-1, "k"), (-1, "k")) == [("+I", "k"), ("-D", "k")]


def test_a_group_is_forgotten_when_it_has_not_changed_for_its_time_to_live() -> None:
    driven = Driven(grouping(call("SUM"), ttl_ms=100))
    driven.give(row("+I", "k", 1))
    assert driven.advance(now=60) == []
    driven.give(row("+I", "k", 2))
    assert driven.advance(now=159) == []
    assert driven.give(row("+I", "k", 4))[-1] == ("+U", "k", 7, 3)
    driven.now = 259  # its timer has not fired yet
    assert driven.give(row("-D", "k", 4)) == []
    assert driven.give(row("+I", "k", 8)) == [("+I", "k", 8, 1)]
    assert driven.advance(now=359) == []
    assert driven.entry() == {}


@pytest.mark.parametrize("retracts", [True, False])
def test_sums_and_averages_are_those_of_java(retracts: bool) -> None:
    small, whole = DataType.of(Kind.TINYINT), DataType.of(Kind.INT)
    assert results(call("SUM", type_=small), 100, 100, retracts=retracts) == -56
    assert results(call("SUM", type_=BIG), 2**63 - 1, 1, retracts=retracts) == -(2**63)
    assert results(call("SUM"), retracts=retracts) is None
    assert results(call("$SUM0"), retracts=retracts) == 0
    assert results(call("AVG", type_=whole), -3, -4, retracts=retracts) == -3
    assert results(call("AVG", type_=DOUBLE), 1.0, 2.0, retracts=retracts) == 1.5
    assert results(call("AVG", type_=DataType.of(Kind.FLOAT)), 0.1, retracts=retracts) == pytest.approx(0.1, abs=1e-8)
    assert results(call("AVG", type_=whole), retracts=retracts) is None
    assert results(call("SUM", type_=DataType.of(Kind.FLOAT)), 16777216.0, 1.0, retracts=retracts) == 16777216.0
    six = DataType.of(Kind.DECIMAL, 38, 6)
    assert results(call("AVG", type_=six), Decimal("1.00"), Decimal("1.00"), Decimal("0.00"), retracts=retracts) == (
        Decimal("0.666667")
    )
    two = DataType.of(Kind.DECIMAL, 38, 2)
    nines = Decimal("9" * 36 + ".99")
    assert results(call("SUM", type_=two), nines, retracts=retracts) == nines
    assert results(call("SUM", type_=two), nines, Decimal("0.01"), retracts=retracts) is None
    assert str(results(call("SUM", type_=two), Decimal("1.10"), retracts=retracts)) == "1.10"


def test_what_is_chosen_of_values_that_may_go_away() -> None:
    assert results(call("MIN"), 3, 1, 2, ("-", 1)) == 2
    assert results(call("MAX"), 3, 3, 2, ("-", 3)) == 3
    assert results(call("MAX"), 3, ("-", 3)) is None
    assert results(call("FIRST_VALUE"), 7, 8, 7, ("-", 7)) == 8
    assert results(call("LAST_VALUE"), 7, 8, 7, ("-", 7)) == 7
    assert results(call("LISTAGG", separator="|"), "a", "b", "a", ("-", "a")) == "b|a"
    assert results(call("ARRAY_AGG"), 1, 2, ("-", 1)) == (None, 2, None)
    assert results(call("COLLECT"), "a", "b", "a", "c", ("-", "c")) == (("a", 2), ("b", 1))


def test_what_is_chosen_of_values_that_are_only_added() -> None:
    assert [results(call(one), 3, 1, 2, retracts=False) for one in ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE")] == [
        1,
        3,
        3,
        2,
    ]
    assert results(call("LISTAGG", separator="|"), "a", "b", retracts=False) == "a|b"
    assert results(call("LISTAGG"), retracts=False) is None
    assert results(call("COLLECT"), retracts=False) == ()


def test_json_of_a_group() -> None:
    array, members = call("JSON_ARRAYAGG", type_=TEXT), call("JSON_OBJECTAGG", type_=TEXT)
    assert results(array, "1", '"a"', "1", ("-", "1")) == '["a",1]'
    assert results(array) == results(array, "1", ("-", "1")) == "[]"
    assert results(members, ("b", "1"), ("a\n\x1f", "2"), ("c", None)) == r'{"a\n\u001F":2,"b":1}'
    assert results(members, ("b", "1"), ("-", ("b", "1")), ("b", "2"), ("-", ("b", "1"))) == '{"b":2}'
    assert results(members) == "{}"


def test_a_key_of_json_is_told_once() -> None:
    with pytest.raises(CallError) as caught:
        results(call("JSON_OBJECTAGG", type_=TEXT), ("b", "1"), ("b", "1"))
    assert "Key 'b' is already present. Duplicate keys are not allowed" in str(caught.value.__cause__)


def test_percentiles() -> None:
    half, most = (call("PERCENTILE", type_=DOUBLE, percentages=(one,)) for one in (0.5, 1.0))
    once = [(value, 1) for value in (4.0, 1.0, 2.0, 3.0)]
    assert [results(one, *once) for one in (half, most)] == [2.5, 4.0]
    assert results(half, *once, ("-", (4.0, 1)), (None, 1), (7.0, None), (8.0, 0), (9.0, -1)) == 2.0
    assert results(half, (1.0, 3), (2.0, 1)) == 1.0
    assert results(half) is results(half, (1.0, 1), ("-", (1.0, 1))) is None
    several = call("PERCENTILE", type_=DataType.of(Kind.ARRAY, parts=(DOUBLE,)), percentages=(1.0, 0.0, 0.25))
    assert results(several, *once) == (4.0, 1.0, 1.75)
    assert results(several) is None


def test_percentiles_with_nan_as_the_greatest() -> None:
    nan = [float("nan") for _ in range(3)]
    half, most = (call("PERCENTILE", type_=DOUBLE, percentages=(one,)) for one in (0.5, 1.0))
    values = [(nan[0], 1), (1.0, 1), (nan[1], 1), (2.0, 2)]
    assert results(half, *values) == 2.0
    assert math.isnan(results(most, *values, ("-", (nan[2], 1))))
    assert results(most, *values, ("-", (nan[2], 1)), ("-", (nan[2], 1))) == 2.0


def test_distinct_values_and_filtered_ones() -> None:
    assert results(call("SUM", distinct=True), 2, 2, 3, ("-", 2)) == 5
    assert results(call("SUM", distinct=True), 2, 2, 3, ("-", 2), ("-", 2)) == 3
    assert results(call("COUNT", distinct=True), 2, 2, None) == 1
    driven = Driven(grouping(call("COUNT", None, filter=2), call("SUM", filter=2)))
    rows = [row("+I", "k", 1, True), row("+I", "k", 2, False), row("+I", "k", 4, None)]
    assert driven.give(*rows) == [
        ("+I", "k", 1, 1, 1),
        ("-U", "k", 1, 1, 1),
        ("+U", "k", 1, 1, 2),
        ("-U", "k", 1, 1, 2),
        ("+U", "k", 1, 1, 3),
    ]


def test_variances() -> None:
    assert results(call("VAR_POP", type_=DOUBLE), 1.0, 2.0, 6.0) == pytest.approx(pvariance([1, 2, 6]))
    assert results(call("STDDEV_SAMP", type_=DOUBLE), 1.0, 3.0, 9.0, ("-", 9.0)) == pytest.approx(math.sqrt(2))
    assert results(call("VAR_SAMP", type_=DOUBLE), 1.0) is None
    assert results(call("STDDEV_POP", type_=DOUBLE), 2.0) == 0.0


def test_a_subquery_has_one_row_at_most() -> None:
    driven = Driven(grouping(call("SINGLE_VALUE", 0), keys=0))
    assert driven.give(row("+I", 5, 1), row("-D", 5, 1), row("+I", 6, 1)) == [
        ("+I", 5, 1),
        ("-D", 5, 1),
        ("+I", 6, 1),
    ]
    with pytest.raises(CallError) as raised:
        driven.give(row("+I", 7, 1))
    assert isinstance(raised.value.__cause__, DefinitionError)


def test_only_some_aggregates_are_computed_in_parts() -> None:
    def takes_parts(*calls: AggregateCall, retracts: bool) -> bool:
        return TableOperation(GroupAggregate(calls=calls, keys=1), retracts).takes_parts

    assert takes_parts(call("COUNT", None), call("SUM"), call("AVG"), retracts=True)
    assert takes_parts(call("MIN"), call("MAX"), retracts=False)
    assert not takes_parts(call("MIN"), retracts=True)
    assert not takes_parts(call("SUM", distinct=True), retracts=False)


# What happens to the table that comes in: a row more, or one that is there (by its place) less.
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from("ab"), st.none() | st.integers(-3, 3)),
        st.tuples(st.just("take"), st.integers(0, 100), st.booleans()),
        st.tuples(st.just("checkpoint"), st.none(), st.none()),
    ),
    max_size=40,
)
FUNCTIONS: dict[AggregateCall, Any] = {
    call("COUNT", None): len,
    call("COUNT"): lambda values: len(known(values)),
    call("COUNT", distinct=True): lambda values: len(set(known(values))),
    call("SUM"): lambda values: sum(known(values)) if known(values) else None,
    call("SUM", distinct=True): lambda values: sum(set(known(values))) if known(values) else None,
    call("AVG"): lambda values: int(sum(known(values)) / len(known(values))) if known(values) else None,
    call("MIN"): lambda values: min(known(values), default=None),
    call("MAX"): lambda values: max(known(values), default=None),
    call("FIRST_VALUE"): lambda values: next(iter(known(values)), None),
    call("LAST_VALUE"): lambda values: next(reversed(known(values)), None),
    call("ARRAY_AGG"): tuple,
}


def known(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None]


@given(changes=CHANGES)
def test_changes_make_the_table_that_sql_computes_from_scratch(changes: list[tuple[str, Any, Any]]) -> None:
    driven = Driven(grouping(*FUNCTIONS))
    present: list[tuple[str, Any]] = []
    out: list[TableRow] = []
    for what, first, second in changes:
        if what == "checkpoint":
            driven.checkpoint()
        elif what == "add":
            present.append((first, second))
            out += driven.raw((first, (KINDS["+I"], first, second)))
        elif present:
            gone = present[first % len(present)]
            present.remove(gone)  # the first like it
            out += driven.raw((gone[0], (KINDS["-U" if second else "-D"], *gone)))
    groups = defaultdict(list)
    for key, value in present:
        groups[key].append(value)
    expected = Counter(
        (key, *(compute(values) for compute in FUNCTIONS.values()), len(set(known(values))))
        for key, values in groups.items()
    )
    assert materialised(out) == expected
