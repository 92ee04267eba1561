"""Clauses of queries, which are asked of real Flink (``golden.py``) and of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["QUERIES", "TABLES", "Table", "declared"]

Table = tuple[str, tuple[str, ...]]
"""Columns of a table, and its rows as JSON."""

_TIME: Final = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"
TABLES: Final[Mapping[str, Table]] = {
    "t": (
        f"k STRING, v INT, w BIGINT, {_TIME}",
        (
            '{"k":"a","v":1,"w":10,"ts":"2024-05-01 10:00:03"}',
            '{"k":"a","v":1,"w":20,"ts":"2024-05-01 10:00:01"}',
            '{"k":"b","v":2,"w":2,"ts":"2024-05-01 10:00:01"}',
            '{"k":"b","v":null,"w":1,"ts":"2024-05-01 10:02:00"}',
            '{"k":null,"v":3,"w":30,"ts":"2024-05-01 10:01:30"}',
            '{"k":"c","v":5,"w":null,"ts":"2024-05-01 10:03:00"}',
            '{"k":"b","v":null,"w":7,"ts":"2024-05-01 10:02:30"}',
        ),
    ),
    "u": (
        f"k STRING, v INT, x STRING, {_TIME}",
        (
            '{"k":"a","v":1,"x":"p","ts":"2024-05-01 10:00:30"}',
            '{"k":"b","v":null,"x":"q","ts":"2024-05-01 10:01:00"}',
            '{"k":null,"v":3,"x":"r","ts":"2024-05-01 10:00:20"}',
            '{"k":"b","v":2,"x":"s","ts":"2024-05-01 10:02:20"}',
            '{"k":"b","v":2,"x":"t","ts":"2024-05-01 10:01:20"}',
            '{"k":"d","v":9,"x":"a","ts":"2024-05-01 10:04:00"}',
        ),
    ),
    "n": (
        "k STRING NOT NULL, v BIGINT NOT NULL, y DECIMAL(6, 2)",
        ('{"k":"a","v":1,"y":1.5}', '{"k":"b","v":2,"y":2.5}', '{"k":"e","v":4,"y":null}'),
    ),
}

_TUMBLE: Final = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
_SETS: Final = """
    SELECT k, v FROM t INTERSECT SELECT k, v FROM u;
    SELECT k, v FROM t INTERSECT ALL SELECT k, v FROM u;
    SELECT k, v FROM u INTERSECT ALL SELECT k, v FROM t;
    SELECT k, v FROM t EXCEPT SELECT k, v FROM u;
    SELECT k, v FROM t EXCEPT ALL SELECT k, v FROM u;
    SELECT v, k FROM u EXCEPT ALL SELECT v, k FROM t;
    SELECT k FROM n UNION SELECT k FROM t INTERSECT SELECT k FROM u;
    SELECT k FROM n UNION ALL SELECT k FROM t INTERSECT ALL SELECT k FROM u;
    SELECT k FROM t UNION ALL SELECT k FROM n EXCEPT SELECT k FROM u;
    SELECT k FROM t EXCEPT SELECT k FROM n UNION ALL SELECT k FROM u;
    SELECT k FROM t EXCEPT ALL (SELECT k FROM u UNION SELECT k FROM n);
    (SELECT k FROM t INTERSECT SELECT k FROM u) EXCEPT (SELECT k FROM t EXCEPT SELECT k FROM n);
    SELECT v FROM t INTERSECT SELECT w FROM t;
    SELECT v AS a FROM t EXCEPT SELECT v FROM n;
    SELECT v FROM n EXCEPT SELECT v FROM t;
    SELECT k, SUM(v) AS s FROM t GROUP BY k INTERSECT ALL SELECT k, SUM(v) FROM u GROUP BY k;
    SELECT k, SUM(v) AS s FROM t GROUP BY k INTERSECT SELECT k, SUM(v) FROM u GROUP BY k;
    SELECT k, SUM(v) AS s FROM t GROUP BY k EXCEPT SELECT k, SUM(v) FROM u GROUP BY k;
    SELECT k, COUNT(*) AS s FROM t GROUP BY k EXCEPT ALL SELECT k, COUNT(*) FROM u GROUP BY k;
    VALUES (1), (2), (2) INTERSECT ALL VALUES (2), (2), (3);
    VALUES (1, 'a'), (2, 'b') EXCEPT VALUES (2, 'b');
    SELECT k FROM t MINUS SELECT k FROM u;
    WITH b AS (SELECT k FROM t INTERSECT SELECT k FROM u) SELECT k, COUNT(*) AS c FROM b GROUP BY k;
    SELECT k, v FROM n WHERE k IN (SELECT k FROM t INTERSECT SELECT k FROM u);
    SELECT k FROM t INTERSECT DISTINCT SELECT k FROM u;
    SELECT k, v FROM t INTERSECT SELECT k FROM u;
    SELECT k FROM t EXCEPT SELECT v FROM u;
    SELECT k FROM t INTERSECT SELECT k FROM u INTERSECT SELECT k FROM n;
    SELECT k FROM t EXCEPT SELECT k FROM u EXCEPT SELECT k FROM n
