"""The connector ``upsert-kafka``: a table whose records are upserts by key."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import kafka_options
from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SCAN_PARALLELISM, SINK_PARALLELISM
from kafkastream.sql.connectors.kafka_tables import (
    BufferFlush,
    KafkaTableSink,
    KafkaTableSource,
    sink_metadata,
    sink_spec,
    sink_topics,
    source_spec,
)
from kafkastream.sql.connectors.key_value_fields import key_part, value_part
from kafkastream.sql.connectors.metadata import read_metadata
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.connectors.table_formats import TableFormat, table_formats
from kafkastream.sql.formats import Format, RawFormat
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions

__all__ = ["UPSERT_KAFKA", "upsert_kafka_sink", "upsert_kafka_source"]

log = logging.getLogger("kafkastream")

UPSERT_KAFKA: Final = OptionGroup(
    "upsert-kafka",
    (
        kafka_options.TOPIC,
        kafka_options.TOPIC_PATTERN,
        kafka_options.BOOTSTRAP_SERVERS,
        kafka_options.PROPERTIES,
        kafka_options.KEY_FORMAT,
        kafka_options.KEY_FIELDS_PREFIX,
        kafka_options.VALUE_FORMAT,
        kafka_options.VALUE_FIELDS_INCLUDE,
        kafka_options.VALUE_FIELDS_PREFIX,
        *kafka_options.BOUNDED.options,
        kafka_options.DISCOVERY_INTERVAL,
        SCAN_PARALLELISM,
        kafka_options.DELIVERY_GUARANTEE,
        kafka_options.TRANSACTIONAL_ID_PREFIX,
        kafka_options.TRANSACTION_NAMING_STRATEGY,
        kafka_options.BUFFER_FLUSH_MAX_ROWS,
        kafka_options.BUFFER_FLUSH_INTERVAL,
        SINK_PARALLELISM,
    ),
    required=(kafka_options.BOOTSTRAP_SERVERS, kafka_options.KEY_FORMAT, kafka_options.VALUE_FORMAT),
    common=COMMON_OPTIONS,
)


def upsert_kafka_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> KafkaTableSource:
    """Return the source of a table of the connector ``upsert-kafka``, which reads from the beginning.

    Raises:
        DefinitionError: There is no primary key, or options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: An option is not supported.
    """
    options = TableOptions.of(definition, environ)
    value, key = _formats(options)
    value_of, key_of = value.to_read(), key.to_read()
    _check(options, key_of, value_of)
    key_fields = key_part(options, definition.schema.primary_key, key_of)
    return KafkaTableSource(
        source=source_spec(options, OffsetsInitializer.earliest(), default_group=None),
        key=key_fields,
        value=value_part(options, value.named_by, key_fields, value_of),
        metadata=read_metadata(options, value_of),
        changelog=ChangelogMode.UPSERT,
        parallelism=options.get(SCAN_PARALLELISM),
    )


def upsert_kafka_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> KafkaTableSink:
    """Return the sink of a table of the connector ``upsert-kafka``, which writes a DELETE as a tombstone.

    Raises:
        DefinitionError: There is no primary key, or options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: An option is not supported.
    """
    options = TableOptions.of(definition, environ)
    value, key = _formats(options)
    topics = sink_topics(options)
    value_of, key_of = value.to_write(topics), key.to_write(topics)
    _check(options, key_of, value_of)
    if isinstance(value_of, RawFormat):
        log.warning("%s: a NULL is written as a null value, which is read as a delete", options.where(value.named_by))
    key_fields = key_part(options, definition.schema.primary_key, key_of)
    return KafkaTableSink(
        sink=sink_spec(options, RecordsAsEncoded(topics), options.get(kafka_options.DELIVERY_GUARANTEE)),
        key=key_fields,
        value=value_part(options, value.named_by, key_fields, value_of),
        metadata=sink_metadata(options, topics),
        changelog=ChangelogMode.UPSERT,
        buffer_flush=_buffer_flush(options),
        parallelism=options.get(SINK_PARALLELISM),
    )


def _formats(options: TableOptions) -> tuple[TableFormat, TableFormat]:
    """Return the formats of value and key, both of which are required."""
    value, key = table_formats(UPSERT_KAFKA, options)
    assert value is not None
    assert key is not None
    return value, key


def _check(options: TableOptions, key: Format, value: Format) -> None:
    for option, format_ in ((kafka_options.KEY_FORMAT, key), (kafka_options.VALUE_FORMAT, value)):
        if not format_.changelog.is_insert_only:
            raise options.refusal(
                f"'upsert-kafka' connector doesn't support '{format_.identifier}' as "
                f"{option.key.replace('.', ' ')}, because '{format_.identifier}' is not in insert-only mode.",
                option.key,
                now=f"Use 'connector' = 'kafka' for changes in {format_.identifier}.",
            )
    if not options.definition.schema.primary_key:
        raise options.refusal(
            "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies which columns "
            "should be read from or write to the Kafka message key. The PRIMARY KEY also defines records in the "
            "'upsert-kafka' table should update or delete on which keys.",
            now="Add PRIMARY KEY (…) NOT ENFORCED.",
        )


def _buffer_flush(options: TableOptions) -> BufferFlush | None:
    max_rows, interval = kafka_options.BUFFER_FLUSH_MAX_ROWS, kafka_options.BUFFER_FLUSH_INTERVAL
    flush = BufferFlush(options.get(max_rows), options.get(interval))
    if (flush.max_rows > 0) is not (flush.interval_ms > 0):
        raise options.refusal(
            f"'{max_rows.key}' and '{interval.key}' must be set to be greater than zero together to enable sink "
            "buffer flushing.",
            options.spelling(max_rows) or interval.key,
        )
    return flush if flush.max_rows > 0 else None
