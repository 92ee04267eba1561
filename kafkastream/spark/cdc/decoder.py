"""Decodes changes on a worker, up to the first record that does not fit the known schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat, starmap
from typing import Any, NamedTuple, final

import attrs
import pyarrow as pa

from kafkastream.cdc.book import MOST_TABLES
from kafkastream.cdc.captured import CapturedRecords
from kafkastream.cdc.changes import Change
from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.merge import merged
from kafkastream.cdc.node import PipelineNode
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.record_deserialization import TimestampType
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, SourceNode
from kafkastream.spark.cdc.row_changes import RowChangeDecoder
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.record_decoders import Decoder, KafkaDecoder
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["ChangeDecoder", "Findings", "change_decoders"]


class Findings(NamedTuple):
    """Report of a task about records that did not fit the schemas or could not be read.

    Attributes:
        partition: The task's partition.
        reached: Offset of the first record that did not fit; only records before it were written. None if all fit.
        schemas: Schemas inferred from that record and the later ones, in the order of their offsets.
        skipped: Number of unreadable records that were skipped.
    """

    partition: TopicPartition
    reached: int | None
    schemas: tuple[tuple[TableId, TableSchema], ...]
    skipped: int


@final
@attrs.define(eq=False)
class ChangeDecoder(KafkaDecoder):
    """Decodes Kafka records to changes.

    From the first record that does not fit the schemas, it decodes no more changes and only infers schemas.

    Args:
        node: Number of the source, for reports.
        records: Kafka columns that the format reads.
        settings: Format of the records and its options.
        schemas: Known schemas.
    """

    node: int
    records: CapturedRecords
    settings: ReadSettings
    schemas: Mapping[TableId, TableSchema]
    _reader: ChangeReader | None = attrs.field(default=None, init=False)
    _partition: TopicPartition | None = attrs.field(default=None, init=False)
    _stopped: int | None = attrs.field(default=None, init=False)
    _found: dict[TableId, TableSchema] = attrs.field(factory=dict, init=False)
    _skipped: int = attrs.field(default=0, init=False)

    @property
    def stopped_at(self) -> int | None:
        """Offset of the first record that did not fit; None if all do."""
        return self._stopped

    def open(self, context: RuntimeContext) -> None:
        """Make the reader."""
        self._reader = ChangeReader(self.settings, self.schemas)

    def begin(self) -> None:
        """Begin a task."""
        self._partition, self._stopped, self._found, self._skipped = None, None, {}, 0

    def skipped(self, number: int) -> None:
        """Count skipped records."""
        self._skipped += number

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the changes of the records that fit the schemas."""
        assert self._reader is not None
        if self._partition is None:
            self._partition = TopicPartition(arrow["topic"][0].as_py(), arrow["partition"][0].as_py())
        records = self._records(arrow)
        if self._stopped is not None:
            self._infer(records)
            return Batch((), (), ())
        found: list[Sequence[Change]] = []
        try:
            found.extend(starmap(self._reader.read, records))
        except SchemaMismatchError:
            self._stop(arrow, len(found))
            self._infer(self._records(arrow.slice(len(found), arrow.num_rows - len(found))))
        except MalformedRecordError as error:
            raise ElementError(len(found)) from error
        timestamps = arrow["timestamp"].to_pylist()
        changes = list(chain.from_iterable(found))
        if len(changes) == len(found) and all(found):
            return Batch(changes, timestamps[: len(found)], range(len(found)))
        origin = [row for row, of_record in enumerate(found) for _ in of_record]
        return Batch(changes, [timestamps[row] for row in origin], origin)

    def finish(self) -> Iterator[Report]:
        """Return the task's findings, if a record did not fit or could not be read."""
        if self._partition is not None and (self._stopped is not None or self._skipped):
            found = Findings(self._partition, self._stopped, tuple(self._found.items()), self._skipped)
            yield Report(ReportKind.SCHEMAS, self.node, found)

    def _records(self, arrow: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
        """Return topic, key, value and metadata of each record, as the reader takes them."""
        topic = repeat(arrow["topic"][0].as_py() if arrow.num_rows else None)  # a task reads one partition
        keys = arrow["key"].to_pylist() if self.records.reads_keys else repeat(None)
        values = arrow["value"].to_pylist()
        if not self.records.metadata:
            return zip(topic, keys, values)  # noqa: B905 - the first ones are endless
        metadata = zip(*(self._metadata(arrow, name) for name in self.records.metadata), strict=True)
        return zip(topic, keys, values, metadata)  # noqa: B905

    def _metadata(self, arrow: pa.RecordBatch, name: str) -> list[Any]:
        """Return a metadata column of records, in the types of ``captured.metadata_column``."""
        match name:
            case "timestamp-type":
                return [TimestampType(number).label for number in arrow["timestampType"].to_pylist()]
            case "headers":
                return list(map(_headers, arrow["headers"].to_pylist()))
            case "__raw_key__" | "__raw_value__":
                return list(map(_text, arrow["key" if name == "__raw_key__" else "value"].to_pylist()))
            case "leader-epoch":  # Spark's Kafka source does not provide it
                return [None] * arrow.num_rows
            case _:
                values: list[Any] = arrow[name].to_pylist()
                return values

    def _stop(self, arrow: pa.RecordBatch, row: int) -> None:
        self._stopped = arrow["offset"][row].as_py()

    def _infer(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Infer the schemas of records; one that cannot be parsed is reported when it is decoded."""
        assert self._reader is not None
        for record in records:
            try:
                found = self._reader.infer(*record)
            except MalformedRecordError:
                continue
            for table, schema in found:
                known = self._found.get(table)
                if known is not None:
                    self._found[table] = merged(known, schema)
                elif len(self._found) <= MOST_TABLES:  # one more is enough for the driver to refuse them
                    self._found[table] = schema


def _headers(headers: Iterable[Mapping[str, Any]] | None) -> str:
    return json.dumps({header["key"]: _text(header["value"]) for header in headers or ()}, ensure_ascii=False)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode(errors="replace")


def change_decoders(graph: JobGraph) -> Mapping[int, Decoder]:
    """Return the change decoders of a pipeline's sources, by node."""
    nodes = [(node, graph[node.input]) for node in graph.nodes if isinstance(node, PipelineNode)]
    return {source.id: _decoder(node, source) for node, source in nodes if isinstance(source, SourceNode)}


def _decoder(node: PipelineNode, source: SourceNode) -> Decoder:
    if isinstance(source.source, CollectionSource):
        return RowChangeDecoder(node.processing.initial)
    assert isinstance(source.source, KafkaSource)
    assert isinstance(source.source.deserializer, CapturedRecords)
    return ChangeDecoder(source.id, source.source.deserializer, node.processing.reading, {})
