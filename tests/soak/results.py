"""What a job has written, against what it was to write."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, final

import attrs
from confluent_kafka import Message
from typing_extensions import Self

from tests.committed import Reader
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
    """All committed records of the job's topics.

    Args:
        servers: The broker.
    """

    def __init__(self, servers: str) -> None:
        self._reader = Reader(servers, TOPICS, PARTITIONS)
        self._lines: Counter[str] = Counter()
        self._totals: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._reader.__exit__(kind, error, traceback)

    def compare(self, lines: Counter[str], totals: Mapping[str, tuple[int, int]], patience_s: float) -> Findings:
        """Read on until all is there, or nothing new comes for a while; then compare."""
        last_new = time.monotonic()
        while (lines - self._lines or totals != self._totals) and time.monotonic() < last_new + patience_s:
            if some := self._reader.some():
                self._take(some)
                last_new = time.monotonic()
        self._take(self._reader.rest())  # what was written twice comes last
        wrong = tuple(sorted(shop for shop, total in totals.items() if self._totals.get(shop) != total))
        return Findings(lines.total(), lines - self._lines, self._lines - lines, wrong)

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            value = message.value() or b""
            if message.topic() in LINES:
                self._lines[value.decode()] += 1
            else:
                total = json.loads(value)
                self._totals[total["shop"]] = total["orders"], total["amount"]
