"""Queries that give something else here than on Flink, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ALLOWED", "REFUSED", "VARIES"]

_BOUNDED: Final = "The table is bounded, so all rows can be sorted at its end."
_LENIENT: Final = "More is understood than Flink's grammar has."

ALLOWED: Final[Mapping[str, str]] = {
    "SELECT k, v, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, v), ROLLUP (k)": "Flink has no plan for doubled grouping sets.",
    "SELECT TUMBLE_START(ts, INTERVAL '1' MINUTE) AS b, k, COUNT(*) AS c FROM t GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE), "
    "ROLLUP (k)": "Flink has no plan for grouping sets with an older group window.",
    "SELECT k, COUNT(*) AS c FROM n LEFT JOIN u USING (k) WHERE k <> 'e' GROUP BY k": "Flink finds k ambiguous in WHERE.",
    "SELECT k, w FROM t LIMIT 1, 2": _LENIENT,
    "SELECT k, w FROM t FETCH FIRST ROW ONLY": _LENIENT,
    "SELECT 1 AS a WHERE 1 = 0": _LENIENT,
    "SELECT k FROM (n)": _LENIENT,
    "SELECT k FROM TABLE n": _LENIENT,
    "SELECT k, w FROM t OFFSET 2 ROWS": _BOUNDED,
    "SELECT k, w FROM t ORDER BY w OFFSET 2 ROWS": _BOUNDED,
    "SELECT k, w FROM t ORDER BY ts DESC": _BOUNDED,
    "SELECT k, w FROM t ORDER BY w": _BOUNDED,
    "SELECT k, c FROM (SELECT k, COUNT(*) AS c, MAX(ts) AS ts FROM t GROUP BY k) ORDER BY ts": _BOUNDED,
    "SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
    "GROUP BY window_start, window_end ORDER BY window_start": _BOUNDED,
}
"""Queries that Flink refuses."""
REFUSED: Final[Mapping[str, str]] = {
    "SELECT k FROM n FULL JOIN u USING (k) FULL JOIN t USING (k)": "On Flink k is only that of the first two tables.",
}
"""Queries that are refused here alone."""
VARIES: Final[Mapping[str, str]] = {
    "SELECT k, w FROM (SELECT k, w, PROCTIME() AS p FROM t) ORDER BY p, w": "Flink drops what waits for the clock when the "
    "input ends.",
}
"""Queries with other rows."""
