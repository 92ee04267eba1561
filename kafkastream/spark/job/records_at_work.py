"""How many records a query has read in the micro-batch that is at work, as Spark's web interface shows it."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["records_at_work"]


def records_at_work(query: StreamingQuery) -> int:
    """The records that the tasks of a query's running micro-batch have read, as far as Spark has heard of it.

    Spark has no public interface for it but that of the web pages, which are for people and may be switched off.
    """
    group = str(query.runId)
    try:
        context: Any = query._jsq.sparkSession().sparkContext()
        store = context.statusStore()
        jobs = [store.job(number) for number in context.statusTracker().getActiveJobIds()]
        stages = {stage for job in jobs if _is_of(job, group) for stage in _items(job.stageIds())}
        return sum(store.lastStageAttempt(stage).inputRecords() for stage in stages)
    except Py4JError:  # it has just ended, and is no longer kept
        return 0


def _is_of(job: Any, group: str) -> bool:
    own = job.jobGroup()
    return bool(own.isDefined()) and own.get() == group


def _items(sequence: Any) -> list[Any]:
    """The items of a sequence of Scala's."""
    return [sequence.apply(place) for place in range(sequence.size())]
