"""What set operations, grouping sets, common columns, orders and limits become."""

from __future__ import annotations

import sys

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.operations import GroupAggregate, Join, JoinKind, Order, Sort, TopN, WindowAggregate
from kafkastream.sql.plan.relations import Explode, Project, Relation, Stateful, Union
from kafkastream.sql.plan.sort_operation import SortMoment
from kafkastream.sql.plan.spark_text import spark_text
from tests.unit.sql.planning import columns, failure, operation, plan, texts, under

RETRACT, APPEND = ChangelogMode.RETRACT, ChangelogMode.APPEND
BOUNDED = "(VALUES (1, 'a'), (2, 'b')) AS v (a, b)"


def exploded(relation: Relation) -> Explode:
    """The rows that a projection reads."""
    while isinstance(relation, Project):
        relation = relation.input
    assert isinstance(relation, Explode)
    return relation


def test_intersect_and_except_are_joins_in_which_null_equals_null() -> None:
    for word, kind in (("INTERSECT", JoinKind.SEMI), ("EXCEPT", JoinKind.ANTI)):
        found = plan(f"SELECT id, cur FROM orders {word} SELECT v, k FROM clicks")
        assert isinstance(found, Stateful)
        assert found.operation == GroupAggregate(calls=(), keys=2)
        assert under(found.merged[0]).operation == Join(kind=kind, widths=(2, 2), null_safe=(0, 1))
        assert columns(found) == ["id INT", "cur STRING"]


def test_copies_of_rows_are_counted_for_all() -> None:
    both = exploded(plan("SELECT id FROM orders INTERSECT ALL SELECT id FROM cdc"))
    less = exploded(plan("SELECT id FROM orders EXCEPT ALL SELECT id FROM cdc"))
    assert "least(c1, c2)" in spark_text(both.array)
    assert "try_subtract(c1, c2)" in spark_text(less.array)
    counted = under(both.input)
    assert isinstance(counted.merged[0], Union)
    assert [texts(side) for side in counted.merged[0].merged] == [
        ("c0", "true", "cast(null as boolean)"),
        ("c0", "cast(null as boolean)", "true"),
    ]


def test_intersect_binds_tighter_than_union() -> None:
    found = plan("SELECT id FROM orders UNION ALL SELECT v FROM clicks INTERSECT SELECT id FROM cdc")
    assert isinstance(found, Union)
    assert isinstance(found.merged[1], Stateful)


def test_rows_come_once_for_each_grouping_set() -> None:
    found = plan("SELECT cur, id, COUNT(*), GROUPING(cur, id) FROM orders GROUP BY ROLLUP (cur, id)")
    aggregate = under(found)
    assert isinstance(aggregate.operation, GroupAggregate)
    assert aggregate.operation.keys == 3
    before = aggregate.merged[0]
    assert texts(before) == (
        "case when (c5 in (0L, 1L)) then c1 else cast(null as string) end",
        "case when (c5 in (0L)) then c0 else cast(null as int) end",
        "c5",
    )
    assert isinstance(before, Project)
    assert len(exploded(before.input).fields) == 6
    assert texts(found)[3] == "case when (c2 = 0L) then 0L when (c2 = 1L) then 1L else 3L end"


def test_windows_stay_windows_if_each_grouping_set_has_their_bounds() -> None:
    window = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
    query = f"SELECT k, COUNT(*) FROM {window} GROUP BY {{}}"
    found = plan(query.format("window_start, window_end, CUBE (k)"))
    assert isinstance(under(found).operation, WindowAggregate)
    assert found.changelog is APPEND
    without = operation(query.format("GROUPING SETS ((window_start, window_end), (k))"))
    assert isinstance(without, GroupAggregate)


@pytest.mark.parametrize(
    ("sets", "count"),
    [
        ("id, ROLLUP (cur)", 2),
        ("ROLLUP (id, cur), CUBE (price)", 6),
        ("GROUPING SETS (ROLLUP (id, cur), (price), ())", 5),
        ("DISTINCT ROLLUP (id), ROLLUP (id)", 2),
        ("CUBE ((id, cur), price)", 4),
    ],
)
def test_grouping_sets_are_combined(sets: str, count: int) -> None:
    before = under(plan(f"SELECT COUNT(*) FROM orders GROUP BY {sets}")).merged[0]
    assert isinstance(before, Project)
    assert spark_text(exploded(before.input).array).count("named_struct") == count


def test_too_many_grouping_sets_are_refused() -> None:
    error = failure(f"SELECT COUNT(*) FROM orders GROUP BY CUBE ({', '.join(f'id + {n}' for n in range(40))})")
    assert isinstance(error, UnsupportedFeatureError)
    assert "More than 4096 grouping sets" in error.what


def test_common_columns_come_first_and_alone() -> None:
    found = plan("SELECT * FROM orders FULL JOIN cdc USING (id)")
    assert [field.name for field in found.fields] == ["id", "cur", "price", "ts", "pt", "name", "w"]
    assert isinstance(found, Project)
    assert isinstance(found.input, Project)
    assert spark_text(found.input.expressions[-1]) == "coalesce(c0, c5)"
    assert columns(plan("SELECT cdc.id, id FROM orders LEFT JOIN cdc USING (id)")) == ["id INT", "id0 INT"]
    assert columns(plan("SELECT cdc.* FROM orders NATURAL JOIN cdc")) == ["id INT NOT NULL", "name STRING", "w DOUBLE"]
    three = plan("SELECT * FROM orders JOIN cdc USING (id) JOIN (SELECT id, 1 AS lone FROM cdc) AS c USING (id)")
    assert [field.name for field in three.fields] == ["id", "cur", "price", "ts", "pt", "name", "w", "lone"]


