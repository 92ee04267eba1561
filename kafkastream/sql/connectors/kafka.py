"""The connector ``kafka``: a table of records in topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.sql.connectors import kafka_options as its
from kafkastream.sql.connectors.connector import SCAN_PARALLELISM, SINK_PARALLELISM, Connector
from kafkastream.sql.connectors.kafka_tables import (
    KafkaTableSink,
    KafkaTableSource,
    sink_metadata,
    sink_spec,
    sink_topics,
    source_spec,
)
from kafkastream.sql.connectors.key_value_fields import RecordPart, key_columns, key_part, value_part
from kafkastream.sql.connectors.metadata import read_metadata
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.connectors.scan_offsets import starting_offsets
from kafkastream.sql.connectors.table_formats import TableFormat, table_formats
from kafkastream.sql.connectors.table_partitioners import partitioner_of
from kafkastream.sql.formats import Format
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions

__all__ = ["KAFKA", "kafka_sink", "kafka_source"]

log = logging.getLogger("kafkastream")

KAFKA: Final = Connector(
    "kafka",
    (
        its.TOPIC,
        its.TOPIC_PATTERN,
        its.BOOTSTRAP_SERVERS,
        its.GROUP_ID,
        its.PROPERTIES,
        its.FORMAT,
        its.KEY_FORMAT,
        its.KEY_FIELDS,
        its.KEY_FIELDS_PREFIX,
        its.VALUE_FORMAT,
        its.VALUE_FIELDS_INCLUDE,
        its.VALUE_FIELDS_PREFIX,
        *its.STARTUP.options,
        *its.BOUNDED.options,
        its.DISCOVERY_INTERVAL,
        its.HEADER_FILTER,
        its.CHECK_DUPLICATED_GROUP,
        SCAN_PARALLELISM,
        its.PARTITIONER,
        its.DELIVERY_GUARANTEE,
        its.SEMANTIC,
        its.TRANSACTIONAL_ID_PREFIX,
        its.TRANSACTION_NAMING_STRATEGY,
        SINK_PARALLELISM,
    ),
    required=(its.BOOTSTRAP_SERVERS,),
)
_KEYS_OF_POSITION: Final = frozenset({"partition", "offset"})


def kafka_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> KafkaTableSource:
    """Return the source of a table of the connector ``kafka``.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other or the columns.
        UnsupportedFeatureError: An option is not supported.
    """
    options = TableOptions.of(definition, environ)
    value, key = _formats(options, "scan")
    format_ = value.to_read()
    _check_primary_key(options, format_)
    key_fields = _key(options, None if key is None else key.to_read())
    return KafkaTableSource(
        source=source_spec(options, starting_offsets(options), f"KafkaSource-{definition.identifier}"),
        key=key_fields,
        value=value_part(options, value.named_by, key_fields, format_),
        metadata=read_metadata(options, format_),
        changelog=format_.changelog,
        header_filter=options.get(its.HEADER_FILTER),
        parallelism=options.get(SCAN_PARALLELISM),
    )


def kafka_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> KafkaTableSink:
    """Return the sink of a table of the connector ``kafka``.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other or the columns.
        UnsupportedFeatureError: An option is not supported.
    """
    options = TableOptions.of(definition, environ)
    value, key = _formats(options, "sink")
    topics = sink_topics(options)
    format_ = value.to_write(topics)
    _check_primary_key(options, format_)
    key_fields = _key(options, None if key is None else key.to_write(topics))
    return KafkaTableSink(
        sink=sink_spec(options, RecordsAsEncoded(topics, partitioner_of(options)), _guarantee(options)),
        key=key_fields,
        value=value_part(options, value.named_by, key_fields, format_),
        metadata=sink_metadata(options, topics),
        changelog=format_.changelog,
        parallelism=options.get(SINK_PARALLELISM),
    )


def _formats(options: TableOptions, side: str) -> tuple[TableFormat, TableFormat | None]:
    """Return the formats of value and key; the value's is required."""
    value, key = table_formats(KAFKA, options)
    if value is None:
        raise options.refusal(
            f"Could not find required {side} format '{its.VALUE_FORMAT.key}'.",
            now="Add, for example, 'format' = 'json'.",
        )
    return value, key


def _key(options: TableOptions, format_: Format | None) -> RecordPart | None:
    columns = key_columns(options)
    if format_ is None:
        return None
    if not format_.changelog.is_insert_only:
        raise options.refusal(
            "A key format should only deal with INSERT-only records. "
            f"But {format_.identifier} has a changelog mode of {format_.changelog}.",
            its.KEY_FORMAT.key,
        )
    return key_part(options, columns, format_)


def _check_primary_key(options: TableOptions, format_: Format) -> None:
    """Check the primary key of an insert-only table: only the record's partition and offset, as with Alibaba Cloud."""
    schema = options.definition.schema
    of_position = {column.name for column in schema.metadata if column.key in _KEYS_OF_POSITION}
    if format_.changelog.is_insert_only and not set(schema.primary_key) <= of_position:
        raise options.refusal(
            f"The Kafka table '{options.definition.identifier}' with '{format_.identifier}' format doesn't support "
            "defining PRIMARY KEY constraint on the table, because it can't guarantee the semantic of primary key.",
            now="Use 'connector' = 'upsert-kafka', or leave the key out.",
        )


def _guarantee(options: TableOptions) -> DeliveryGuarantee:
    older = options.get(its.SEMANTIC)
    if older is None:
        return options.get(its.DELIVERY_GUARANTEE)
    log.warning("%s: deprecated, please use '%s'", options.where(its.SEMANTIC.key), its.DELIVERY_GUARANTEE.key)
    return older
