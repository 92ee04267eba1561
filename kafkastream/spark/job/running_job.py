"""A running job: starts its queries, watches them, stops them after a micro-batch, and reports their end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack
from functools import partial
from typing import final

from kafkastream.errors import JobError, KafkastreamError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.standing import Standing
from kafkastream.model.job.job_result import JobClient, JobExecutionResult, JobID, JobStatus
from kafkastream.model.job.notebook_display import shown_while_awaited
from kafkastream.page.job_state import JobState
from kafkastream.spark.job.job_lines import JobLines, kept_in_place
from kafkastream.spark.job.job_metrics import JobMetrics
from kafkastream.spark.job.page_record import PageRecord
from kafkastream.spark.job.query_runner import Part, QueryRunner, only_logged
from kafkastream.spark.job.restarts import Restarts
from kafkastream.spark.job.running_query import RunningQuery
from kafkastream.spark.session.signals import end_by, stop_signals
from kafkastream.spark.session.translate_errors import translated

__all__ = ["Job", "wait_for"]

log = logging.getLogger("kafkastream")

_POLL_S = 0.1
_WAIT_S = 0.2
_LOOK_S = 0.5
_PATIENCE_S = 30.0


@final
class _Finished(Future[JobExecutionResult]):
    """The end of a job, with whether the program has seen it."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.is_asked_for = False
        self._job = job

    def result(self, timeout: float | None = None) -> JobExecutionResult:
        self.is_asked_for = True
        if timeout is None and not self.done():
            wait_for([self._job])
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self.is_asked_for = True
        return super().exception(timeout)


@final
class Job:
    """A started job (``kafkastream.model.job.job_result.RunningJob``).

    Args:
        job_id: The job's identity.
        name: The job's name.
        servers: Brokers that it reads from.
        parts: Its parts, ready to start.
        restarts: Decides about restarts after failures.
        metrics: Its metrics.
        at_end: Called once when all parts have ended.
        folder_lost: Returns the error that the checkpoint folder has another owner now, if it has.
        lines: Lines on standard error; none if not given.
    """

    def __init__(
        self,
        job_id: JobID,
        name: str,
        servers: str,
        parts: Sequence[Part],
        restarts: Restarts,
        metrics: JobMetrics,
        at_end: Callable[[], None],
        folder_lost: Callable[[], KafkastreamError | None] = lambda: None,
        lines: JobLines | None = None,
    ) -> None:
        self.job_id = job_id
        self.name = name
        self.finished = _Finished(self)
        self.stopping = threading.Event()
        self.hurrying = threading.Event()
        self._servers = servers
        self._runners = [QueryRunner(part, job_id, name, servers, lambda: self._is_to_stop) for part in parts]
        self._restarts = restarts
        self._metrics = metrics
        self._record = PageRecord(metrics)
        self._at_end = at_end
        self._folder_lost = folder_lost
        self.lines = lines or JobLines(name)
        self._failure: KafkastreamError | None = None
        self._ended_as = JobStatus.FINISHED
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"kafkastream-{name}", daemon=True)
        self._thread.start()

    def status(self) -> JobStatus:
        """Status of the job."""
        if self.finished.done():
            self.finished.is_asked_for = True
            return self._ended_as
        return self._running_status()

    def _running_status(self) -> JobStatus:
        if self._failure is not None:
            return JobStatus.FAILING
        if self.stopping.is_set():
            return JobStatus.CANCELLING
        return JobStatus.RESTARTING if any(one.restarts for one in self._runners) else JobStatus.RUNNING

    def metrics(self) -> MetricsSnapshot:
        """The metrics of all completed tasks."""
        return self._metrics.read()

    def standing(self) -> Standing | None:
        """Return the progress of the job's sources."""
        return Standing.of(query.standing() for query in self._queries())

    def state(self) -> JobState:
        """Return the state of the job for its page; the program has not seen a failure by that."""
        return self._record.state(self._queries())

    def _queries(self) -> list[RunningQuery]:
        return [query for query in (one.query for one in self._runners) if query is not None]

    def cancel(self) -> Future[None]:
        """Stop after the running micro-batch."""
        stopped: Future[None] = Future()
        self.finished.add_done_callback(lambda _: stopped.set_result(None))
        self.stopping.set()
        return stopped

    def wait(self) -> JobExecutionResult:
        """Wait for the end.

        Raises:
            KafkastreamError: The job has failed.
            SystemExit: SIGINT (Ctrl-C) or SIGTERM came, and the job has stopped after the running micro-batch.
            KeyboardInterrupt: Ctrl-C came in an interactive session, and the job has stopped likewise.
        """
        wait_for([self])
        return self.finished.result()

    @property
    def failure(self) -> KafkastreamError | None:
        """Return the error by which the job has failed, if it has."""
        return self._failure

    @property
    def is_settled(self) -> bool:
        """True if the job has ended and the program has seen the outcome."""
        return self.finished.done() and (self._failure is None or self.finished.is_asked_for)

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller has to hear of it
            self._failure = self._failure or translated(error, self.name, self._servers)
        finally:
            try:
                self._end()
            finally:
                self._tell()

    def _watch(self) -> None:
        """Watch until all have ended; if one fails for good or the job is cancelled, the others stop."""
        since: float | None = None
        look_at = 0.0
        while self._any_goes_on():
            with only_logged("a line of progress"):
                self.lines.look(self.standing)
                self._record.note(self._running_status(), self.standing)
            self._failure = self._failure or self._folder_lost()
            if self._is_to_stop:
                since = since or time.monotonic()
                hurries = self.hurrying.is_set() or time.monotonic() - since > _PATIENCE_S
                _stop_idle(self._runners, at_once=hurries)
                time.sleep(_POLL_S)
                continue
            _wait_for_one(self._runners)
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + _LOOK_S
                for query in _active(self._runners):
                    query.look()
                    if query.has_stopped:  # it only reads records beyond the stopping offsets
                        query.stop()

    @property
    def _is_to_stop(self) -> bool:
        return self.stopping.is_set() or self._failure is not None

    def _any_goes_on(self) -> bool:
        """Let each part do the work that is due; return whether any part still runs."""
        goes_on = False
        for one in self._runners:
            if not self._is_to_stop:
                one.tend()
            is_active = one.is_active
            if not is_active:
                self._take_notice(one)
            goes_on = goes_on or is_active or (one.waits and not self._is_to_stop)
        return goes_on

    def _take_notice(self, one: QueryRunner) -> None:
        failure = one.failure
        if failure is not None:
            if not self._is_to_stop and one.tries_again(failure):
                return
            wait_ms = None if self._is_to_stop else self._restarts.wait_ms(failure)
            if wait_ms is None:
                self._failure = self._failure or failure
            else:
                self._record.failed(failure, self._restarts.count, wait_ms)
                reason = str(failure).splitlines()[0]
                log.warning(
                    "job %r is started again in %g s (restart %d): %s",
                    self.name,
                    wait_ms / 1000,
                    self._restarts.count,
                    reason,
                )
                one.begin_again_in(wait_ms / 1000)
        elif not self._is_to_stop and one.was_stopped_by_others:
            self._failure = JobError(
                f"the query of job {self.name!r} was stopped, and not by the job",
                now="spark.stop() or query.stop() ends it; the next start continues from its checkpoint.",
            )

    def _end(self) -> None:
        completed = not self._is_to_stop
        for one in self._runners:
            one.end(completed=completed)
        with only_logged("the last report of metrics"):
            self._metrics.end()
        with only_logged("the removal of temporary files"):
            self._at_end()

    def _tell(self) -> None:
        failed, stopped = self._failure is not None, self.stopping.is_set()
        with only_logged("the last line of progress"):
            self.lines.ended("has failed" if failed else "was stopped" if stopped else "has finished", self.standing)
        self._ended_as = JobStatus.FAILED if failed else JobStatus.CANCELED if stopped else JobStatus.FINISHED
        with only_logged("the record of the job's end"):
            if self._failure is not None:
                self._record.failed(self._failure)
            self._record.end(self._ended_as, self._queries())
        if self._failure is not None:
            self.finished.set_exception(self._failure.with_traceback(None))  # without the frames of Spark and py4j
        else:
            runtime = round((time.monotonic() - self._began) * 1000)
            result = JobExecutionResult(job_id=self.job_id, net_runtime_ms=runtime, metrics=self.metrics())
            self.finished.set_result(result)


