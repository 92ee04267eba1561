"""Plan of a query that copies values unchanged: Spark's own sink writes what its source has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.passthrough import PassThrough
from kafkastream.spark.plan.source_frames import SourceInput

__all__ = ["CopyPlan"]


@final
@attrs.frozen
class CopyPlan(QueryPlan):
    """Copies records without Python."""

    copy: PassThrough

    @property
    def is_native(self) -> bool:
        """Always true: Spark alone writes to the sink."""
        return True

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Do nothing: all records come from Kafka."""

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer of the source's records."""
        return self.copy.writer(next(iter(frames.values())))
