"""Jobs that a program has started, and their fate if the program ends without waiting for them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Final, final

from kafkastream.spark.job.query_runner import only_logged
from kafkastream.spark.job.running_job import Job, wait_for

__all__ = ["STARTED", "StartedJobs"]

log = logging.getLogger("kafkastream")

_GUARD: Final = "kafkastream-end"
_GRACE_S: Final = 1.0
_PATIENCE_S: Final = 60.0
_NOT_AWAITED: Final = (
    "job %r is stopped before its end, after the running micro-batch: the program has ended without waiting for it.\n"
    "  To wait: .wait() on the result of execute_sql, execute_insert or a statement set; "
    ".get_job_execution_result().result() on the client of execute_async.\n"
    "  Or start the program with 'kafkastream run', which waits."
)


@final
class StartedJobs:
    """Jobs of this process that run, or have failed without the program having seen the error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: tuple[Job, ...] = ()
        self._collecting: tuple[Job, ...] = ()
        self._told: set[Job] = set()
        self._guard: threading.Thread | None = None

    def add(self, job: Job, *, collects: bool) -> None:
        """Add a job that has just started.

        Args:
            job: The job.
            collects: Whether the program collects its elements, so that the job has no purpose after the program's end.
        """
        with self._lock:
            if collects:
                self._collecting = (*(one for one in self._collecting if not one.finished.done()), job)
            else:
                self._jobs = (*(one for one in self._jobs if not one.is_settled), job)
            self._begin_guard()
        if not collects:
            job.finished.add_done_callback(lambda _: self._tell_later(job))

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Run a program, and at its end wait for the jobs that still run; raises failures that it has not seen.

        A job that fails then stops the others, as in Flink's application mode. If the program ends with an error, or
        with an exit code other than 0, its jobs are not awaited.

        Raises:
            KafkastreamError: A job has failed.
            SystemExit: SIGINT (Ctrl-C) or SIGTERM came, and the jobs have stopped after their running micro-batch.
        """
        before = self._jobs
        try:
            yield
        except SystemExit as end:
            if end.code:
                raise
        jobs = [one for one in self._jobs if one not in before and not one.is_settled]
        for job in jobs:
            if not job.finished.done():
                job.lines.outlives_program()
        wait_for(jobs)

    def stop(self) -> None:
        """Stop running jobs after their micro-batch, and log failures that the program has not seen."""
        running = [one for one in (*self._jobs, *self._collecting) if not one.finished.done()]
        for job in running:
            if job in self._jobs and not job.stopping.is_set():
                log.warning(_NOT_AWAITED, job.name)
            job.cancel()
        wait([one.finished for one in running], _PATIENCE_S)
        for job in self._jobs:
            self._tell(job)

    def _tell_later(self, job: Job) -> None:
        """Log a failure unless the program asks for it within a moment."""
        if not job.is_settled:
            timer = threading.Timer(_GRACE_S, self._tell, [job])
            timer.daemon = True
            timer.start()

    def _tell(self, job: Job) -> None:
        with self._lock:
            is_news = job.finished.done() and not job.is_settled and job not in self._told
            self._told = {one for one in (*self._told, job) if not one.is_settled}
        if is_news:
            log.error("job %r has failed: %s", job.name, job.failure)

    def _begin_guard(self) -> None:
        """Start the thread that ends the jobs with the program.

        It is not a daemon thread, so the interpreter waits for it. The end of a job starts threads, which a function
        registered with ``atexit`` cannot (https://docs.python.org/3/library/atexit.html#atexit.register).
        """
        if self._guard is None:
            self._guard = threading.Thread(target=self._end_with_program, name=_GUARD, daemon=False)
            self._guard.start()

    def _end_with_program(self) -> None:
        threading.main_thread().join()
        while others := [one for one in threading.enumerate() if not one.daemon and _is_of_program(one)]:
            others[0].join()
        with only_logged("the end of the jobs"):
            self.stop()


def _is_of_program(thread: threading.Thread) -> bool:
    return thread.name != _GUARD and thread is not threading.main_thread()


STARTED: Final = StartedJobs()
"""The jobs of this process."""
