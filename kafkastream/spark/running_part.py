"""A connected part of a job at work: begun, and begun again after a failure when the job's strategy wants that."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, Protocol, final

from kafkastream.errors import KafkastreamError
from kafkastream.spark.progress import FollowedQuery
from kafkastream.spark.translate_errors import translated, without_secrets
from kafkastream.spec.job import JobID

__all__ = ["Part", "RunningPart", "StopRequestedError", "only_logged"]

log = logging.getLogger("kafkastream")


class StopRequestedError(Exception):
    """Ends a micro-batch that has not begun yet, because the job is to stop."""


class Part(Protocol):
    """A part of a job, compiled: it starts once."""

    def start(self, run: RunningPart) -> FollowedQuery | None:
        """Start it, or run it to its end and return None."""

    def again(self) -> Part:
        """The same for another start: it goes on from its checkpoint, with functions that are opened anew."""


@final
class RunningPart:
    """A part of a job at work.

    Args:
        part: The part.
        job_id: The job's identity.
        job: The job's name.
        servers: The brokers that the job reads from.
        is_to_stop: Whether the job is to stop.
    """

    def __init__(self, part: Part, job_id: JobID, job: str, servers: str, is_to_stop: Callable[[], bool]) -> None:
        self.job_id = job_id
        self.query: FollowedQuery | None = None
        self._part = part
        self._job = job
        self._servers = servers
        self._is_to_stop = is_to_stop
        self._failure: KafkastreamError | None = None
        self._begins_at: float | None = time.monotonic()
        self._restarts = 0

    @property
    def waits(self) -> bool:
        """Whether it is to begin yet."""
        return self._begins_at is not None

    @property
    def restarts(self) -> bool:
        """Whether it waits to begin again."""
        return self.waits and self._restarts > 0

    @property
    def is_active(self) -> bool:
        """Whether its query is at work."""
        return self.query is not None and self.query.query.isActive

    def tend(self) -> None:
        """Begin when that is due, and begin anew a query that has lost a race; what goes wrong is the part's failure."""
        try:
            if self._begins_at is None:
                if self.query is not None and self.query.lost_a_race:
                    self.query.begin_again()
            elif time.monotonic() >= self._begins_at:
                self._begin()
        except Exception as error:  # noqa: BLE001 - whatever it is, the job has to hear of it
            self._failure = self._failure or self._meant(error)

    def _begin(self) -> None:
        try:
            if self._restarts:
                self._part = self._part.again()
            self.query = self._part.start(self)
        finally:
            self._begins_at = None

    def begin_again_in(self, wait_s: float) -> None:
        """Let it start again after a failure, so long from now."""
        self.end(completed=False)
        self.query = self._failure = None
        self._restarts += 1
        self._begins_at = time.monotonic() + wait_s

    def fail(self, error: Exception) -> NoReturn:
        """Remember what went wrong in a micro-batch, and end it."""
        self._failure = self._failure or translated(error, self._job, self._servers)
        raise self._failure from None

    def check_not_stopping(self) -> None:
        """Called first in each micro-batch: a job that is to stop begins no more."""
        if self._is_to_stop():
            raise StopRequestedError

    @property
    def failure(self) -> KafkastreamError | None:
        """Why it has ended, if by a failure."""
        if self._failure is None and self.query is not None and not self.is_active and not self.query.lost_a_race:
            error = self.query.query.exception()
            self._failure = None if error is None else self._meant(error)
        return None if self.is_active else self._failure

    @property
    def was_stopped_by_others(self) -> bool:
        """Whether it has ended without an error, and neither by itself nor by the job."""
        return self.query is not None and self.query.was_stopped_by_others

    def end(self, *, completed: bool) -> None:
        """Stop its query, and commit what it has done."""
        if self.query is not None:
            with only_logged("the end of a query"):
                self.query.stop()
            with only_logged("the last look at what was read"):
                self.query.end(completed=completed)

    def _meant(self, error: Exception) -> KafkastreamError | None:
        """What an error from Spark says; nothing, when it is only how a stopped query ends."""
        if isinstance(error, StopRequestedError) or StopRequestedError.__name__ in str(error):
            return None
        return translated(error, self._job, self._servers)


@contextmanager
def only_logged(what: str) -> Iterator[None]:
    """What comes after the job's work must not hide how it ended."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        log.warning("%s failed: %s", what, without_secrets(error))
