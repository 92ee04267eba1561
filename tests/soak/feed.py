"""Orders and payments, as many a second as the model says, by the wall clock."""

from __future__ import annotations

import json
import threading
import time
from types import TracebackType
from typing import final

from confluent_kafka import Producer
from typing_extensions import Self

from tests.soak.model import ORDER_MS, PAID_AFTER_MS, PARTITIONS, WINDOW_MS, Order, order

__all__ = ["Feed"]

_TICK_S = 0.1
_LATER_MS = 3_600_000
_NOBODY = Order(-1, "nobody", "nowhere", 0)


@final
class Feed:
    """Writes orders and payments from a thread of its own, until it is stopped.

    Args:
        servers: The broker.
    """

    def __init__(self, servers: str) -> None:
        settings: dict[str, str | int] = {"bootstrap.servers": servers, "enable.idempotence": "true", "log_level": 0}
        self._producer = Producer(settings)
        self._thread = threading.Thread(target=self._write, name="feed")
        self._over = threading.Event()
        now_ms = int(time.time() * 1000)
        self.first_ms = now_ms - now_ms % WINDOW_MS
        self.orders = 0
        self._payments = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def stop(self) -> None:
        """Write the payments that are missing, and move the time so far that all windows and timers are over."""
        self._over.set()
        self._thread.join()
        self._write_until(self.orders, self.orders)
        for topic in ("orders", "payments"):
            for partition in range(PARTITIONS):
                self._send(topic, _NOBODY, partition, self._time_ms(self.orders) + _LATER_MS)
        assert self._producer.flush(60) == 0

    def _write(self) -> None:
        began = time.monotonic()
        while not self._over.wait(_TICK_S):
            elapsed_ms = int((time.monotonic() - began) * 1000)
            self._write_until(elapsed_ms // ORDER_MS, max(0, elapsed_ms - PAID_AFTER_MS) // ORDER_MS)

    def _write_until(self, orders: int, payments: int) -> None:
        for number in range(self.orders, orders):
            self._send("orders", order(number), number % PARTITIONS, self._time_ms(number))
        for number in range(self._payments, payments):
            self._send("payments", order(number), number % PARTITIONS, self._time_ms(number) + PAID_AFTER_MS)
        self.orders, self._payments = max(self.orders, orders), max(self._payments, payments)
        self._producer.poll(0)

    def _send(self, topic: str, what: Order, partition: int, time_ms: int) -> None:
        self._producer.produce(topic, json.dumps(what._asdict()), partition=partition, timestamp=time_ms)

    def _time_ms(self, number: int) -> int:
        return self.first_ms + number * ORDER_MS
