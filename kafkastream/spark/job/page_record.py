"""Record of a job for its page: when it reached each status, failures, samples of progress, its state at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from kafkastream.errors import KafkastreamError
from kafkastream.metrics.history import Failure, History, PartitionStanding, Sample
from kafkastream.metrics.standing import Standing
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.job.job_result import JobStatus
from kafkastream.page.job_state import JobState
from kafkastream.spark.job.job_metrics import JobMetrics
from kafkastream.spark.job.running_query import RunningQuery

__all__ = ["PageRecord"]


@final
class PageRecord:
    """Record of one job.

    Args:
        metrics: Metrics of the job, with its history if the job has a page.
    """

    def __init__(self, metrics: JobMetrics) -> None:
        self._metrics = metrics
        self._history = metrics.history
        self._reached_ms = dict.fromkeys((JobStatus.INITIALIZING, JobStatus.CREATED), wall_clock_ms())
        self._status = JobStatus.CREATED
        self._partitions: tuple[PartitionStanding, ...] = ()
        self._last: JobState | None = None

    def note(self, status: JobStatus, standing: Callable[[], Standing | None]) -> None:
        """Note the status of the job, and now and then its progress."""
        if status is not self._status:
            self._status = status
            self._reached_ms = {**self._reached_ms, status: wall_clock_ms()}
        if self._history is not None and self._history.is_sample_due(now := wall_clock_ms()):
            progress = standing() or Standing()
            self._history.sample(Sample(now, progress.records, progress.lag))

    def failed(self, error: KafkastreamError, restart: int | None = None, wait_ms: int | None = None) -> None:
        """Note a failure.

        Args:
            error: The failure.
            restart: Number of the restart that follows; None if the job has failed for good.
            wait_ms: Backoff before the restart in ms.
        """
        if self._history is not None:
            text = str(error)
            name = type(error).__name__
            self._history.failed(
                Failure(at_ms=wall_clock_ms(), code=error.code, name=name, text=text, restart=restart, wait_ms=wait_ms)
            )

    def state(self, queries: Sequence[RunningQuery]) -> JobState:
        """Return the state of the job, of which these queries have started."""
        if self._last is not None:
            return self._last
        # A part that waits for its restart has no query; its partitions are where they were.
        self._partitions = tuple(one for query in queries for one in query.partitions()) or self._partitions
        return JobState(
            status=self._status,
            reached_ms=self._reached_ms,
            now_ms=wall_clock_ms(),
            standing=Standing.of(query.standing() for query in queries),
            metrics=self._metrics.read(),
            partitions=self._partitions,
            watermarks={node: time for query in queries for node, time in query.watermarks().items()},
            history=History() if self._history is None else self._history.read(),
            activity=tuple(filter(None, (query.activity for query in queries))),
        )

    def end(self, status: JobStatus, queries: Sequence[RunningQuery]) -> None:
        """Keep the last state of the job."""
        self.note(status, lambda: None)
        self._last = self.state(queries)
