"""Orders and payments, as many a second as the model says, by the wall clock."""

from __future__ import annotations

import json
import time
from typing import final

from tests.feeding import Feeding
from tests.soak.model import ORDER_MS, PAID_AFTER_MS, PARTITIONS, WINDOW_MS, Order, order

__all__ = ["Feed"]

_LATER_MS = 3_600_000
_NOBODY = Order(-1, "nobody", "nowhere", 0)


@final
class Feed(Feeding):
    """Writes orders and payments from a thread of its own, until it is stopped.

    Args:
        servers: The broker.
    """

    def __init__(self, servers: str) -> None:
        super().__init__(servers)
        now_ms = int(time.time() * 1000)
        self.first_ms = now_ms - now_ms % WINDOW_MS
        self._began = time.monotonic()
        self.orders = 0
        self._payments = 0

    def stop(self) -> None:
        """Write the payments that are missing, and move the time so far that all windows and timers are over."""
        self._end()
        self._write_until(self.orders, self.orders)
        for topic in ("orders", "payments"):
            for partition in range(PARTITIONS):
                self._send(topic, _NOBODY, partition, self._time_ms(self.orders) + _LATER_MS)
        self._flush()

    def _tick(self) -> None:
        elapsed_ms = int((time.monotonic() - self._began) * 1000)
        self._write_until(elapsed_ms // ORDER_MS, max(0, elapsed_ms - PAID_AFTER_MS) // ORDER_MS)

    def _write_until(self, orders: int, payments: int) -> None:
        for number in range(self.orders, orders):
            self._send("orders", order(number), number % PARTITIONS, self._time_ms(number))
        for number in range(self._payments, payments):
            self._send("payments", order(number), number % PARTITIONS, self._time_ms(number) + PAID_AFTER_MS)
        self.orders, self._payments = max(self.orders, orders), max(self._payments, payments)

    def _send(self, topic: str, what: Order, partition: int, time_ms: int) -> None:
        self._producer.produce(topic, json.dumps(what._asdict()), partition=partition, timestamp=time_ms)

    def _time_ms(self, number: int) -> int:
        return self.first_ms + number * ORDER_MS
