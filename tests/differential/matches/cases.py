"""Queries with MATCH_RECOGNIZE, of Flink's documentation and others, with the rows that they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CASES", "COLUMNS", "LATE", "ROWS", "SAMPLE", "VIEWS"]

COLUMNS: Final = (
    "id INT, symbol STRING, price INT, tax BIGINT, amount DECIMAL(8, 2), rate DOUBLE, part FLOAT, tag STRING, "
    "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
)
"""Columns of the table ``ticker``."""

_PRICES: Final = (
    *(12, 17, 19, 21, 25, 18, 15, 14, 24, 25, 19, 20, 11, 13),
    *(13, 16, 12, 11, 10, 14, 9, 30, 31, 8, 8, 17, 40, 13),
)
_TAGS: Final = ("a", "b", None, "c", "a", "a", "bb")
_DELAYS: Final = (0, 0, 2, -1, 0, 0, 3)


def _rows() -> list[dict[str, object]]:
    """Rows of two symbols, some of them before their turn, some of one time, and some with NULL."""
    rows: list[dict[str, object]] = []
    for at, price in enumerate(_PRICES):
        for symbol, of in (("ACME", price), ("BOLT", _PRICES[-1 - at])):
            number = len(rows)
            second = at * 2 + (0 if at % 9 == 4 else _DELAYS[number % len(_DELAYS)])
            rows.append(
                {
                    "id": number,
                    "symbol": symbol,
                    "price": None if number in (25, 38) else of,
                    "tax": number % 4,
                    "amount": of / 4,
                    "rate": of / 3,
                    "part": of / 8,
                    "tag": _TAGS[number % len(_TAGS)],
                    "ts": f"2024-05-01 10:{second // 60:02}:{second % 60:02}",
                }
            )
    rows.insert(9, {**rows[9], "id": 100, "symbol": None, "price": 15})
    rows.insert(20, {**rows[21], "id": 101, "symbol": None, "price": 12})
    rows.insert(30, {**rows[31], "id": 102, "symbol": None, "price": 17})
    return rows


ROWS: Final = _rows()
LATE: Final = 19
"""Number of the row that is late, if the watermark follows each row."""


def _match(
    pattern: str,
    define: str,
    measures: str = "FIRST(id) AS x, LAST(id) AS y",
    *,
    after: str = "AFTER MATCH SKIP PAST LAST ROW",
    rows: str = "ONE ROW PER MATCH",
    by: str = "PARTITION BY symbol",
    order: str = "ORDER BY ts",
    source: str = "ticker",
    selected: str = "*",
) -> str:
    measured = f"MEASURES {measures}" if measures else ""
    defined = f"DEFINE {define}" if define else ""
    clauses = " ".join(filter(None, (by, order, measured, rows, after, f"PATTERN {pattern}", defined)))
    return f"SELECT {selected} FROM {source} MATCH_RECOGNIZE ({clauses}) AS m"


_NEXT: Final = "AFTER MATCH SKIP TO NEXT ROW"
_DOWN: Final = "(LAST(DOWN.price, 1) IS NULL AND DOWN.price < BEGINNING.price) OR DOWN.price < LAST(DOWN.price, 1)"
_RISING: Final = (
    "B AS B.price > A.price AND B.price > LAST(B.price, 1) OR LAST(B.price, 1) IS NULL AND B.price > A.price"
)
_QUANTIFIERS: Final = (
    *("A B* C", "A B+ C", "A B? C", "A B{2} C", "A B{2,} C", "A B{1,3} C", "A B{,2} C", "A B{0,} C", "A B{0,3} C"),
    *("A B*? C", "A B+? C", "A B{2,}? C", "A B{1,3}? C", "A B{,2}? C", "A B{2}? C", "A B{0,1} C"),
    *("A* C", "A+ C", "A? C", "A{2} C", "A{1,2} C", "A{2,} C", "A+? C", "A*? C", "A{1,3}? C", "A? B? C", "A* B* C"),
    *(
        "A+ B+ C",
        "A{1,2} B{1,2} C",
        "A*? B*? C",
        "A B* C?",
        "A B* C+?",
        "A+? B+?",
        "A B C*?",
        "A B C{2}",
        "A B C{1,3}?",
    ),
    *("A B C{2,}?", "A+ B? C", "A? B+ C D", "A B* C* D", "A* B+? C{1,2} D"),
)
_OVERLAPPING: Final = "A AS A.price > 10, B AS B.price < 20, C AS C.price > 12"
_DISTINCT: Final = "A AS price > 15, B AS price < 15 OR tag = 'a', C AS price >= 13, D AS tag IS NOT NULL"

CASES: Final[Mapping[str, str]] = {
    **{
        f"{one}": _match(f"({one})", _OVERLAPPING, "FIRST(id) AS x, LAST(id) AS y, COUNT(B.id) AS n")
        for one in _QUANTIFIERS
        if "B" in one and "D" not in one
    },
    **{
        f"{one}": _match(f"({one})", _OVERLAPPING, "FIRST(id) AS x, LAST(id) AS y, COUNT(A.id) AS n")
        for one in _QUANTIFIERS
        if "B" not in one
    },
    **{
        f"{one} again": _match(f"({one})", _DISTINCT, "FIRST(id) AS x, LAST(id) AS y", after=_NEXT)
        for one in _QUANTIFIERS
    },
    **{
        f"{one} {bound}": _match(f"({one}) WITHIN INTERVAL {bound}", _OVERLAPPING, after=after)
        for one, bound, after in (
            ("A B* C", "'6' SECOND", ""),
            ("A B* C", "'2' SECOND", _NEXT),
            ("A B+? C", "'8' SECOND", _NEXT),
            ("A B{2,} C", "'0 00:00:07' DAY TO SECOND", _NEXT),
            ("A* B+ C", "'4' SECOND", ""),
            ("A B", "'1' HOUR", ""),
            ("A B C+?", "'5' SECOND", "AFTER MATCH SKIP TO LAST C"),
            ("A B* C", "'0' SECOND", ""),
            ("A B* C", "'1' MONTH", ""),
            ("A+ B", "'3' SECOND", ""),
            ("A+", "'3' SECOND", ""),
        )
    },
    "documented: prices that fall": _match(
        "(BEGINNING DOWN+ UP)",
        f"DOWN AS {_DOWN}, UP AS UP.price > LAST(DOWN.price, 1)",
        "BEGINNING.ts AS start_tstamp, LAST(DOWN.ts) AS bottom_tstamp, LAST(UP.ts) AS end_tstamp",
        after="AFTER MATCH SKIP TO LAST UP",
    ),
    "documented: average": _match(
        "(A+ B)",
        "A AS AVG(A.price) < 15",
        "FIRST(A.ts) AS start_tstamp, LAST(A.ts) AS end_tstamp, AVG(A.price) AS avg_price",
        after="AFTER MATCH SKIP PAST LAST ROW",
    ),
    "documented: partition by": _match(
        "(A B* C)",
        "A AS A.price > 10, B AS B.price < 15, C AS C.price > 12",
        "C.price AS last_price",
        after="AFTER MATCH SKIP PAST LAST ROW",
    ),
    "documented: reluctant": _match(
        "(A B*? C)", "A AS A.price > 10, B AS B.price < 15, C AS C.price > 12", "C.price AS last_price"
    ),
    "documented: within": _match(
        "(A B+ C) WITHIN INTERVAL '10' SECOND",
        "B AS B.price > A.price - 10, C AS C.price < A.price - 10",
        "C.ts AS drop_time, A.price - C.price AS drop_diff",
        after="AFTER MATCH SKIP PAST LAST ROW",
    ),
    "documented: logical offsets": _match(
        "(A+ B)",
        "A AS LAST(A.price, 1) IS NULL OR A.price > LAST(A.price, 1)",
        "FIRST(A.price) AS f, FIRST(A.price, 1) AS f1, LAST(A.price) AS l, LAST(A.price, 1) AS l1, LAST(A.price, 7) AS l7",
    ),
    "documented: sums over variables": _match(
        "(A B* C)",
        "A AS A.price > 10, B AS SUM(B.price) < 40, C AS C.price > 12 AND SUM(price) < 80",
        "FIRST(id) AS x, SUM(price) AS s, SUM(A.price * A.tax) AS t, COUNT(B.id) AS n",
        after=_NEXT,
    ),
    "documented: navigation over an expression": _match(
        "(A B+ C)", "B AS B.price > 12", "LAST(B.price * B.tax) AS p, LAST(B.price * 2, 1) AS q, FIRST(B.tag) AS t"
    ),
    **{
        f"documented: skip {where}": _match(
            "(A B+ C D)",
            "A AS price > 12, B AS price < 20, C AS price > 13, D AS price > 10",
            "A.id AS a, FIRST(B.id) AS b, LAST(B.id) AS bb, C.id AS c, D.id AS d",
            after=f"AFTER MATCH SKIP {where}",
        )
        for where in (
            "PAST LAST ROW",
            "TO NEXT ROW",
            "TO FIRST B",
            "TO LAST B",
            "TO FIRST C",
            "TO LAST D",
            "TO B",
            "TO A",
            "TO FIRST A",
            "TO FIRST X",
        )
    },
    "no skip is past the last row": _match("(A B)", "A AS price > 15, B AS price > 10", after=""),
    "skip to a variable that is missing": _match(
        "(A B? C)", "A AS price > 10, B AS price < 0", after="AFTER MATCH SKIP TO FIRST B"
    ),
    "no rows clause": _match("(A B)", "B AS B.price > A.price", rows=""),
    "all rows": _match("(A B)", "B AS B.price > A.price", rows="ALL ROWS PER MATCH"),
    "no partition": _match("(A B+ C)", "B AS B.price > A.price, C AS C.symbol = A.symbol AND C.price < A.price", by=""),
    "two keys": _match("(A B)", "B AS B.price > A.price", by="PARTITION BY symbol, tag"),
    "key by expression": _match("(A B)", "B AS B.price > A.price", by="PARTITION BY UPPER(symbol)"),
    "no order": _match("(A B)", "B AS B.price > A.price", order=""),
    "order by price": _match("(A B)", "B AS B.price > A.price", order="ORDER BY price"),
    "order by time descending": _match("(A B)", "B AS B.price > A.price", order="ORDER BY ts DESC"),
    "order by time and price": _match("(A B+? C)", "B AS B.price >= A.price", order="ORDER BY ts, price DESC", by=""),
    "order by time, symbol and price": _match(
        "(A B+? C)", "B AS B.price >= A.price", order="ORDER BY ts ASC, symbol DESC, price", by=""
    ),
    "no measures": _match("(A B)", "B AS B.price > A.price", ""),
    "no define": _match("(A B)", ""),
    "variables without a condition": _match("(A B C)", "C AS C.price > 20"),
    "lower case variables": _match(
        "(a b+? c)", "b AS b.price > a.price, c AS c.price < LAST(b.price)", "a.id AS x, b.id AS y, c.id AS z"
    ),
    "quoted variables": _match("(`a` `B`)", "`B` AS `B`.price > `a`.price", "`a`.id AS x, `B`.id AS y"),
    "variables of another case": _match("(A B)", "B AS b.price > a.price", "a.id AS x, B.id AS y"),
    "variable of define that the pattern does not have": _match("(A B)", "B AS price > 10, C AS price > 12"),
    "variable of measures that the pattern does not have": _match("(A B)", "B AS price > 10", "C.id AS x"),
    "variable twice": _match("(A B A)", "B AS price > 10"),
    "later variable": _match("(A B)", "A AS B.price IS NULL, B AS B.price > A.price", "A.id AS x, B.id AS y"),
    "unqualified offsets": _match(
        "(A+ B)",
        "A AS LAST(price, 1) IS NULL OR price > LAST(price, 1), B AS price < FIRST(price)",
        "FIRST(price) AS f, LAST(price) AS l, LAST(price, 1) AS l1, FIRST(price, 1) AS f1, price AS p, id AS i",
    ),
    "offsets of others": _match(
        "(A B+ C)",
        "B AS B.price > FIRST(A.price), C AS C.price < LAST(B.price, 1) OR LAST(B.price, 1) IS NULL",
        "B.id AS b, FIRST(B.id, 1) AS b1, FIRST(B.id, 9) AS b9",
    ),
    "prev": _match("(A B)", "B AS B.price > PREV(B.price)"),
    "prev 0": _match("(A B)", "B AS PREV(B.price, 0) > 14"),
    "next": _match("(A B)", "B AS B.price > NEXT(B.price)"),
    "prev in measures": _match("(A B)", "B AS B.price > A.price", "PREV(B.price) AS x"),
    "classifier": _match("(A B)", "B AS B.price > A.price", "CLASSIFIER() AS x"),
    "match number": _match("(A B)", "B AS B.price > A.price", "MATCH_NUMBER() AS x"),
    "final": _match("(A B+? C)", "B AS B.price > A.price", "FINAL LAST(B.id) AS x, FINAL COUNT(B.id) AS y"),
    "running": _match("(A B+? C)", "B AS B.price > A.price", "RUNNING LAST(B.id) AS x"),
    "rowtime": _match("(A B+? C)", "B AS B.price > A.price", "MATCH_ROWTIME() AS rt, A.ts AS ats"),
    "rowtime of a column": _match("(A B+? C)", "B AS B.price > A.price", "MATCH_ROWTIME(ts) AS rt"),
    "proctime": _match(
        "(A B)", "B AS B.price > A.price", "MATCH_PROCTIME() AS p", selected="symbol, p IS NOT NULL AS q"
    ),
    "windows by the time of matches": "SELECT window_start, symbol, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE matched, DESCRIPTOR(rt), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, symbol",
    "columns": _match(
        "(A B)",
        "B AS B.price > A.price",
        "A.id + B.id AS s, CAST(A.price AS STRING) || '!' AS t, B.ts AS u, CASE WHEN A.price > 15 THEN B.tag ELSE 'none' END AS c, UPPER(A.tag) AS v, COALESCE(A.tag, B.tag, '-') AS w",
    ),
    "columns of aggregates": _match(
        "(A+ B)",
        "A AS A.price < 18",
        "SUM(A.tax) AS s, AVG(A.price) AS a, AVG(A.amount) AS aa, AVG(A.rate) AS ar, AVG(A.part) AS ap, SUM(A.part) AS sp, SUM(A.amount) AS sa, MIN(A.tag) AS mi, MAX(A.ts) AS ma, COUNT(A.tag) AS c, SUM(B.price) + COUNT(A.price) AS x",
    ),
    "aggregates of others": _match(
        "(A+ B)",
        "A AS A.price < 18",
        "STDDEV_POP(A.rate) AS sd, VAR_SAMP(A.rate) AS vs, LISTAGG(A.tag) AS la, FIRST_VALUE(A.tag) AS fv, LAST_VALUE(A.tag) AS lv",
    ),
    "aggregates of collections": _match(
        "(A+ B)", "A AS A.price < 18", "CARDINALITY(COLLECT(A.tag)) AS co, CARDINALITY(ARRAY_AGG(A.tag)) AS ag"
    ),
    "aggregates of no rows": _match(
        "(A B* C)",
        "A AS A.price > 15, B AS FALSE",
        "SUM(B.price) AS s, COUNT(B.price) AS c, MIN(B.tag) AS m, AVG(B.price) AS a, B.price AS p",
    ),
    "aggregates in conditions": _match(
        "(A+ B)",
        "A AS COUNT(A.price) < 4 AND MAX(A.price) - MIN(A.price) < 8, B AS B.price > AVG(A.price) OR SUM(A.tax) >= 3",
        after=_NEXT,
    ),
    "aggregates of decimals in conditions": _match(
        "(A+ B)", "A AS SUM(A.amount) < 12.5, B AS B.amount * 2 > AVG(A.amount) + 1.25", after=_NEXT
    ),
    "aggregates of doubles in conditions": _match(
        "(A+ B)", "A AS AVG(A.rate) < 5.5 OR SUM(A.part) > 8, B AS B.rate / 2 < MAX(A.rate)", after=_NEXT
    ),
    "count of rows": _match("(A+ B)", "A AS A.price < 18", "COUNT(*) AS c"),
    "count of rows of a variable": _match("(A+ B)", "A AS A.price < 18", "COUNT(A.*) AS c"),
    "distinct": _match("(A+ B)", "A AS A.price < 18", "COUNT(DISTINCT A.tag) AS c, SUM(DISTINCT A.tax) AS s"),
    "distinct in conditions": _match("(A+ B)", "A AS COUNT(DISTINCT A.tag) < 2"),
    "filter": _match("(A+ B)", "A AS A.price < 18", "COUNT(A.tag) FILTER (WHERE A.tag = 'a') AS c"),
    "aggregate of two variables": _match("(A+ B)", "A AS A.price < 18", "SUM(A.price + B.price) AS s"),
    "navigation over two variables": _match("(A+ B)", "A AS A.price < 18", "LAST(A.price + B.price) AS s"),
    "nested navigation": _match("(A+ B)", "A AS A.price < 18", "FIRST(LAST(A.price, 1), 1) AS s"),
    "navigation in aggregates": _match("(A+ B)", "A AS A.price < 18", "SUM(LAST(A.price)) AS s"),
    "aggregates in navigation": _match("(A+ B)", "A AS A.price < 18", "LAST(SUM(A.price)) AS s"),
    "aggregate of a constant": _match("(A+ B)", "A AS A.price < 18", "SUM(1) AS s"),
    "offset below zero": _match("(A+ B)", "A AS A.price < 18", "LAST(A.price, -1) AS s"),
    "offset of a column": _match("(A+ B)", "A AS A.price < 18", "LAST(A.price, A.tax) AS s"),
    "conditions with NULL": _match(
        "(A B C)", "A AS NOT (A.price > 100), B AS B.price <> A.price OR B.tag = A.tag, C AS NOT (C.tag = B.tag)"
    ),
    "conditions with CASE": _match(
        "(A B+? C)",
        "B AS CASE WHEN A.price > 15 THEN B.price < A.price ELSE B.price > A.price END, C AS COALESCE(C.tag, 'z') >= COALESCE(B.tag, 'b')",
    ),
    "conditions with BETWEEN and IN": _match(
        "(A B C)",
        "B AS B.price BETWEEN A.price - 3 AND A.price + 3, C AS C.price IN (A.price, B.price, B.price + 1, 24)",
    ),
    "conditions with BETWEEN and OR": _match(
        "(A B C)",
        "B AS B.price BETWEEN A.price - 3 AND A.price + 3, C AS C.price = A.price OR C.price = B.price OR C.price = B.price + 1 OR C.price = 24",
    ),
    "conditions with texts": _match("(A B)", "B AS B.tag LIKE A.tag || '%'"),
    "conditions with functions": _match(
        "(A B)",
        "A AS UPPER(A.tag) = 'A', B AS ABS(B.price - A.price) > 2 AND UPPER(B.tag) >= UPPER(A.tag) AND B.price / 2 < A.price AND MOD(B.price, 3) <> MOD(A.price, 3)",
    ),
    "conditions with times": _match(
        "(A B+? C)", "B AS B.ts < A.ts + INTERVAL '3' SECOND, C AS TIMESTAMPDIFF(SECOND, A.ts, C.ts) > 3"
    ),
    "conditions with times alone": _match(
        "(A B+? C)", "B AS B.ts > A.ts, C AS C.ts >= LAST(B.ts) AND C.ts < TIMESTAMP '2024-05-01 10:00:40'"
    ),
    "conditions with IS": _match(
        "(A B)",
        "A AS (A.price > 15) IS NOT TRUE, B AS (B.price > A.price) IS NOT FALSE AND B.tag IS DISTINCT FROM A.tag",
    ),
    "conditions with casts": _match(
        "(A B)", "B AS CAST(B.price AS BIGINT) > CAST(A.price AS BIGINT) + 1 AND CAST(B.rate AS INT) > A.tax"
    ),
    "conditions with other types": _match(
        "(A B C)",
        "B AS B.price > A.amount AND B.rate > A.price, C AS C.amount > B.rate / 2 AND C.part < B.price AND C.tax <> B.price",
    ),
    "condition that is no boolean": _match("(A B)", "B AS B.price"),
    "condition with a subquery": _match("(A B)", "B AS B.price IN (SELECT price FROM ticker)"),
    "division": _match("(A B)", "B AS B.price / A.price > 1 OR B.amount / A.amount > 1.5 OR -B.price > -A.price"),
    "remainders": _match("(A B+? C)", "B AS B.price % A.tax = 1"),
    "greedy at the end": _match("(A B+)", "B AS B.price > A.price"),
    "greedy star at the end": _match("(A B*)", "B AS B.price > A.price"),
    "greedy bounds at the end": _match("(A B{1,2})", "B AS B.price > A.price"),
    "reluctant optional": _match("(A B?? C)", "B AS B.price > A.price"),
    "reluctant 0 or 1": _match("(A B{,1}? C)", "B AS B.price > A.price"),
    "empty matches": _match("(A*)", "A AS A.price > 10"),
    "empty matches of two": _match("(A? B*)", "A AS A.price > 10"),
    "alternatives": _match("(A (B | C))", "B AS B.price > A.price"),
    "alternatives alone": _match("(A | B)", "B AS B.price > 10"),
    "groups": _match("((A B)+ C)", "B AS B.price > A.price"),
    "groups once": _match("(A (B C))", "B AS B.price > A.price"),
    "groups first": _match("((A B) C)", "B AS B.price > A.price"),
    "permutations": _match("(PERMUTE(A, B))", "B AS B.price > 10"),
    "exclusions": _match("(A {- B -} C)", "B AS B.price > A.price"),
    "anchors": _match("(^ A B)", "B AS B.price > A.price"),
    "anchor at the end": _match("(A B $)", "B AS B.price > A.price"),
    "subset": "SELECT * FROM ticker MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES FIRST(U.id) AS x PATTERN (A B) SUBSET U = (A, B) DEFINE B AS B.price > A.price) AS m",
    "none at all": _match("(A B{0} C)", "B AS B.price > A.price"),
    "bounds the wrong way": _match("(A B{3,2} C)", "B AS B.price > A.price"),
    "no alias": "SELECT * FROM ticker MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.price > A.price)",
    "alias with columns": "SELECT q, p FROM ticker MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.price > A.price) AS m (p, q)",
    "alias before": "SELECT * FROM ticker AS t MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.price > A.price) AS m",
    "of a query": _match(
        "(A B)",
        "B AS B.twice > A.twice",
        "A.twice AS x, B.twice AS y",
        source="(SELECT symbol, price * 2 AS twice, ts FROM ticker WHERE tag IS NOT NULL)",
    ),
    "of a view": _match("(A B)", "B AS B.twice > A.twice", "A.twice AS x, B.twice AS y", source="twice"),
    "columns that are never NULL": _match(
        "(A B)",
        "B AS B.n > A.n",
        "A.n AS x, LAST(B.n, 1) AS y, n AS z, SUM(A.n) AS s",
        source="(SELECT symbol, COALESCE(price, 0) AS n, ts FROM ticker)",
    ),
    "wider than the table": _match("(A B)", "B AS B.price > A.price", selected="m.symbol, x"),
    "two matches": f"SELECT a.x, b.y FROM ({_match('(A B)', 'B AS B.price > A.price')}) AS a JOIN ({_match('(A B)', 'B AS B.price < A.price')}) AS b ON a.y = b.x",
    "match of a match": "SELECT * FROM matched MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY rt MEASURES A.x AS x, B.x AS y PATTERN (A B) DEFINE B AS B.x > A.x + 3) AS m",
    "with a window before": "SELECT * FROM (SELECT symbol, window_time AS wt, SUM(price) AS s FROM TABLE(TUMBLE(TABLE ticker, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY symbol, window_start, window_end, window_time) MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY wt MEASURES A.s AS x, B.s AS y PATTERN (A B) DEFINE B AS B.s < A.s) AS m",
    "of changes": _match(
        "(A B)",
        "B AS B.price > A.price",
        "A.price AS x",
        source="(SELECT symbol, MAX(price) AS price, MAX(ts) AS ts FROM ticker GROUP BY symbol)",
    ),
    "aggregated": f"SELECT symbol, COUNT(*) AS n, SUM(y - x) AS s FROM ({_match('(A B+ C)', _RISING)}) GROUP BY symbol",
    "joined": f"SELECT m.x, t.price FROM ({_match('(A B+ C)', _RISING)}) AS m JOIN ticker AS t ON t.id = m.y",
    "with a condition": f"{_match('(A B)', 'B AS B.price > A.price')} WHERE m.x > 20",
    "keys in measures": _match("(A B)", "B AS B.price > A.price", "A.symbol AS symbol2, symbol AS s3"),
    "measure named as a key": _match("(A B)", "B AS B.price > A.price", "A.id AS symbol"),
    "measure twice": _match("(A B)", "B AS B.price > A.price", "A.id AS x, B.id AS x"),
    "measure without a name": _match("(A B)", "B AS B.price > A.price", "A.id"),
    "unknown column": _match("(A B)", "B AS B.prize > A.price"),
    "unknown column of measures": _match("(A B)", "B AS B.price > A.price", "A.prize AS x"),
    "table name in conditions": _match("(A B)", "B AS ticker.price > 10"),
    "clock": _match("(A B)", "B AS B.price > A.price", order="ORDER BY p", source="clocked"),
    "clock and price": _match("(A B)", "B AS B.price > A.price", order="ORDER BY p, price", source="clocked"),
    "clock within": _match(
        "(A B) WITHIN INTERVAL '1' HOUR", "B AS B.price > A.price", order="ORDER BY p", source="clocked"
    ),
}
VIEWS: Final[Mapping[str, str]] = {
    "twice": "SELECT symbol, price * 2 AS twice, ts FROM ticker WHERE tag IS NOT NULL",
    "matched": _match("(A B+? C)", "B AS B.price > A.price", "MATCH_ROWTIME() AS rt, A.id AS x"),
    "clocked": "SELECT id, symbol, price, PROCTIME() AS p FROM ticker",
}
SAMPLE: Final = (
    "documented: prices that fall",
    "documented: within",
    "documented: logical offsets",
    "documented: sums over variables",
    "A B* C",
    "A B+? C again",
    "A* B+ C '4' SECOND",
    "order by time and price",
)
"""Names of those that each test run carries out with Spark, in one job."""
