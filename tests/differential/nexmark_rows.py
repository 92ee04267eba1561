"""The events of Nexmark that queries are compared on, and the comparable part of a query's final rows.

Only the standard library is imported here, since PyFlink's Python runs it, too.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, TypedDict

__all__ = ["OPTIONS", "SIDE_INPUT", "Final", "final_rows", "row_text"]

OPTIONS = "'connector' = 'nexmark', 'first-event.rate' = '50', 'events.num' = '3000'"
"""A minute of events, with several windows and sessions."""
SIDE_INPUT = [(key, str(key)) for key in range(10_000)]
"""Keys and values of q13's side input."""
_SHOWN = 12


class Final(TypedDict):
    """What is left when all changes have been made."""

    count: int
    hash: str
    first: list[str]


def final_rows(left: Counter[str]) -> Final:
    """Return the number of rows that are left, a hash of them all, and the first in their order."""
    rows = sorted(left.elements())
    return {"count": len(rows), "hash": hashlib.sha256("\n".join(rows).encode()).hexdigest(), "first": rows[:_SHOWN]}


def row_text(row: Iterable[Any]) -> str:
    """Return a row as text."""
    return "|".join(map(_text, row))


def _text(value: Any) -> str:
    return value.isoformat(" ", "milliseconds") if isinstance(value, datetime.datetime) else str(value)
