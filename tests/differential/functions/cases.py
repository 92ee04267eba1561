"""Queries that call user-defined functions, and the tables that they read."""

from __future__ import annotations

ROWS = [
    {"id": 1, "k": "a", "n": 3, "s": "one two", "xs": [1, 2, 3], "ts": "2024-05-01 10:00:01"},
    {"id": 2, "k": "b", "n": 1, "s": "three", "xs": [4], "ts": "2024-05-01 10:00:04"},
    {"id": 3, "k": "a", "n": None, "s": None, "xs": [], "ts": "2024-05-01 10:00:09"},
    {"id": 4, "k": "a", "n": 3, "s": "one", "xs": [5, 1], "ts": "2024-05-01 10:00:15"},
    {"id": 5, "k": "c", "n": 0, "s": "", "xs": None, "ts": "2024-05-01 10:00:16"},
    {"id": 6, "k": "b", "n": 7, "s": "six  seven", "xs": [6, 9, 8, 7], "ts": "2024-05-01 10:00:31"},
    {"id": 7, "k": "a", "n": 2, "s": "last", "xs": [2], "ts": "2024-05-01 10:00:33"},
]
COLUMNS = "id BIGINT, k STRING, n BIGINT, s STRING, xs ARRAY<BIGINT>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"

TABLES: dict[str, str] = {
    "join": "SELECT id, w, l FROM t, LATERAL TABLE(words(s)) AS r (w, l)",
    "cross join": "SELECT id, w FROM t CROSS JOIN LATERAL TABLE(words(s)) AS r (w, l) WHERE l > 3",
    "left join": "SELECT id, w, l FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r (w, l) ON TRUE",
    "on a condition": "SELECT id, w FROM t JOIN LATERAL TABLE(words(s)) AS r (w, l) ON l > id",
    "without names": "SELECT id, word, r.length FROM t, LATERAL TABLE(words(s)) AS r",
    "without names or alias": "SELECT id, f0, f1 FROM t, LATERAL TABLE(pairs(n, s))",
    "NULL and rows": "SELECT id, a, b FROM t, LATERAL TABLE(pairs(n, s)) AS r (a, b)",
    "a range": "SELECT id, i FROM t, LATERAL TABLE(numbers(n)) AS r (i)",
    "a list": "SELECT id, x FROM t, LATERAL TABLE(texts(s)) AS r (x)",
    "one value": "SELECT id, x FROM t, LATERAL TABLE(single(s)) AS r (x)",
    "nested values": "SELECT a, b[1], CARDINALITY(b), c['a'] FROM t, LATERAL TABLE(tagged(n)) AS r (a, b, c)",
    "an input type": "SELECT a, b FROM t, LATERAL TABLE(typed(CAST(id AS INT))) AS r (a, b)",
    "two functions": """
        SELECT id, w, i FROM t, LATERAL TABLE(words(s)) AS r (w, l), LATERAL TABLE(numbers(l)) AS q (i) WHERE i < 2
    """,
    "a scalar function within": "SELECT id, w FROM t, LATERAL TABLE(words(shout(s))) AS r (w, l)",
    "an expression": "SELECT id, w FROM t, LATERAL TABLE(words(COALESCE(s, 'no text'))) AS r (w, l)",
    "a changing input": """
        SELECT k, i FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k), LATERAL TABLE(numbers(c)) AS r (i)
    """,
    "an aggregate above": "SELECT w, COUNT(*) FROM t, LATERAL TABLE(words(s)) AS r (w, l) GROUP BY w",
    "a constant": "SELECT w FROM LATERAL TABLE(words('x yy')) AS r (w, l)",
    "a constant without LATERAL": "SELECT w FROM TABLE(words('x yy')) AS r (w, l)",
    "unnest of an expression": "SELECT id, x FROM t CROSS JOIN UNNEST(xs) AS u (x) WHERE x > 4",
}

GROUPED: dict[str, str] = {
    "mean": "mean(n, id)",
    "told": "told(n, s)",
    "joined": "joined(s)",
    "different": "different(n)",
    "of an expression": "told(n + 1)",
    "distinct": "told(DISTINCT n)",
    "distinct pairs": "told(DISTINCT n, k)",
    "filter": "told(n) FILTER (WHERE id > 2)",
    "distinct and filter": "told(DISTINCT n) FILTER (WHERE id > 2)",
    "numbers": "extent(n)",
    "texts": "extent(s)",
    "times": "extent(ts)",
    "dates": "extent(CAST(ts AS DATE))",
    "decimals": "extent(CAST(id AS DECIMAL(5, 2)))",
    "arrays": "extent(xs)",
    "maps": "extent(MAP['n', id])",
    "rows": "extent(ROW(id, k))",
    "no argument": "told()",
    "beside built-in ones": "CAST(SUM(n) AS STRING) || told(id)",
}
"""Aggregates of ``t`` by ``k``."""

