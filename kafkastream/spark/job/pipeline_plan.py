"""Plan of a pipeline: micro-batches run in rounds, between which schemas evolve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.errors import JobError
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.cdc.query import PipelineQuery
from kafkastream.spark.job.chain_plan import read_collections, records_united
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.source_frames import SourceInput

__all__ = ["PipelinePlan"]


@final
@attrs.frozen
class PipelinePlan(QueryPlan):
    """Runs a pipeline.

    Args:
        session: Spark session of the job.
        graph: Connected part of the job.
        query: Schema book and tasks of the pipeline.
    """

    session: SparkSession
    graph: JobGraph
    query: PipelineQuery

    @property
    def pipeline(self) -> str:
        """Identity of the pipeline, stable across restarts."""
        return self.query.identity

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Determine the first schemas, and run the collections."""
        self.query.begin(inputs)
        read_collections(self.session, self.graph, memory, partial(self._run, batches), batches.names.of_piece)

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer that runs each micro-batch in rounds."""
        return batches.stream(records_united(frames), partial(self._run, batches))

    def _run(self, batches: MicroBatches, frame: DataFrame, batch: int) -> None:
        """Run rounds: each evolves the schemas to the records that did not fit, which the next round writes."""
        self.query.begin_batch(batch)
        is_left = True
        while is_left:
            reports = batches.run(partial(self.query.run, frame), batch)
            try:
                is_left = self.query.take(reports)
            except JobError as error:
                batches.runner.fail(error)
