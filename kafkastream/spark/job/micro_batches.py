"""Runs the tasks of a query's micro-batches, and passes on their reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from threading import Event
from typing import Final, final

import attrs
from pyspark import SparkContext
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.errors import KafkastreamError
from kafkastream.spark.internals.queries import BatchCallback
from kafkastream.spark.job.live_runs import LIVE_RUNS
from kafkastream.spark.job.query_runner import QueryRunner, StopRequestedError
from kafkastream.spark.job.report_handler import ReportHandler
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.slot_names import SlotNames

__all__ = ["MicroBatches"]

_QUICK_S: Final = 0.25


@final
@attrs.define
class _Pace:
    """Duration of the last micro-batch of a query, and the number of source partitions that had records."""

    seconds: float = float("inf")
    partitions: int = 1


@final
@attrs.frozen
class MicroBatches:
    """The micro-batches of one start of a query.

    Args:
        spark: Spark context that runs the tasks.
        run_id: Id of the job's run.
        query: Name of the query.
        names: Names of the slots of exactly-once sinks, and numbers of micro-batches in their markers.
        handler: Handles the tasks' reports.
        runner: Knows whether the job is to stop, and records failures.
        check: Checks a micro-batch by its number, before it runs.
        is_stream: Whether they are those of Spark's query; the others, of collections, have numbers of their own.
        over: Set when the query is stopped, which makes the running micro-batch fail.
        resources: Closed after the end of the query.
    """

    spark: SparkContext
    run_id: str
    query: str
    names: SlotNames
    handler: ReportHandler
    runner: QueryRunner
    check: Callable[[int], None] = lambda _: None
    is_stream: bool = False
    over: Event = attrs.field(factory=Event)
    resources: ExitStack = attrs.field(factory=ExitStack)
    _pace: _Pace = attrs.field(factory=_Pace, init=False)

    def stream(self, frame: DataFrame, take: Callable[[DataFrame, int], None]) -> DataStreamWriter:
        """Return the writer that gives each micro-batch of a stream to ``take``, with its number in the slots' markers."""
        return self.stream_unchecked(frame, lambda batch, number: take(batch, self._checked(number)))

    def stream_unchecked(self, frame: DataFrame, take: Callable[[DataFrame, int], object]) -> DataStreamWriter:
        """Return the writer that gives each micro-batch of a stream to ``take``, with Spark's number."""
        callback = BatchCallback(frame.sparkSession, take)
        self.resources.callback(callback.release)
        return frame.writeStream.foreachBatch(callback)

    def in_few_tasks(self, frame: DataFrame) -> DataFrame:
        """Return the records of a micro-batch with at most one task per slot, if partitions took little time in the last one.

        Then to start a task for each of them takes most of the time; if they take longer, Spark gives one to each slot
        that becomes free.
        """
        slots, pace = self.spark.defaultParallelism, self._pace
        is_quick = pace.seconds * min(slots, pace.partitions) < _QUICK_S * pace.partitions
        return frame.coalesce(slots) if is_quick else frame

    def _checked(self, batch: int) -> int:
        try:
            self.check(batch)
        except KafkastreamError as error:
            self.runner.fail(error)
        return self.names.of_batch(batch)

    def run(self, tasks: Callable[[], list[Report]], batch: int) -> list[Report]:
        """Run the tasks of a micro-batch; return their reports after they have been handled.

        Args:
            tasks: Runs the tasks, and returns their reports.
            batch: Number of the micro-batch in the slots' markers.
        """
        context = LIVE_RUNS.context(self.names.id, batch)
        self.runner.check_not_stopping()
        try:
            context.hand_out(self.spark)
            begun = time.monotonic()
            reports = tasks()
            self._pace.seconds = time.monotonic() - begun
            self._pace.partitions = sum(report.kind is ReportKind.METRICS for report in reports) or 1
            LIVE_RUNS.wrote(self.run_id, self.query, reports)
            self.handler.handle(reports, self.names.id if self.is_stream else f"{self.names.id}-collections", batch)
        except Exception as error:  # noqa: BLE001 - Spark would show the user its own stack instead
            if self.over.is_set():
                raise StopRequestedError from None
            self.runner.fail(error)
        return reports
