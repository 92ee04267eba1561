"""The records of the benchmark: orders of about 100 bytes of JSON, and what a job changes in them."""

from __future__ import annotations

import json

__all__ = ["FIELDS", "changed", "compact", "customer", "is_dear", "order", "order_id", "price", "projected", "time_ms"]

FIELDS = {"id": "bigint", "customer": "string", "item": "string", "price": "double", "count": "int", "paid": "boolean"}
"""The fields of an order, with their SQL types."""

_FIRST_MS = 1_700_000_000_000
_DEAR = 25.0


def order(number: int) -> str:
    """The order of a number.

    Example:
        >>> order(7)
        '{"id": 7, "customer": "c-00007", "item": "espresso cup", "price": 7.99, "count": 1, "paid": false}'
    """
    return json.dumps(
        {
            "id": number,
            "customer": f"c-{number % 9973:05d}",
            "item": "espresso cup",
            "price": price(number),
            "count": number % 7 or 1,
            "paid": False,
        }
    )


def price(number: int) -> float:
    """Its price."""
    return number % 50 + 0.99


def compact(text: str) -> str:
    """An order as JSON without blanks, which is how engines write it."""
    return json.dumps(json.loads(text), separators=(",", ":"))


def projected(text: str) -> str:
    """Three fields of an order, as JSON without blanks."""
    fields = json.loads(text)
    return json.dumps({name: fields[name] for name in ("id", "customer", "price")}, separators=(",", ":"))


def time_ms(number: int) -> int:
    """The timestamp of its record."""
    return _FIRST_MS + number


def order_id(text: str) -> int:
    """The number of an order."""
    number: int = json.loads(text)["id"]
    return number


def customer(text: str) -> str:
    """The user's key of the benchmark: one of 9,973 customers, each of whom orders in every partition."""
    name: str = json.loads(text)["customer"]
    return name


def is_dear(price: float) -> bool:
    """The user's condition of the benchmark, which half of the orders meet."""
    return price > _DEAR


def changed(text: str) -> str:
    """The user's function of the benchmark: parse, change a field, print."""
    fields = json.loads(text)
    fields["paid"] = True
    return json.dumps(fields)
