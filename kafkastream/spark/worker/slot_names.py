"""Names of an exactly-once query's transaction slots, and the numbers of micro-batches in their markers.

Names are the same in each run of a job, so that transactional ids do not accumulate on the brokers. Therefore each run
numbers its micro-batches from a higher start than any before: a marker of an earlier run is never taken for one of
this.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap

__all__ = ["SINGLE", "SlotNames", "marker_owner", "origin_name"]

SINGLE: Final = "all"
"""Origin in the slot name of a sink after keyed operators, whose records have no source offset."""

_PER_START = 10**12
"""Distance between the numbers of two runs: more micro-batches than a run has, and enough for nine million runs."""


@final
@attrs.frozen
class SlotNames:
    """Names of a query's transaction slots, as saved in the checkpoint.

    Args:
        id: Common part of the names of the query's slots, unique to it.
        prefixes: Transactional id prefixes of the sinks, by their identities.
        run: Id of the job's last run.
        starts: Number of runs so far.
        began: Number of the run in which Spark's checkpoint of the query began, which counts micro-batches from 0.

    Example:
        >>> first = SlotNames("5d2f").started("one", has_begun=False)
        >>> first.started("one", has_begun=True) == first  # after a failure
        True
        >>> second = first.started("two", has_begun=True)  # after a kill: the same micro-batches continue
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
        """Parse the record in a checkpoint; ``query`` is Spark's id of the query.

        Version 0.1 named slots by that id, and saved prefixes only.
        """
        if "prefixes" in record:
            return SlotNames(**record)
        return SlotNames(query or uuid.uuid4().hex[:16], record)

    def record(self) -> dict[str, Any]:
        """Return the record for the checkpoint."""
        return {**attrs.asdict(self, recurse=False), "prefixes": dict(self.prefixes)}

    def started(self, run: str, *, has_begun: bool) -> SlotNames:
        """Return the names for a start of the job.

        Args:
            run: Id of the run, the same when a part is restarted.
            has_begun: Whether Spark has a checkpoint of the query.
        """
        starts = self.starts + (run != self.run)
        return attrs.evolve(self, run=run, starts=starts, began=self.began if has_begun else starts)

    @property
    def is_first(self) -> bool:
        """True if no earlier run can have written anything to the slots."""
        return self.starts <= 1

    def of_batch(self, number: int) -> int:
        """Return the number of a Spark micro-batch in markers."""
        return self.began * _PER_START + number

    @property
    def of_epochs(self) -> int:
        """Number of all epochs of a Spark checkpoint in markers, above those of its micro-batches.

        The offset in an epoch's marker is that of the source, so a repeated epoch needs no number of its own.
        """
        return self.of_batch(_PER_START - 1)

    def of_piece(self, number: int) -> int:
        """Return the number of a collection's piece in markers; pieces are written at each start."""
        return self.starts * _PER_START + number

    def batch(self, counted: int) -> int | None:
        """Return Spark's number of the micro-batch with this number in markers; None for one of a later run."""
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
    """Return the origin in the slot name for records of a partition."""
    return f"{source}-{topic}-{partition}"
