"""Plan of a SQL query without state: Spark computes its rows, and tasks or Spark itself write them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.physical_plan import PhysicalPlan
from kafkastream.spark.plan.source_frames import SourceInput, collection_frames
from kafkastream.spark.worker.reports import REPORT_SCHEMA, collect_reports
from kafkastream.spark.worker.slot_names import SINGLE

if TYPE_CHECKING:
    from kafkastream.spark.exchange.task_plan import TaskPlan

__all__ = ["TablePlan", "reports_of_rows"]

_POLL_S: Final = 0.1


@final
@attrs.frozen
class TablePlan(QueryPlan):
    """Runs a query of SQL whose operations keep no state.

    Args:
        session: Spark session of the job.
        graph: Connected part of the job.
        tables: Builds the DataFrames of the query.
        tasks: Plan of the tasks that write the encoded records.
        in_one_task: Whether one task writes all rows: for an exactly-once sink, if rows have no source offset.
    """

    session: SparkSession
    graph: JobGraph
    tables: PhysicalPlan
    tasks: TaskPlan
    in_one_task: bool

    @property
    def is_native(self) -> bool:
        """True if Spark's own sink writes the records."""
        return self.tables.is_native

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Run a query that reads no topic: its own rows at once, generated rows second by second."""
        if inputs:
            return
        tables = self.tables
        collections = collection_frames(self.session, self.graph)
        began = time.monotonic() - memory.seconds
        while not memory.pieces or not tables.making_ends(memory.seconds):
            now = max(int(time.monotonic() - began), memory.seconds) + 1
            frame = tables.frame(collections, seconds=(memory.seconds, now))
            self._run(batches, frame, batches.names.of_piece(memory.pieces))
            memory.pieces, memory.seconds = memory.pieces + 1, now
            while time.monotonic() < began + now and not tables.making_ends(now):
                batches.runner.check_not_stopping()
                time.sleep(_POLL_S)

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return Spark's own writer if its result is the same, otherwise the one that runs tasks."""
        if self.is_native:
            return self.tables.writer(frames)
        return batches.stream(self.tables.frame(frames), partial(self._run_records, batches))

    def _run_records(self, batches: MicroBatches, frame: DataFrame, batch: int) -> None:
        """Run a micro-batch of the stream; files are named after tasks, whose number must not depend on time."""
        self._run(batches, frame if self.tables.ends_in_rows else batches.in_few_tasks(frame), batch)

    def _run(self, batches: MicroBatches, frame: DataFrame, batch: int) -> None:
        if self.tables.ends_in_rows:
            reports = reports_of_rows(self.tables, frame, in_one_task=self.in_one_task)
            batches.run(partial(collect_reports, reports), batch)
        else:
            batches.run(partial(self.tasks.collect, frame), batch)


def reports_of_rows(tables: PhysicalPlan, rows: DataFrame, *, in_one_task: bool) -> DataFrame:
    """Return the reports of the tasks that write the rows of a query to its sink."""
    taken = rows.repartition(1) if in_one_task else rows
    return map_in_arrow(taken, tables.end.reports(SINGLE), REPORT_SCHEMA)
