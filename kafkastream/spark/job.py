"""A job at work: its queries are started, watched, stopped after a micro-batch, and their end is told."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, final

from kafkastream.errors import JobError, KafkastreamError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.spark.metrics import JobMetrics
from kafkastream.spark.progress import FollowedQuery
from kafkastream.spark.translate_errors import translated, without_secrets
from kafkastream.spec.job import JobExecutionResult, JobID, JobStatus

__all__ = ["Job", "StopRequestedError"]

log = logging.getLogger("kafkastream")

_POLL_S = 0.1
_WAIT_S = 0.2
_LOOK_S = 0.5
_PATIENCE_S = 30.0

Start = Callable[["Job"], FollowedQuery | None]
"""Starts one part of a job, or runs it to its end and returns None."""


class StopRequestedError(Exception):
    """Ends a micro-batch that has not begun yet, because the job is to stop."""


@final
class Job:
    """A started job (``kafkastream.spec.job.RunningJob``).

    Args:
        job_id: The job's identity.
        name: The job's name.
        servers: The brokers that it reads from.
        starts: What starts each of its parts.
        metrics: Its metrics.
        at_end: Called once when all has ended.
    """

    def __init__(
        self,
        job_id: JobID,
        name: str,
        servers: str,
        starts: Sequence[Start],
        metrics: JobMetrics,
        at_end: Callable[[], None],
    ) -> None:
        self.job_id = job_id
        self.finished: Future[JobExecutionResult] = Future()
        self.stopping = threading.Event()
        self._name = name
        self._servers = servers
        self._starts = starts
        self._metrics = metrics
        self._at_end = at_end
        self._failure: KafkastreamError | None = None
        self._ended_as = JobStatus.FINISHED
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"kafkastream-{name}", daemon=True)
        self._thread.start()

    def status(self) -> JobStatus:
        """Where the job stands."""
        if self.finished.done():
            return self._ended_as
        if self._failure is not None:
            return JobStatus.FAILING
        return JobStatus.CANCELLING if self.stopping.is_set() else JobStatus.RUNNING

    def metrics(self) -> MetricsSnapshot:
        """The metrics of all completed tasks."""
        return self._metrics.read()

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
            SystemExit: Ctrl-C was pressed, and the job has stopped after the running micro-batch.
        """
        with _interrupts(self._interrupted) as interrupted:
            while not self.finished.done():
                self._thread.join(_POLL_S)
        if interrupted and self.finished.exception() is None:
            raise SystemExit(128 + signal.SIGINT)
        return self.finished.result()

    def fail(self, error: Exception) -> NoReturn:
        """Remember what went wrong in a micro-batch, and end it."""
        self._failure = self._failure or translated(error, self._name, self._servers)
        raise self._failure from None

    def check_not_stopping(self) -> None:
        """Called first in each micro-batch: a job that is to stop begins no more."""
        if self._is_to_stop:
            raise StopRequestedError

    def _interrupted(self) -> None:
        if self.stopping.is_set():
            raise KeyboardInterrupt
        print("\nStopping after the running micro-batch; Ctrl-C again stops at once.", file=sys.stderr)  # noqa: T201
        self.cancel()

    def _run(self) -> None:
        queries: list[FollowedQuery] = []
        try:
            for start in self._starts:
                if self.stopping.is_set():
                    break
                query = start(self)
                if query is not None:
                    queries.append(query)
            self._watch(queries)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller has to hear of it
            self._failure = self._failure or self._meant(error)
        finally:
            try:
                self._end(queries)
            finally:
                self._tell()

    def _watch(self, queries: Sequence[FollowedQuery]) -> None:
        """Until all have ended; when one has failed or the job is to stop, the others end after their micro-batch."""
        since: float | None = None
        look_at = 0.0
        while self._any_goes_on(queries):
            self._notice_failure(queries)
            if self._is_to_stop:
                since = since or time.monotonic()
                _stop_idle(queries, at_once=time.monotonic() - since > _PATIENCE_S)
                time.sleep(_POLL_S)
                continue
            _wait_for_one(queries)
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + _LOOK_S
                for one in queries:
                    one.look()
                    if one.has_stopped:  # what it still reads lies behind the stops
                        one.stop()
        self._notice_failure(queries)

    @property
    def _is_to_stop(self) -> bool:
        return self.stopping.is_set() or self._failure is not None

    def _any_goes_on(self, queries: Sequence[FollowedQuery]) -> bool:
        begin_again = [one for one in queries if one.lost_a_race and not self._is_to_stop]
        for one in begin_again:
            one.begin_again()
        return bool(begin_again) or any(one.query.isActive for one in queries)

    def _notice_failure(self, queries: Sequence[FollowedQuery]) -> None:
        for one in queries:
            error = None if one.query.isActive or one.lost_a_race else one.query.exception()
            if error is not None:
                self._failure = self._failure or self._meant(error)
            elif not self._is_to_stop and one.was_stopped_by_others:
                self._failure = JobError(
                    f"the query of job {self._name!r} was stopped, and not by the job",
                    now="spark.stop() or query.stop() ends it; the next start continues from its checkpoint.",
                )

    def _end(self, queries: Sequence[FollowedQuery]) -> None:
        completed = not self._is_to_stop
        for one in queries:
            with _only_logged("the end of a query"):
                one.stop()
            with _only_logged("the last look at what was read"):
                one.end(completed=completed)
        with _only_logged("the last report of metrics"):
            self._metrics.end()
        with _only_logged("the removal of temporary files"):
            self._at_end()

    def _tell(self) -> None:
        if self._failure is not None:
            self._ended_as = JobStatus.FAILED
            self.finished.set_exception(self._failure.with_traceback(None))  # without Spark's way to the micro-batch
        else:
            self._ended_as = JobStatus.CANCELED if self.stopping.is_set() else JobStatus.FINISHED
            runtime = round((time.monotonic() - self._began) * 1000)
            result = JobExecutionResult(job_id=self.job_id, net_runtime_ms=runtime, metrics=self.metrics())
            self.finished.set_result(result)

    def _meant(self, error: Exception) -> KafkastreamError | None:
        """What an error from Spark says; nothing, when it is only how a stopped query ends."""
        if isinstance(error, StopRequestedError) or StopRequestedError.__name__ in str(error):
            return None
        return translated(error, self._name, self._servers)


def _wait_for_one(queries: Sequence[FollowedQuery]) -> None:
    """For a moment, or until the first that is at work ends."""
    at_work = next((one for one in queries if one.query.isActive), None)
    if at_work is not None:
        at_work.wait(_WAIT_S)


def _stop_idle(queries: Sequence[FollowedQuery], *, at_once: bool) -> None:
    """A micro-batch that begins after the stop was asked for ends itself, so an idle query may be stopped safely."""
    for one in queries:
        if one.query.isActive and (at_once or not one.query.status["isTriggerActive"]):
            one.stop()


@contextmanager
def _only_logged(what: str) -> Iterator[None]:
    """What comes after the job's work must not hide how it ended."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        log.warning("%s failed: %s", what, without_secrets(error))


@contextmanager
def _interrupts(handle: Callable[[], None]) -> Iterator[list[int]]:
    """Have Ctrl-C call ``handle`` instead of Spark's handler, which kills the running micro-batch."""
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def on_signal(number: int, _: FrameType | None) -> None:
        handle()
        seen.append(number)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
