"""Queries for the first rows of aggregates, with the rows that they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CASES", "COLUMNS", "ROWS"]

COLUMNS: Final = "id INT, k STRING, item STRING, price INT"
"""Columns of the table ``bids``."""
_ITEMS: Final = "abacbbadcabddccccbaaddbb"
_PRICES: Final = (5, 7, 7, None, 2, 9, 9, 1, 3, 8, 12, 1, 4, 12, 6, 2, 13, 7, 20, 1, 30, 2, 21, 31)
ROWS: Final[tuple[Mapping[str, object], ...]] = tuple(
    {"id": at, "k": "xyx"[at % 3], "item": item, "price": price}
    for at, (item, price) in enumerate(zip(_ITEMS, _PRICES, strict=True))
)
_COUNTS: Final = "(SELECT k, item, COUNT(*) AS c FROM bids GROUP BY k, item)"
_HIGHEST_PRICE: Final = "(SELECT k, item, MAX(price) AS m FROM bids GROUP BY k, item)"
_HIGHEST: Final = "(SELECT k, item, MAX(price) AS m, COUNT(*) AS c FROM bids GROUP BY k, item)"
_LOWEST: Final = "(SELECT k, item, MIN(price) AS m FROM bids WHERE price IS NOT NULL GROUP BY k, item)"


def _top(source: str, order: str, condition: str = "rn = 1", selected: str = "k, item, c", by: str = "k") -> str:
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS rn FROM {source}"
    return f"SELECT {selected} FROM ({numbered}) WHERE {condition}"


CASES: Final[Mapping[str, str]] = {
    "highest count": _top(_COUNTS, "c DESC"),
    "two highest counts": _top(_COUNTS, "c DESC", "rn <= 2"),
    "two highest counts, numbered": _top(_COUNTS, "c DESC", "rn <= 2", "k, item, c, rn"),
    "three highest counts, numbered": _top(_COUNTS, "c DESC", "rn <= 3", "k, item, c, rn"),
    "second count": _top(_COUNTS, "c DESC", "rn = 2"),
    "second and third count": _top(_COUNTS, "c DESC", "rn BETWEEN 2 AND 3"),
    "highest count, then item": _top(_COUNTS, "c DESC, item"),
    "lowest count": _top(_COUNTS, "c"),
    "highest price": _top(_HIGHEST_PRICE, "m DESC", selected="k, item, m"),
    "highest price with counts": _top(_HIGHEST, "m DESC", selected="k, item, m, c"),
    "two highest prices with counts": _top(_HIGHEST, "m DESC", "rn <= 2", "k, item, m, c"),
    "highest price with NULL first": _top(_HIGHEST_PRICE, "m DESC NULLS FIRST", selected="k, item, m"),
    "lowest price": _top(_LOWEST, "m", selected="k, item, m"),
    "lowest known price": _top(
        _LOWEST.replace("MIN(price)", "MIN(COALESCE(price, 0))").replace(" WHERE price IS NOT NULL", ""),
        "m",
        selected="k, item, m",
    ),
    "highest sum": _top("(SELECT k, item, SUM(price) AS c FROM bids GROUP BY k, item)", "c DESC"),
    "by count and price": _top(_HIGHEST, "c DESC, m DESC", "rn <= 2", "k, item, m, c"),
    "by item": _top(_COUNTS, "item", "rn <= 2"),
    "condition on keys": _top(f"(SELECT * FROM {_COUNTS} WHERE item <> 'c')", "c DESC"),
    "condition on counts": _top(f"(SELECT * FROM {_COUNTS} WHERE c > 1)", "c DESC"),
    "of all": _top(_COUNTS, "c DESC", "rn <= 2").replace("PARTITION BY k ", ""),
    "by another key": _top("(SELECT item, MAX(k) AS k, COUNT(*) AS c FROM bids GROUP BY item)", "c DESC"),
    "limit": "SELECT k, item, COUNT(*) AS c FROM bids GROUP BY k, item ORDER BY c DESC LIMIT 2",
    "limit 1": "SELECT k, item, COUNT(*) AS c FROM bids GROUP BY k, item ORDER BY c DESC LIMIT 1",
    "limit and offset": "SELECT k, item, COUNT(*) AS c FROM bids GROUP BY k, item ORDER BY c DESC LIMIT 2 OFFSET 1",
    "appended": _top("bids", "price DESC", selected="k, item, price"),
    "two appended": _top("bids", "price DESC", "rn <= 2", "k, item, price"),
}
