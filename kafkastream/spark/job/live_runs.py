"""Running jobs of this Spark application, which share its workers, and the last writers of their slots."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final, final

from kafkastream.spark.worker.batch_context import BatchContext
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["LIVE_RUNS", "LiveRuns"]


@final
class LiveRuns:
    """Running jobs by run id, with the last writer of each transaction slot.

    Example:
        >>> live = LiveRuns()
        >>> live.begin("run")
        >>> live.begin_part("run", "orders")
        >>> live.wrote("run", "orders", [Report(ReportKind.WRITER, 0, ("slot", "one"))])
        >>> live.wrote("run", "orders", [Report(ReportKind.WRITER, 0, ("slot", "other"))])
        >>> live.context("tests", 0).writers
        frozenset({'other'})
        >>> live.end("run")
        >>> live.context("tests", 0).runs
        frozenset()
    """

    def __init__(self) -> None:
        self._writers: dict[str, dict[str, dict[str, str]]] = {}
        self._lock = Lock()  # each query runs in a thread of Spark

    def begin(self, run: str) -> None:
        """Add a job that starts."""
        with self._lock:
            self._writers[run] = {}

    def begin_part(self, run: str, part: str) -> None:
        """Begin a part of a job; after a failure its last writers are unknown."""
        with self._lock:
            self._writers[run][part] = {}

    def wrote(self, run: str, part: str, reports: Iterable[Report]) -> None:
        """Note the writers that the tasks of a micro-batch report."""
        with self._lock:
            writers = self._writers.get(run, {}).get(part, {})
            writers.update(one.content for one in reports if one.kind is ReportKind.WRITER)

    def end(self, run: str) -> None:
        """Remove a job that has ended."""
        with self._lock:
            self._writers.pop(run, None)

    def context(self, slots: str, batch: int) -> BatchContext:
        """Return the context of a micro-batch for its tasks.

        Args:
            slots: Common part of the names of the query's slots.
            batch: Number of the micro-batch in the slots' markers.
        """
        with self._lock:
            parts = [writers for parts in self._writers.values() for writers in parts.values()]
            tokens = frozenset(token for writers in parts for token in writers.values())
            return BatchContext(frozenset(self._writers), tokens, slots, batch)


LIVE_RUNS: Final = LiveRuns()
