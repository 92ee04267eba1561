"""The first schemas of a pipeline, inferred from the newest records of each partition before any is processed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.merge import merged
from kafkastream.cdc.processing import ChangeProcessing
from kafkastream.cdc.reader import ChangeReader
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.spark.plan.source_frames import KafkaInput, SourceInput
from kafkastream.spark.session.key_stores import with_pem_stores

__all__ = ["prefetched"]


def prefetched(processing: ChangeProcessing, inputs: Sequence[SourceInput]) -> list[tuple[TableId, TableSchema]]:
    """Infer the schemas of the newest records; records that cannot be parsed are ignored.

    Raises:
        KafkaError: The brokers refuse, or do not answer in time.
    """
    schemas: dict[TableId, TableSchema] = {}
    if processing.most_prefetched > 0:
        for table, schema in _shown(processing, inputs):
            schemas[table] = merged(schemas[table], schema) if table in schemas else schema
    return list(schemas.items())


def _shown(processing: ChangeProcessing, inputs: Sequence[SourceInput]) -> Iterator[tuple[TableId, TableSchema]]:
    reader = ChangeReader(processing.reading, processing.initial)
    metadata = [None] * len(processing.reading.metadata)
    for one in inputs:
        assert isinstance(one, KafkaInput)
        topics = ClusterTopics(with_pem_stores(one.source.consumer_properties))
        for record in topics.newest(one.offset_range.starts, processing.most_prefetched):
            try:
                yield from reader.infer(record.topic, record.key, record.value, metadata)
            except MalformedRecordError:
                continue
