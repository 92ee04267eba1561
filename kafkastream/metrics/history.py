"""History of a job on the driver: its last micro-batches, failures and restarts, and samples of its progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Final, final

import attrs

__all__ = ["CompletedBatch", "Failure", "History", "JobHistory", "PartitionStanding", "Sample"]

_BATCHES: Final = 200
_FAILURES: Final = 50
_SAMPLES: Final = 720
_SAMPLE_MS: Final = 5_000


@final
@attrs.frozen(kw_only=True)
class PartitionStanding:
    """Progress of a source in one partition.

    Args:
        node: Node of the source.
        topic: Name of the topic.
        partition: Number of the partition.
        offset: Offset of the next record to process.
        end: Offset after the last record in the partition; None before the first micro-batch.
        committed: Offset that is committed to the consumer group; None if none is.
        watermark_ms: Watermark in ms since 1970; None if there is none.
        is_idle: Whether the partition is idle, so that it does not hold back the watermark.
    """

    node: int
    topic: str
    partition: int
    offset: int
    end: int | None = None
    committed: int | None = None
    watermark_ms: int | None = None
    is_idle: bool = False

    @property
    def lag(self) -> int | None:
        """Number of records that wait in the partition; None if unknown."""
        return None if self.end is None else max(self.end - self.offset, 0)


@final
@attrs.frozen(kw_only=True)
class CompletedBatch:
    """A completed micro-batch, as Spark reports it.

    Args:
        part: Name of the query.
        number: Number in the query's checkpoint.
        began_ms: Time of its begin in ms since 1970.
        duration_ms: Duration in ms.
        phases_ms: Duration of each phase in ms, by Spark's name of the phase.
        rows: Number of records read.
        state_bytes: Size of the state in bytes.
        state_commit_ms: Time that tasks took to commit the state, added up, in ms.
        lag: Number of records that waited in the topics when it ended; None if unknown.
    """

    part: str
    number: int
    began_ms: int
    duration_ms: int
    phases_ms: Mapping[str, int]
    rows: int
    state_bytes: int = 0
    state_commit_ms: int = 0
    lag: int | None = None


@final
@attrs.frozen(kw_only=True)
class Failure:
    """Failure of a part of a job.

    Args:
        at_ms: Time in ms since 1970.
        code: Code of the error.
        name: Name of the error's class.
        text: Message, without secrets.
        restart: Number of the restart that follows; None if the job has failed for good.
        wait_ms: Backoff before the restart in ms.
    """

    at_ms: int
    code: str
    name: str
    text: str
    restart: int | None = None
    wait_ms: int | None = None


@final
@attrs.frozen
class Sample:
    """Progress of a job at a point in time.

    Args:
        at_ms: Time in ms since 1970.
        records: Records read since the start.
        lag: Records waiting in the topics; None if unknown.
    """

    at_ms: int
    records: int
    lag: int | None


@final
@attrs.frozen
class History:
    """History of a job at a point in time; each tuple begins with the oldest.

    Args:
        batches: Last micro-batches.
        completed: Number of all completed micro-batches.
        failures: Last failures.
        samples: Samples of the progress in the last hour.
    """

    batches: tuple[CompletedBatch, ...] = ()
    completed: int = 0
    failures: tuple[Failure, ...] = ()
    samples: tuple[Sample, ...] = ()


@final
class JobHistory:
    """Collects the history of a job; thread-safe, and bounded.

    Example:
        >>> history = JobHistory()
        >>> history.add([CompletedBatch(part="0", number=7, began_ms=0, duration_ms=5, phases_ms={}, rows=3)])
        >>> history.read().completed, history.read().batches[0].number
        (1, 7)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._batches: deque[CompletedBatch] = deque(maxlen=_BATCHES)
        self._completed = 0
        self._failures: deque[Failure] = deque(maxlen=_FAILURES)
        self._samples: deque[Sample] = deque(maxlen=_SAMPLES)

    def add(self, batches: Iterable[CompletedBatch]) -> None:
        """Add completed micro-batches."""
        with self._lock:
            for batch in batches:
                self._batches.append(batch)
                self._completed += 1

    def failed(self, failure: Failure) -> None:
        """Add a failure."""
        with self._lock:
            self._failures.append(failure)

    def is_sample_due(self, now_ms: int) -> bool:
        """Return whether to take a sample: there is none yet, or the last one is five seconds old."""
        with self._lock:
            return not self._samples or now_ms - self._samples[-1].at_ms >= _SAMPLE_MS

    def sample(self, sample: Sample) -> None:
        """Add a sample."""
        with self._lock:
            self._samples.append(sample)

    def read(self) -> History:
        """Return the current history."""
        with self._lock:
            return History(tuple(self._batches), self._completed, tuple(self._failures), tuple(self._samples))
