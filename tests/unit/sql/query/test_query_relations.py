"""What queries become: the tree, names, types, changes and keys."""

from __future__ import annotations

import pytest

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.branches import origins
from kafkastream.sql.plan.operations import (
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    JoinKind,
    Keep,
    LookupJoin,
    Matches,
    Normalize,
    Order,
    Pairs,
    SessionAggregate,
    SessionRows,
    TemporalJoin,
    TimeAttribute,
    TopN,
    WindowAggregate,
)
from kafkastream.sql.plan.relations import Explode, Project, Scan, Stateful, Union, Values
from kafkastream.sql.plan.spark_text import spark_text
from tests.unit.sql.planning import FUNCTIONS, columns, condition, failure, operation, plain_texts, plan, texts, under

RETRACT, APPEND, UPSERT = ChangelogMode.RETRACT, ChangelogMode.APPEND, ChangelogMode.UPSERT
WINDOW = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"


def test_the_queries_of_the_connector_pages() -> None:
    all_columns = plan("select * from rates")
    assert isinstance(all_columns, Project)
    assert (texts(all_columns), all_columns.changelog, all_columns.upsert_key) == (
        ("c0", "c1", "c2"),
        UPSERT,
        (0,),
    )
    some = plan("SELECT id, cur FROM orders")
    assert isinstance(some, Project)
    assert texts(some) == ("c0", "c1")
    assert isinstance(some.input, Scan)


def test_names_qualified_and_nested_and_in_backticks() -> None:
    query = "SELECT s.r.y, ships.oid AS `o d`, tags FROM default_catalog.default_database.ships AS s, ships"
    assert failure("SELECT oid FROM ships AS a, ships AS b").what == "Column 'oid' is ambiguous"
    assert failure(query).what == "Column 'tags' is ambiguous"
    nested = plan("SELECT s.r.y, s.oid AS `o d`, r.x, r FROM ships AS s")
    assert isinstance(nested, Project)
    assert texts(nested) == ("c3.`y`", "c0", "c3.`x`", "c3")
    assert columns(nested) == ["y STRING", "o d INT", "x INT", "r ROW<`x` INT, `y` STRING>"]


def test_an_upsert_stays_one_only_as_long_as_its_key_is_there_and_nothing_is_left_out() -> None:
    assert plan("SELECT rate, cur FROM rates").upsert_key == (1,)
    for query in ("SELECT rate FROM rates", "SELECT cur FROM rates WHERE rate > 1"):
        without = plan(query)
        assert without.changelog is RETRACT
        assert under(without).operation == Normalize()


def test_a_hint_changes_the_options_of_the_scan() -> None:
    (scan,) = origins(plan("SELECT * FROM orders /*+ OPTIONS('number-of-rows'='3') */ AS o WHERE o.id = 1"))
    assert isinstance(scan, Scan)
    assert scan.table.options["number-of-rows"] == "3"


def test_views_and_with_and_queries_in_from() -> None:
    assert columns(plan("SELECT oid FROM dear WHERE p < 200")) == ["oid INT"]
    assert columns(plan("WITH q (a, b) AS (SELECT k, v FROM clicks) SELECT b, x.a FROM q AS x")) == [
        "b INT",
        "a STRING",
    ]
    assert columns(plan("SELECT * FROM (SELECT v AS n, ts FROM clicks)")) == ["n INT", "ts TIMESTAMP_LTZ(3) rowtime"]


def test_values_and_union_have_common_types() -> None:
    values = plan("VALUES (1, 'a'), (3000000000, 'bcd')")
    assert isinstance(values, Values)
    assert columns(values) == ["EXPR$0 BIGINT NOT NULL", "EXPR$1 VARCHAR(3) NOT NULL"]
    union = plan("SELECT id, cur FROM orders UNION ALL SELECT v, k FROM clicks UNION ALL SELECT id, name FROM cdc")
    assert isinstance(union, Union)
    assert (len(union.merged), union.changelog) == (3, RETRACT)
    distinct = plan("SELECT cur FROM orders UNION SELECT k FROM clicks")
    assert isinstance(distinct, Stateful)
    assert distinct.operation == GroupAggregate(calls=(), keys=1)


