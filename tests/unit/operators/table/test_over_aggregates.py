"""Queries with OVER give what they give on real Flink, row by row, and through restarts."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.plan.expression import Call, Cast, ColumnRef, Literal, TypedExpression
from kafkastream.sql.plan.operations import Order, OverAggregate, TableOperation, TimeAttribute
from kafkastream.sql.plan.planning_catalog import ResolvedTable, View
from kafkastream.sql.plan.query_node import KeyColumns
from kafkastream.sql.plan.relations import Project, Relation, Scan, Stateful
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table import Expression
from kafkastream.sql.types import Kind
from tests.differential.over.cases import INPUTS, QUERIES, comparable, golden
from tests.unit.operators.table.rows_driving import KINDS, Driven, call, materialised, row
from tests.unit.sql.planning import table

GOLDEN = golden()["results"]
END = 2**62
_EVENTS = table(
    "events",
    "k STRING; id INT; v BIGINT; d DOUBLE; f FLOAT; n DECIMAL(10, 2); b BOOLEAN; s STRING; ts TIMESTAMP(3) rowtime; "
    "pt TIMESTAMP_LTZ(3) proctime",
)


class Catalog:
    """The table ``events``."""

    database = "default_database"

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        return _EVENTS if path == ("events",) else None

    def tables(self) -> Sequence[str]:
        return ["events"]

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        return None

    def of(self, _: Expression) -> Catalog:
        return self


def micros(second: str) -> int:
    at = datetime.fromisoformat(second).replace(tzinfo=timezone.utc)
    return round(at.timestamp() * 1_000_000)


def single(value: float) -> float:
    """A number as a FLOAT."""
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def columns_of(one: Sequence[Any]) -> tuple[Any, ...]:
    """A row of an input as an operator has it."""
    key, number, v, d, f, n, b, s, ts = one
    f, n = (None, None) if v is None else (single(f), Decimal(n))
    return (key, number, v, d, f, n, b, s, micros(ts), None)


def value_of(expression: TypedExpression, columns: Sequence[Any]) -> Any:
    match expression:
        case ColumnRef(place=place):
            return columns[place]
        case Call(function="ROW", arguments=arguments):
            return tuple(value_of(one, columns) for one in arguments)
        case Cast(value=value):
            return value_of(value, columns)
        case Literal(value=value, type=type_):
            return int(value) if type_.kind in {Kind.INT, Kind.BIGINT} and value is not None else value
    raise LookupError(expression)


def is_plain(relation: Relation) -> bool:
    """Whether Python can compute a query: one operation on projections of columns."""
    try:
        _, operation, before = parts(relation)
        for one in before:
            for expression in one.expressions:
                value_of(expression, [0] * 10)
    except (LookupError, AssertionError):
        return False
    return isinstance(operation.operation, OverAggregate) and all(one.condition is None for one in before)


def parts(relation: Relation) -> tuple[Project, Stateful, list[Project]]:
    """The projection after an operation, the operation, and the projections before it, first one first."""
    assert isinstance(relation, Project)
    assert relation.condition is None
    stateful = relation.input
    assert isinstance(stateful, Stateful)
    assert all(isinstance(one, ColumnRef) for one in relation.expressions)
    before: list[Project] = []
    below = stateful.merged[0]
    while isinstance(below, Project):
        before.insert(0, below)
        below = below.input
    assert isinstance(below, Scan)
    return relation, stateful, before


def plan(query: str) -> Relation:
    return plan_query(Expression(query), Catalog())


class Job:
    """A query on rows, whose watermark follows each row."""

    def __init__(self, query: str) -> None:
        self._after, self._stateful, self._before = parts(plan(query))
        self.driven = Driven(TableOperation(self._stateful.operation))
        self._time = 0

    def give(self, one: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        columns = columns_of(one)
        self._time = max(self._time, columns[8] // 1_000 - 2_000)
        for project in self._before:
            columns = tuple(value_of(expression, columns) for expression in project.expressions)
        key = KeyColumns(self._stateful.keys[0])((0, *columns))
        yield from self._results(self.driven.give((0, *columns), key=key))
        yield from self._results(self.driven.advance(self._time, now=self._time))

    def end(self) -> Iterator[tuple[Any, ...]]:
        yield from self._results(self.driven.advance(END, now=END))

    def _results(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        for kind, *columns in rows:
            yield (kind, *(told(one.type.kind, value_of(one, columns)) for one in self._after.expressions))


def told(kind: Kind, value: Any) -> Any:
    """A value as the record of Flink's results has it."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, tuple):
        return (
            [list(one) if isinstance(one, tuple) else one for one in value]
            if kind is not Kind.MULTISET
            else counted(value)
        )
    return float(str(np.float32(value))) if kind is Kind.FLOAT and value is not None else value


def counted(pairs: Sequence[tuple[Any, int]]) -> list[list[Any]]:
    return sorted([value, count] for value, count in pairs)


def table_of(changes: Iterable[Sequence[Any]]) -> Counter[str]:
    """Rows that are left when all changes have been made."""
    left: Counter[str] = Counter()
    for kind, *columns in changes:
        left[repr(columns)] += 1 if kind in {"+I", "+U"} else -1
    return +left


PLAIN = [title for title, query in QUERIES.items() if is_plain(plan(query))]


def test_most_queries_are_computed_here() -> None:
    assert len(PLAIN) > 45


@pytest.mark.parametrize("title", PLAIN)
@pytest.mark.parametrize("given", INPUTS)
def test_rows_are_those_of_flink(given: str, title: str) -> None:
    job = Job(QUERIES[title])
    found: list[tuple[Any, ...]] = []
    for one in INPUTS[given]:
        found += job.give(one)
        job.driven.checkpoint()
    found += job.end()
    wanted = GOLDEN[given][title]
    assert table_of(comparable(title, one) for one in found) == table_of(comparable(title, one) for one in wanted)


