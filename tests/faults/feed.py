"""The numbers 0, 1, 2, … in a topic, from a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from tests.faults.operators_model import PARTITIONS, time_of
from tests.feeding import TICK_S, Feeding

__all__ = ["Numbers"]


@final
class Numbers(Feeding):
    """Writes numbers to the partitions in turn, until it is stopped.

    Args:
        servers: The broker.
        topic: Where to.
        per_second: How many.
        record: Makes the value of a number's record.
    """

    def __init__(self, servers: str, topic: str, per_second: int, record: Callable[[int], str] = str) -> None:
        super().__init__(servers)
        self._topic = topic
        self._record = record
        self._per_tick = int(per_second * TICK_S)
        self._written = 0

    def stop(self) -> int:
        """End it; how many numbers there are."""
        self._end()
        self._flush()
        return self._written

    def _tick(self) -> None:
        for number in range(self._written, self._written + self._per_tick):
            self._producer.produce(
                self._topic, self._record(number), partition=number % PARTITIONS, timestamp=time_of(number)
            )
        self._written += self._per_tick