def test_group_by() -> None:
    found = plan(
        "SELECT cur, SUM(id) AS s, COUNT(*), AVG(price), COUNT(DISTINCT id) FILTER (WHERE id > 1) FROM orders GROUP BY cur"
    )
    assert columns(found) == [
        "cur STRING",
        "s INT",
        "EXPR$2 BIGINT NOT NULL",
        "EXPR$3 DECIMAL(38, 6)",
        "EXPR$4 BIGINT NOT NULL",
    ]
    assert (found.changelog, found.upsert_key) == (RETRACT, (0,))


def test_the_arguments_of_aggregates_stand_behind_the_keys() -> None:
    query = "SELECT cur, MAX(id), MIN(id), SUM(price) FROM orders WHERE id > 2 GROUP BY cur HAVING MIN(id) > 3"
    stateful = under(found := plan(query))
    before = stateful.merged[0]
    assert isinstance(before, Project)
    assert isinstance(found, Project)
    assert (texts(before), condition(before)) == (("c1", "c0", "c2"), "(c0 > 2)")
    assert isinstance(stateful.operation, GroupAggregate)
    assert [call.argument for call in stateful.operation.calls] == [1, 1, 2]
    assert condition(found) == "(c2 > 3)"


def test_window_aggregates() -> None:
    query = f"SELECT window_start, window_end, k, SUM(v), window_time FROM {WINDOW} GROUP BY k, window_start, window_end, window_time"
    found = plan(query, zone="Asia/Tokyo")
    assert found.changelog is APPEND
    assert columns(found)[-1] == "window_time TIMESTAMP_LTZ(3) NOT NULL rowtime"
    aggregate = under(found).operation
    assert isinstance(aggregate, WindowAggregate)
    assert (aggregate.keys, aggregate.time, aggregate.zone) == (1, TimeAttribute.EVENT, "Asia/Tokyo")


@pytest.mark.parametrize(
    "window",
    [
        "HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
        "TABLE(CUMULATE(DATA => TABLE clicks, TIMECOL => DESCRIPTOR(ts), STEP => INTERVAL '1' HOUR, SIZE => INTERVAL '1' DAY))",
    ],
)
def test_windows_that_overlap_explode_the_rows(window: str) -> None:
    before = under(plan(f"SELECT COUNT(*) FROM {window} GROUP BY window_start, window_end")).merged[0]
    assert isinstance(before, Project)
    assert isinstance(before.input, Explode)
    assert [one.name for one in before.input.fields[-3:]] == ["window_start", "window_end", "window_time"]


def test_sessions_and_the_older_windows() -> None:
    session = "SESSION(TABLE clicks PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND)"
    found = operation(f"SELECT k, SUM(v) FROM TABLE({session}) GROUP BY k, window_start, window_end")
    assert isinstance(found, SessionAggregate)
    assert (found.gap_ms, found.keys) == (5000, 1)
    older = plan(
        "SELECT SESSION_START(pt, INTERVAL '1' MINUTE) AS s FROM orders GROUP BY cur, SESSION(pt, INTERVAL '1' MINUTE)"
    )
    assert columns(older) == ["s TIMESTAMP(3) NOT NULL"]
    tumble = "TUMBLE_END(ts, INTERVAL '1' HOUR) AS e, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) AS r"
    told = plan(f"SELECT {tumble}, COUNT(*) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)")
    assert columns(told)[:2] == ["e TIMESTAMP(3) NOT NULL", "r TIMESTAMP(3) NOT NULL rowtime"]


def test_a_window_of_windows() -> None:
    inner = f"(SELECT window_time AS wt, COUNT(*) AS c FROM {WINDOW} GROUP BY window_start, window_end, window_time)"
    query = f"SELECT SUM(c) FROM TABLE(TUMBLE({inner}, DESCRIPTOR(wt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"
    assert isinstance(operation(query), WindowAggregate)


