"""Plan of a query in latency mode: epochs take its records through the chains, ahead of Spark's log of offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Final, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.properties import consumer_properties
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import LatencySettings
from kafkastream.spark.checkpoint.reached_offsets import ReachedFile, reached_frame
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.exchange.epoch_task import PolledSource
from kafkastream.spark.internals.python import record_limits_of
from kafkastream.spark.job.chain_plan import ChainPlan
from kafkastream.spark.job.epochs import Epochs, EpochWork, Found, Heard
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.plan.source_frames import KafkaInput, SourceInput, matching_names
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.worker.record_decoders import columns_of

__all__ = ["EpochPlan"]

_SETTINGS: Final[Mapping[str, str]] = FrozenMap({"spark.sql.streaming.pollingDelay": "500ms"})
"""Spark looks for new offsets at leisure: it only logs them."""


@final
@attrs.frozen
class EpochPlan(QueryPlan):
    """Runs chains in epochs.

    Args:
        chain: The chains, which also take collections, before the stream.
        latency: Settings of the latency mode.
        slots: Number of tasks at a time.
        planned: Offsets that an earlier start has reached, by the sources' keys.
    """

    chain: ChainPlan
    latency: LatencySettings
    slots: int
    planned: Mapping[str, str]
    _files: dict[int, ReachedFile] = attrs.field(factory=dict, init=False)
    _epochs: list[Epochs] = attrs.field(factory=list, init=False)

    def settings(self) -> Mapping[str, str]:
        """Return the interval at which Spark looks for new offsets."""
        return _SETTINGS

    def prepare(self, batches: MicroBatches, memory: QueryMemory, inputs: Sequence[SourceInput]) -> None:
        """Run the collections as micro-batches before the stream."""
        self.chain.prepare(batches, memory, inputs)

    def frames(
        self, session: SparkSession, inputs: Sequence[SourceInput], per_batch: int | None
    ) -> dict[int, DataFrame]:
        """Return the offsets that epochs reach in each source, as streams without rows."""
        found = {}
        for one in inputs:
            if one.node.id not in self._files:
                self._files[one.node.id] = ReachedFile.temporary()
            file = self._files[one.node.id]
            file.write(self._position(one))
            found[one.node.id] = reached_frame(session, file, one.key if one.is_named else None)
        return found

    def writer(self, frames: Mapping[int, DataFrame], batches: MicroBatches) -> DataStreamWriter:
        """Return the writer for which nothing is left to do."""
        return batches.stream_unchecked(reduce(DataFrame.union, frames.values()), _nothing)

    def begun(self, query: StreamingQuery, inputs: Sequence[SourceInput], batches: MicroBatches, heard: Heard) -> None:
        """Begin the epochs."""
        of_kafka = [one for one in inputs if isinstance(one, KafkaInput)]  # other sources have no latency mode
        sources = {one.node.id: _polled(one) for one in of_kafka}
        epochs = Epochs(
            EpochWork(self.chain.tasks, sources, self.latency, record_limits_of(self.chain.session), self.slots),
            batches,
            inputs,
            {one.node.id: self._position(one) for one in inputs},
            self._files,
            partial(_discovered, self.chain.session, of_kafka),
            heard,
        )
        self._epochs.append(epochs)
        epochs.begin(query)

    @property
    def epochs(self) -> Epochs | None:
        """Epochs of the query; None before it has begun."""
        return self._epochs[-1] if self._epochs else None

    def close(self) -> None:
        """Delete the files."""
        while self._files:
            self._files.popitem()[1].remove()

    def _position(self, one: SourceInput) -> Mapping[TopicPartition, int]:
        """Return where the source continues."""
        starts = one.offset_range.starts
        planned = offsets_of_json(self.planned.get(one.key))
        return one.processed({partition: planned.get(partition, start) for partition, start in starts.items()})


def _nothing(frame: DataFrame, batch: int) -> None:
    """Do nothing: the records have been processed."""


def _polled(one: KafkaInput) -> PolledSource:
    properties = with_pem_stores(one.source.consumer_properties)
    own = consumer_properties(properties, loses=not one.source.fails_on_data_loss)
    return PolledSource(one.node.name, FrozenMap(own), columns_of(one.node))


def _discovered(
    session: SparkSession, inputs: Sequence[KafkaInput], known: Mapping[int, frozenset[TopicPartition]]
) -> Found:
    """Return the first offsets of partitions that are not known, by the nodes of the sources that look for new ones."""
    found = {}
    matching: Callable[..., list[str]] = partial(matching_names, session)
    for one in inputs:
        if one.source.discovers_partitions and one.source.subscription is not None:
            cluster = Cluster(with_pem_stores(one.source.consumer_properties))
            new = cluster.partitions(one.source.subscription, matching) - known[one.node.id]
            if new:
                found[one.node.id] = cluster.beginning_offsets(new)
    return found
