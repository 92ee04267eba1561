"""What a Python worker keeps open between tasks: functions and sinks, as long as the job runs that has opened them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batch_context import BatchContext

__all__ = ["Opened", "Run", "tried_before"]

T = TypeVar("T")


@final
@attrs.frozen
class Run:
    """A part of a job at work, as its tasks know it.

    Args:
        id: One per start of a job.
        attempt: How often the part has been started again since.
        job_parameters: What functions may ask for.
        max_parallelism: The job's, if it has one.
    """

    id: str
    attempt: int = 0
    job_parameters: Mapping[str, str] = attrs.field(default=FrozenMap(), kw_only=True)
    max_parallelism: int | None = attrs.field(default=None, kw_only=True)

    def again(self) -> Run:
        """The next attempt."""
        return attrs.evolve(self, attempt=self.attempt + 1)

    def context(self, subtask: int, parallelism: int) -> RuntimeContext:
        """What functions are opened with in the running task, though without their own names and metrics."""
        return RuntimeContext(
            task_name="",
            subtask=subtask,
            parallelism=parallelism,
            max_parallelism=self.max_parallelism,
            attempt=self.attempt + tried_before(),
            job_parameters=self.job_parameters,
        )


@final
class Opened(Generic[T]):
    """Opened things by what tells them apart, of each job; who takes one puts it back, if it may serve again.

    Example:
        >>> opened, run = Opened[str](), Run("job")
        >>> opened.keep(run, 7, opened.take(run, 7, lambda: "made"))
        >>> opened.take(run, 7, lambda: "made again"), opened.take(run.again(), 7, lambda: "made anew")
        ('made', 'made anew')
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Any], tuple[Run, T]] = {}

    def take(self, run: Run, key: Any, make: Callable[[], T]) -> T:
        """What was kept, or what ``make`` gives; what an earlier attempt or an ended job has opened is dropped then."""
        kept = self._kept.pop((run.id, key), None)
        if kept is not None and kept[0] == run:
            return kept[1]
        context = BatchContext.of_task()
        live = {run.id} if context is None else {run.id, *context.runs}
        for ended in [other for other in self._kept if other[0] not in live]:
            del self._kept[ended]
        return make()

    def keep(self, run: Run, key: Any, thing: T) -> None:
        """Have it at hand for the next task."""
        self._kept[run.id, key] = (run, thing)


def tried_before() -> int:
    """How often Spark has begun this task before."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.attemptNumber() if context else 0
