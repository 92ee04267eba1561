"""Life cycle of a task: opens operators or takes them from the worker's cache, runs them, then caches or drops them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Generic, Protocol, TypeVar, final

import attrs

from kafkastream.errors import KafkastreamError
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.program_classes import use_classes
from kafkastream.operators.state.state_pickles import read_state_of
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import WORKER_CACHE, JobAttempt, tried_before

__all__ = ["TaskRunner"]

_CLASSES: Final = "classes"


class _Operators(Protocol):
    """Operators of a task, for one subtask."""

    @property
    def reusable(self) -> bool:
        """True if the runner can be used again in the next task: not if one of its functions overrides ``close``."""

    def open(self, context: RuntimeContext) -> None:
        """Open the functions."""

    def abandon(self) -> None:
        """End a task that has failed."""


Ops = TypeVar("Ops", bound=_Operators)
T = TypeVar("T")


@final
@attrs.frozen
class TaskRunner(Generic[Ops]):
    """Runs a task.

    Args:
        attempt: Attempt that the task belongs to; operators of an earlier one are dropped.
        node: Node in the report of a failure.
        key: Cache key of the operators, unique in the job.
        load: Unpickles the operators, not yet opened.
        subtask: Number of the subtask.
        parallelism: Number of subtasks.
    """

    attempt: JobAttempt
    node: int
    key: Hashable
    load: Callable[[], Ops]
    subtask: int
    parallelism: int

    def run(self, work: Callable[[Ops], Iterable[T]], rest: Iterable[object] = ()) -> Iterator[T | Report]:
        """Run the task, and yield its output as it is made.

        A failure becomes a report: if it were raised, the JVM would turn it into a Java stack trace.

        Args:
            work: Runs the opened operators, and yields the output.
            rest: Input of the task, which Spark requires to be read to its end, even after a failure.
        """
        try:
            self._use_classes()
            with NOTE.task(self.attempt.id, tried_before()), self.operators() as operators:
                yield from work(operators)
        except KafkastreamError as error:
            for _ in rest:
                pass
            yield Report(ReportKind.FAILURE, self.node, error)

    @contextmanager
    def operators(self) -> Iterator[Ops]:
        """Open the operators, or take them from the cache; after a failure they are dropped."""
        operators = WORKER_CACHE.take(self.attempt, self.key, self._opened)
        try:
            yield operators
        except BaseException:
            operators.abandon()
            raise
        if operators.reusable:
            WORKER_CACHE.keep(self.attempt, self.key, operators)

    def _use_classes(self) -> None:
        """Let keys and state have the program's classes, and code if it says so; programs that share a worker differ in that."""
        classes = WORKER_CACHE.take(self.attempt, _CLASSES, self._unpickled_classes)
        WORKER_CACHE.keep(self.attempt, _CLASSES, classes)
        use_classes(classes)
        read_state_of(self.attempt.checkpoint, allows_code=self.attempt.allows_code, packages=self.attempt.packages)

    def _unpickled_classes(self) -> Mapping[str, type]:
        return unpickled(self.attempt.classes) if self.attempt.classes else {}

    def _opened(self) -> Ops:
        operators = self.load()
        operators.open(self.attempt.context(self.subtask, self.parallelism))
        return operators