"""
_GROUPS: Final = f"""
    SELECT k, v, COUNT(*) AS c, SUM(w) AS s FROM t GROUP BY GROUPING SETS ((k), (v), ());
    SELECT k, v, GROUPING(k) AS gk, GROUPING(v) AS gv, GROUPING_ID(k, v) AS g, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, v);
    SELECT v, k, GROUPING(v, k) AS g, SUM(w) AS s FROM t GROUP BY CUBE (k, v);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY k, ROLLUP (v);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY ROLLUP (k), CUBE (v);
    SELECT k, COUNT(*) AS c FROM t GROUP BY GROUPING SETS ((k), (k));
    SELECT k, GROUP_ID() AS g, COUNT(*) AS c FROM t GROUP BY GROUPING SETS ((k), (k), ());
    SELECT k, GROUP_ID() AS g, COUNT(*) AS c FROM t GROUP BY GROUPING SETS ((k), ());
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, v), ROLLUP (k);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY DISTINCT ROLLUP (k, v), ROLLUP (k);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY GROUPING SETS (ROLLUP (k, v), (v));
    SELECT k, v, w, COUNT(*) AS c FROM t GROUP BY CUBE ((k, v), w);
    SELECT k, GROUPING(k) AS g, COUNT(*) AS c FROM t GROUP BY k;
    SELECT k, GROUPING_ID(k) AS g, GROUP_ID() AS i FROM t GROUP BY k;
    SELECT k, COUNT(*) AS c FROM t GROUP BY ROLLUP (k) HAVING GROUPING(k) = 1 OR COUNT(*) > 2;
    SELECT UPPER(k) AS u, v + 1 AS v1, COUNT(*) AS c FROM t GROUP BY ROLLUP (UPPER(k), v + 1);
    SELECT k, v, SUM(v) AS s, COUNT(k) AS ck FROM t GROUP BY CUBE (k, v);
    SELECT k, COUNT(DISTINCT v) AS d, SUM(w) FILTER (WHERE w > 5) AS f FROM t GROUP BY ROLLUP (k);
    SELECT k, v, COUNT(*) AS c FROM n GROUP BY GROUPING SETS ((k), (k, v));
    SELECT window_start, window_end, k, COUNT(*) AS c FROM {_TUMBLE} GROUP BY GROUPING SETS ((window_start, window_end), (window_start, window_end, k));
    SELECT window_start, k, SUM(w) AS s, GROUPING(k) AS g FROM {_TUMBLE} GROUP BY window_start, window_end, ROLLUP (k);
    SELECT window_end, k, v, COUNT(*) AS c FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, CUBE (k, v);
    SELECT window_start, k, COUNT(*) AS c FROM {_TUMBLE} GROUP BY GROUPING SETS ((window_start, window_end), (k));
    SELECT window_start, k, COUNT(*) AS c FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '50' SECOND)) GROUP BY window_start, window_end, ROLLUP (k);
    SELECT TUMBLE_START(ts, INTERVAL '1' MINUTE) AS b, k, COUNT(*) AS c FROM t GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE), ROLLUP (k);
    SELECT k, COUNT(*) AS c FROM t GROUP BY GROUPING SETS (());
    SELECT COUNT(*) AS c FROM t GROUP BY GROUPING SETS (());
    SELECT COUNT(*) AS c, MAX(v) AS m FROM t GROUP BY ();
    SELECT k, SUM(s) AS ss, COUNT(*) AS c FROM (SELECT k, v, SUM(w) AS s FROM t GROUP BY k, v) GROUP BY ROLLUP (k);
    SELECT DISTINCT v, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, v);
    SELECT k, GROUPING(w) AS g FROM t GROUP BY ROLLUP (k);
    SELECT k, GROUPING_ID() AS g FROM t GROUP BY ROLLUP (k);
    SELECT GROUPING(k) AS g FROM t;
    SELECT w, COUNT(*) AS c FROM t GROUP BY ROLLUP (k);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY k, v, GROUPING SETS ((k), (v));
    SELECT k || 'x' AS kx, COALESCE(k, 'all') AS ka, COUNT(*) + GROUPING(k) AS c FROM t GROUP BY ROLLUP (k);
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, v) ORDER BY c DESC, k, v LIMIT 3;
    SELECT k, v, COUNT(*) AS c FROM t GROUP BY (k, v);
    SELECT CASE GROUPING(k) WHEN 1 THEN 'all' ELSE k END AS l, MAX(w) AS m FROM t GROUP BY CUBE (k)
