"""Runs the query of a connected part of a job, and restarts it after failures by the job's restart strategy."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import NoReturn, Protocol, final

from kafkastream.errors import KafkastreamError, StorageError, WorkerCrashedError, WorkerStartError
from kafkastream.kafka.background import in_background
from kafkastream.model.job.job_result import JobID
from kafkastream.spark.crash_notes import Crash, exit_described, last_crash
from kafkastream.spark.job.restarts import Patience
from kafkastream.spark.job.running_query import RunningQuery
from kafkastream.spark.session.jvm import lost_jvm
from kafkastream.spark.session.translate_errors import error_text, translated

__all__ = ["Part", "QueryRunner", "StopRequestedError", "only_logged"]

log = logging.getLogger("kafkastream")

_POLL_S = 0.1
_NO_MEMORY = (
    "Nobody else sends that as a rule but a system out of memory (dmesg says so): give the machine or container more."
)


class StopRequestedError(Exception):
    """Ends a micro-batch before it begins, because the job is to stop."""


class Part(Protocol):
    """A connected part of a job, compiled for one start."""

    @property
    def checkpoints(self) -> str:
        """Path of the checkpoint folder."""

    def start(self, run: QueryRunner) -> RunningQuery | None:
        """Start its query; or run it to its end and return None."""

    def close(self) -> None:
        """Delete temporary files and release callbacks, after its end or a start that has failed."""

    def again(self) -> Part:
        """Compile it for another start, which continues from the checkpoint and reopens functions."""


@final
class QueryRunner:
    """Runs a part of a job through all of its starts.

    Args:
        part: The part, compiled for its first start.
        job_id: Identity of the job.
        job: Name of the job.
        servers: Brokers that the job reads from.
        is_to_stop: Whether the job is to stop.

    Attributes:
        query: Started query; None before a start, or if nothing is read from Kafka.
    """

    def __init__(self, part: Part, job_id: JobID, job: str, servers: str, is_to_stop: Callable[[], bool]) -> None:
        self.job_id = job_id
        self.query: RunningQuery | None = None
        self._part = part
        self._job = job
        self._servers = servers
        self._is_to_stop = is_to_stop
        self._failure: KafkastreamError | None = None
        self._is_noted = False
        self._begins_at: float | None = time.monotonic()
        self._restarts = 0
        self._patience = Patience()

    @property
    def waits(self) -> bool:
        """True until the query is begun, for the first time or again."""
        return self._begins_at is not None

    @property
    def restarts(self) -> bool:
        """True while the query waits for a restart."""
        return self.waits and self._restarts > 0

    @property
    def is_active(self) -> bool:
        """True if the query has begun and is active."""
        return self.query is not None and self.query.is_active

    @property
    def is_to_stop(self) -> bool:
        """True if the job is to stop."""
        return self._is_to_stop()

    def tend(self) -> None:
        """Start the query if due, or again if it must read new partitions; an error becomes the part's failure.

        A failure that was recorded outside of a micro-batch stops the query.
        """
        try:
            if self._is_noted and self.query is not None and self.query.is_active:
                self.query.stop()
            elif self._begins_at is None:
                if self.query is not None and (self.query.lost_a_race or self.query.has_outgrown_slots):
                    self.query.begin_again()
            elif time.monotonic() >= self._begins_at:
                self._begin()
        except Exception as error:  # noqa: BLE001 - whatever it is, the job has to hear of it
            self._failure = self._failure or self._meant(error)

    def _begin(self) -> None:
        try:
            if self._restarts:
                self._part = self._made_again()
            self.query = self._part.start(self)
        finally:
            self._begins_at = None

    def _made_again(self) -> Part:
        """Compile the part for another start, which queries the brokers; a stopping job does not wait for them."""
        making = in_background(self._part.again, "kafkastream-restart")
        while not wait([making], _POLL_S).done:
            self.check_not_stopping()
        return making.result()

    def tries_again(self, failure: KafkastreamError) -> bool:
        """Start again if a Python worker has not started in time, unless that has happened too often."""
        if not isinstance(failure, WorkerStartError):
            return False
        progressed = self.query is not None and self.query.has_progressed
        wait_s = self._patience.wait_s(progressed=progressed)
        if wait_s is None:
            return False
        if self._patience.tries == 1:
            log.warning("this machine is busy, and Spark's Python workers start slowly: job %r tries again", self._job)
        self.begin_again_in(wait_s)
        return True

    def begin_again_in(self, wait_s: float) -> None:
        """Schedule a restart after a failure, in so many seconds."""
        self.end(completed=False)
        self.query = self._failure = None
        self._is_noted = False
        self._restarts += 1
        self._begins_at = time.monotonic() + wait_s

    def fail(self, error: Exception) -> NoReturn:
        """Record the error of a micro-batch, and end it."""
        self._failure = self._failure or self._translated(error)
        raise self._failure from None

    def note(self, error: Exception) -> None:
        """Record an error outside of a micro-batch."""
        self._failure = self._failure or self._translated(error)
        self._is_noted = True

    def check_not_stopping(self) -> None:
        """End a micro-batch before it begins if the job is to stop."""
        if self._is_to_stop():
            raise StopRequestedError

    @property
    def failure(self) -> KafkastreamError | None:
        """Return the error that has ended it, if any."""
        if self._failure is None and self.query is not None and not self.is_active and not self.query.lost_a_race:
            error = self.query.error
            self._failure = None if error is None else self._meant(error)
        return None if self.is_active else self._failure

    @property
    def was_stopped_by_others(self) -> bool:
        """True if the query has ended without an error, but neither by itself nor by the job."""
        return self.query is not None and self.query.was_stopped_by_others

    def end(self, *, completed: bool) -> None:
        """Stop its query, and commit its offsets."""
        if self.query is not None:
            with only_logged("the end of a query"):
                self.query.stop()
            with only_logged("the last look at the progress"):
                self.query.end(completed=completed)
        with only_logged("the removal of temporary files of a query"):
            self._part.close()

    def _meant(self, error: Exception) -> KafkastreamError | None:
        """Translate an error of Spark; None if it only means that the query was stopped."""
        if isinstance(error, StopRequestedError) or StopRequestedError.__name__ in str(error):
            return None
        return self._translated(error)

    def _translated(self, error: Exception) -> KafkastreamError:
        failure = translated(error, self._job, self._servers)
        if isinstance(failure, StorageError):
            where = ", ".join(filter(None, (failure.where, f"checkpoint directory {self._part.checkpoints}")))
            return StorageError(failure.what, where=where, now=failure.now)
        crash = last_crash(str(self.job_id)) if isinstance(failure, WorkerCrashedError) else None
        return failure if crash is None else _crashed(crash, failure)


def _crashed(crash: Crash, failure: KafkastreamError) -> WorkerCrashedError:
    """Return the error of a worker's crash, from its note and its exit status."""
    ended = "ended" if crash.status is None else exit_described(crash.status)
    at_work = f" in {crash.operator}" if crash.operator else ""
    now = _NO_MEMORY if crash.status == -signal.SIGKILL else failure.now
    return WorkerCrashedError(
        f"a Python worker {ended}{at_work}", where=", ".join(filter(None, (failure.where, crash.where))), now=now
    )


@contextmanager
def only_logged(what: str) -> Iterator[None]:
    """Log errors of the cleanup after a job, so that they do not hide how the job ended."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        if lost_jvm(error) is None:  # the job's own end; later failures are consequences
            log.warning("%s failed: %s", what, error_text(error))