CHANGED: dict[str, str] = {
    "mean": "mean(c, m)",
    "told": "told(c, m)",
    "different": "different(c)",
    "distinct": "told(DISTINCT c)",
    "filter": "told(c) FILTER (WHERE m > 5)",
}
"""Aggregates of ``k = 'b'`` over the changing ``SELECT k, COUNT(*) AS c, MAX(id) AS m FROM t GROUP BY k``."""

WINDOWS: dict[str, str] = {
    "tumble": "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
    "hop": "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))",
    "cumulate": "TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))",
    "session": "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '9' SECOND))",
}
OLDER: dict[str, str] = {
    "tumble": "TUMBLE(ts, INTERVAL '10' SECOND)",
    "hop": "HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
    "session": "SESSION(ts, INTERVAL '9' SECOND)",
}
WINDOWED: dict[str, str] = {
    **{
        f"{name} function": f"""
            SELECT k, CAST(window_start AS STRING), told(n), mean(n, id) FROM {window} GROUP BY k, window_start, window_end
        """
        for name, window in WINDOWS.items()
    },
    **{
        f"{name} group": f"""
            SELECT k, CAST({name.upper()}_START({window.partition("(")[2]} AS STRING), told(n), mean(n, id)
            FROM t GROUP BY k, {window}
        """
        for name, window in OLDER.items()
    },
    **{
        f"{name} group of pandas": f"""
            SELECT k, CAST({name.upper()}_START({window.partition("(")[2]} AS STRING), middle(n), middle(id)
            FROM t GROUP BY k, {window}
        """
        for name, window in OLDER.items()
    },
}

