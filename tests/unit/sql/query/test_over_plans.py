"""What queries with OVER become."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.operations import Deduplicate, GroupAggregate, Order, OverAggregate, TimeAttribute, TopN
from kafkastream.sql.plan.relations import Stateful
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.table import Expression
from tests.unit.sql.planning import TestCatalog, columns, failure, operation, plan, texts, under

EVENT, PROCESSING = TimeAttribute.EVENT, TimeAttribute.PROCESSING


def over(query: str) -> OverAggregate:
    """The operation of a query."""
    found = operation(query)
    assert isinstance(found, OverAggregate)
    return found


@pytest.mark.parametrize(
    ("window", "time", "is_rows", "preceding"),
    [
        ("ORDER BY ts", EVENT, False, None),
        ("ORDER BY pt RANGE UNBOUNDED PRECEDING", PROCESSING, False, None),
        ("ORDER BY PROCTIME() ROWS UNBOUNDED PRECEDING", PROCESSING, True, None),
        ("ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW", EVENT, True, 3),
        ("ORDER BY ts RANGE INTERVAL '1' MINUTE PRECEDING", EVENT, False, 60_000),
        ("ORDER BY price", None, False, None),
    ],
)
def test_frames(window: str, time: TimeAttribute | None, is_rows: bool, preceding: int | None) -> None:
    found = over(f"SELECT id, SUM(id) OVER (PARTITION BY cur {window}) FROM orders")
    assert (found.time, found.is_rows, found.preceding) == (time, is_rows, preceding)
    assert (found.column is not None) is (time is EVENT)
    assert found.order == (() if time else (Order(2),))


def test_only_needed_columns_are_kept() -> None:
    found = plan("SELECT id, SUM(price) OVER (PARTITION BY cur ORDER BY ts) AS s FROM orders WHERE id > 1")
    stateful = under(found)
    assert columns(found) == ["id INT", "s DECIMAL(38, 2)"]
    assert columns(stateful.merged[0]) == ["id INT", "cur STRING", "ts TIMESTAMP(3) rowtime", "price DECIMAL(10, 2)"]
    assert stateful.keys == ((1,),)
    assert found.changelog is ChangelogMode.APPEND
    assert texts(found) == ("c0", "c4")


def test_times_stay_time_attributes_unless_rows_change() -> None:
    by_time = "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
    view = "WITH v AS (SELECT ts, SUM(id) OVER (ORDER BY {}) AS s FROM orders)"
    plan(f"{view.format('ts')} {by_time}")
    assert "time attribute" in failure(f"{view.format('id')} {by_time}").what


def test_equal_calls_are_computed_once() -> None:
    found = over("SELECT SUM(id) OVER w + 1, SUM(id) OVER w, COUNT(*) OVER w FROM orders WINDOW w AS (ORDER BY ts)")
    assert [one.name for one in found.calls] == ["SUM", "COUNT"]


def test_named_windows_may_build_on_each_other() -> None:
    named = "SELECT SUM(id) OVER {} FROM orders WINDOW w AS (PARTITION BY cur), z AS (w ORDER BY ts)"
    whole = plan("SELECT SUM(id) OVER (PARTITION BY cur ORDER BY ts) FROM orders")
    assert plan(named.format("z")) == plan(named.format("(w ORDER BY ts)")) == whole


def test_groups_are_aggregated_again() -> None:
    found = plan("SELECT cur, SUM(SUM(id)) OVER (ORDER BY cur) AS s FROM orders GROUP BY cur HAVING COUNT(*) > 1")
    stateful = under(found)
    assert isinstance(stateful.operation, OverAggregate)
    assert found.changelog is ChangelogMode.RETRACT
    below = under(stateful.merged[0])
    assert isinstance(below.operation, GroupAggregate)
    assert len(below.operation.calls) == 2


def test_the_key_of_changing_rows_stays_a_key() -> None:
    assert plan("SELECT cur, COUNT(*) OVER (ORDER BY cur) FROM (SELECT cur FROM orders GROUP BY cur)").upsert_key == (
        0,
    )
    assert plan("SELECT rate, cur, COUNT(*) OVER (ORDER BY rate) FROM rates").upsert_key == (1,)


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("ROW_NUMBER() OVER (PARTITION BY cur ORDER BY price) <= 2", TopN),
        ("ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) = 1 AND id > 3", Deduplicate),
        ("COUNT(*) OVER (ORDER BY ts) > id", OverAggregate),
    ],
)
def test_qualify_is_a_condition_around_the_query(condition: str, kind: type) -> None:
    found = plan(f"SELECT *, id + 1 AS more FROM orders AS o WHERE id > 0 QUALIFY {condition}")
    assert [one.split()[0] for one in columns(found)] == ["id", "cur", "price", "ts", "pt", "more"]
    below = found
    while not isinstance(below, Stateful):
        below = below.inputs[0]
    assert isinstance(below.operation, kind)


def test_a_number_without_a_bound_is_an_aggregate() -> None:
    query = "SELECT * FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS rn FROM orders) WHERE MOD(rn, 2) = 0"
    below = plan(query).inputs[0].inputs[0]
    assert isinstance(below, Stateful)
    assert isinstance(below.operation, OverAggregate)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders WHERE COUNT(*) OVER (ORDER BY ts) > 1",
        "SELECT cur FROM orders GROUP BY cur HAVING COUNT(*) OVER (ORDER BY cur) > 1",
        "SELECT id FROM orders JOIN clicks ON COUNT(*) OVER (ORDER BY id) > 1",
        "SELECT id, SUM(price) OVER (ORDER BY nope) FROM orders",
        "SELECT LAG() OVER (ORDER BY ts) FROM orders",
        "SELECT ROW_NUMBER(id) OVER (ORDER BY ts) FROM orders",
        "SELECT SUM(cur) OVER (ORDER BY ts) FROM orders",
    ],
)
def test_wrong_calls_are_told(query: str) -> None:
    error = failure(query)
    assert isinstance(error, DefinitionError)
    assert error.where.startswith("line 1, column ")


def test_the_time_to_live_is_that_of_the_session() -> None:
    query = Expression("SELECT SUM(id) OVER (ORDER BY ts) FROM orders")
    found = under(plan_query(query, TestCatalog(), ttl_ms=7)).operation
    assert isinstance(found, OverAggregate)
    assert found.ttl_ms == 7
