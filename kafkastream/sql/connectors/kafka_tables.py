"""Sources and sinks of Kafka tables: those of the DataStream API, plus columns and formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

import attrs

from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.model.connectors.record_deserialization import ConsumerRecord
from kafkastream.model.connectors.record_serialization import KafkaRecordSerializationSchema, ProducerRecord
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors.header_filter import HeaderFilter
from kafkastream.sql.connectors.kafka_options import (
    DELIVERY_GUARANTEE,
    SEMANTIC,
    TOPIC,
    TOPIC_PATTERN,
    TRANSACTION_NAMING_STRATEGY,
    TRANSACTIONAL_ID_PREFIX,
)
from kafkastream.sql.connectors.kafka_properties import consumer_properties, producer_properties
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.connectors.metadata import TOPIC_KEY, MetadataField, written_metadata
from kafkastream.sql.connectors.records import RecordsAsRead
from kafkastream.sql.connectors.scan_offsets import stopping_offsets
from kafkastream.sql.connectors.table_endpoints import TableSink, TableSource
from kafkastream.sql.table_options import Declaration, GivenOptions, TableOptions

__all__ = [
    "BufferFlush",
    "KafkaTableSink",
    "KafkaTableSource",
    "sink_metadata",
    "sink_spec",
    "sink_topics",
    "source_spec",
]


@final
@attrs.frozen(kw_only=True)
class KafkaTableSource(TableSource):
    """Source of a Kafka table.

    Args:
        source: Kafka source of the undecoded records.
        key: Which columns are the key's fields, if there is a key.
        value: Which columns are the value's fields.
        metadata: Metadata columns.
        changelog: Changelog mode of its rows.
        header_filter: Filter of records by headers; None for all.
        parallelism: Number of subtasks that read; None for the job's.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.table_scan"

    source: KafkaSource[ConsumerRecord]
    key: RecordPart | None = None
    value: RecordPart
    metadata: tuple[MetadataField, ...] = ()
    changelog: ChangelogMode = ChangelogMode.APPEND
    header_filter: HeaderFilter | None = None
    parallelism: int | None = None

    @property
    def origin_text(self) -> str:
        """Return the subscription."""
        return str(self.source.subscription)

    @property
    def graph_source(self) -> KafkaSource[ConsumerRecord]:
        """Return the Kafka source, which reads headers only if a column or a filter needs them."""
        with_headers = self.header_filter is not None or any("header" in one.column.key for one in self.metadata)
        return attrs.evolve(self.source, deserializer=RecordsAsRead(with_headers=with_headers))

    @property
    def is_bounded(self) -> bool:
        """True if the source stops at some offsets."""
        return self.source.boundedness is Boundedness.BOUNDED

    @property
    def reads_kafka(self) -> bool:
        """Always true: rows are records of a topic."""
        return True


@final
@attrs.frozen
class BufferFlush:
    """Buffer of an upsert sink, which only writes the last change of each key.

    Args:
        max_rows: Number of rows after which the buffer is flushed.
        interval_ms: Time after which the buffer is flushed, in ms.
    """

    max_rows: int
    interval_ms: int


