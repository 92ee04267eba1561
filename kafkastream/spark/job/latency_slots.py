"""Spark's slots that tasks of the latency mode occupy."""

from __future__ import annotations

from typing import Final, final

__all__ = ["LATENCY_SLOTS", "LatencySlots"]


@final
class LatencySlots:
    """Slots that the jobs of this application occupy, by the job's run and the name of its part.

    Example:
        >>> slots = LatencySlots()
        >>> slots.take("run", "orders", 2)
        >>> slots.taken, slots.of("run", "orders")
        (2, 2)
        >>> slots.give_back("run")
        >>> slots.taken
        0
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[str, str], int] = {}

    def take(self, run: str, part: str, slots: int) -> None:
        """Note that a part of a job occupies slots until the job's end."""
        self._taken[run, part] = slots

    def give_back(self, run: str, part: str | None = None) -> None:
        """Note that a part of a job, or all of them, occupy no slots any more."""
        ended = [one for one in self._taken if one[0] == run and part in {None, one[1]}]
        for one in ended:
            del self._taken[one]

    def of(self, run: str, part: str) -> int:
        """Return the number of slots that a part of a job occupies."""
        return self._taken.get((run, part), 0)

    @property
    def taken(self) -> int:
        """Number of slots that jobs occupy."""
        return sum(self._taken.values())


LATENCY_SLOTS: Final = LatencySlots()
