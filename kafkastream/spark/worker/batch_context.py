"""Context of a micro-batch, which the driver passes to its tasks in one of Spark's local properties."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, final

import attrs

if TYPE_CHECKING:
    from pyspark import SparkContext, TaskContext

__all__ = ["BatchContext", "task_context"]

_PROPERTY = "kafkastream.batch"


@final
@attrs.frozen
class BatchContext:
    """Context of a micro-batch: facts that the driver has when it begins and that the tasks' plan lacks.

    Args:
        runs: Run ids of the running jobs in this Spark application, which share workers.
        writers: Tokens of the last writers of the jobs' slots.
        slots: Common part of the names of this query's slots, unique to it.
        batch: Number of the micro-batch in the slots' markers; the same when it is repeated.
    """

    runs: frozenset[str] = frozenset()
    writers: frozenset[str] = frozenset()
    slots: str = ""
    batch: int = 0

    def hand_out(self, spark: SparkContext) -> None:
        """Set the context for the tasks that this thread starts next."""
        told = (sorted(self.runs), sorted(self.writers), self.slots, self.batch)
        spark.setLocalProperty(_PROPERTY, json.dumps(told))

    @staticmethod
    def of_task() -> BatchContext | None:
        """Return the context of the running task; None outside of a task, or if the driver has set none."""
        context = task_context()
        told = None if context is None else context.getLocalProperty(_PROPERTY)
        return None if told is None else _read(told)


@lru_cache(maxsize=4)
def _read(told: str) -> BatchContext:
    runs, writers, slots, batch = json.loads(told)
    return BatchContext(frozenset(runs), frozenset(writers), slots, batch)


def task_context() -> TaskContext | None:
    """Return Spark's context of the running task; None outside of Spark, without importing it."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import TaskContext

    return TaskContext.get()
