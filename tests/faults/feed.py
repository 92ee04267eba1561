"""The numbers 0, 1, 2, … in a topic, from a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import final

from confluent_kafka import Producer
from typing_extensions import Self

from tests.faults.operators_model import PARTITIONS, time_of

__all__ = ["Numbers"]

_TICK_S = 0.1


@final
class Numbers:
    """Writes numbers to the partitions in turn, until it is stopped.

    Args:
        servers: The broker.
        topic: Where to.
        per_second: How many.
        record: Makes the value of a number's record.
    """

    def __init__(self, servers: str, topic: str, per_second: int, record: Callable[[int], str] = str) -> None:
        settings: dict[str, str | int] = {"bootstrap.servers": servers, "enable.idempotence": "true", "log_level": 0}
        self._producer = Producer(settings)
        self._topic = topic
        self._record = record
        self._per_tick = int(per_second * _TICK_S)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write, name="numbers")
        self._written = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def stop(self) -> int:
        """End it; how many numbers there are."""
        self._over.set()
        self._thread.join()
        assert self._producer.flush(60) == 0
        return self._written

    def _write(self) -> None:
        while not self._over.wait(_TICK_S):
            for number in range(self._written, self._written + self._per_tick):
                self._producer.produce(
                    self._topic, self._record(number), partition=number % PARTITIONS, timestamp=time_of(number)
                )
            self._written += self._per_tick
            self._producer.poll(0)
