"""The texts by which a checkpoint knows what its state was computed of: another text refuses every query with state.

If one of these has to change, ``checkpoint.record.FORMAT`` has to, too, or the comparison has to know both.
"""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.spark.checkpoint.operators import check_operators
from kafkastream.sql.plan.state_description import state_description
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.session_functions import NamedFunction, SessionFunctions
from kafkastream.sql.table import Expression
from kafkastream.table.udf import udf
from tests.unit.sql.planning import TestCatalog, plan, under

GOLDEN = {
    """SELECT cur, SUM(price) FROM orders WHERE id > 1 GROUP BY cur""": """\
GroupAggregate (SUM(c1) DECIMAL(38, 2)) BY (c0) OF ((STRING, DECIMAL(10, 2)))
  Project (c1, c2) WHERE (c0 > 1)
    Scan orders (id INT, cur STRING, price DECIMAL(10, 2))""",
    """SELECT cur, COUNT(*), SUM(DISTINCT id) FILTER (WHERE id > 3), LISTAGG(cur, '-') FROM orders GROUP BY cur""": """\
GroupAggregate (COUNT(*) BIGINT NOT NULL, SUM(DISTINCT c1) FILTER c2 INT, LISTAGG(c0 SEPARATOR '-') STRING) BY (c0) OF ((STRING, INT, BOOLEAN))
  Project (c1, c0, (c0 > 3))
    Scan orders (id INT, cur STRING)""",
    """SELECT window_start, cur, MAX(price) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, cur""": """\
WindowAggregate (MAX(c3) DECIMAL(10, 2)) rowtime UTC BY (c0) OF ((STRING, TIMESTAMP(3) NOT NULL, TIMESTAMP(3) NOT NULL, DECIMAL(10, 2)))
  Project (c0, c2, c3, c1)
    Project (c0, c1, (c2 - INTERVAL '0 00:00:00.000001' DAY TO SECOND * pmod(timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', c2) - 0L, 300000000L)), ((c2 - INTERVAL '0 00:00:00.000001' DAY TO SECOND * pmod(timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', c2) - 0L, 300000000L)) + INTERVAL '0 00:05:00.000' DAY TO SECOND)) WHERE if(c2 is null, null, true)
      Scan orders (cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3))""",
    """SELECT cur, COUNT(*) FROM orders GROUP BY cur, SESSION(ts, INTERVAL '5' MINUTES)""": """\
SessionAggregate (COUNT(*) BIGINT NOT NULL) GAP 300000 ms rowtime UTC BY (c0) OF ((STRING, TIMESTAMP(3)))
  Project (c0, c1)
    Project (c0, c1) WHERE if(c1 is null, null, true)
      Scan orders (cur STRING, ts TIMESTAMP(3))""",
    """SELECT cur, COUNT(*) FROM orders GROUP BY cur, HOP(pt, `$ROWS`(2), `$ROWS`(5))""": """\
CountWindowAggregate (COUNT(*) BIGINT NOT NULL) 5 ROWS EVERY 2 BY (c0) OF ((STRING))
  Project (c0)
    Scan orders (cur STRING)""",
    """SELECT cur, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) AS n FROM orders) WHERE n = 1""": """\
Deduplicate last rowtime c3 BY (c1) OF ((INT, STRING, DECIMAL(10, 2), TIMESTAMP(3), TIMESTAMP_LTZ(3), BIGINT NOT NULL))
  Project (c0, c1, c2, c3, c4, 1099511627776L)
    Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), pt TIMESTAMP_LTZ(3))""",
    """SELECT cur, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY price DESC) AS n FROM orders) WHERE n <= 3""": """\
TopN (c2 DESC NULLS LAST) 1 TO 3 WINDOW - BY (c1) OF ((INT, STRING, DECIMAL(10, 2), TIMESTAMP(3), TIMESTAMP_LTZ(3), BIGINT NOT NULL))
  Project (c0, c1, c2, c3, c4, 1099511627776L)
    Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), pt TIMESTAMP_LTZ(3))""",
    """SELECT id, SUM(price) OVER (PARTITION BY cur ORDER BY ts ROWS 3 PRECEDING) FROM orders""": """\
OverAggregate (SUM(c3) DECIMAL(38, 2)) rowtime c2 ROWS 3 BY (c1) OF ((INT, STRING, TIMESTAMP(3), DECIMAL(10, 2)))
  Project (c0, c1, c3, c2)
    Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3))""",
    """SELECT id, LAG(price, 2) OVER (ORDER BY id) FROM orders""": """\
OverAggregate (LAG(c1 OFFSET 2) DECIMAL(10, 2)) (c0 ASC NULLS FIRST) RANGE ALL BY () OF ((INT, ROW<`EXPR$0` DECIMAL(10, 2), `EXPR$1` DECIMAL(10, 2)> NOT NULL))
  Project (c0, named_struct('EXPR$0', c1, 'EXPR$1', cast(null as decimal(10,2))))
    Scan orders (id INT, price DECIMAL(10, 2))""",
    """SELECT orders.id, ships.place FROM orders LEFT JOIN ships ON orders.id = ships.oid""": """\
LEFT Join BY (c0) (c0) OF ((INT, STRING, DECIMAL(10, 2), TIMESTAMP(3), TIMESTAMP_LTZ(3)), (INT, STRING, ARRAY<STRING>, ROW<`x` INT, `y` STRING>, TIMESTAMP(3)))
  Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), pt TIMESTAMP_LTZ(3))
  Scan ships (oid INT, place STRING, tags ARRAY<STRING>, r ROW<`x` INT, `y` STRING>, ts TIMESTAMP(3))""",
    """SELECT orders.id FROM orders, ships WHERE orders.id = ships.oid AND orders.ts BETWEEN ships.ts - INTERVAL '4' HOUR AND ships.ts""": """\
INNER IntervalJoin (c3, c4) -14400000 TO 0 ms rowtime BY (c0) (c0) OF ((INT, STRING, DECIMAL(10, 2), TIMESTAMP(3), TIMESTAMP_LTZ(3)), (INT, STRING, ARRAY<STRING>, ROW<`x` INT, `y` STRING>, TIMESTAMP(3)))
  Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), pt TIMESTAMP_LTZ(3))
  Scan ships (oid INT, place STRING, tags ARRAY<STRING>, r ROW<`x` INT, `y` STRING>, ts TIMESTAMP(3))""",
    """SELECT orders.id, rate FROM orders JOIN rates FOR SYSTEM_TIME AS OF orders.ts ON orders.cur = rates.cur""": """\
INNER TemporalJoin rowtime (c3, c2) BY (c1) (c0) OF ((INT, STRING, DECIMAL(10, 2), TIMESTAMP(3), TIMESTAMP_LTZ(3)), (STRING NOT NULL, DECIMAL(10, 2), TIMESTAMP(3)))
  Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), pt TIMESTAMP_LTZ(3))
  Scan rates (cur STRING NOT NULL, rate DECIMAL(10, 2), ts TIMESTAMP(3))""",
    """SELECT name, COUNT(*) FROM (SELECT id, COUNT(*) AS name FROM cdc GROUP BY id) GROUP BY name""": """\
GroupAggregate (COUNT(*) BIGINT NOT NULL) BY (c0) OF ((BIGINT NOT NULL))
  Project (c0)
    Project (c1)
      GroupAggregate (COUNT(*) BIGINT NOT NULL) BY (c0) OF ((INT NOT NULL))
        Project (c0)
          Scan cdc (id INT NOT NULL)""",
    """SELECT rate, COUNT(*) FROM rates GROUP BY rate""": """\
GroupAggregate (COUNT(*) BIGINT NOT NULL) BY (c0) OF ((DECIMAL(10, 2)))
  Project (c1)
    Normalize BY (c0) OF ((STRING NOT NULL, DECIMAL(10, 2), TIMESTAMP(3)))
      Scan rates (cur STRING NOT NULL, rate DECIMAL(10, 2), ts TIMESTAMP(3))""",
    """SELECT cur FROM orders INTERSECT SELECT k FROM clicks""": """\
GroupAggregate () BY (c0) OF ((STRING))
  SEMI Join NULL EQUAL IN (0) BY (c0) (c0) OF ((STRING), (STRING))
    Project (c0)
      Scan orders (cur STRING)
    Project (c0)
      Scan clicks (k STRING)""",
    """SELECT cur, COUNT(*) FROM orders GROUP BY ROLLUP (cur)""": """\
GroupAggregate (COUNT(*) BIGINT NOT NULL) BY (c0, c1) OF ((STRING, BIGINT NOT NULL))
  Project (case when (c1 in (0L)) then c0 else cast(null as string) end, c1)
    Explode array(named_struct('EXPR$0', 0L), named_struct('EXPR$0', 1L))
      Scan orders (cur STRING)""",
    """SELECT cur, id FROM orders ORDER BY ts, price DESC""": """\
Sort (c3 DESC NULLS LAST) rowtime c2 BY () OF ((STRING, INT, TIMESTAMP(3), DECIMAL(10, 2)))
  Project (c1, c0, c3, c2)
    Scan orders (id INT, cur STRING, price DECIMAL(10, 2), ts TIMESTAMP(3))""",
    """SELECT a FROM (VALUES (2), (1)) AS v (a) ORDER BY a""": """\
Sort (c0 ASC NULLS FIRST) end - BY () OF ((INT NOT NULL))
  Project (c0)
    Values ((2), (1))""",
    """SELECT cur FROM orders LIMIT 3""": """\
TopN () 1 TO 3 WINDOW - BY () OF ((STRING))
  Project (c0)
    Scan orders (cur STRING)""",
}


