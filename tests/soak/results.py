"""What a job has written, against what it was to write."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final, final

import attrs
from confluent_kafka import Consumer, Message, TopicPartition

from tests.soak.model import PARTITIONS

__all__ = ["TOPICS", "Findings", "Results"]

LINES: Final = ("results", "pairs", "copies")
TOPICS: Final = (*LINES, "totals")


@final
@attrs.frozen
class Findings:
    """How the results differ from what they were to be.

    Args:
        expected: How many lines there were to be.
        missing: Lines that no committed record has.
        surplus: Lines that there were not to be, or too often.
        wrong_totals: Shops whose last total in SQL is another.
    """

    expected: int
    missing: Counter[str]
    surplus: Counter[str]
    wrong_totals: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether each record has counted once."""
        return not (self.missing or self.surplus or self.wrong_totals)


@final
class Results:
    """All committed records of the job's topics, read on with each look.

    Args:
        servers: The broker.
    """

    def __init__(self, servers: str) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "soak-results",  # it never joins
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, number, 0) for topic in TOPICS for number in range(PARTITIONS)])
        self._lines: Counter[str] = Counter()
        self._totals: dict[str, tuple[int, int]] = {}

    def compare(self, lines: Counter[str], totals: dict[str, tuple[int, int]], patience_s: float) -> Findings:
        """Read on until all is there, or nothing new comes for a while; then compare."""
        last_new = time.monotonic()
        while (lines - self._lines or totals != self._totals) and time.monotonic() < last_new + patience_s:
            if self._read_on():
                last_new = time.monotonic()
        while self._read_on():  # what was written twice comes last
            pass
        wrong = tuple(sorted(shop for shop, total in totals.items() if self._totals.get(shop) != total))
        return Findings(lines.total(), lines - self._lines, self._lines - lines, wrong)

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def _read_on(self) -> bool:
        messages = list(self._messages())
        for message in messages:
            value = message.value() or b""
            if message.topic() in LINES:
                self._lines[value.decode()] += 1
            else:
                total = json.loads(value)
                self._totals[total["shop"]] = total["orders"], total["amount"]
        return bool(messages)

    def _messages(self) -> Iterator[Message]:
        return (message for message in self._consumer.consume(10_000, timeout=3) if message.error() is None)