"""
_JOINS: Final = f"""
    SELECT * FROM t JOIN n USING (k);
    SELECT * FROM t LEFT JOIN n USING (k);
    SELECT * FROM t RIGHT JOIN n USING (k);
    SELECT * FROM t FULL JOIN n USING (k);
    SELECT * FROM n NATURAL JOIN t;
    SELECT * FROM n NATURAL LEFT JOIN u;
    SELECT * FROM n NATURAL FULL OUTER JOIN (SELECT k, x FROM u) AS u;
    SELECT * FROM t JOIN u USING (v, k);
    SELECT * FROM n JOIN (SELECT k, x FROM u) AS u USING (k) JOIN (SELECT k, w FROM t) AS t USING (k);
    SELECT k, x, w FROM n LEFT JOIN (SELECT k, x FROM u) AS u USING (k) LEFT JOIN (SELECT k, w FROM t) AS t USING (k);
    SELECT k FROM n FULL JOIN u USING (k) FULL JOIN t USING (k);
    SELECT n.k AS nk, u.k AS uk, k FROM n FULL JOIN u USING (k);
    SELECT u.*, n.y FROM n LEFT JOIN u USING (k);
    SELECT k, COUNT(*) AS c FROM n LEFT JOIN u USING (k) WHERE k <> 'e' GROUP BY k;
    SELECT * FROM (SELECT y FROM n) AS n NATURAL JOIN (SELECT x FROM u WHERE x < 'c') AS u;
    SELECT v, k, y FROM t JOIN (SELECT v, y FROM n) AS n USING (v);
    SELECT * FROM t AS a JOIN t AS b USING (k, ts);
    SELECT * FROM t JOIN n USING (nope);
    SELECT * FROM t JOIN n USING (w);
    SELECT * FROM t JOIN n USING (K);
    SELECT k FROM t JOIN n ON t.k = n.k;
    SELECT v FROM t JOIN n USING (k);
    SELECT k, t.w FROM n JOIN u USING (k) JOIN t ON t.k = n.k;
    SELECT n.k, t.w FROM n JOIN u USING (k) JOIN t ON t.k = k;
    SELECT * FROM n NATURAL JOIN u ON n.k = u.k;
    SELECT * FROM n JOIN (SELECT v, y AS z FROM n) AS m USING (v) NATURAL JOIN (SELECT k, x FROM u) AS u;
    SELECT k, window_start, t.w, u.x FROM {_TUMBLE} AS t JOIN TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS u USING (k, window_start, window_end);
    SELECT * FROM n JOIN (SELECT k AS v, x FROM u) AS u USING (v);
    SELECT * FROM n JOIN (SELECT k, k AS k2, x FROM u) AS u USING (k, k)