def over(time: TimeAttribute | None, *, retracts: bool = False, **more: Any) -> Driven:
    """The sum of the column ``1`` in the order of the column ``0``."""
    column = 0 if time is TimeAttribute.EVENT else None
    order = (Order(0),) if time is None else ()
    calls = (call("SUM", 1),)
    return Driven(TableOperation(OverAggregate(calls=calls, time=time, column=column, order=order, **more), retracts))


def test_late_rows_are_counted() -> None:
    driven = over(TimeAttribute.EVENT)
    driven.give(row("+I", 5_000, 1))
    assert driven.advance(5) == [("+I", 5_000, 1, 1)]
    assert driven.give(row("+I", 5_000, 2), row("+I", 6_000, 3)) == []
    assert driven.late == 1
    assert driven.advance(6) == [("+I", 6_000, 3, 4)]


def test_a_row_without_a_time_fails() -> None:
    with pytest.raises(CallError) as caught:
        over(TimeAttribute.EVENT).give(row("+I", None, 1))
    assert "RowTime field should not be null" in str(caught.value.__cause__)


@pytest.mark.parametrize("bounds", [{}, {"preceding": 1, "is_rows": True}])
def test_state_expires_once_no_row_waits(bounds: Mapping[str, Any]) -> None:
    driven = over(TimeAttribute.EVENT, ttl_ms=100, **bounds)
    driven.give(row("+I", 5_000, 1))
    assert driven.advance(now=150) == []
    driven.checkpoint()
    assert driven.advance(5, now=160) == [("+I", 5_000, 1, 1)]
    assert driven.advance(now=259) == []
    assert driven.entry() != {}
    assert driven.advance(now=260) == []
    assert driven.entry() == {}
    driven.give(row("+I", 7_000, 2))
    assert driven.advance(7) == [("+I", 7_000, 2, 2)]


def test_state_of_arrival_expires() -> None:
    driven = over(TimeAttribute.PROCESSING, ttl_ms=100)
    assert driven.give(row("+I", 0, 1), row("+I", 0, 2)) == [("+I", 0, 1, 1), ("+I", 0, 2, 3)]
    driven.now = 100
    assert driven.give(row("+I", 0, 5)) == [("+I", 0, 5, 5)]


def test_the_state_of_a_range_goes_with_its_last_row() -> None:
    driven = over(TimeAttribute.EVENT, preceding=10)
    driven.give(row("+I", 5_000, 1), row("+I", 9_000, 2))
    assert driven.advance(9) == [("+I", 5_000, 1, 1), ("+I", 9_000, 2, 3)]
    driven.checkpoint()
    assert driven.advance(20) == []
    driven.give(row("+I", 20_000, 4))
    assert driven.advance(34) == [("+I", 20_000, 4, 4)]
    assert driven.advance(36) == []
    assert driven.entry() == {}


def test_rows_of_a_millisecond_have_the_same_range_of_processing_time() -> None:
    driven = over(TimeAttribute.PROCESSING, preceding=10)
    driven.now = 100
    assert driven.give(row("+I", 0, 1), row("+I", 0, 2)) == []
    assert driven.advance(now=101) == [("+I", 0, 1, 3), ("+I", 0, 2, 3)]
    driven.checkpoint()
    driven.now = 110
    driven.give(row("+I", 0, 4))
    assert driven.advance(now=111) == [("+I", 0, 4, 7)]
    driven.now = 112
    driven.give(row("+I", 0, 8))
    assert driven.advance(now=113) == [("+I", 0, 8, 12)]
    assert driven.advance(now=200) == []
    assert driven.entry() == {}


def test_changes_move_the_results_of_later_rows() -> None:
    driven = over(None, retracts=True)
    assert driven.give(row("+I", 1, 10), row("+I", 3, 30), row("+I", 3, 5)) == [
        ("+I", 1, 10, 10),
        ("+I", 3, 30, 40),
        ("+I", 3, 5, 45),
        ("-U", 3, 30, 40),
        ("+U", 3, 30, 45),
    ]
    driven.checkpoint()
    assert driven.give(row("-U", 1, 10), row("+U", 1, 11)) == [
        ("-D", 1, 10, 10),
        ("-U", 3, 30, 45),
        ("+U", 3, 30, 35),
        ("-U", 3, 5, 45),
        ("+U", 3, 5, 35),
        ("+I", 1, 11, 11),
        ("-U", 3, 30, 35),
        ("+U", 3, 30, 46),
        ("-U", 3, 5, 35),
        ("+U", 3, 5, 46),
    ]
    assert driven.give(row("-D", 9, 9)) == []
    assert len(driven.give(row("-D", 3, 30), row("-D", 3, 5), row("-D", 1, 11))) == 5
    assert driven.entry() == {}


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 5), st.booleans()), max_size=25), st.booleans())
def test_changes_give_what_all_rows_give(steps: list[tuple[int, int | None, bool]], is_rows: bool) -> None:
    driven, kept, changes = over(None, retracts=True, is_rows=is_rows), list[tuple[int, int | None]](), []
    for order, value, goes in steps:
        if goes and kept:
            changes += driven.give(row("-D", *kept.pop(order % len(kept))))
        else:
            kept.append((order, value))
            changes += driven.give(row("+I", order, value))
    at_once = over(None, is_rows=is_rows).give(*(row("+I", *one) for one in kept))
    if not is_rows:
        assert table_of(changes) == table_of(at_once)
    assert sorted(materialised([(KINDS[kind], *one[:1]) for kind, *one in changes]).elements()) == sorted(
        (order,) for order, _ in kept
    )
