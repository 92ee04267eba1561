"""The protocol of what moves the records of a query: one class per kind, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.plan.keyed_query import KeyedQuery
from kafkastream.spark.plan.source_frames import KafkaInput

__all__ = ["QueryMemory", "QueryPlan"]


@final
@attrs.define
class QueryMemory:
    """Progress of a query that outlives its restarts, but not the job.

    Attributes:
        pieces: Number of micro-batches of rows that do not come from Kafka.
        seconds: Number of seconds for which rows were made up.
        is_kept: Whether the checkpoint folder has what the sources begin with.
        begun: Offsets that the sources had been read up to when the job started, by their keys; empty before it is
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
        """Whether Spark alone writes to the sink, so that no task reports anything."""
        return False

    @property
    def keyed(self) -> KeyedQuery | None:
        """Keyed operators of the query; None when there are none."""
        return None

    @property
    def pipeline(self) -> str:
        """Lasting identity of the pipeline, by which its sinks know it; empty for other queries."""
        return ""

    def settings(self) -> Mapping[str, str]:
        """Return settings of Spark's that the query is to begin with."""
        return FrozenMap()

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[KafkaInput]) -> None:
        """Run the rows that do not come from Kafka, unless they are rows of the stream, and whatever else comes first.

        Args:
            batches: Runs micro-batches.
            memory: Progress before a restart.
            inputs: Kafka sources of the stream; where there are none, no stream follows.
        """

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer of the streaming query.

        Args:
            frames: Records of each Kafka source, by its node.
            batches: Runs micro-batches.
        """