def test_the_first_rows_of_an_order() -> None:
    found = plan("SELECT cur AS c FROM orders ORDER BY price DESC, c LIMIT 3 OFFSET 2")
    orders = (Order(1, descending=True, nulls_last=True), Order(0))
    assert under(found).operation == TopN(order=orders, first=3, last=5, with_number=False)
    assert (found.changelog, columns(found)) == (RETRACT, ["c STRING"])
    some = plan("SELECT cur FROM orders FETCH FIRST 3 ROWS ONLY")
    assert under(some).operation == TopN(order=(), first=1, last=3, with_number=False)
    assert some.changelog is APPEND
    none = plan("SELECT cur FROM orders LIMIT 0")
    assert isinstance(none, Project)
    assert spark_text(none.condition) == "false" if none.condition else False


def test_an_order_is_by_time_or_of_bounded_rows() -> None:
    by_time = plan("SELECT id FROM orders ORDER BY ts, price DESC")
    order = (Order(2, descending=True, nulls_last=True),)
    assert under(by_time).operation == Sort(order=order, moment=SortMoment.WATERMARK, column=1)
    assert by_time.changelog is APPEND
    assert isinstance(plan("SELECT id FROM orders ORDER BY pt"), Project)
    assert operation("SELECT id FROM orders ORDER BY pt, id") == Sort(order=(Order(0),), moment=SortMoment.CLOCK)
    assert operation(f"SELECT b FROM {BOUNDED} ORDER BY a") == Sort(order=(Order(1),), moment=SortMoment.END)
    rest = Sort(order=(Order(0),), moment=SortMoment.END, skipped=1)
    assert operation(f"SELECT a FROM {BOUNDED} ORDER BY a OFFSET 1 ROW") == rest
    assert operation(f"(SELECT a FROM {BOUNDED}) UNION SELECT id FROM cdc LIMIT 2") == TopN(
        order=(), first=1, last=2, with_number=False
    )


def test_an_order_inside_of_a_query_means_nothing_without_a_limit() -> None:
    inside = plan("SELECT id FROM (SELECT * FROM orders ORDER BY id)")
    assert not any(isinstance(one, Stateful) for one in (inside, *inside.inputs))
    assert isinstance(operation("SELECT id FROM (SELECT * FROM orders ORDER BY id LIMIT 3)"), TopN)


@pytest.mark.parametrize(
    "query",
    [
        "VALUES 1, 2",
        "VALUES ROW(1), ROW(2)",
        "TABLE clicks",
        "SELECT 1 AS a FROM orders HAVING 1 = 1",
        "SELECT id FROM orders WHERE id IN (VALUES 1, 2)",
        "SELECT a FROM (VALUES (1), (2) EXCEPT VALUES (2)) AS v (a)",
        "WITH v (a) AS (VALUES 1, 2) SELECT a FROM v",
        "SELECT orders.id FROM (orders JOIN cdc ON orders.id = cdc.id)",
        "SELECT id FROM orders GROUP BY ALL id LIMIT ALL",
    ],
)
def test_queries_of_other_forms(query: str) -> None:
    assert len(plan(query).fields) in {1, 3}


def test_wide_and_long_queries() -> None:
    wide = ", ".join(f"id + {at} AS c{at}" for at in range(500))
    assert len(plan(f"SELECT {wide} FROM orders ORDER BY c7 LIMIT 3").fields) == 500
    long = " UNION ALL ".join(f"SELECT id, '{'x' * 2_000}' AS t FROM orders" for _ in range(500))
    assert len(long) > 1_000_000
    assert len(plan(long).fields) == 2


def test_queries_that_are_nested_too_deeply_are_refused_with_another_way() -> None:
    limit = sys.getrecursionlimit()  # other tests of this process, or libraries, may have raised it
    sys.setrecursionlimit(1_000)
    try:
        error = failure(f"SELECT id FROM orders WHERE {' OR '.join(f'id = {n}' for n in range(3_000))}")
    finally:
        sys.setrecursionlimit(limit)
    assert error.what == "The query is nested too deeply."
    assert "IN (...)" in error.now


def test_times_to_live_of_inputs_are_hinted() -> None:
    join = "o.id FROM orders AS o JOIN clicks ON o.cur = clicks.k"
    both = Join(kind=JoinKind.INNER, widths=(5, 3), ttl_ms=86_400_000, right_ttl_ms=3_600_000)
    assert operation(f"SELECT /*+ STATE_TTL('o' = '1 d', 'clicks' = '1 h') */ {join}") == both
    right = Join(kind=JoinKind.INNER, widths=(5, 3), right_ttl_ms=3_600_000)
    assert operation(f"SELECT /*+ BROADCAST(o), STATE_TTL('clicks' = '1 h') */ {join}") == right
    assert right.ttls_ms == (0, 3_600_000)
    query = "SELECT /*+ STATE_TTL('orders' = '1 h') */ cur, COUNT(*) FROM orders GROUP BY cur"
    found = operation(query)
    assert isinstance(found, GroupAggregate)
    assert found.ttl_ms == 3_600_000
    inside = operation(
        f"SELECT cur, SUM(c) FROM (SELECT id, cur, 1 AS c FROM ({query.replace(', COUNT(*)', ', 1 AS id')}) AS q) GROUP BY cur"
    )
    assert isinstance(inside, GroupAggregate)
    assert inside.ttl_ms == 0