def test_deduplication() -> None:
    number = "ROW_NUMBER() OVER (PARTITION BY cur ORDER BY {}) AS rn"
    last = plan(f"SELECT * FROM (SELECT *, {number.format('ts DESC')} FROM orders) WHERE rn = 1")
    assert under(last).operation == Deduplicate(keep=Keep.LAST, time=TimeAttribute.EVENT, column=3)
    assert (last.changelog, last.upsert_key, columns(last)[-1]) == (RETRACT, (1,), "rn BIGINT NOT NULL")
    first = plan(f"SELECT id FROM (SELECT id, {number.format('pt')} FROM orders) WHERE rn <= 1")
    assert under(first).operation == Deduplicate(keep=Keep.FIRST, time=TimeAttribute.PROCESSING)
    assert first.changelog is APPEND


def test_the_first_rows() -> None:
    ranked = "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, ts) AS rn FROM clicks"
    top = plan(f"WITH r AS ({ranked}) SELECT k, v FROM r WHERE rn <= 3 AND v > 2")
    assert isinstance(top, Project)
    assert condition(top) == "(c1 > 2)"
    orders = (Order(1, descending=True, nulls_last=True), Order(3))
    assert under(top).operation == TopN(order=orders, first=1, last=3, with_number=False)
    numbered = plan(f"SELECT rn, k FROM ({ranked}) WHERE rn BETWEEN 2 AND 4")
    assert (columns(numbered), numbered.upsert_key) == (["rn BIGINT NOT NULL", "k STRING"], (1, 0))


def test_the_first_rows_of_each_window() -> None:
    counts = f"SELECT window_start, window_end, k, COUNT(*) AS c FROM {WINDOW} GROUP BY window_start, window_end, k"
    number = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY c DESC) AS rn"
    found = plan(f"SELECT * FROM (SELECT *, {number} FROM ({counts})) WHERE rn <= 3")
    top = under(found).operation
    assert isinstance(top, TopN)
    assert (top.window, found.changelog) == (1, APPEND)


def test_joins() -> None:
    inner = plan("SELECT o.id, c.v FROM orders o JOIN clicks c ON o.cur = c.k AND c.v > o.id")
    assert inner.changelog is APPEND
    left = plan("SELECT o.id, s.place FROM orders AS o LEFT JOIN ships AS s ON o.id = s.oid AND s.place <> 'x'")
    assert (left.changelog, columns(left)) == (RETRACT, ["id INT", "place STRING"])
    pushed = under(left).merged[1]
    assert isinstance(pushed, Project)
    assert condition(pushed) == "(c1 <> 'x')"
    upserted = under(plan("SELECT * FROM orders, rates WHERE orders.cur = rates.cur"))
    assert (upserted.keys, upserted.changelog) == (((1,), (0,)), RETRACT)
    assert isinstance(upserted.merged[1], Stateful)


def test_an_outer_join_counts_the_pairs_that_meet_a_condition() -> None:
    found = plan("SELECT o.id, c.v FROM orders o LEFT JOIN clicks c ON o.cur = c.k AND c.v > o.id")
    matched = under(found)
    assert matched.operation == Matches(kind=JoinKind.LEFT, keys=1, widths=(5, 3))
    assert (matched.keys, found.changelog) == (((1,),), RETRACT)
    assert condition(matched.merged[0]) == "case when c0 = 0 then (c8 > c2) else true end"
    pairs = under(matched.merged[0])
    assert pairs.operation == Pairs(join=Join(kind=JoinKind.LEFT, widths=(5, 3)))
    assert columns(pairs)[:3] == ["$part TINYINT NOT NULL", "cur STRING", "id INT"]


def test_a_condition_on_the_outer_side_becomes_a_key() -> None:
    found = under(plan("SELECT o.id FROM orders o FULL JOIN clicks c ON o.cur = c.k AND o.id > 1 AND c.v > 2"))
    assert found.operation == Join(kind=JoinKind.FULL, widths=(6, 4))
    assert found.keys == ((1, 5), (0, 3))
    left, right = (texts(one)[-1] for one in found.merged)
    assert (left, right) == tuple(
        f"case when ({one}) then true else cast(null as boolean) end" for one in ("c0 > 1", "c1 > 2")
    )


