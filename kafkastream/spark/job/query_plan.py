"""Protocol of query plans: one class per kind of query, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.job.epochs import Epochs, Heard
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.plan.keyed_query import KeyedQuery
from kafkastream.spark.plan.source_frames import SourceInput, source_frames

__all__ = ["QueryMemory", "QueryPlan"]


@final
@attrs.define
class QueryMemory:
    """Progress of a query that outlives its restarts, but not the job.

    Attributes:
        pieces: Number of completed micro-batches of rows that do not come from Kafka.
        seconds: Number of seconds for which rows have been generated.
        is_kept: Whether the sources' offset ranges are saved in the checkpoint folder.
        begun: Offsets of the sources when the job started, by their keys; empty before
            compiled.
    """

    pieces: int = 0
    seconds: int = 0
    is_kept: bool = False
    begun: Mapping[str, Mapping[TopicPartition, int]] = FrozenMap()


class QueryPlan(Protocol):
    """Plan that takes the records of a query from its sources to its sinks."""

    @property
    def is_native(self) -> bool:
        """True if Spark alone writes to the sink, so that no task sends reports."""
        return False

    @property
    def keyed(self) -> KeyedQuery | None:
        """Keyed operators of the query; None if there are none."""
        return None

    @property
    def is_endless(self) -> bool:
        """True if the rows are a stream although no topic is read: tables generate them without end."""
        return False

    @property
    def pipeline(self) -> str:
        """Identity of the pipeline in its sinks' markers, stable across restarts; empty for other queries."""
        return ""

    def settings(self) -> Mapping[str, str]:
        """Return Spark settings that the query starts with."""
        return FrozenMap()

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Prepare the stream: run rows that do not come from Kafka, unless they are rows of the stream.

        Args:
            batches: Runs micro-batches.
            memory: Progress that survives a restart.
            inputs: Kafka sources of the stream; without any, no stream follows.
        """

    def frames(
        self, session: SparkSession, inputs: Sequence[SourceInput], per_batch: int | None
    ) -> dict[int, DataFrame]:
        """Return the stream of each Kafka source, by its node.

        Args:
            session: Spark session of the job.
            inputs: Kafka sources; at least one.
            per_batch: Maximum records per micro-batch; None for no limit.
        """
        return source_frames(session, inputs, per_batch)

    def begun(self, query: StreamingQuery, inputs: Sequence[SourceInput], batches: MicroBatches, heard: Heard) -> None:
        """Do what is to be done once the query has begun: run its epochs, if it has some.

        Args:
            query: The query.
            inputs: Kafka sources of the stream.
            batches: Runs micro-batches.
            heard: Takes the progress of a source, for metrics.
        """
        return

    @property
    def epochs(self) -> Epochs | None:
        """Epochs of the query in latency mode; None before they begin, and of other queries."""
        return None

    def close(self) -> None:
        """Delete temporary files, after the end of the query or a start that has failed."""
        return

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer of the streaming query.

        Args:
            frames: Records of each Kafka source, by its node.
            batches: Runs micro-batches.
        """
