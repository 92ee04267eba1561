"""Context that the driver gives a micro-batch's tasks beyond their plan: a local property of Spark's goes with each."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import final

import attrs
from pyspark import SparkContext, TaskContext

__all__ = ["BatchContext"]

_PROPERTY = "kafkastream.batch"


@final
@attrs.frozen
class BatchContext:
    """Context of a micro-batch: facts that the driver knows when it begins.

    Args:
        runs: The jobs at work in this application, whose workers may be the same.
        writers: The tokens of the last writers of the jobs' slots.
        slots: What stands in the names of this job's slots, and in no other's.
        batch: The micro-batch, as the slots' markers count them: the same when it is run again.
    """

    runs: frozenset[str] = frozenset()
    writers: frozenset[str] = frozenset()
    slots: str = ""
    batch: int = 0

    def hand_out(self, spark: SparkContext) -> None:
        """Let the tasks that this thread is about to start know."""
        told = (sorted(self.runs), sorted(self.writers), self.slots, self.batch)
        spark.setLocalProperty(_PROPERTY, json.dumps(told))

    @staticmethod
    def of_task() -> BatchContext | None:
        """Context of the running task; None outside of a task, and where there is no driver to give one."""
        context = TaskContext.get()
        told = None if context is None else context.getLocalProperty(_PROPERTY)
        return None if told is None else _read(told)


@lru_cache(maxsize=4)
def _read(told: str) -> BatchContext:
    runs, writers, slots, batch = json.loads(told)
    return BatchContext(frozenset(runs), frozenset(writers), slots, batch)
