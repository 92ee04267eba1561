"""Examples of aggregates for the page of functions; their results are computed when the page is written and tested."""

from __future__ import annotations

from typing import Final

from tests.differential.matrix.family import Family, family

__all__ = ["AGGREGATE_EXAMPLES"]

_ROWS: Final = (
    ("Rome", 1, "tea", 3, "1.50", True),
    ("Oslo", 2, "cup", 12, "9.00", True),
    ("Rome", 3, "pot", 20, "24.90", False),
    ("Oslo", 4, None, None, None, False),
    ("Rome", 5, "tea", 3, "1.50", True),
    ("Rome", 6, "jam", 6, "3.20", True),
    ("Oslo", 7, "tea", 4, "2.25", True),
    ("Rome", 8, "pot", 22, "26.10", False),
)
_EXAMPLES: Final = """
COUNT(*)
COUNT(item)
COUNT(DISTINCT item)
COUNT(*) FILTER (WHERE paid)
SUM(amount)
SUM(price)
SUM(DISTINCT amount)
SUM(price) FILTER (WHERE paid)
AVG(amount)
AVG(price)
MIN(price)
MAX(item)
FIRST_VALUE(item)
LAST_VALUE(item)
LISTAGG(item)
LISTAGG(item, '; ')
LISTAGG(DISTINCT item)
COLLECT(item)
ARRAY_AGG(item)
ARRAY_AGG(item) FILTER (WHERE paid)
STDDEV_POP(price)
STDDEV_SAMP(price)
STDDEV(price)
VAR_POP(price)
VAR_SAMP(price)
VARIANCE(price)
PERCENTILE(amount, 0.5)
PERCENTILE(amount, ARRAY[0.25, 0.75])
PERCENTILE(amount, 0.5, amount)
JSON_ARRAYAGG(item)
JSON_ARRAYAGG(item NULL ON NULL)
JSON_OBJECTAGG(KEY CAST(nr AS STRING) VALUE item)
SINGLE_VALUE(item) FILTER (WHERE amount = 12)
"""
AGGREGATE_EXAMPLES: Final[Family] = family(
    "sales",
    "city STRING; nr INT; item STRING; amount INT; price DECIMAL(10, 2); paid BOOLEAN",
    _ROWS,
    _EXAMPLES,
    by="city",
)
"""The rows of the examples, and calls over their columns, by group."""
