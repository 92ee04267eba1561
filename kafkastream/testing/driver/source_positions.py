"""What the sources of a driven job read, and how far they have come: partitions, offsets, and ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import final

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, SourceNode
from kafkastream.spark.checkpoint.part_identity import removed_topics
from kafkastream.testing.driver.arrivals import Arrival, SentRecord
from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.job_snapshot import PartSnapshot, PartStart
from kafkastream.testing.driver.partition_range import PartitionRange
from kafkastream.testing.driver.subscribed_partitions import subscribed_partitions

__all__ = ["SourcePositions"]


@final
class SourcePositions:
    """Partitions of a job's sources, their next offsets, and the sources whose input has ended.

    Args:
        graph: Graph of the job.
        partitions: Number of partitions of topics; others have one.

    Attributes:
        ended: Nodes of the sources whose input has ended.
    """

    def __init__(self, graph: JobGraph, partitions: Mapping[str, int]) -> None:
        self.ended: set[int] = set()
        self._sources = graph.sources
        self._partitions = {source.id: _partitions_of(source, partitions) for source in graph.sources}
        self._offsets: dict[tuple[int, TopicPartition], int] = {}
        self._ranges: dict[tuple[int, TopicPartition], PartitionRange] = {}

    def partitions(self, source: SourceNode) -> list[TopicPartition]:
        """Return the partitions that a source reads; none if it has its elements itself."""
        return self._partitions.get(source.id, [])

    def take_offset(self, source: SourceNode, partition: TopicPartition) -> int:
        """Return the offset of a partition's next record."""
        offset = self._offsets.get((source.id, partition), 0)
        self._offsets[source.id, partition] = offset + 1
        return offset

    def reads_next(self, source: SourceNode, partition: TopicPartition, offset: int, timestamp: int) -> bool:
        """Return whether a partition's next record is in the range that a source reads."""
        return self._range_of(source, partition).includes_next(offset, timestamp)

    def arrivals_of(self, records: Iterable[WrittenRecord]) -> Iterator[Arrival]:
        """Yield the arrival of each record at each source that reads its partition."""
        for record in records:
            partition = TopicPartition(record.topic, record.partition)
            for source in self._sources:
                if (
                    not isinstance(source.source, KafkaSource)
                    or partition not in self.partitions(source)
                    or source.id in self.ended
                ):
                    continue
                offset = self.take_offset(source, partition)
                sent = SentRecord(offset, record.timestamp_ms, record.key, record.value, record.headers)
                if self.reads_next(source, partition, offset, record.timestamp_ms):
                    yield Arrival(source.id, partition, records=(sent,))

    def offsets_by_key(self, start: PartStart) -> Mapping[str, Mapping[TopicPartition, int]]:
        """Return the next offsets of a part's Kafka sources, by the key that each keeps when its name changes."""
        offsets: dict[str, Mapping[TopicPartition, int]] = {}
        for source, key in zip(start.identity.graph.sources, start.identity.place.keys, strict=True):
            if isinstance(source.source, KafkaSource):
                offsets[key] = FrozenMap(
                    {partition: offset for (node, partition), offset in self._offsets.items() if node == source.id}
                )
        return offsets

    def restore(self, start: PartStart, snapshot: PartSnapshot) -> None:
        """Restore the next offsets of a part's sources.

        Raises:
            DefinitionError: A source does not read a topic any more.
        """
        for source, key in zip(start.identity.graph.sources, start.identity.place.keys, strict=True):
            offsets = snapshot.offsets.get(key, {})
            removed = {partition.topic for partition in offsets} - {split.topic for split in self.partitions(source)}
            if removed and isinstance(source.source, KafkaSource) and source.source.fails_on_data_loss:
                raise removed_topics(source.name, sorted(removed))
            for partition, offset in offsets.items():
                self._offsets[source.id, partition] = offset
                self._range_of(source, partition).begin()

    def _range_of(self, source: SourceNode, partition: TopicPartition) -> PartitionRange:
        assert isinstance(source.source, KafkaSource)
        if (source.id, partition) not in self._ranges:
            start, stop = source.source.starting_offsets, source.source.stopping_offsets
            self._ranges[source.id, partition] = PartitionRange(partition, start, stop)
        return self._ranges[source.id, partition]


def _partitions_of(source: SourceNode, partitions: Mapping[str, int]) -> list[TopicPartition]:
    """Return the partitions that a source reads; a table that does not read a topic has those of its own name."""
    match source.source:
        case KafkaSource() as kafka:
            return subscribed_partitions(kafka, partitions)
        case CollectionSource(ends=False):
            return [TopicPartition(source.name, number) for number in range(partitions.get(source.name, 1))]
        case _:
            return []
