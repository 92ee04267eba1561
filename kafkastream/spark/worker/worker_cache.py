"""Cache of a Python worker's operators, functions and producers, which stay open between tasks of their job."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, TypeVar, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.secret_masking import redacted
from kafkastream.spark.worker.batch_context import BatchContext, task_context

__all__ = ["WORKER_CACHE", "JobAttempt", "WorkerCache", "tried_before"]

T = TypeVar("T")


@final
@attrs.frozen
class JobAttempt:
    """Attempt to run a part of a job.

    Args:
        id: Id of the job's run: one per start of a job.
        attempt: Number of the part's restarts since.
        job_parameters: Global job parameters.
        max_parallelism: Maximum parallelism of the job, if set.
        classes: Classes of the program's main script by name, pickled; empty if there are none.
        checkpoint: Checkpoint folder of the job.
        allows_code: Whether state and keys may hold code.
        packages: Packages that the program has imported, whose classes state may name.
    """

    id: str
    attempt: int = 0
    job_parameters: Mapping[str, str] = attrs.field(default=FrozenMap(), kw_only=True, repr=redacted)
    max_parallelism: int | None = attrs.field(default=None, kw_only=True)
    classes: bytes = attrs.field(default=b"", kw_only=True, repr=False)
    checkpoint: str = attrs.field(default="", kw_only=True)
    allows_code: bool = attrs.field(default=False, kw_only=True)
    packages: tuple[str, ...] = attrs.field(default=(), kw_only=True, repr=False)

    def again(self) -> JobAttempt:
        """Return the next attempt."""
        return attrs.evolve(self, attempt=self.attempt + 1)

    def context(self, subtask: int, parallelism: int) -> RuntimeContext:
        """Return the runtime context of the running task, without a function's name and metrics."""
        return RuntimeContext(
            task_name="",
            subtask=subtask,
            parallelism=parallelism,
            max_parallelism=self.max_parallelism,
            attempt=self.attempt + tried_before(),
            job_parameters=self.job_parameters,
        )


@final
class WorkerCache:
    """Opened objects by attempt and key. Borrow with ``take``; return with ``keep``.

    Example:
        >>> cache, attempt = WorkerCache(), JobAttempt("job")
        >>> cache.keep(attempt, ("source", 7), cache.take(attempt, ("source", 7), lambda: "made"))
        >>> cache.take(attempt, ("source", 7), lambda: "made again")
        'made'
        >>> cache.take(attempt.again(), ("source", 7), lambda: "made again")
        'made again'
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Hashable], tuple[int, Any]] = {}

    def take(self, attempt: JobAttempt, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached object, or a new one of ``make``; drops objects of earlier attempts and ended jobs.

        Args:
            attempt: Attempt of the running task.
            key: Kind of the object, and its identity among those of its kind.
            make: Opens the object.
        """
        kept = self._kept.pop((attempt.id, key), None)
        if kept is not None and kept[0] == attempt.attempt:
            found: T = kept[1]
            return found
        context = BatchContext.of_task()
        live = {attempt.id} if context is None else {attempt.id, *context.runs}
        for ended in [other for other in self._kept if other[0] not in live]:
            del self._kept[ended]
        return make()

    def keep(self, attempt: JobAttempt, key: Hashable, thing: object) -> None:
        """Cache an object for the next task."""
        self._kept[attempt.id, key] = (attempt.attempt, thing)


WORKER_CACHE: Final = WorkerCache()
"""Cache of this worker."""


def tried_before() -> int:
    """Return the number of earlier attempts at this task."""
    context = task_context()
    return context.attemptNumber() if context else 0
