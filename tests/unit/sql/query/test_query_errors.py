"""Queries that cannot be planned: what is wrong, where, and what to do."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.table import Position
from tests.unit.sql.planning import failure

TUMBLE = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
RETRIES = "'table'='r', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1s', 'max-attempts'='3'"


@pytest.mark.parametrize(
    ("query", "what", "where"),
    [
        ("SELECT nope FROM orders", "Column 'nope' not found in any table", "line 1, column 8"),
        ("SELECT\n  ID FROM orders", "Column 'ID' not found in any table", "line 2, column 3"),
        ("SELECT o.nope FROM orders AS o", "Column 'nope' not found in table 'o'", "line 1, column 8"),
        ("SELECT x.id FROM orders AS o", "Table 'x' not found", "line 1, column 8"),
        ("SELECT id FROM order_s", "Object 'order_s' not found", "line 1, column 16"),
        ("SELECT cur, id FROM orders GROUP BY cur", "Expression 'id' is not being grouped", "line 1, column 13"),
        ("SELECT id AS x FROM orders GROUP BY x", "Column 'x' not found in any table", "line 1, column 37"),
        ("SELECT id FROM orders WHERE cur = 1", "implicit type conversion", "line 1, column 29"),
        (
            "SELECT id FROM orders WHERE COUNT(*) > 1",
            "The aggregate function COUNT is not allowed here.",
            "line 1, column 29",
        ),
        ("SELECT id, FROM orders", "Nothing follows this comma.", "line 1, column 10"),
        ("SELECT id + cur FROM orders", "Cannot apply '+' to arguments of type '<INT> + <STRING>'", "line 1, column 8"),
        ("SELECT SUM(cur) FROM orders", "Cannot apply 'SUM'", "line 1, column 8"),
        ("SELECT id, CONCAT('a', NULL) FROM orders", "Illegal use of 'NULL'", "line 1, column 12"),
        ("SELECT MAX(NULL) FROM orders", "Illegal use of 'NULL'", "line 1, column 8"),
        ("SELECT CASE WHEN id > 1 THEN NULL END FROM orders", "must be non-NULL", "line 1, column 18"),
        ("SELECT id FROM orders UNION ALL SELECT k FROM clicks", "Type mismatch", "line 1, column 8"),
        ("SELECT id FROM orders EXCEPT SELECT v, k FROM clicks", "Column count mismatch in EXCEPT", "line 1, column 8"),
        ("SELECT id FROM orders LIMIT 1 + 1", "LIMIT, OFFSET and FETCH take a whole number.", "line 1, column 29"),
        ("SELECT id FROM orders ORDER BY 2 LIMIT 1", "Ordinal out of range", "line 1, column 32"),
        ("SELECT DISTINCT id FROM orders ORDER BY cur LIMIT 1", "not in the select clause", "line 1, column 41"),
        ("SELECT * FROM orders JOIN cdc USING (cur)", "Column 'cur' not found on both sides", "line 1, column 38"),
        ("SELECT * FROM orders NATURAL JOIN cdc ON TRUE", "Cannot specify condition", "line 1, column 35"),
        (
            "SELECT * FROM orders AS a, orders AS b NATURAL JOIN clicks",
            "Column name 'ts' in NATURAL join or USING clause is not unique",
            "line 1, column 1",
        ),
        ("SELECT GROUPING(id) FROM orders GROUP BY ROLLUP (cur)", "must be a grouped expression", "line 1, column 17"),
        ("SELECT GROUPING() FROM orders GROUP BY cur", "Invalid number of arguments", "line 1, column 8"),
        ("SELECT cur FROM orders HAVING COUNT(*) > 1", "Expression 'cur' is not being grouped", "line 1, column 8"),
        ("SELECT /*+ BROADCST(orders) */ id FROM orders", "Hint BROADCST is not known.", "line 1, column 8"),
        ("SELECT id FROM orders /*+ FANCY('a'='1') */", "Hint FANCY is not known.", "line 1, column 23"),
        ("SELECT /*+ STATE_TTL(orders) */ id FROM orders", "Hint STATE_TTL takes options.", "line 1, column 8"),
        ("SELECT /*+ STATE_TTL('o' = 'long') */ id FROM orders", "'long' is not a duration.", "line 1, column 8"),
        ("SELECT /*+ STATE_TTL('o' = ) */ id FROM orders", "Expected a text in single quotes", "line 1, column 8"),
        (
            "SELECT\n /*+ BROADCAST(o) */ orders.id FROM orders, clicks",
            "cannot match the name of input tables or views: o",
            "line 2, column 2",
        ),
        ("SELECT /*+ LOOKUP('async'='true') */ id FROM orders", "Hint LOOKUP lacks table.", "line 1, column 8"),
        ("SELECT id FROM hen", "The view hen reads itself: hen -> egg -> hen.", "line 1, column 16"),
        ("SELECT * FROM endless", "The view endless reads itself: endless -> endless.", "line 1, column 15"),
        ("SELECT id id2 id3 FROM orders", "'id3' is not expected after 'id2'", "line 1, column 15"),
        (
            "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(id), INTERVAL '1' HOUR))",
            "requires the timecol",
            "1, column 60",
        ),
        ("SELECT * FROM broken", "Column 'nope' not found in any table", "line 7, column 10"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(query: str, what: str, where: str) -> None:
    error = failure(query)
    assert isinstance(error, DefinitionError)
    assert what in error.what
    assert where in error.where


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders ORDER BY id",
        "SELECT id FROM orders ORDER BY ts DESC",
        "SELECT id, COUNT(*) FROM orders GROUP BY id ORDER BY id",
        "SELECT id FROM orders OFFSET 3",
        "WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT a FROM r",
        "SELECT id FROM orders FOR UPDATE",
        f"SELECT /*+ LOOKUP({RETRIES}) */ o.id FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur",
        "SELECT id FROM orders TABLESAMPLE BERNOULLI (10)",
        "SELECT * FROM orders MATCH_RECOGNIZE (ORDER BY ts MEASURES SUM(LAST(A.id)) AS x PATTERN (A) DEFINE A AS id > 1)",
        "SELECT * FROM orders MATCH_RECOGNIZE (ORDER BY ts MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.cur LIKE A.cur)",
        "SELECT LAG(id) IGNORE NULLS OVER (ORDER BY ts) FROM orders",
        "SELECT SUM(id) OVER (w ROWS 2 PRECEDING) FROM orders WINDOW w AS (ORDER BY ts)",
        "SELECT cur FROM orders GROUP BY cur QUALIFY ROW_NUMBER() OVER (ORDER BY cur) = 1",
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY ts) AS rn FROM orders) WHERE rn > 3",
        "SELECT FIRST_VALUE(id) IGNORE NULLS FROM orders",
        "SELECT id FROM orders WHERE EXISTS (SELECT v FROM clicks WHERE k = cur GROUP BY v HAVING COUNT(*) > 1)",
        "SELECT id FROM orders WHERE id IN (SELECT v FROM clicks WHERE k = cur GROUP BY v HAVING COUNT(*) > 1)",
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM clicks WHERE k = cur HAVING COUNT(*) > 1)",
        "SELECT id FROM orders WHERE id IN (SELECT MAX(v) FROM clicks WHERE k < cur GROUP BY k)",
        f"SELECT COUNT(*) FILTER (WHERE id IN (SELECT v FROM clicks)) FROM {TUMBLE} GROUP BY window_start, window_end",
        "SELECT id FROM orders WHERE id NOT IN (SELECT MAX(v) FROM clicks WHERE k = cur)",
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 WHERE id > 1)",
        (
            "SELECT o.id FROM orders AS o WHERE EXISTS (SELECT 1 FROM clicks AS c WHERE c.k = o.cur AND EXISTS "
            "(SELECT 1 FROM clicks AS d WHERE v > o.id))"
        ),
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM (SELECT v FROM clicks WHERE k = cur) AS c)",
        "SELECT id FROM orders WHERE id IN (SELECT v FROM clicks WHERE k = cur UNION ALL SELECT v FROM clicks)",
        (
            "SELECT id FROM orders WHERE EXISTS (SELECT k FROM clicks WHERE k = cur AND EXISTS "
            "(SELECT 1 FROM ships WHERE oid = id AND place = k) GROUP BY k HAVING COUNT(*) > 1)"
        ),
        "SELECT o.id FROM orders o LEFT JOIN clicks c ON o.cur = c.k AND c.v > (SELECT MAX(v) FROM clicks)",
        "SELECT id::STRING FROM orders",
        "SELECT id FROM orders WHERE id > ANY (1)",
        "SELECT r FROM SESSION(TABLE ships PARTITION BY r.x, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end, r",
        "SELECT WINDOW_FANCY(id) FROM orders",
        "SELECT PARSE_JSON(cur) FROM orders",
    ],
)
def test_what_is_not_there_is_refused_with_another_way(query: str) -> None:
    error = failure(query)
    assert isinstance(error, UnsupportedFeatureError)
    assert error.where.startswith("line 1, column ")
    assert error.now


def test_places_are_those_of_the_users_text() -> None:
    error = failure("SELECT id,\n  nope FROM orders", position=Position(4, 20))
    assert error.where.startswith("line 5, column 3")
    assert failure("SELECT nope FROM orders", position=Position(4, 20)).where.startswith("line 4, column 27")


def test_the_closest_name_is_asked_for() -> None:
    assert failure("SELECT pric FROM orders").now == "Did you mean 'price'?"
    assert failure("SELECT UPER(cur) FROM orders").now == "Did you mean 'UPPER'?"
    assert failure("SELECT id FROM order_s").now == "Did you mean 'orders'?"
