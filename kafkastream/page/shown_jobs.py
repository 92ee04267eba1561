"""Jobs of this process that a page shows: the running ones, and the last ones that ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, final

from kafkastream.page.job_state import JobFacts, ObservedJob
from kafkastream.page.job_view import JobView, job_view

__all__ = ["ShownJob", "ShownJobs"]

_MOST_ENDED_JOBS: Final = 20
_FRESH_S: Final = 0.5


@final
class ShownJob:
    """Job that a page shows. Its view is computed at most every half second, however many clients ask.

    Args:
        facts: Facts of the job.
        job: The job.
        clock: Returns a monotonic time in s.
    """

    def __init__(self, facts: JobFacts, job: ObservedJob, clock: Callable[[], float] = time.monotonic) -> None:
        self.facts = facts
        self._job = job
        self._clock = clock
        self._lock = Lock()
        self._view: JobView | None = None
        self._read_at = 0.0

    def view(self) -> JobView:
        """Return the view of the job."""
        with self._lock:
            if self._view is None or not (self._view.ended_ms or self._clock() - self._read_at < _FRESH_S):
                self._view, self._read_at = job_view(self.facts, self._job.state()), self._clock()
            return self._view

    def cancel(self) -> None:
        """Stop the job after the running micro-batch, and refresh its view at the next request."""
        self._job.cancel()
        with self._lock:
            self._read_at -= _FRESH_S


@final
class ShownJobs:
    """Jobs that a page shows; thread-safe."""

    def __init__(self) -> None:
        self._jobs: dict[str, ShownJob] = {}
        self._lock = Lock()

    def add(self, facts: JobFacts, job: ObservedJob) -> None:
        """Add a started job, and drop the oldest ended jobs beyond the limit."""
        with self._lock:
            ended = [key for key, shown in self._jobs.items() if shown.view().ended_ms]
            for key in ended[: max(len(ended) - _MOST_ENDED_JOBS + 1, 0)]:
                del self._jobs[key]
            self._jobs[str(facts.job_id)] = ShownJob(facts, job)

    def all(self) -> list[ShownJob]:
        """Return all jobs, the oldest first."""
        with self._lock:
            return list(self._jobs.values())

    def get(self, job_id: str) -> ShownJob | None:
        """Return a job by its id, or None."""
        with self._lock:
            return self._jobs.get(job_id)
