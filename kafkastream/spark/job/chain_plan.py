"""Plan of a query without state: each task takes its records through a chain of operators in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from itertools import islice
from typing import TYPE_CHECKING, Final, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.source_frames import SourceInput, collection_frame, collections_of

if TYPE_CHECKING:
    from kafkastream.spark.exchange.task_plan import TaskPlan

__all__ = ["ChainPlan", "read_collections", "records_united"]

_PIECE: Final = 200_000
"""Numbers of a sequence in one micro-batch."""


@final
@attrs.frozen
class ChainPlan(QueryPlan):
    """Runs chains in Python.

    Args:
        session: Spark session of the job.
        graph: Connected part of the job.
        tasks: Runs the chains of all sources.
    """

    session: SparkSession
    graph: JobGraph
    tasks: TaskPlan

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Run the collections as micro-batches before the stream."""
        read_collections(self.session, self.graph, memory, partial(self._run, batches), batches.names.of_piece)

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer that runs the chains for each micro-batch."""
        return batches.stream(
            records_united(frames), lambda frame, batch: self._run(batches, batches.in_few_tasks(frame), batch)
        )

    def _run(self, batches: MicroBatches, frame: DataFrame, batch: int) -> None:
        batches.run(partial(self.tasks.collect, frame), batch)


def records_united(frames: Mapping[int, DataFrame]) -> DataFrame:
    """Return the records of all sources in one frame."""
    return reduce(DataFrame.unionByName, frames.values())


def read_collections(
    session: SparkSession,
    graph: JobGraph,
    memory: QueryMemory,
    run: Callable[[DataFrame, int], object],
    number_of: Callable[[int], int],
) -> None:
    """Run the collections of a graph in pieces; each is a micro-batch that a restart does not repeat.

    Args:
        session: Spark session of the job.
        graph: Connected part of the job.
        memory: Counts the completed pieces.
        run: Runs a DataFrame as the micro-batch with a number.
        number_of: Returns the number of a piece in the slots' markers.
    """
    pieces = ((node, piece) for node, source in collections_of(graph) for piece in enumerate(source.pieces(_PIECE)))
    for node, (number, elements) in islice(pieces, memory.pieces, None):
        run(collection_frame(session, node, elements), number_of(number))
        memory.pieces += 1