@final
@attrs.frozen(kw_only=True)
class KafkaTableSink(TableSink):
    """Sink of a Kafka table.

    Args:
        sink: Kafka sink with its delivery guarantee; its serializer takes encoded records.
        key: Which columns are the key's fields, if there is a key.
        value: Which columns are the value's fields.
        metadata: Written metadata columns.
        changelog: Changelog mode that it accepts.
        buffer_flush: Buffer of changes, if any.
        parallelism: Number of subtasks that write; None for that of the input.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.table_encoder"
    sink: KafkaSink[ProducerRecord]
    key: RecordPart | None = None
    value: RecordPart
    metadata: tuple[MetadataField, ...] = ()
    changelog: ChangelogMode = ChangelogMode.APPEND
    buffer_flush: BufferFlush | None = None
    parallelism: int | None = None


def source_spec(
    options: GivenOptions[Declaration], starting: OffsetsInitializer, default_group: str | None
) -> KafkaSource[ConsumerRecord]:
    """Return the source of a table, or of a pipeline.

    Raises:
        DefinitionError: Options are missing or contradict each other.
    """
    _check_topic(options)
    builder = KafkaSource.builder().set_properties(consumer_properties(options, default_group))
    pattern, stopping = options.get(TOPIC_PATTERN), stopping_offsets(options)
    if pattern is None:
        builder.set_topics(options.get(TOPIC))
    else:
        builder.set_topic_pattern(pattern)
    if stopping is not None:
        builder.set_bounded(stopping)
    with options.reading():
        return builder.set_starting_offsets(starting).set_deserializer(RecordsAsRead()).build()


def sink_topics(options: TableOptions) -> tuple[str, ...]:
    """Return the topics that a table writes to.

    Raises:
        DefinitionError: There is no topic, or there are several and no column ``topic`` to choose one.
    """
    _check_topic(options)
    if options.has(TOPIC_PATTERN):
        raise options.refusal(
            "A sink cannot find its topics by a pattern", TOPIC_PATTERN.key, now=f"List them in '{TOPIC.key}'."
        )
    topics = options.get(TOPIC)
    columns = options.definition.schema.metadata
    if len(topics) > 1 and not any(column.key == TOPIC_KEY and not column.is_virtual for column in columns):
        raise options.refusal(
            f"A sink writes to one topic, and '{TOPIC.key}' lists {len(topics)}: {'; '.join(topics)}",
            TOPIC.key,
            now="Give one topic, or a column `topic` STRING METADATA with the topic of each row.",
        )
    return topics


def sink_metadata(options: TableOptions, topics: Sequence[str]) -> tuple[MetadataField, ...]:
    """Return the metadata columns that a table writes.

    Raises:
        DefinitionError: There is no such metadata of a sink.
    """
    return written_metadata(options, writes_topic=len(topics) > 1)


def sink_spec(
    options: GivenOptions[Declaration],
    serializer: KafkaRecordSerializationSchema[ProducerRecord],
    guarantee: DeliveryGuarantee,
) -> KafkaSink[ProducerRecord]:
    """Return the sink of a table, or of a pipeline.

    Raises:
        DefinitionError: Options are missing or contradict each other.
    """
    prefix = options.get(TRANSACTIONAL_ID_PREFIX)
    if guarantee is DeliveryGuarantee.EXACTLY_ONCE and prefix is None:
        raise options.refusal(
            f"{TRANSACTIONAL_ID_PREFIX.key} must be specified when using DeliveryGuarantee.EXACTLY_ONCE.",
            options.spelling(SEMANTIC) or DELIVERY_GUARANTEE.key,
            now="Choose one that no other sink has.",
        )
    builder = KafkaSink.builder().set_kafka_producer_config(producer_properties(options))
    builder.set_delivery_guarantee(guarantee)
    builder.set_transaction_naming_strategy(options.get(TRANSACTION_NAMING_STRATEGY))
    if prefix is not None:
        builder.set_transactional_id_prefix(prefix)
    with options.reading():
        return builder.set_record_serializer(serializer).build()


def _check_topic(options: GivenOptions[Declaration]) -> None:
    if options.has(TOPIC) and options.has(TOPIC_PATTERN):
        raise options.refusal(
            f"Option '{TOPIC.key}' and '{TOPIC_PATTERN.key}' shouldn't be set together.", TOPIC_PATTERN.key
        )
    if not options.get(TOPIC) and not options.has(TOPIC_PATTERN):
        raise options.refusal(
            f"Either '{TOPIC.key}' or '{TOPIC_PATTERN.key}' must be set.", options.spelling(TOPIC), now=TOPIC.doc
        )
