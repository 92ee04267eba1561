"""Records of the pipeline benchmark: Debezium's events of inserts, about 240 bytes each."""

from __future__ import annotations

import json

__all__ = ["CHANGING", "SCHEMA", "event", "tables_of"]

CHANGING = "events-changing"
"""Topic of one table that gets a column more from time to time."""
SCHEMA = "id bigint, name string, price double, count bigint, note string, paid boolean, city string, code string"
"""Columns of the tables, as Spark reads them."""
_COLUMNS = 10
"""New columns in all, each after as many events as the one before."""


def tables_of(topic: str) -> int:
    """Return how many tables a topic holds.

    Example:
        >>> tables_of("events-100"), tables_of("events-changing")
        (100, 1)
    """
    return 1 if topic == CHANGING else int(topic.rpartition("-")[2])


def event(topic: str, number: int, of: int) -> str:
    """Return the event of a number, of so many."""
    row = {
        "id": number,
        "name": f"c-{number % 9973:05d}",
        "price": number % 50 + 0.99,
        "count": number % 7 or 1,
        "note": "a few words about it",
        "paid": number % 2 == 0,
        "city": "Reykjavik",
        "code": f"x{number % 1000:04d}",
    }
    if topic == CHANGING:
        row |= {f"column_{place}": number for place in range(number * (_COLUMNS + 1) // of)}
    source = {"db": "shop", "table": f"orders_{number % tables_of(topic)}"}
    return json.dumps({"before": None, "after": row, "op": "c", "source": source})