def test_functions_are_only_called_for_pairs() -> None:
    found = under(plan("SELECT o.id FROM orders o LEFT JOIN ships s ON o.cur = s.place AND my_double(o.id) > s.oid"))
    name = FUNCTIONS.find(("", "default_database", "my_double"))
    assert name is not None
    assert f"{name.spark_name}((__kept and c0 = 0), " in str(condition(found.merged[0]))


def test_outer_joins_of_windows_and_times_are_only_added_to() -> None:
    window = "SELECT * FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR({}), INTERVAL '1' HOUR))"
    on = "l.window_start = r.window_start AND l.window_end = r.window_end"
    left = window.format("orders", "pt")
    found = plan(f"SELECT l.id FROM ({left}) l LEFT JOIN ({left}) r ON {on} AND l.id > r.id")
    assert found.changelog is APPEND
    matched = under(found).operation
    assert isinstance(matched, Matches)
    assert (matched.is_final, matched.widths) == (True, (9, 9))
    joined = operation(f"SELECT l.id FROM ({left}) l JOIN ({left}) r ON {on}")
    assert isinstance(joined, Join)
    assert (joined.window_end, joined.time) == ((6, 6), TimeAttribute.PROCESSING)
    near = "o.ts BETWEEN s.ts AND s.ts + INTERVAL '1' HOUR AND o.price > 2 * s.oid"
    assert plan(f"SELECT o.id FROM orders o FULL JOIN ships s ON o.id = s.oid AND {near}").changelog is APPEND


def test_null_safe_keys() -> None:
    found = operation("SELECT o.id FROM orders o LEFT JOIN clicks c ON o.id = c.v AND o.cur IS NOT DISTINCT FROM c.k")
    assert found == Join(kind=JoinKind.LEFT, widths=(5, 3), null_safe=(1,))


@pytest.mark.parametrize(
    ("bound", "lower", "upper"),
    [
        ("o.ts BETWEEN s.ts - INTERVAL '1' HOUR AND s.ts + INTERVAL '5' MINUTE", -3_600_000, 300_000),
        ("s.ts <= o.ts AND s.ts + INTERVAL '5' SECOND > o.ts", 0, 4_999),
        ("o.ts = s.ts", 0, 0),
    ],
)
def test_joins_of_times_that_are_close(bound: str, lower: int, upper: int) -> None:
    found = operation(f"SELECT o.id FROM orders o, ships s WHERE o.id = s.oid AND {bound}")
    assert found == IntervalJoin(kind=JoinKind.INNER, widths=(5, 5), times=(3, 4), lower_ms=lower, upper_ms=upper)


def test_versions() -> None:
    join = "SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
    found = plan(join)
    assert under(found).operation == TemporalJoin(kind=JoinKind.LEFT, widths=(5, 3), times=(3, 2))
    assert (found.changelog, columns(found)) == (APPEND, ["id INT", "rate DECIMAL(10, 2)"])
    assert "primary key [cur]" in failure(join.replace("o.cur = r.cur", "o.price = r.rate")).what


def test_tables_in_files_are_looked_up() -> None:
    join = "SELECT o.id, s.note FROM orders AS o {} JOIN sides FOR SYSTEM_TIME AS OF o.pt AS s ON MOD(o.id, 10) = s.key"
    found = under(plan(join.format("LEFT") + " AND s.note <> 'x'"))
    assert (found.operation, found.keys) == (LookupJoin(kind=JoinKind.LEFT, widths=(6, 2)), ((5,), (0,)))
    assert condition(found.merged[1]) == "(c1 <> 'x')"
    inner = plan(join.format("") + " AND o.cur < s.note")
    assert inner.changelog is APPEND
    assert "equality condition" in failure(join.format("").replace("MOD(o.id, 10) = s.key", "TRUE")).what
    assert "conditions of one side" in failure(join.format("LEFT") + " AND o.cur < s.note").what
    assert "primary key" in failure(join.format("").replace("o.pt", "o.ts")).what


def test_a_query_that_is_planned_twice_keeps_its_versions() -> None:
    join = "SELECT 1 FROM orders o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
    found = under(plan(f"SELECT id FROM cdc WHERE EXISTS ({join} WHERE o.id = cdc.id)"))
    assert isinstance(under(found.merged[1]).operation, TemporalJoin)


