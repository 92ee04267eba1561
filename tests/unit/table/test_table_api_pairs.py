"""Operations of the Table API give the plans that SQL texts give."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest

from kafkastream.table import DataTypes, EnvironmentSettings, Table, TableEnvironment
from kafkastream.table.expression import JsonValueOnEmptyOrError, TimeIntervalUnit, TimePointUnit
from kafkastream.table.expressions import (
    CURRENT_ROW,
    UNBOUNDED_ROW,
    and_,
    array,
    call,
    call_sql,
    coalesce,
    col,
    concat,
    concat_ws,
    current_timestamp,
    date_format,
    if_then_else,
    lag,
    lit,
    map_,
    not_,
    null_of,
    or_,
    range_,
    row,
    row_interval,
    timestamp_diff,
    with_columns,
    without_columns,
)
from kafkastream.table.udf import udf, udtf
from kafkastream.table.window import Over, Session, Slide, Tumble

twice = udf(lambda number: 2 * number, result_type="BIGINT", name="twice")
words = udtf(str.split, result_types=["STRING"], name="words")


@cache
def environment() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.execute_sql(
        "CREATE TABLE t (i INT, l BIGINT, d DOUBLE, s STRING, b BOOLEAN, m DECIMAL(10, 2), a ARRAY<INT>, "
        "r ROW<x INT, y STRING>, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
        "WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json')"
    )
    env.execute_sql(
        "CREATE TABLE u (k INT, v STRING, w BIGINT, us TIMESTAMP(3), WATERMARK FOR us AS us) "
        "WITH ('connector' = 'kafka', 'topic' = 'u', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json')"
    )
    env.create_temporary_system_function("twice", twice)
    env.create_temporary_system_function("words", words)
    return env


Made = Callable[[Table, Table], Table]
PAIRS: Final[list[tuple[Made, str]]] = [
    (lambda t, _: t.select(col("i"), col("l")), "SELECT i, l FROM t"),
    (lambda t, _: t.select(t.i, (col("l") + 1).alias("n")), "SELECT i, l + 1 AS n FROM t"),
    (
        lambda t, _: t.select(col("i") + 1, -col("l"), 2 * col("d")),
        "SELECT i + 1 AS _c0, -l AS _c1, 2 * d AS _c2 FROM t",
    ),
    (lambda t, _: t.where(col("i") > 1), "SELECT * FROM t WHERE i > 1"),
    (lambda t, _: t.select(concat(col("s"), ",")), "SELECT CONCAT(s, ',') AS _c0 FROM t"),
    (lambda t, _: t.order_by(col("l").desc).offset(1).fetch(3), "SELECT * FROM t ORDER BY l DESC LIMIT 3 OFFSET 1"),
    (lambda t, _: t.order_by(col("ts")), "SELECT * FROM t ORDER BY ts"),
    (lambda t, _: t.select(col("i"), col("s")).limit(3), "SELECT * FROM (SELECT i, s FROM t) LIMIT 3"),
    (lambda t, u: t.select(col("i")).minus(u.select(col("k"))), "SELECT i FROM t EXCEPT SELECT k FROM u"),
    (
        lambda t, u: t.select(col("i")).intersect_all(u.select(col("k"))),
        "SELECT i FROM t INTERSECT ALL SELECT k FROM u",
    ),
    (
        lambda t, _: t.where(col("i") > 1).filter(or_(col("b"), col("l") == 2)).select(col("s")),
        "SELECT s FROM t WHERE i > 1 AND (b OR l = 2)",
    ),
    (
        lambda t, _: t.select((col("i") + 1) * 2, col("i") - (col("l") - 1)),
        "SELECT (i + 1) * 2 AS _c0, i - (l - 1) AS _c1 FROM t",
    ),
    (
        lambda t, _: t.select(with_columns(range_("i", "d"), col("s"))),
        "SELECT i, l, d, s FROM t",
    ),
    (lambda t, _: t.select(without_columns(range_("b", "p"))), "SELECT i, l, d, s FROM t"),
    (lambda t, _: t.select(col("*")), "SELECT i, l, d, s, b, m, a, r, ts, p FROM t"),
    (
        lambda t, _: t.select(col("i").cast(DataTypes.STRING()), col("s").try_cast(DataTypes.INT())),
        "SELECT CAST(i AS STRING) AS `i-STRING`, TRY_CAST(s AS INT) AS _c1 FROM t",
    ),
    (
        lambda t, _: t.select(
            col("s").upper_case,
            col("s").substring(1, 2),
            col("s").trim(),
            concat(col("s"), "x"),
            concat_ws("-", "a", col("s")),
        ),
        (
            "SELECT UPPER(s) AS _c0, SUBSTRING(s FROM 1 FOR 2) AS _c1, TRIM(BOTH ' ' FROM s) AS _c2, CONCAT(s, 'x') AS _c3, "
            "CONCAT_WS('-', 'a', s) AS _c4 FROM t"
        ),
    ),
    (
        lambda t, _: t.select(col("s") + col("i"), col("s") + "!"),
        "SELECT CONCAT(s, CAST(i AS STRING)) AS _c0, CONCAT(s, '!') AS _c1 FROM t",
    ),
    (
        lambda t, _: t.select(
            if_then_else(col("i") > 1, "a", "b"), col("b").then(1, null_of(DataTypes.INT())), coalesce(col("i"), 0)
        ),
        (
            "SELECT CASE WHEN i > 1 THEN 'a' ELSE 'b' END AS _c0, CASE WHEN b THEN 1 ELSE CAST(NULL AS INT) END AS _c1, "
            "COALESCE(i, 0) AS _c2 FROM t"
        ),
    ),
    (
        lambda t, _: t.where(and_(col("s").like("a%"), col("i").between(1, 3), col("l").in_(1, 2), ~col("b"))),
        "SELECT * FROM t WHERE s LIKE 'a%' AND i BETWEEN 1 AND 3 AND l IN (1, 2) AND b IS NOT TRUE",
    ),
    (
        lambda t, _: t.where(not_(col("i").is_null) & (col("s") != "x")),
        "SELECT * FROM t WHERE NOT i IS NULL AND s <> 'x'",
    ),
    (
        lambda t, _: t.select(lit(1.5), lit(True), lit("it's"), lit(2**40), lit(1, DataTypes.BIGINT().not_null())),
        "SELECT 1.5E0 AS _c0, TRUE AS _c1, 'it''s' AS _c2, 1099511627776 AS _c3, CAST(1 AS BIGINT) AS _c4 FROM t",
    ),
    (
        lambda t, _: t.select(array(1, 2), map_("k", col("i")), row(1, "a"), col("a")[1], col("a").cardinality),
        "SELECT ARRAY[1, 2] AS _c0, MAP['k', i] AS _c1, ROW(1, 'a') AS _c2, a[1] AS _c3, CARDINALITY(a) AS _c4 FROM t",
    ),
    (
        lambda t, _: t.select(col("r").get("x"), col("r").get(1).upper_case),
        "SELECT t.r.x AS `r$x`, UPPER(t.r.y) AS _c1 FROM t",
    ),
    (
        lambda t, _: t.select(col("i"), col("r").flatten),
        "SELECT i, t.r.x AS `r$x`, t.r.y AS `r$y` FROM t",
    ),
    (
        lambda t, _: t.select(
            col("ts") + lit(2).hours, col("ts").floor(TimeIntervalUnit.DAY), col("ts").extract(TimeIntervalUnit.YEAR)
        ),
        "SELECT ts + INTERVAL '2' HOUR AS _c0, FLOOR(ts TO DAY) AS _c1, EXTRACT(YEAR FROM ts) AS _c2 FROM t",
    ),
    (
        lambda t, _: t.select(
            timestamp_diff(TimePointUnit.DAY, col("ts"), lit("2024-01-01 00:00:00").to_timestamp),
            date_format(col("ts"), "yyyy"),
            current_timestamp().alias("now"),
        ),
        (
            "SELECT TIMESTAMPDIFF(DAY, ts, CAST('2024-01-01 00:00:00' AS TIMESTAMP(3))) AS _c0, DATE_FORMAT(ts, 'yyyy') AS _c1, "
            "CURRENT_TIMESTAMP AS `now` FROM t"
        ),
    ),
    (
        lambda t, _: t.select(
            col("s").json_value("$.a", DataTypes.INT()),
            col("s").json_exists("$.a"),
            col("s").json_value(
                "$.a", DataTypes.STRING(), JsonValueOnEmptyOrError.DEFAULT, "x", JsonValueOnEmptyOrError.DEFAULT, "x"
            ),
        ),
        (
            "SELECT JSON_VALUE(s, '$.a' RETURNING INT NULL ON EMPTY NULL ON ERROR) AS _c0, JSON_EXISTS(s, '$.a') AS _c1, "
            "JSON_VALUE(s, '$.a' DEFAULT 'x' ON EMPTY DEFAULT 'x' ON ERROR) AS _c2 FROM t"
        ),
    ),
    (
        lambda t, _: t.select(
            call("UPPER", col("s")), call_sql("i + 1").alias("n"), call("twice", col("l")).alias("m")
        ),
        "SELECT UPPER(s) AS _c0, i + 1 AS n, twice(l) AS m FROM t",
    ),
    (lambda t, _: t.select(col("i"), col("l")).alias("x"), "SELECT i AS x, l FROM (SELECT i, l FROM t)"),
    (lambda t, _: t.select(col("i"), col("s")).distinct(), "SELECT DISTINCT i, s FROM t"),
    (
        lambda t, _: t.select(col("i"), col("s")).add_columns(col("i") + 1),
        "SELECT i, s, i + 1 AS _c2 FROM (SELECT i, s FROM t)",
    ),
    (
        lambda t, _: t.select(col("i"), col("s")).add_or_replace_columns(concat(col("s"), "x").alias("s")),
        "SELECT i, CONCAT(s, 'x') AS s FROM (SELECT i, s FROM t)",
    ),
    (
        lambda _, u: u.rename_columns(col("k").alias("id")).drop_columns(col("w"), col("us")),
        "SELECT id, v FROM (SELECT k AS id, v, w, us FROM u)",
    ),
    (
        lambda t, _: t.group_by(col("i")).select(col("i"), col("l").sum, col("d").max.alias("top")),
        "SELECT i, SUM(l) AS EXPR$0, MAX(d) AS top FROM t GROUP BY i",
    ),
    (
        lambda t, _: (
            t.where(col("b")).group_by(col("i"), col("s")).select(col("s"), col("l").count.distinct + 1, col("l").sum0)
        ),
        "SELECT s, COUNT(DISTINCT l) + 1 AS _c1, COALESCE(SUM(l), 0) AS EXPR$1 FROM t WHERE b GROUP BY i, s",
    ),
    (lambda t, _: t.select(col("i").sum, col("l").avg), "SELECT SUM(i) AS EXPR$0, AVG(l) AS EXPR$1 FROM t"),
    (
        lambda t, _: t.group_by(col("i")).select(col("i"), lit(1).count.alias("n")).where(col("n") > 1),
        "SELECT * FROM (SELECT i, COUNT(1) AS n FROM t GROUP BY i) WHERE n > 1",
    ),
    (
        lambda t, u: t.select(col("i"), col("s")).join(u, col("i") == col("k")),
        "SELECT * FROM (SELECT i, s FROM t) JOIN u ON i = k",
    ),
    (
        lambda t, u: t.join(u).where(col("i") == col("k")).select(col("i"), col("v")),
        "SELECT i, v FROM t, u WHERE i = k",
    ),
    (
        lambda t, u: t.left_outer_join(u, (col("i") == col("k")) & (col("w") > 3)),
        "SELECT * FROM t LEFT JOIN u ON i = k AND w > 3",
    ),
    (lambda t, u: t.right_outer_join(u, col("i") == col("k")), "SELECT * FROM t RIGHT JOIN u ON i = k"),
    (lambda t, u: t.full_outer_join(u, col("i") == col("k")), "SELECT * FROM t FULL JOIN u ON i = k"),
    (
        lambda t, u: t.join(u).where(
            (col("i") == col("k")) & (col("ts") >= col("us") - lit(5).minutes) & (col("ts") <= col("us"))
        ),
        "SELECT * FROM t, u WHERE i = k AND ts >= us - INTERVAL '5' MINUTE AND ts <= us",
    ),
    (
        lambda t, u: t.select(col("i")).union_all(u.select(col("k"))),
        "SELECT i FROM t UNION ALL SELECT k FROM u",
    ),
    (
        lambda t, u: t.select(col("i")).union_all(u.select(col("k"))).union_all(t.select(col("i"))),
        "SELECT i FROM t UNION ALL SELECT k FROM u UNION ALL SELECT i FROM t",
    ),
    (lambda t, u: t.select(col("i")).union(u.select(col("k"))), "SELECT i FROM t UNION SELECT k FROM u"),
    (
        lambda t, u: t.select(col("i"), col("s")).where(col("i").in_(u.select(col("k")))),
        "SELECT * FROM (SELECT i, s FROM t) WHERE i IN (SELECT * FROM (SELECT k FROM u))",
    ),
    (
        lambda t, _: (
            t.window(Tumble.over(lit(5).minutes).on(col("ts")).alias("w"))
            .group_by(col("w"), col("i"))
            .select(col("i"), col("w").start, col("w").end.alias("e"), col("w").rowtime, col("l").sum.alias("x"))
        ),
        (
            "SELECT i, TUMBLE_START(ts, INTERVAL '5' MINUTE) AS EXPR$0, TUMBLE_END(ts, INTERVAL '5' MINUTE) AS e, "
            "TUMBLE_ROWTIME(ts, INTERVAL '5' MINUTE) AS EXPR$2, SUM(l) AS x FROM t "
            "GROUP BY i, TUMBLE(ts, INTERVAL '5' MINUTE)"
        ),
    ),
    (
        lambda t, _: (
            t.window(Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts")).alias("w"))
            .group_by(col("w"))
            .select(col("w").end, col("l").sum)
        ),
        (
            "SELECT HOP_END(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS EXPR$0, SUM(l) AS EXPR$1 FROM t "
            "GROUP BY HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"
        ),
    ),
    (
        lambda t, _: (
            t.window(Session.with_gap(lit(30).seconds).on(col("p")).alias("w"))
            .group_by(col("i"), col("w"))
            .select(col("i"), col("l").count)
        ),
        "SELECT i, COUNT(l) AS EXPR$0 FROM t GROUP BY i, SESSION(p, INTERVAL '30' SECOND)",
    ),
    (
        lambda t, _: t.over_window(
            Over.partition_by(col("s")).order_by(col("ts")).preceding(row_interval(2)).following(CURRENT_ROW).alias("w")
        ).select(col("s"), col("l").max.over(col("w"))),
        "SELECT s, MAX(l) OVER (PARTITION BY s ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS _c1 FROM t",
    ),
    (
        lambda t, _: t.over_window(Over.order_by(col("ts")).preceding(UNBOUNDED_ROW).alias("w")).select(
            lag(col("l")).over(col("w"))
        ),
        "SELECT LAG(l, 1) OVER (ORDER BY ts) AS _c0 FROM t",
    ),
    (lambda t, _: t.select(twice(col("l")).alias("n")), "SELECT twice(l) AS n FROM t"),
    (
        lambda t, _: t.select(col("s")).join_lateral(words(col("s")).alias("word")),
        "SELECT * FROM (SELECT s FROM t), LATERAL TABLE(words(s)) AS T(word)",
    ),
    (
        lambda t, _: t.select(col("s")).left_outer_join_lateral(call("words", col("s")).alias("word")),
        "SELECT * FROM (SELECT s FROM t) LEFT JOIN LATERAL TABLE(words(s)) AS T(word) ON TRUE",
    ),
]


def plan(table: Table) -> str:
    """The plan, with each function under one name: those of the session have numbers of their own."""
    return re.sub(r"__(function|varying)_\d+_", r"__\1_", repr(table._relation))


@pytest.mark.parametrize(("made", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_both_plans_are_equal(made: Made, text: str) -> None:
    env = environment()
    ours = made(env.from_path("t"), env.from_path("u"))
    theirs = env.sql_query(text)
    assert ours.get_schema() == theirs.get_schema()
    assert plan(ours) == plan(theirs)