def wait_for(jobs: Sequence[Job]) -> None:
    """Wait until all jobs have ended; one that fails stops the others.

    Raises:
        KafkastreamError: A job has failed: the error of the first.
        SystemExit: SIGINT (Ctrl-C) or SIGTERM came, and the jobs have stopped after their running micro-batch.
        KeyboardInterrupt: Ctrl-C came in an interactive session, and the jobs have stopped likewise.
    """
    for one in jobs:
        one.finished.is_asked_for = True
    with stop_signals(partial(_stop_or_hurry, jobs)) as signals:
        _wait(jobs)
    failures = [one.failure for one in jobs if one.failure is not None]
    if failures:
        raise failures[0]
    if signals:
        end_by(signals[0])


def _wait(jobs: Sequence[Job]) -> None:
    """Wait until all jobs have ended, and show their progress; one that fails stops the others."""
    with ExitStack() as shown, kept_in_place(jobs) as show:
        for one in jobs:
            if not one.lines.is_silent:
                shown.enter_context(shown_while_awaited(JobClient(one)._repr_html_, one.finished))
        while not all(one.finished.done() for one in jobs):
            if any(one.failure is not None for one in jobs):
                _stop(one for one in jobs if one.failure is None)
            with only_logged("a line of progress"):
                show()
            wait([one.finished for one in jobs], _POLL_S)


def _stop(jobs: Iterable[Job]) -> bool:
    """Cancel the jobs; return False if they were being cancelled already."""
    running = [one for one in jobs if not one.stopping.is_set()]
    for one in running:
        one.cancel()
    return bool(running)


def _stop_or_hurry(jobs: Sequence[Job]) -> bool:
    """Cancel the jobs; if they are being cancelled already, make them stop in the middle of a micro-batch, and return False."""
    if _stop(jobs):
        return True
    for one in jobs:
        one.hurrying.set()
    return False


def _active(runners: Iterable[QueryRunner]) -> list[RunningQuery]:
    return [one.query for one in runners if one.query is not None and one.is_active]


def _wait_for_one(runners: Iterable[QueryRunner]) -> None:
    """Wait for a moment, or until the first active query ends."""
    at_work = next(iter(_active(runners)), None)
    if at_work is None:
        time.sleep(_POLL_S)
    else:
        at_work.wait(_WAIT_S)


def _stop_idle(runners: Iterable[QueryRunner], *, at_once: bool) -> None:
    """Stop idle queries, which is safe: a micro-batch that begins after the request to stop ends itself."""
    for one in _active(runners):
        if at_once or one.pauses():
            one.stop()