"""
_ORDERS: Final = f"""
    SELECT k, v, w FROM t ORDER BY w LIMIT 3;
    SELECT k, v, w FROM t ORDER BY v DESC, w LIMIT 2 OFFSET 1;
    SELECT k, v FROM t ORDER BY v, k FETCH FIRST 3 ROWS ONLY;
    SELECT w FROM t ORDER BY w FETCH NEXT 1 ROW ONLY;
    SELECT w FROM t ORDER BY w OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;
    SELECT k, v FROM t LIMIT 2;
    SELECT k, w FROM t LIMIT 2 OFFSET 1;
    SELECT k, w FROM t LIMIT 1, 2;
    SELECT k, w FROM t OFFSET 2 ROWS;
    SELECT k, w FROM t ORDER BY w OFFSET 2 ROWS;
    SELECT k, w FROM t FETCH FIRST ROW ONLY;
    SELECT k, w FROM t ORDER BY ts;
    SELECT k, w, ts FROM t ORDER BY ts, w DESC;
    SELECT k, w FROM t ORDER BY ts DESC;
    SELECT k, w FROM t ORDER BY w;
    SELECT k, SUM(v) AS s FROM t GROUP BY k LIMIT 2;
    SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c DESC, k LIMIT 2;
    SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY COUNT(*), MAX(w) LIMIT 2;
    SELECT k FROM t GROUP BY k ORDER BY SUM(w) DESC LIMIT 2;
    SELECT COUNT(*) AS c FROM (SELECT * FROM t ORDER BY w);
    SELECT COUNT(*) AS c FROM (SELECT * FROM t ORDER BY w LIMIT 4);
    SELECT k, w FROM t ORDER BY 2 LIMIT 2;
    SELECT k AS v, w FROM t ORDER BY v NULLS LAST, w LIMIT 3;
    SELECT k FROM t ORDER BY w DESC NULLS LAST LIMIT 2;
    SELECT k, w FROM t ORDER BY w + v DESC, -w LIMIT 2;
    SELECT k, -w AS w FROM t ORDER BY w NULLS LAST LIMIT 2;
    SELECT k, v FROM t LIMIT 0;
    SELECT k, v FROM t LIMIT ALL;
    SELECT DISTINCT k FROM t ORDER BY k LIMIT 2;
    SELECT DISTINCT k FROM t ORDER BY w LIMIT 2;
    SELECT k FROM t UNION ALL SELECT k FROM u ORDER BY k DESC LIMIT 3;
    SELECT k FROM t UNION SELECT k FROM u ORDER BY 1 LIMIT 3;
    (SELECT w FROM t ORDER BY w DESC NULLS LAST LIMIT 1) UNION ALL (SELECT w FROM t ORDER BY w NULLS LAST LIMIT 1);
    SELECT n.k, l.w FROM n JOIN (SELECT k, w FROM t ORDER BY w LIMIT 4) AS l ON n.k = l.k;
    SELECT k, c FROM (SELECT k, COUNT(*) AS c, MAX(ts) AS ts FROM t GROUP BY k) ORDER BY ts;
    SELECT window_start, COUNT(*) AS c FROM {_TUMBLE} GROUP BY window_start, window_end ORDER BY window_start;
    SELECT window_time, COUNT(*) AS c FROM {_TUMBLE} GROUP BY window_start, window_end, window_time ORDER BY window_time;
    SELECT k, w FROM (SELECT k, w, PROCTIME() AS p FROM t) ORDER BY p, w;
    SELECT k, w FROM (SELECT k, w, PROCTIME() AS p FROM t) ORDER BY p;
    SELECT k, w FROM t LIMIT -1;
    SELECT k, w FROM t LIMIT 1 + 1;
    SELECT t.k, w FROM t JOIN n ON t.k = n.k ORDER BY t.w DESC LIMIT 2;
    SELECT * FROM t ORDER BY t.w LIMIT 1;
    SELECT k, w FROM t ORDER BY nope LIMIT 1;
    SELECT k, w FROM t ORDER BY 3 LIMIT 1;
    SELECT k, w FROM t ORDER BY ts LIMIT 2;
    SELECT k, w FROM (SELECT * FROM t LIMIT 4) ORDER BY w LIMIT 2;
    SELECT k, w FROM (SELECT * FROM t ORDER BY w LIMIT 5) LIMIT 2;
    VALUES (3), (1), (2) ORDER BY 1 LIMIT 2;
    SELECT k, w FROM t ORDER BY w LIMIT 100;
    SELECT UPPER(k) AS k, w FROM t ORDER BY k DESC, w LIMIT 2;
    SELECT k, w FROM t ORDER BY 'x' LIMIT 1
