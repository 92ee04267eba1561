"""Queries with MATCH_RECOGNIZE that give something else here than on Flink, or are carried out by Spark only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ALLOWED", "BY_SPARK", "FAILING", "REFUSED"]

ALLOWED: Final[Mapping[str, str]] = {}
"""Queries that Flink refuses."""
REFUSED: Final[Mapping[str, str]] = {}
"""Queries that are refused here alone."""
FAILING: Final[Mapping[str, str]] = {
    "documented: skip TO A": "Could not skip to first element of a match.",
    "documented: skip TO FIRST A": "Could not skip to first element of a match.",
    "skip to a variable that is missing": "Could not skip to B. No such element in the found match.",
}
"""Queries that Flink plans, and that fail when a match is found, with the error."""
BY_SPARK: Final = frozenset[str]()
"""Queries whose columns need functions that only Spark computes."""