LATERALS: dict[str, str] = {
    "unnest, expression": "SELECT id, y FROM t, LATERAL (SELECT x * 10 AS y FROM UNNEST(xs) AS u (x) WHERE x > 1) AS l",
    "unnest": "SELECT id, y FROM t, LATERAL (SELECT x AS y FROM UNNEST(xs) AS u (x) WHERE x > 1) AS l",
    "unnest, outer column": "SELECT id, y FROM t, LATERAL (SELECT x + n AS y FROM UNNEST(t.xs) AS u (x)) AS l",
    "unnest, left": "SELECT id, y FROM t LEFT JOIN LATERAL (SELECT x AS y FROM UNNEST(xs) AS u (x) WHERE x > 1) AS l ON TRUE",
    "unnest, count": "SELECT id, c FROM t, LATERAL (SELECT COUNT(*) AS c FROM UNNEST(xs) AS u (x)) AS l",
    "function": "SELECT id, y FROM t, LATERAL (SELECT w AS y FROM LATERAL TABLE(words(s)) AS r (w, l)) AS l",
    "join": "SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id AS i FROM t AS b WHERE b.k = a.k AND b.n > 2) AS l",
    "join, alias": "SELECT a.id, i FROM t AS a, LATERAL (SELECT id AS i FROM t WHERE k = a.k) AS l (i)",
    "join, outer column": "SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id + a.id AS i FROM t AS b WHERE b.k = a.k) AS l",
    "left join": "SELECT a.id, l.i FROM t AS a LEFT JOIN LATERAL (SELECT b.id AS i FROM t AS b WHERE b.n = a.id) AS l ON TRUE",
    "unequal": "SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id AS i FROM t AS b WHERE b.k = a.k AND b.id > a.id) AS l",
    "no condition": "SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id AS i FROM t AS b WHERE b.n > 2) AS l",
    "aggregate": "SELECT a.id, l.c FROM t AS a, LATERAL (SELECT COUNT(*) AS c FROM t AS b WHERE b.k = a.k) AS l",
    "aggregate, none": "SELECT a.id, l.c FROM t AS a, LATERAL (SELECT COUNT(*) AS c FROM t AS b WHERE b.n = a.id) AS l",
    "aggregate, left": """
        SELECT a.id, l.c FROM t AS a LEFT JOIN LATERAL (SELECT COUNT(*) AS c FROM t AS b WHERE b.n = a.id) AS l ON TRUE
    """,
    "aggregate, unequal": "SELECT a.id, l.c FROM t AS a, LATERAL (SELECT MAX(id) AS c FROM t AS b WHERE b.id < a.id) AS l",
    "aggregate, having": """
        SELECT a.id, l.c FROM t AS a, LATERAL (SELECT COUNT(*) AS c FROM t AS b WHERE b.k = a.k HAVING COUNT(*) > 1) AS l
    """,
    "aggregate, outer column": """
        SELECT a.id, l.c FROM t AS a, LATERAL (SELECT COUNT(*) + a.id AS c FROM t AS b WHERE b.k = a.k) AS l
    """,
    "join of two": """
        SELECT a.id, l.i FROM t AS a, LATERAL (SELECT c.id AS i FROM t AS b JOIN t AS c ON b.id = c.n WHERE b.k = a.k) AS l
    """,
    "left join, unequal": """
        SELECT a.id, l.i FROM t AS a LEFT JOIN LATERAL (SELECT b.id AS i FROM t AS b WHERE b.k = a.k AND b.id > a.id) AS l ON TRUE
    """,
    "left join, constant": """
        SELECT a.id, l.i FROM t AS a LEFT JOIN LATERAL (SELECT 'x' AS i FROM t AS b WHERE b.n = a.id) AS l ON TRUE
    """,
    "aggregate, max": "SELECT a.id, l.c FROM t AS a, LATERAL (SELECT MAX(n) AS c FROM t AS b WHERE b.n = a.id) AS l",
    "group": "SELECT a.id, l.c FROM t AS a, LATERAL (SELECT n, COUNT(*) AS c FROM t AS b WHERE b.k = a.k GROUP BY n) AS l",
    "distinct": "SELECT a.id, l.n FROM t AS a, LATERAL (SELECT DISTINCT n FROM t AS b WHERE b.k = a.k) AS l",
    "top n": """
        SELECT g.k, l.id FROM (SELECT DISTINCT k FROM t) AS g,
        LATERAL (SELECT id, n FROM t WHERE k = g.k ORDER BY id DESC LIMIT 2) AS l
    """,
    "top n, grouped": """
        SELECT g.k, l.id FROM (SELECT k FROM t GROUP BY k) AS g,
        LATERAL (SELECT id, n FROM t WHERE k = g.k AND n > 0 ORDER BY n DESC, id LIMIT 1) AS l
    """,
    "top n of others": """
        SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id AS i FROM t AS b WHERE b.k = a.k ORDER BY b.id DESC LIMIT 1) AS l
    """,
    "limit": "SELECT a.id, l.i FROM t AS a, LATERAL (SELECT b.id AS i FROM t AS b WHERE b.k = a.k LIMIT 1) AS l",
    "top n, left": """
        SELECT g.k, l.id FROM (SELECT DISTINCT k FROM t) AS g
        LEFT JOIN LATERAL (SELECT id, n FROM t WHERE k = g.k AND n > 2 ORDER BY id DESC LIMIT 2) AS l ON TRUE
    """,
}

REFUSED: dict[str, str] = {
    "named argument": "SELECT id, w FROM t, LATERAL TABLE(words(text => s)) AS r (w, l)",
    "left join on a condition": "SELECT id, w FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r (w, l) ON l > 3",
    "right join": "SELECT id, w FROM t RIGHT JOIN LATERAL TABLE(words(s)) AS r (w, l) ON TRUE",
    "too few names": "SELECT id FROM t, LATERAL TABLE(words(s)) AS r (w)",
    "a scalar function in FROM": "SELECT id FROM t, LATERAL TABLE(shout(s)) AS r (w)",
    "a table function in SELECT": "SELECT words(s) FROM t",
    "an aggregate in WHERE": "SELECT id FROM t WHERE told(n) = 'a'",
    "an aggregate of pandas without a window": "SELECT k, middle(n) FROM t GROUP BY k",
    "no retract": "SELECT joined(CAST(c AS STRING)) FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k)",
    "no merge": "SELECT k, joined(s) FROM t GROUP BY k, SESSION(ts, INTERVAL '9' SECOND)",
    "a wrong number of arguments": "SELECT a FROM t, LATERAL TABLE(typed(id, id)) AS r (a, b)",
    "without LATERAL": "SELECT id, w FROM t, TABLE(words(s)) AS r (w, l)",
}