"""
_HINTS: Final = """
    SELECT /*+ BROADCAST(n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ SHUFFLE_HASH(t, n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ SHUFFLE_MERGE(t), NEST_LOOP(n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ broadcast(n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST('n') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST(a) */ a.k, n.y FROM t AS a JOIN n ON a.k = n.k;
    SELECT /*+ BROADCAST(t) */ a.k, n.y FROM t AS a JOIN n ON a.k = n.k;
    SELECT /*+ BROADCAST(nope) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST() */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST('a' = 'b') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST(t) */ t.k FROM t;
    SELECT /*+ BROADCAST(t) */ k, COUNT(*) AS c FROM t GROUP BY k;
    SELECT /*+ FANCY(t) */ k FROM t;
    SELECT /*+ FANCY(t) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ OPTIONS('a' = 'b') */ k FROM t;
    SELECT /*+ INDEX(a, b) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = '1d', 'n' = '12h') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('n' = '0s') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('a' = '1d') */ a.k, n.y FROM t AS a JOIN n ON a.k = n.k;
    SELECT /*+ STATE_TTL('t' = '1d') */ a.k, n.y FROM t AS a JOIN n ON a.k = n.k;
    SELECT /*+ STATE_TTL('nope' = '1d') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = 'long') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = '-1s') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL(t) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL() */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = '1d') */ k, COUNT(*) AS c FROM t GROUP BY k;
    SELECT /*+ STATE_TTL('a' = '1d') */ k, COUNT(*) AS c FROM (SELECT * FROM t) AS a GROUP BY k;
    SELECT /*+ STATE_TTL('nope' = '1d') */ k, COUNT(*) AS c FROM t GROUP BY k;
    SELECT /*+ STATE_TTL('t' = '1d') */ k FROM t;
    SELECT /*+ STATE_TTL('t' = '1d', 't' = '2d') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = '1d'), STATE_TTL('n' = '2d') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ STATE_TTL('t' = '1d'), BROADCAST(n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT k FROM t /*+ STATE_TTL('t' = '1d') */;
    SELECT k FROM t /*+ FANCY('t' = '1d') */;
    SELECT /*+ LOOKUP('table' = 'n', 'async' = 'true') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'n', 'asink' = 'true') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('async' = 'true') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'n', 'async' = 'maybe') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'n', 'retry-predicate' = 'lookup_miss', 'retry-strategy' = 'fixed_delay', 'fixed-delay' = '10s', 'max-attempts' = '3') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'n', 'retry-predicate' = 'lookup_miss') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'n', 'output-mode' = 'fast', 'async' = 'true') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP(n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ LOOKUP('table' = 'nope', 'async' = 'true') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ MULTI_JOIN(t, n) */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ EARLY_FIRE('delay' = '1s') */ t.k, n.y FROM t JOIN n ON t.k = n.k;
    SELECT /*+ BROADCAST(n) */ k FROM n WHERE k IN (SELECT k FROM t)
