"""Plan of a query with keyed operators: stateful stages, whose output goes to the sinks as messages or rows."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.common.error_location import located
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.part_identity import PartIdentity
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.internals.queries import query_id
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.keyed_query import KeyedQuery, Stages
from kafkastream.spark.plan.source_frames import SourceInput
from kafkastream.spark.session.query_settings import settings as session_settings
from kafkastream.spark.session.spark_versions import warn_of_leak
from kafkastream.spark.worker.reports import collect_reports

__all__ = ["KeyedPlan", "keyed_query", "layout_of"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class KeyedPlan(QueryPlan):
    """Runs keyed operators.

    Args:
        keyed: Keyed operators and their watermarks.
        end: Turns the output of the last stateful stage into reports.
        folder: Checkpoint folder of the job.
        name: Name of the query.
        is_named: Whether the sources have names in Spark.
        is_endless: Whether tables generate rows without end.
    """

    keyed: KeyedQuery
    end: Callable[[DataFrame], DataFrame]
    folder: CheckpointFolder
    name: str
    is_named: bool
    is_endless: bool = False

    def settings(self) -> Mapping[str, str]:
        """Return the settings of stateful stages."""
        return {**self.keyed.settings(), **self.folder.state_settings(self.name)}

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Run the collections as one micro-batch if there is no stream; otherwise they are rows of the stream."""
        if not inputs and not self.is_endless:
            with session_settings(self.folder.session, self.settings()):
                self._run(batches, self.keyed.static_frame(), batches.names.of_piece(0))

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer of the last stateful stage's output."""
        self.folder.relocate_state(self.name)
        return batches.stream(self.keyed.frame(frames, is_named=self.is_named), partial(self._run, batches))

    def close(self) -> None:
        """Delete the file of the control stream."""
        self.keyed.close()

    def _run(self, batches: MicroBatches, frame: DataFrame, batch: int) -> None:
        with self.keyed.micro_batch(str(query_id(frame.sparkSession))):
            reports = batches.run(partial(collect_reports, self.end(frame)), batch)
            self.keyed.take(reports)


def layout_of(
    folder: CheckpointFolder,
    part: PartIdentity,
    settings: JobSettings,
    parallelism: int,
    completed: Layout | None,
    planned: Layout | None,
) -> Layout | None:
    """Return the layout of a part's keyed state; None if it has, and had, no keyed operators.

    Args:
        folder: Checkpoint folder of the job.
        part: Graph of the part, and its place in the checkpoint folder.
        settings: Settings of the job.
        parallelism: Number of subtasks.
        completed: Layout that the last completed micro-batch has left; None before the first.
        planned: Layout of the last planned micro-batch; None before the first.

    Raises:
        DefinitionError: The program cannot continue with the state in the checkpoint.
    """
    now, name = Layout.of(part.graph, parallelism), part.place.folder
    with located(f"job {settings.name!r}, checkpoint {folder.of_query(name)}"):
        if completed is not None:
            now = completed.continued(now, ignores_unclaimed=settings.ignores_unclaimed_state)
        if planned is not None:
            planned.check_streams(now)
            # Spark fixes the number of shuffle partitions with the first micro-batch: OffsetSeqMetadata in
            # https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/checkpointing/OffsetSeq.scala
            now = attrs.evolve(now, buckets=planned.buckets)
    if now.levels and now.buckets != parallelism:
        log.log(
            logging.INFO if settings.parallelism is None else logging.WARNING,
            "the keys of %s stay in %d subtasks, as they began; the parallelism is now %d",
            name,
            now.buckets,
            parallelism,
        )
    return now if now.levels else None


def keyed_query(
    folder: CheckpointFolder,
    graph: JobGraph,
    parallelism: int,
    stages: Stages,
    labels: Sequence[int],
    layout: Layout,
    planned_offsets: Mapping[str, str],
) -> KeyedQuery:
    """Return the keyed side of a part, restored from an earlier run."""
    warn_of_leak(folder.session.version)
    keyed = KeyedQuery(folder.session, graph, parallelism, stages, labels, layout)
    if CONTROL_NAME in planned_offsets:
        keyed.restore(json.loads(planned_offsets[CONTROL_NAME]))
    return keyed
