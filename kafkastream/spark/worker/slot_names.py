"""Transactional ids of an exactly-once query, and the numbers that their markers count from.

Names are the same at each run of a job, so that nothing piles up on the brokers. So each run counts its micro-batches from
a number that none before has come to: no marker of an earlier run is ever taken for one of this.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap

__all__ = ["SINGLE", "SlotNames", "marker_owner", "origin_name"]

SINGLE: Final = "all"
"""Origin in the name of the slot of a sink behind keyed operators, whose records have no place in a source."""

_PER_START = 10**12
"""More micro-batches than a run ever has, and few enough for nine million runs."""


@final
@attrs.frozen
class SlotNames:
    """Names of a query's transaction slots, as the checkpoint keeps them.

    Args:
        id: Stands in the names of all slots of the query, and in no other's.
        prefixes: The transactional id prefixes of the sinks, by the sinks' identities.
        run: The last run of the job.
        starts: How many runs there were.
        began: At which of them Spark's own checkpoint of the query began, which counts micro-batches from 0.

    Example:
        >>> first = SlotNames("5d2f").started("one", has_begun=False)
        >>> first.started("one", has_begun=True) == first  # after a failure
        True
        >>> second = first.started("two", has_begun=True)  # after a kill: the same micro-batches go on
        >>> second.of_batch(7) - first.of_batch(7), second.of_piece(0) - first.of_piece(0)
        (0, 1000000000000)
        >>> third = second.started("three", has_begun=False)  # after the end of a bounded run
        >>> third.of_batch(0) > second.of_batch(10**9)
        True
    """

    id: str
    prefixes: Mapping[str, str] = FrozenMap()
    run: str = ""
    starts: int = 0
    began: int = 0

    @staticmethod
    def of_record(record: Mapping[str, Any], query: str | None) -> SlotNames:
        """Read the record in a checkpoint, whose Spark query is ``query``.

        Version 0.1 named slots by that, and kept prefixes only.
        """
        if "prefixes" in record:
            return SlotNames(**record)
        return SlotNames(query or uuid.uuid4().hex[:16], record)

    def record(self) -> dict[str, Any]:
        """Record of the names for the checkpoint."""
        return {**attrs.asdict(self, recurse=False), "prefixes": dict(self.prefixes)}

    def started(self, run: str, *, has_begun: bool) -> SlotNames:
        """At a start of the job.

        Args:
            run: The run, the same when a part of it is started again.
            has_begun: Whether Spark has a checkpoint of the query.
        """
        starts = self.starts + (run != self.run)
        return attrs.evolve(self, run=run, starts=starts, began=self.began if has_begun else starts)

    @property
    def is_first(self) -> bool:
        """Whether no earlier run can have written anything."""
        return self.starts <= 1

    def of_batch(self, number: int) -> int:
        """As what markers count a micro-batch of Spark's."""
        return self.began * _PER_START + number

    def of_piece(self, number: int) -> int:
        """As what they count a piece of a collection, which is written at each start."""
        return self.starts * _PER_START + number

    def batch(self, counted: int) -> int | None:
        """The micro-batch of Spark's that is counted so; None for one of a later run."""
        number = counted - self.of_batch(0)
        return number if number < _PER_START else None


def marker_owner(slots: str, sink: str) -> str:
    """Return the name under which a JDBC sink keeps its markers.

    Args:
        slots: Lasting identity of the query's slots (``SlotNames.id``).
        sink: The sink's identity among the job's sinks.
    """
    return f"{slots}-{sink}"


def origin_name(source: str, topic: str, partition: int) -> str:
    """Return the origin in the name of the slot that a partition's records are written in."""
    return f"{source}-{topic}-{partition}"