"""
_OTHERS: Final = """
    SELECT 1 AS a, 'b' AS b;
    SELECT 1 + 1;
    SELECT 1 AS a WHERE 1 = 0;
    SELECT COUNT(*) AS c;
    VALUES (1, 'a'), (2, 'b');
    VALUES 1, 2;
    VALUES ROW(1, 2), ROW(3, 4);
    SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS q (a, b);
    SELECT * FROM (VALUES 1, 2) AS q (a);
    SELECT a FROM (VALUES (1), (2)) AS q (a) WHERE a IN (VALUES 2, 3);
    SELECT k FROM t WHERE v IN (VALUES (1));
    SELECT n.k, q.b FROM n JOIN (VALUES ('a', 7)) AS q (a, b) ON n.k = q.a;
    WITH q (a) AS (VALUES 1, 2) SELECT SUM(a) AS s FROM q;
    SELECT k FROM t UNION ALL VALUES ('z');
    SELECT k, COUNT(*) AS c FROM t GROUP BY 1;
    SELECT COUNT(*) AS c FROM t GROUP BY 1;
    SELECT k AS l, COUNT(*) AS c FROM t GROUP BY l;
    SELECT v + 1 AS v, COUNT(*) AS c FROM t GROUP BY v;
    SELECT COUNT(*) AS c FROM t HAVING COUNT(*) > 1;
    SELECT COUNT(*) AS c FROM t HAVING COUNT(*) > 100;
    SELECT 1 AS a FROM t HAVING COUNT(*) > 1;
    SELECT k FROM t HAVING COUNT(*) > 1;
    SELECT 1 AS a FROM t HAVING 1 = 1;
    SELECT k FROM t HAVING k = 'a';
    SELECT k, COUNT(*) AS c FROM t GROUP BY k HAVING c > 1;
    SELECT DISTINCT ON (k) k, v FROM t;
    SELECT ALL k FROM t;
    SELECT DISTINCT k, v FROM t;
    SELECT STREAM k FROM t;
    SELECT k, COUNT(*) AS c FROM t GROUP BY ALL k;
    SELECT k FROM t AS a (k, v);
    SELECT a FROM t AS b (a, v, w, ts);
    SELECT 1 AS a, 2 AS a;
    SELECT t.k k FROM t t;
    SELECT * FROM t, n WHERE t.k = n.k;
    SELECT t.*, 1 AS one FROM t;
    SELECT *, k AS k2 FROM n;
    TABLE n;
    (SELECT k FROM n);
    SELECT k FROM (n);
    SELECT k FROM TABLE n;
    SELECT a.k FROM (n JOIN (SELECT k AS l FROM t) AS m ON n.k = m.l) AS a;
    SELECT n.k FROM (n JOIN (SELECT k AS l FROM t) AS m ON n.k = m.l);
    WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT a FROM r;
    WITH b AS (SELECT k FROM n), b AS (SELECT v FROM n) SELECT * FROM b;
    WITH b AS (SELECT k FROM b) SELECT * FROM b;
    SELECT k value FROM n;
    SELECT k AS value FROM n;
    SELECT k AS `value`, v AS `select` FROM n;
    SELECT `n`.`k` FROM `n`
"""


def _split(text: str) -> Iterator[str]:
    return (re.sub(r"\s+", " ", one).strip() for one in text.split(";"))


QUERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "sets": tuple(_split(_SETS)),
    "groups": tuple(_split(_GROUPS)),
    "joins": tuple(_split(_JOINS)),
    "orders": tuple(_split(_ORDERS)),
    "hints": tuple(_split(_HINTS)),
    "others": tuple(_split(_OTHERS)),
}
"""Queries, by clause."""


def declared(folder: Path) -> Iterator[str]:
    """Write the rows of the tables to files, and yield the statements that declare the tables."""
    for name, (columns, rows) in TABLES.items():
        path = folder / name
        path.mkdir()
        (path / "rows.json").write_text("\n".join(rows) + "\n")
        yield f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path.as_uri()}', 'format' = 'json')"
