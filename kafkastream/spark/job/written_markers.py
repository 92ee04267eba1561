"""Compares the markers of PostgreSQL sinks with the end offsets of the topics that they refer to."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import final

import attrs

from kafkastream.cdc.node import PipelineNode
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.jdbc_sink import JdbcSink
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.postgres.client import Connection, connect, is_refusal, is_transient, sink_error
from kafkastream.postgres.progress import ProgressTable
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.operator_ids import operator_ids
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.plan.source_frames import KafkaInput, SourceInput
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.session.translate_errors import lost_records
from kafkastream.spark.worker.slot_names import marker_owner, origin_name
from kafkastream.sql.connectors import JdbcTableSink

__all__ = ["WrittenMarkers"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class _MarkedSink:
    """A sink that keeps markers.

    Args:
        settings: Connection settings of the database.
        job: Identity of the job in the marker table.
        is_pipeline: Whether markers name topics alone; otherwise the source's identity comes before the topic.
    """

    settings: PostgresSettings
    job: str
    is_pipeline: bool

    def key(self, source: str, partition: TopicPartition) -> TopicPartition:
        """Return the name of a source's partition in the marker table."""
        if self.is_pipeline:
            return partition
        return TopicPartition(origin_name(source, partition.topic, partition.partition), partition.partition)

    def written(self, source: str, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the markers of partitions, for those that have one."""
        keys = {self.key(source, partition): partition for partition in partitions}
        with self._connected() as connection:
            written = self._table.written(connection, keys)
        return {keys[key]: reached for key, reached in written.items()}

    def forget(self, source: str, partitions: Iterable[TopicPartition]) -> None:
        """Drop the markers of partitions."""
        with self._connected() as connection:
            self._table.forget(connection, [self.key(source, partition) for partition in partitions])

    @property
    def _table(self) -> ProgressTable:
        return ProgressTable(self.settings, self.job)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with connect(self.settings) as connection:
            try:
                yield connection
            except Exception as error:
                if is_refusal(error) or is_transient(error):
                    raise sink_error(error, self.settings, self._table.name) from error
                raise


@final
@attrs.frozen
class WrittenMarkers:
    """Markers of a query's PostgreSQL sinks: records below these offsets have been written and are skipped.

    When a topic is deleted and created again, its offsets start at 0 again, and the marker of the old topic would make the
    job skip new records. If the source fails on data loss, the job fails; otherwise the marker is deleted.

    Args:
        inputs: Sources of the query.
        sources: Identities of the sources by their nodes.
        sinks: Sinks that keep markers.
    """

    inputs: tuple[SourceInput, ...]
    sources: Mapping[int, str]
    sinks: tuple[_MarkedSink, ...]

    @staticmethod
    def of(graph: JobGraph, inputs: Sequence[SourceInput], slots: str, pipeline: str) -> WrittenMarkers:
        """Return the markers of a part of a job.

        Args:
            graph: The part.
            inputs: Its Kafka sources.
            slots: Stable identity of the part's sinks (``SlotNames.id``).
            pipeline: Stable identity of the pipeline, if the part is one.
        """
        return WrittenMarkers(tuple(inputs), operator_ids(graph.sources), tuple(_marked_sinks(graph, slots, pipeline)))

    def check(self) -> None:
        """Compare the markers with the end offsets of the partitions, before the query starts.

        Raises:
            KafkaError: A marker lies beyond the end of its partition, and the source fails on data loss.
            SinkError: A database does not answer.
        """
        for one in self._of_kafka:
            partitions = one.offset_range.starts.keys()
            written = [sink.written(self.sources[one.node.id], partitions) for sink in self.sinks]
            if not any(written):
                continue
            ends = Cluster(with_pem_stores(one.source.consumer_properties)).end_offsets(partitions)
            for sink, markers in zip(self.sinks, written, strict=True):
                beyond = {partition: reached for partition, reached in markers.items() if reached > ends[partition]}
                if beyond and one.source.fails_on_data_loss:
                    raise lost_records(
                        _listed(beyond, ends), where=f"source {one.node.name!r}, {sink.settings.address}"
                    )
                self._forget(one, sink, beyond)

    def check_batch(self, folder: CheckpointFolder, name: str, batch: int) -> None:
        """Delete the markers of partitions that are gone or restart at an earlier offset in this micro-batch.

        Args:
            folder: Checkpoint folder of the job.
            name: Name of the query.
            batch: Spark's number of the micro-batch, whose offsets are planned.

        Raises:
            SinkError: A database does not answer.
        """
        tolerant = [one for one in self._of_kafka if self.sinks and not one.source.fails_on_data_loss]
        if not tolerant or batch == 0:
            return
        before, after = folder.offsets_before_and_after(name, batch)
        for one in tolerant:
            now = offsets_of_json(after.get(one.key))
            reset = [p for p, offset in offsets_of_json(before.get(one.key)).items() if now.get(p, -1) < offset]
            for sink in self.sinks:
                self._forget(one, sink, reset)

    @property
    def _of_kafka(self) -> list[KafkaInput]:
        return [one for one in self.inputs if isinstance(one, KafkaInput)]

    def _forget(self, one: KafkaInput, sink: _MarkedSink, partitions: Collection[TopicPartition]) -> None:
        if partitions:
            sink.forget(self.sources[one.node.id], partitions)
            log.warning(
                "source %r: %s was deleted or created again; its records are written to %s from the first that is read",
                one.node.name,
                ", ".join(map(str, sorted(partitions))),
                sink.settings.address,
            )


def _marked_sinks(graph: JobGraph, slots: str, pipeline: str) -> Iterator[_MarkedSink]:
    for node in graph.nodes:
        if isinstance(node, PipelineNode) and isinstance(node.processing.sink, PostgresSink):
            yield _MarkedSink(PostgresSettings.of_sink(node.processing.sink), pipeline, is_pipeline=True)
    names = operator_ids(graph.sinks)
    for node in graph.sinks:
        if isinstance(node.sink, (JdbcSink, JdbcTableSink)):
            settings = PostgresSettings.of_jdbc(node.sink.connection, node.sink.execution)
            yield _MarkedSink(settings, marker_owner(slots, names[node.id]), is_pipeline=False)


def _listed(beyond: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> str:
    return ", ".join(f"{p} ends at offset {ends[p]}, written is up to {beyond[p]}" for p in sorted(beyond))
