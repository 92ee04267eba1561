"""Queries with OVER and their inputs: run on real Flink by ``record``, and compared with its results here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["COLUMNS", "INPUTS", "QUERIES", "REFUSED", "comparable", "golden", "lines"]

COLUMNS = (
    "k STRING, id INT, v BIGINT, d DOUBLE, f FLOAT, n DECIMAL(10, 2), b BOOLEAN, s STRING, ts TIMESTAMP(3), "
    "pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
)
"""Columns of the table ``events``."""
_DAY = "2024-05-01 10:00:"

Row = tuple[Any, ...]


def _rows(*rows: tuple[str | None, int, int | None, str]) -> tuple[Row, ...]:
    """Rows with values derived from a number, which NULL makes all NULL."""
    return tuple(
        (
            *(key, at, v),
            *((None,) * 5 if v is None else (v / 4, v * 0.1, f"{v}.50", v % 2 == 0, "abcdefghij"[v % 10])),
            _DAY + second,
        )
        for key, at, v, second in rows
    )


INPUTS: Mapping[str, tuple[Row, ...]] = {
    "in order": _rows(
        *(("a", 1, 3, "00.000"), ("b", 2, 5, "00.500"), ("a", 3, 1, "01.000"), ("a", 4, 4, "01.000")),
        *(("a", 5, None, "02.000"), ("b", 6, 5, "03.000"), (None, 7, 9, "03.000"), ("a", 8, 1, "04.250")),
        *(("a", 9, 3, "05.000"), ("b", 10, 2, "05.000"), (None, 11, 7, "06.500"), ("a", 12, 2, "09.000")),
        *(("a", 13, 2, "09.000"), ("a", 14, 8, "09.000"), ("b", 15, None, "12.000"), ("c", 16, None, "13.000")),
    ),
    "out of order": _rows(
        *(("a", 1, 3, "03.000"), ("a", 2, 5, "01.500"), ("b", 3, 1, "02.000"), ("a", 4, 4, "03.000")),
        *(("a", 5, None, "02.000"), ("a", 6, 6, "05.000"), ("b", 7, 9, "04.000"), ("a", 8, 1, "03.000")),
        *(("b", 9, 3, "04.000"), ("a", 10, 2, "04.500"), ("b", 11, 7, "05.000"), ("a", 12, 2, "06.900")),
    ),
    "late": _rows(
        *(("a", 1, 3, "03.000"), ("a", 2, 5, "08.000"), ("a", 3, 1, "02.000"), ("b", 4, 4, "02.000")),
        *(("a", 5, None, "07.000"), ("a", 6, 6, "07.000"), ("b", 7, 9, "12.000"), ("a", 8, 1, "05.000")),
        *(("a", 9, 2, "09.000"), ("b", 10, 3, "01.000"), ("a", 11, 7, "20.000"), ("a", 12, 2, "08.500")),
        *(("a", 13, 8, "30.000"), ("a", 14, 8, "10.000"), ("b", 15, 8, "11.000"), ("a", 16, 1, "31.000")),
    ),
}
"""Rows by name; those of the last input are late in part, if the watermark follows each row."""

_TIMED = "OVER (PARTITION BY k ORDER BY ts)"
_ROWS = "OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
_RANGE = "OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '2' SECOND PRECEDING AND CURRENT ROW)"
_ALL_ROWS = "OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
_CLOCK = "OVER (PARTITION BY k ORDER BY pt)"
_CLOCK_ROWS = "OVER (PARTITION BY k ORDER BY pt ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
_FRAMES = {
    "unbounded range": _TIMED,
    "unbounded rows": _ALL_ROWS,
    "rows": _ROWS,
    "range": _RANGE,
    "by clock": _CLOCK,
    "rows by clock": _CLOCK_ROWS,
}
_AGGREGATES = {
    "numbers": "COUNT(*) {0}, COUNT(v) {0}, SUM(v) {0}, MIN(v) {0}, MAX(v) {0}, SUM(n) {0}, SUM(f) {0}",
    "averages": "AVG(v) {0}, AVG(d) {0}, AVG(n) {0}, AVG(f) {0}, AVG(id) {0}",
    "variances": "STDDEV_POP(d) {0}, STDDEV_SAMP(d) {0}, VAR_POP(d) {0}, VAR_SAMP(d) {0}, STDDEV(v) {0}, VARIANCE(n) {0}",
    "values": "FIRST_VALUE(v) {0}, LAST_VALUE(v) {0}, LISTAGG(s) {0}, LISTAGG(s, '|') {0}, MIN(b) {0}, MAX(s) {0}",
    "distinct": "COUNT(DISTINCT v) {0}, SUM(DISTINCT v) {0}, LISTAGG(DISTINCT s) {0}, MAX(DISTINCT v) {0}, AVG(DISTINCT v) {0}",
}

QUERIES: Mapping[str, str] = {
    **{
        f"{aggregates}, {frame}": f"SELECT id, {calls.format(over)} FROM events"
        for aggregates, calls in _AGGREGATES.items()
        for frame, over in _FRAMES.items()
    },
    "without PARTITION BY": "SELECT k, id, SUM(v) OVER (ORDER BY ts) FROM events",
    "without PARTITION BY, rows": "SELECT k, id, SUM(v) OVER (ORDER BY ts ROWS 3 PRECEDING) FROM events",
    "only the row": f"SELECT id, SUM(v) {_ROWS.replace('2 PRECEDING', '0 PRECEDING')} FROM events",
    "only the time": f"SELECT id, SUM(v) {_RANGE.replace('2', '0')} FROM events",
    "shorter forms": "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL '2' SECOND PRECEDING) FROM events",
    "row numbers": "SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) FROM events",
    "row numbers by clock": "SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) FROM events",
    "ranks": f"SELECT id, RANK() {_TIMED}, DENSE_RANK() {_TIMED} FROM events",
    "ranks by clock": f"SELECT id, RANK() {_CLOCK}, DENSE_RANK() {_CLOCK} FROM events",
    "lag": f"SELECT id, LAG(v) {_TIMED}, LAG(v, 2) {_TIMED}, LAG(s, 1, 'none') {_TIMED} FROM events",
    "lag by clock": f"SELECT id, LAG(v) {_CLOCK}, LAG(v, 2, CAST(99 AS BIGINT)) {_CLOCK}, LAG(s, 0) {_CLOCK} FROM events",
    "lag and more": f"SELECT id, LAG(v) {_TIMED}, SUM(v) {_TIMED} FROM events",
    "two equal partitions": (
        "SELECT id, COUNT(*) OVER (PARTITION BY k, b ORDER BY ts), SUM(v) OVER (PARTITION BY b, k ORDER BY ts) FROM events"
    ),
    "computed": "SELECT id + 1, SUM(v + 1) OVER (PARTITION BY UPPER(k) || 'x' ORDER BY ts) * 2 AS x FROM events WHERE v > 1",
    "named": "SELECT id, SUM(v) OVER w, COUNT(*) OVER w FROM events WINDOW w AS (PARTITION BY k ORDER BY ts)",
    "named rows": "SELECT id, SUM(v) OVER w FROM events WINDOW w AS (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING)",
    "extended": "SELECT id, SUM(v) OVER (w ORDER BY ts) FROM events WINDOW w AS (PARTITION BY k)",
    "extended twice": "SELECT id, SUM(v) OVER y FROM events WINDOW w AS (PARTITION BY k), y AS (w ORDER BY ts)",
    "filtered": f"SELECT * FROM (SELECT id, SUM(v) {_TIMED} AS x FROM events) WHERE x > 5",
    "qualified": f"SELECT id, v FROM events WHERE v > 1 QUALIFY SUM(v) {_TIMED} > 5 AND b",
    "qualified by name": f"SELECT *, COUNT(*) {_ROWS} AS c FROM (SELECT k, id, ts FROM events) QUALIFY c = 3",
    "top-n by QUALIFY": "SELECT k, id, v FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) <= 2",
    "numbered by QUALIFY": (
        "SELECT k, id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, id) AS rn FROM events QUALIFY rn <= 2"
    ),
    "last by QUALIFY": "SELECT k, id FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1",
    "distinct rows": f"SELECT DISTINCT k, COUNT(*) {_TIMED} FROM events",
    "in windows": (
        f"SELECT k, TUMBLE_START(ts, INTERVAL '5' SECOND), MAX(c) FROM (SELECT k, ts, SUM(v) {_TIMED} AS c FROM events) "
        "GROUP BY k, TUMBLE(ts, INTERVAL '5' SECOND)"
    ),
    "of windows": (
        "SELECT k, window_end, SUM(SUM(v)) OVER (PARTITION BY k ORDER BY window_time) FROM "
        "TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '3' SECOND)) GROUP BY k, window_start, window_end, window_time"
    ),
    "by a column": "SELECT id, SUM(id) OVER (PARTITION BY k ORDER BY v) FROM events",
    "by a column, rows": "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY v ROWS UNBOUNDED PRECEDING) FROM events",
    "by a column, numbers": "SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) FROM events",
    "by a column, ranks": (
        "SELECT id, RANK() OVER (PARTITION BY k ORDER BY v), DENSE_RANK() OVER (PARTITION BY k ORDER BY v) FROM events"
    ),
    "by a column, NULL last": "SELECT id, SUM(id) OVER (PARTITION BY k ORDER BY v NULLS LAST) FROM events",
    "by a key": "SELECT k, SUM(c) OVER (ORDER BY k) FROM (SELECT k, COUNT(*) AS c FROM events GROUP BY k)",
    "by a group": "SELECT k, SUM(v), SUM(SUM(v)) OVER (ORDER BY k) FROM events GROUP BY k",
    "odd numbers": (
        "SELECT * FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM events) WHERE MOD(rn, 2) = 1"
    ),
}
"""Queries by name."""

REFUSED: Mapping[str, str] = {
    "preceding end": f"SELECT SUM(v) {_ROWS.replace('CURRENT ROW', '1 PRECEDING')} FROM events",
    "current row": f"SELECT SUM(v) {_ROWS.replace('2 PRECEDING', 'CURRENT ROW')} FROM events",
    "following": f"SELECT SUM(v) {_ROWS.replace('CURRENT ROW', '1 FOLLOWING')} FROM events",
    "descending": "SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts DESC) FROM events",
    "two columns": "SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts, id) FROM events",
    "no order": "SELECT SUM(v) OVER (PARTITION BY k) FROM events",
    "nothing": "SELECT ROW_NUMBER() OVER () FROM events",
    "bounded without time": "SELECT SUM(id) OVER (PARTITION BY k ORDER BY v ROWS 2 PRECEDING) FROM events",
    "two windows": f"SELECT SUM(v) {_TIMED}, SUM(v) {_ROWS} FROM events",
    "two keys": f"SELECT SUM(v) {_TIMED}, SUM(v) {_TIMED.replace('BY k', 'BY id')} FROM events",
    "a number and a range": f"SELECT ROW_NUMBER() {_TIMED}, SUM(v) {_TIMED} FROM events",
    "no such window": "SELECT SUM(v) OVER x FROM events WINDOW w AS (PARTITION BY k ORDER BY ts)",
    "a window twice": "SELECT SUM(v) OVER w FROM events WINDOW w AS (ORDER BY ts), w AS (ORDER BY ts)",
    "PARTITION BY again": "SELECT SUM(v) OVER (w PARTITION BY k) FROM events WINDOW w AS (ORDER BY ts)",
    "ORDER BY again": "SELECT SUM(v) OVER (w ORDER BY ts) FROM events WINDOW w AS (PARTITION BY k ORDER BY ts)",
    "lead": f"SELECT LEAD(v) {_TIMED} FROM events",
    "ntile": f"SELECT NTILE(2) {_TIMED} FROM events",
    "percent": f"SELECT PERCENT_RANK() {_TIMED} FROM events",
    "cume": f"SELECT CUME_DIST() {_TIMED} FROM events",
    "nth": f"SELECT NTH_VALUE(v, 2) {_TIMED} FROM events",
    "lag of a frame": f"SELECT LAG(v) {_ROWS} FROM events",
    "rank of a frame": f"SELECT RANK() {_ROWS} FROM events",
    "lag of another type": f"SELECT LAG(v, 2, 99) {_TIMED} FROM events",
    "nulls": f"SELECT LAST_VALUE(v) IGNORE NULLS {_TIMED} FROM events",
    "filter": f"SELECT SUM(v) FILTER (WHERE b) {_TIMED} FROM events",
    "no aggregate": f"SELECT UPPER(k) {_TIMED} FROM events",
    "where": f"SELECT id FROM events WHERE SUM(v) {_TIMED} > 3",
    "nested": f"SELECT SUM(SUM(v) {_TIMED}) {_TIMED} FROM events",
    "range of rows": "SELECT SUM(v) OVER (ORDER BY ts RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) FROM events",
    "months": "SELECT SUM(v) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW) FROM events",
    "negative": f"SELECT SUM(v) {_ROWS.replace('2 PRECEDING', '-2 PRECEDING')} FROM events",
    "a column of rows": f"SELECT SUM(v) {_ROWS.replace('2 PRECEDING', 'id PRECEDING')} FROM events",
    "updates by time": (
        f"SELECT SUM(id) {_TIMED} FROM (SELECT k, id, ts, ROW_NUMBER() OVER (PARTITION BY k, id ORDER BY ts DESC) AS rn "
        "FROM events) WHERE rn = 1"
    ),
    "no window in QUALIFY": "SELECT k FROM events QUALIFY v > 1",
    "a rank": "SELECT * FROM (SELECT id, RANK() OVER (PARTITION BY k ORDER BY v) AS rn FROM events) WHERE rn <= 2",
    "a rank in QUALIFY": "SELECT id FROM events QUALIFY DENSE_RANK() OVER (PARTITION BY k ORDER BY v) = 1",
    "no end": "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY ts) AS rn FROM events) WHERE rn > 3",
    "groups": "SELECT SUM(v) OVER (ORDER BY ts GROUPS UNBOUNDED PRECEDING) FROM events",
    "excluded": "SELECT SUM(v) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) FROM events",
    "grouped QUALIFY": "SELECT k FROM events GROUP BY k QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*)) <= 2",
}
"""Queries that real Flink refuses, too, by name; here with a hint."""


def lines(name: str) -> list[str]:
    """The rows of an input as JSON."""
    names = ("k", "id", "v", "d", "f", "n", "b", "s", "ts")
    return [json.dumps(dict(zip(names, row, strict=True))) for row in INPUTS[name]]


def comparable(title: str, row: Sequence[Any]) -> list[Any]:
    """A row of a query, without what differs on Flink.

    LAG of NULL is NULL here; Flink's state turns NULL into an empty text or -1 now and then. A range of time takes
    floats back in the order of a hash table there, which rounds otherwise.
    """
    if title.startswith("lag"):
        return [None if value in ("", -1) else value for value in row]
    if title.endswith(", range"):
        return [round(value, 5) if isinstance(value, float) else value for value in row]
    return list(row)


def golden() -> dict[str, Any]:
    """What real Flink gave."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("golden.json").read_text())
    return found
