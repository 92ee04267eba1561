"""The connector ``kafka``: a table of records in topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.sql.connectors import kafka_options
from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SCAN_PARALLELISM, SINK_PARALLELISM
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
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions

__all__ = ["KAFKA", "kafka_sink", "kafka_source"]

log = logging.getLogger("kafkastream")

KAFKA: Final = OptionGroup(
    "kafka",
    (
        kafka_options.TOPIC,
        kafka_options.TOPIC_PATTERN,
        kafka_options.BOOTSTRAP_SERVERS,
        kafka_options.GROUP_ID,
        kafka_options.PROPERTIES,
        kafka_options.FORMAT,
        kafka_options.KEY_FORMAT,
        kafka_options.KEY_FIELDS,
        kafka_options.KEY_FIELDS_PREFIX,
        kafka_options.VALUE_FORMAT,
        kafka_options.VALUE_FIELDS_INCLUDE,
        kafka_options.VALUE_FIELDS_PREFIX,
        *kafka_options.STARTUP.options,
        *kafka_options.BOUNDED.options,
        kafka_options.DISCOVERY_INTERVAL,
        kafka_options.HEADER_FILTER,
        kafka_options.CHECK_DUPLICATED_GROUP,
        SCAN_PARALLELISM,
        kafka_options.PARTITIONER,
        kafka_options.DELIVERY_GUARANTEE,
        kafka_options.SEMANTIC,
        kafka_options.TRANSACTIONAL_ID_PREFIX,
        kafka_options.TRANSACTION_NAMING_STRATEGY,
        SINK_PARALLELISM,
    ),
    required=(kafka_options.BOOTSTRAP_SERVERS,),
    common=COMMON_OPTIONS,
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
        header_filter=options.get(kafka_options.HEADER_FILTER),
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
            f"Could not find required {side} format '{kafka_options.VALUE_FORMAT.key}'.",
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
            kafka_options.KEY_FORMAT.key,
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
    older = options.get(kafka_options.SEMANTIC)
    if older is None:
        return options.get(kafka_options.DELIVERY_GUARANTEE)
    log.warning(
        "%s: deprecated, please use '%s'",
        options.where(kafka_options.SEMANTIC.key),
        kafka_options.DELIVERY_GUARANTEE.key,
    )
    return older