def described(query: str) -> str:
    return state_description(under(plan(query)), lambda scan: scan.table.name[-1].removeprefix("wider_"))


def test_descriptions_stay_what_they_are() -> None:
    for query, description in GOLDEN.items():
        assert described(query) == description


@pytest.mark.parametrize(
    "query",
    [
        "SELECT cur, SUM(price) FROM {} WHERE id > 1 GROUP BY cur",
        "SELECT cur, MAX(price) FROM TABLE(HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOURS)) GROUP BY window_start, window_end, cur",
        "SELECT word, COUNT(*) FROM {} CROSS JOIN UNNEST(ARRAY[cur, 'x']) AS t(word) WHERE price > 0 GROUP BY word",
        "SELECT id, MIN(cur) FROM (SELECT id, cur FROM {} UNION ALL SELECT oid, place FROM ships) GROUP BY id",
    ],
)
def test_columns_that_are_not_read_are_not_described(query: str) -> None:
    assert described(query.format("wider_orders")) == described(query.format("orders"))


def test_columns_that_are_read_are_described() -> None:
    query = "SELECT cur, COUNT(*) FROM {} WHERE {} > 1 GROUP BY cur"
    assert (
        described(query.format("wider_orders", "qty"))
        == """\
GroupAggregate (COUNT(*) BIGINT NOT NULL) BY (c0) OF ((STRING))
  Project (c1) WHERE (c0 > 1)
    Scan orders (qty INT, cur STRING)"""
    )