def test_queries_in_where() -> None:
    kept = under(plan("SELECT id FROM orders WHERE cur IN (SELECT k FROM clicks WHERE v > 1)"))
    assert kept.operation == Join(kind=JoinKind.SEMI, widths=(5, 1))
    missing = plan("SELECT id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM clicks c WHERE c.k = o.cur AND c.v > 1)")
    assert under(missing).operation == Join(kind=JoinKind.ANTI, widths=(5, 3))
    assert missing.changelog is RETRACT


def test_not_in_with_null_keeps_rows_that_are_known_not_to_be_there() -> None:
    found = under(plan("SELECT id FROM orders WHERE cur NOT IN (SELECT k FROM clicks)"))
    assert found.operation == Matches(kind=JoinKind.ANTI, keys=0, widths=(5, 1))
    assert condition(found.merged[0]) == "case when c0 = 0 then (not (((c2 = c6)) is false)) else true end"
    never = under(plan("SELECT cur FROM rates WHERE cur NOT IN (SELECT cur FROM rates)"))
    assert never.operation == Join(kind=JoinKind.ANTI, widths=(3, 1))


def test_columns_of_a_query_hide_those_around_it() -> None:
    found = under(plan("SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM cdc WHERE id = orders.id AND w > 1)"))
    assert (found.operation, found.keys) == (Join(kind=JoinKind.SEMI, widths=(5, 3)), ((0,), (0,)))
    inner = under(plan("SELECT id FROM orders WHERE id IN (SELECT id FROM cdc WHERE name = cur)"))
    assert inner.keys == ((0, 1), (3, 1))


def test_queries_under_or_and_as_values() -> None:
    either = plan("SELECT id FROM orders WHERE id > 1 OR cur IN (SELECT k FROM clicks)")
    assert condition(either) == "((c0 > 1) or case when c5 then true when c6 then cast(null as boolean) else false end)"
    matched = under(either)
    assert matched.operation == Matches(kind=JoinKind.MARK, keys=0, widths=(6, 1))
    assert under(matched.merged[0]).merged[0].fields[-1].name == "$mark"
    shown = plan("SELECT EXISTS (SELECT 1 FROM clicks WHERE k = cur) AS e, * FROM orders")
    assert columns(shown)[0] == "e BOOLEAN NOT NULL"
    assert len(shown.fields) == 6


def test_values_of_queries() -> None:
    whole = plan("SELECT id, (SELECT MAX(v) FROM clicks) AS m FROM orders")
    assert columns(whole) == ["id INT", "m INT"]
    assert under(whole).operation == Join(kind=JoinKind.LEFT, widths=(5, 1))
    row = under(plan("SELECT id FROM orders WHERE id > (SELECT v FROM clicks)"))
    assert isinstance(row.merged[1], Stateful)
    bound = plan("SELECT (SELECT COUNT(*) + 1 FROM clicks WHERE k = cur) AS n FROM orders WHERE id > 0")
    assert columns(bound) == ["n BIGINT NOT NULL"]
    assert plain_texts(bound) == ("(coalesce(c6, 0L) + 1)",)
    joined = under(bound)
    assert (joined.operation, joined.keys) == (Join(kind=JoinKind.LEFT, widths=(5, 2)), ((1,), (0,)))
    assert condition(joined.merged[0]) == "(c0 > 0)"
    grouped = plan(
        "SELECT cur, SUM(id) > (SELECT MAX(v) FROM clicks) FROM orders GROUP BY cur HAVING COUNT(*) IN (1, 2)"
    )
    assert isinstance(under(grouped).operation, Join)
    nothing = "SELECT id FROM orders WHERE (SELECT v, k FROM clicks) > 1"
    assert "one column" in failure(nothing).what
    assert "is not being grouped" in failure("SELECT (SELECT MAX(v) + v FROM clicks WHERE k = cur) FROM orders").what
    assert "1 values are compared with 2" in failure("SELECT id FROM orders WHERE id IN (SELECT v, k FROM clicks)").what


