"""Queries with MATCH_RECOGNIZE that give something else here than on Flink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ALLOWED", "FAILING", "NOT_LATE", "REFUSED", "VARIES"]

ALLOWED: Final[Mapping[str, str]] = {
    "aggregates of collections": "Flink has no MULTISET there.",
    "alias with columns": "Flink finds the alias twice.",
}
"""Queries that Flink refuses."""
REFUSED: Final[Mapping[str, str]] = {
    "navigation in aggregates": "Flink ignores the LAST in SUM(LAST(A.price)).",
    "conditions with texts": "LIKE with values of two rows",
    "conditions with times": "TIMESTAMPDIFF with values of two rows",
    "anchors": "Flink ignores them.",
    "anchor at the end": "Flink ignores them.",
    "subset": "SUBSET",
    "table name in conditions": "Flink takes it for a variable, which never has a row.",
}
"""Queries that are refused here alone."""
FAILING: Final[Mapping[str, str]] = {
    "documented: skip TO A": "Could not skip to first element of a match.",
    "documented: skip TO FIRST A": "Could not skip to first element of a match.",
    "skip to a variable that is missing": "Could not skip to B. No such element in the found match.",
    "remainders": "/ by zero",
}
"""Queries that Flink plans, and that fail when a match is found, with the error."""
VARIES: Final[Mapping[str, str]] = {
    "proctime": "IS NOT NULL is BOOLEAN here, and BOOLEAN NOT NULL on Flink.",
    "columns that are never NULL": "Flink gives -1 for LAST(B.n, 1) where there is no such row, if the column is NOT NULL.",
    # Columns of variables are equal by their position alone, and IN drops equal terms:
    # https://github.com/apache/calcite/blob/calcite-1.36.0/core/src/main/java/org/apache/calcite/rex/RexPatternFieldRef.java
    "conditions with BETWEEN and IN": "Flink takes A.price and B.price in a list of IN for the same, and leaves the second "
    "out; with OR, as in the case after it, it finds the match in which C.price = B.price.",
    "clock and price": "Flink drops what waits for the clock when the input ends.",
}
"""Queries with other columns or rows."""
NOT_LATE: Final = frozenset({"with a window before", "clock", "clock within"})
"""Queries for which no row is late."""