class FunctionCatalog(TestCatalog):
    """Tables of the tests, and functions that were created in an order."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.functions = SessionFunctions()
        for name in names:
            function = udf(lambda *values: len(values), result_type="BIGINT", name=name)
            self.functions.create(("", "default_database", name), function, "here", temporary=True)

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """A function of the user."""
        return self.functions.find(("", path[-2] if len(path) > 1 else "default_database", path[-1]))


def calling(catalog: FunctionCatalog, name: str) -> str:
    query = f"SELECT {name}(id), SUM({name}()) FROM orders WHERE {name}(id, 1) > 0 GROUP BY {name}(id)"
    return state_description(under(plan_query(Expression(query), catalog)), lambda scan: scan.table.name[-1])


def test_functions_that_were_created_before_change_no_description() -> None:
    alone, later = FunctionCatalog("grade"), FunctionCatalog("other", "more", "grade")
    assert calling(alone, "Grade") == calling(later, "GRADE")
    assert (
        calling(alone, "default_database.grade")
        == """\
GroupAggregate (SUM(c1) BIGINT) BY (c0) OF ((BIGINT, BIGINT))
  Project (default_database.grade(c0), default_database.grade()) WHERE (default_database.grade(c0, 1) > 0)
    Scan orders (id INT)"""
    )


RECORDED = """\
GroupAggregate (SUM(c1) BIGINT) BY (c0) OF ((BIGINT, BIGINT))
  Project (__function_7_gr__e(__kept, c0), __function_7_gr__e(__kept)) WHERE (__function_7_gr__e(__kept, c0, 1) > 0)
    Scan orders (id INT)"""
"""Description by an earlier version, with Spark's name of the function."""


@pytest.mark.parametrize("name", ["größe", "default_database.größe"])
def test_descriptions_with_numbers_of_functions_are_accepted(name: str) -> None:
    check_operators({"0": RECORDED}, {"0": calling(FunctionCatalog("größe"), name)}, {"0"}, accepts_changed=False)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("size", "", ""), ("größe", "SUM", "MIN"), ("größe", "c0, 1", "c0, 2"), ("größe", "__kept)", "c0)")],
)
def test_other_changes_are_refused_beside_numbers_of_functions(name: str, before: str, after: str) -> None:
    now, recorded = calling(FunctionCatalog(name), name), RECORDED.replace(before, after)
    with pytest.raises(DefinitionError, match="does not fit the operator's current computation"):
        check_operators({"0": recorded}, {"0": now}, {"0"}, accepts_changed=False)
