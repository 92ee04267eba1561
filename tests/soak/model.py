"""The orders and payments of a soak, and what its job is to make of them: functions of how many there were.

Orders are numbered from 0, each with a payment a little later. Customers come and go, so that state is made and removed
all the time; a record with a negative number only moves the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = [
    "INACTIVE_MS",
    "ORDER_MS",
    "PAID_AFTER_MS",
    "PARTITIONS",
    "WINDOW_MS",
    "Order",
    "expected_copies",
    "expected_results",
    "expected_totals",
    "order",
]

PARTITIONS: Final = 2
ORDER_MS: Final = 10
"""Between two orders; with their payments these are 200 records a second."""
PAID_AFTER_MS: Final = 3_000
INACTIVE_MS: Final = 5_000
"""A customer who has ordered nothing for so long has left."""
WINDOW_MS: Final = 10_000
_SHOPS: Final = 10
_CUSTOMERS_AT_ONCE: Final = 50
_ORDERS_OF_A_CUSTOMER: Final = 24


class Order(NamedTuple):
    """An order; its payment has the same fields.

    Args:
        id: Its number.
        customer: Who orders.
        shop: Where.
        amount: For how much.
    """

    id: int
    customer: str
    shop: str
    amount: int


def order(number: int) -> Order:
    """The order with a number."""
    generation = number // (_CUSTOMERS_AT_ONCE * _ORDERS_OF_A_CUSTOMER)
    customer = f"c{generation}-{number % _CUSTOMERS_AT_ONCE}"
    return Order(number, customer, f"s{number * 7 % _SHOPS}", number % 97 + 1)


def expected_results(orders: int, first_ms: int) -> Counter[str]:
    """Each line that the streams write for so many orders, of which the first was at a time."""
    return Counter(line for lines in (expected_copies, _pairs, _visits) for line in lines(orders)) + Counter(
        _windows(orders, first_ms)
    )


def expected_copies(orders: int) -> Iterator[str]:
    """Each copy of so many orders."""
    return (f"copy {number}" for number in range(orders))


def expected_totals(orders: int) -> dict[str, tuple[int, int]]:
    """How many orders each shop has in the end, and their sum."""
    totals: dict[str, tuple[int, int]] = {}
    for one in map(order, range(orders)):
        count, amount = totals.get(one.shop, (0, 0))
        totals[one.shop] = count + 1, amount + one.amount
    return totals


def _pairs(orders: int) -> Iterator[str]:
    return (f"pair {number} {order(number).customer}" for number in range(orders))


def _visits(orders: int) -> Iterator[str]:
    counts = Counter(order(number).customer for number in range(orders))
    return (f"visit {customer} {count}" for customer, count in counts.items())


def _windows(orders: int, first_ms: int) -> Iterator[str]:
    sums: Counter[tuple[str, int]] = Counter()
    for one in map(order, range(orders)):
        time_ms = first_ms + one.id * ORDER_MS
        sums[one.shop, time_ms - time_ms % WINDOW_MS] += one.amount
    return (f"window {shop} {start} {amount}" for (shop, start), amount in sums.items())