def test_groups_of_a_bound_query_are_those_of_the_columns_that_bind_it() -> None:
    within = under(
        plan("SELECT id FROM orders WHERE id IN (SELECT SUM(v) FROM clicks WHERE k = cur AND v > 1 GROUP BY v)")
    )
    assert within.keys == ((0, 1), (0, 1))
    groups = under(within.merged[1])
    assert (groups.keys, [field.name for field in groups.fields]) == (((0, 1),), ["v", "k", "SUM"])
    found = under(
        plan("SELECT id FROM orders WHERE EXISTS (SELECT k FROM clicks WHERE k = cur GROUP BY k HAVING COUNT(*) > 1)")
    )
    assert isinstance(under(found.merged[1]).operation, GroupAggregate)
    value = under(plan("SELECT id, (SELECT MAX(v) FROM clicks WHERE k = cur GROUP BY k) FROM orders"))
    assert value.operation == Join(kind=JoinKind.LEFT, widths=(5, 2))


def test_queries_in_filter_are_joined_before_the_groups() -> None:
    counted = "COUNT(*) FILTER (WHERE id > 1 OR EXISTS (SELECT 1 FROM clicks WHERE k = cur))"
    groups = under(plan(f"SELECT cur, {counted} FROM orders GROUP BY cur"))
    assert isinstance(groups.operation, GroupAggregate)
    assert groups.operation.calls[0].filter is not None
    assert under(groups.merged[0]).operation == Matches(kind=JoinKind.MARK, keys=1, widths=(5, 3))


def test_rows_of_sessions_wait_for_their_end() -> None:
    session = "SESSION(TABLE clicks PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"
    found = plan(
        f"SELECT v, window_start, window_time FROM {session} WHERE window_end > TIMESTAMP '2024-01-01 00:00:00'"
    )
    assert under(found).operation == SessionRows(gap_ms=60_000, column=2, zone="UTC")
    assert columns(found)[1:] == ["window_start TIMESTAMP(3) NOT NULL", "window_time TIMESTAMP_LTZ(3) NOT NULL rowtime"]
    assert isinstance(
        operation(f"SELECT COUNT(*) FROM {session} GROUP BY k, window_start, window_end"), SessionAggregate
    )
    other = under(plan(f"SELECT COUNT(*) FROM {session} GROUP BY window_start, window_end"))
    assert isinstance(other.operation, WindowAggregate)


def test_windows_of_changes() -> None:
    last = (
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) AS n FROM orders) WHERE n = 1"
    )
    tumble = f"TUMBLE((SELECT id, cur, ts FROM ({last})), DESCRIPTOR(ts), INTERVAL '1' HOUR)"
    found = plan(f"SELECT SUM(id) FROM {tumble} GROUP BY window_start, window_end")
    assert found.changelog is APPEND
    assert under(found).merged[0].changelog is RETRACT
    ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY id) AS n FROM {tumble}"
    assert "WindowRank doesn't support" in failure(f"SELECT * FROM ({ranked}) WHERE n = 1").what
    on = "l.window_start = r.window_start AND l.window_end = r.window_end"
    join = f"SELECT l.id FROM (SELECT * FROM {tumble}) l JOIN (SELECT * FROM {tumble}) r ON {on}"
    assert "WindowJoin doesn't support" in failure(join).what


def test_unnest() -> None:
    found = plan("SELECT oid, tag FROM ships CROSS JOIN UNNEST(tags) AS t (tag)")
    assert isinstance(found, Project)
    assert isinstance(found.input, Explode)
    assert spark_text(found.input.array) == "transform(c2, x -> named_struct('f0', x))"
    assert columns(found) == ["oid INT", "tag STRING"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT id, id, price, id FROM orders", ["id", "id0", "price", "id1"]),
        ("SELECT id0 FROM (SELECT id, id FROM orders) AS twice", ["id0"]),
        ("WITH twice AS (SELECT id, id FROM orders) SELECT * FROM twice", ["id", "id0"]),
    ],
)
def test_each_column_has_a_name_of_its_own(query: str, names: list[str]) -> None:
    assert [field.name for field in plan(query).fields] == names
