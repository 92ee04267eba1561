"""Tables of the connector ``upsert-kafka``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import sink_of, source_of
from kafkastream.sql.connectors.kafka_tables import BufferFlush, KafkaTableSink, KafkaTableSource
from kafkastream.sql.connectors.records import RecordsAsEncoded, RecordsAsRead
from kafkastream.sql.connectors.upsert_kafka import upsert_kafka_sink, upsert_kafka_source
from kafkastream.sql.formats import AvroConfluentFormat, CsvFormat, JsonFormat
from kafkastream.sql.table import Column, TableDefinition
from tests.unit.sql.tables import BIGINT, STRING, Make, at, error, metadata, only_options, physical, table

UPSERT = {
    "connector": "upsert-kafka",
    "topic": "orders",
    "properties.bootstrap.servers": "k:9092",
    "key.format": "csv",
    "value.format": "json",
}


def keyed(
    options: Mapping[str, str],
    columns: Sequence[Column] = (physical("id", BIGINT), physical("name")),
    key: Sequence[str] = ("id",),
) -> TableDefinition:
    return table({**UPSERT, **options}, columns, key)


def read(options: Mapping[str, str]) -> KafkaTableSource:
    return upsert_kafka_source(keyed(options))


def write(options: Mapping[str, str]) -> KafkaTableSink:
    return upsert_kafka_sink(keyed(options))


def builder() -> KafkaSourceBuilder[Any]:
    earliest = OffsetsInitializer.earliest()
    return KafkaSource.builder().set_bootstrap_servers("k:9092").set_topics("orders").set_starting_offsets(earliest)


@pytest.mark.parametrize(
    ("options", "step"),
    [
        ({}, lambda it: it),
        ({"properties.group.id": "g"}, lambda it: it.set_group_id("g")),
        ({"properties.auto.offset.reset": "latest"}, lambda it: it),
        ({"scan.bounded.mode": "latest-offset"}, lambda it: it.set_bounded(OffsetsInitializer.latest())),
        (
            {"scan.bounded.mode": "timestamp", "scan.bounded.timestamp-millis": "7"},
            lambda it: it.set_bounded(OffsetsInitializer.timestamp(7)),
        ),
        (
            {"scan.topic-partition-discovery.interval": "1 min"},
            lambda it: it.set_property("partition.discovery.interval.ms", "60000"),
        ),
    ],
    ids=only_options,
)
def test_source_is_that_of_the_builder(
    options: dict[str, str], step: Callable[[KafkaSourceBuilder[Any]], KafkaSourceBuilder[Any]]
) -> None:
    assert read(options).source == step(builder()).set_deserializer(RecordsAsRead()).build()


def test_source_reads_the_latest_of_each_key() -> None:
    source = read({"scan.parallelism": "2"})
    assert (source.changelog, source.parallelism) == (ChangelogMode.UPSERT, 2)


@pytest.mark.parametrize(
    ("options", "guarantee", "prefix"),
    [
        ({}, DeliveryGuarantee.AT_LEAST_ONCE, None),
        ({"sink.delivery-guarantee": "none"}, DeliveryGuarantee.NONE, None),
        (
            {
                "sink.delivery-guarantee": "exactly-once",
                "sink.transactional-id-prefix": "p",
                "sink.transaction-naming-strategy": "INCREMENTING",
            },
            DeliveryGuarantee.EXACTLY_ONCE,
            "p",
        ),
    ],
    ids=str,
)
def test_sink_is_that_of_the_builder(options: dict[str, str], guarantee: DeliveryGuarantee, prefix: str | None) -> None:
    assert write(options).sink == KafkaSink(
        record_serializer=RecordsAsEncoded(("orders",)),
        delivery_guarantee=guarantee,
        transactional_id_prefix=prefix,
        properties={"bootstrap.servers": "k:9092"},
    )


@pytest.mark.parametrize(
    ("options", "flush"),
    [
        ({}, None),
        ({"sink.buffer-flush.max-rows": "0", "sink.buffer-flush.interval": "0"}, None),
        ({"sink.buffer-flush.max-rows": "100", "sink.buffer-flush.interval": "10 ms"}, BufferFlush(100, 10)),
    ],
)
def test_buffer_flush(options: dict[str, str], flush: BufferFlush | None) -> None:
    sink = write({**options, "sink.parallelism": "3"})
    assert (sink.buffer_flush, sink.parallelism, sink.changelog) == (flush, 3, ChangelogMode.UPSERT)


@pytest.mark.parametrize(
    ("columns", "primary_key", "options", "key", "value"),
    [
        (
            [physical("id", BIGINT), physical("name"), physical("area")],
            ["area", "id"],
            {},
            "ROW<`area` STRING, `id` BIGINT>",
            "ROW<`id` BIGINT, `name` STRING, `area` STRING>",
        ),
        (
            [physical("k_id", BIGINT), physical("id", BIGINT), metadata("offset", BIGINT, is_virtual=True)],
            ["k_id"],
            {"key.fields-prefix": "k_", "value.fields-include": "EXCEPT_KEY"},
            "ROW<`id` BIGINT>",
            "ROW<`id` BIGINT>",
        ),
    ],
)
def test_the_primary_key_is_the_key(
    columns: list[Column], primary_key: list[str], options: dict[str, str], key: str, value: str
) -> None:
    definition = keyed(options, columns, primary_key)
    for made in (upsert_kafka_source(definition), upsert_kafka_sink(definition)):
        assert made.key is not None
        assert (str(made.key.row_type), str(made.value.row_type)) == (key, value)


def test_formats_and_their_options() -> None:
    source = read({"key.csv.field-delimiter": ";", "value.json.ignore-parse-errors": "true"})
    assert source.key is not None
    assert source.key.format == CsvFormat(field_delimiter=";")
    assert source.value.format == JsonFormat(ignore_parse_errors=True)
    registry = {"value.format": "avro-confluent", "value.avro-confluent.url": "http://r:8081"}
    assert write(registry).value.format == AvroConfluentFormat(url="http://r:8081", subject="orders-value")


def test_metadata() -> None:
    columns = (physical("id", BIGINT), metadata("t", STRING, "topic", is_virtual=True), metadata("timestamp", STRING))
    definition = keyed({}, columns)
    assert [field.column.key for field in upsert_kafka_source(definition).metadata] == ["topic", "timestamp"]
    assert [field.column.key for field in upsert_kafka_sink(definition).metadata] == ["timestamp"]


def test_a_raw_value_warns(caplog: pytest.LogCaptureFixture) -> None:
    definition = keyed({"value.format": "raw", "value.fields-include": "EXCEPT_KEY"})
    with caplog.at_level(logging.WARNING, "kafkastream"):
        upsert_kafka_sink(definition)
    assert "a NULL is written as a null value, which is read as a delete" in caplog.text


def test_by_the_name_of_the_connector() -> None:
    assert source_of(keyed({})) == read({})
    assert sink_of(keyed({})) == write({})


@pytest.mark.parametrize("make", [upsert_kafka_source, upsert_kafka_sink])
@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        ({"format": "json"}, "Unsupported options: format. Supported options: connector, ", "format"),
        ({"key.fields": "id"}, "Unsupported options: key.fields.", "key.fields"),
        ({"scan.startup.mode": "latest-offset"}, "Unsupported options: scan.startup.mode.", "scan.startup.mode"),
        ({"sink.partitioner": "fixed"}, "Unsupported options: sink.partitioner.", "sink.partitioner"),
        (
            {"key.format": "debezium-json"},
            (
                "'upsert-kafka' connector doesn't support 'debezium-json' as key format, because 'debezium-json' is not in "
                "insert-only mode."
            ),
            "key.format",
        ),
        (
            {"value.format": "canal-json"},
            (
                "'upsert-kafka' connector doesn't support 'canal-json' as value format, because 'canal-json' is not in "
                "insert-only mode."
            ),
            "value.format",
        ),
        ({"key.fields-prefix": "k_"}, "All fields in 'key.fields' must be prefixed with 'k_'", "key.fields-prefix"),
        (
            {"key.fields-prefix": "i"},
            "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'.",
            "key.fields-prefix",
        ),
        ({"topic-pattern": "o.*"}, "Option 'topic' and 'topic-pattern' shouldn't be set together.", "topic-pattern"),
    ],
)
def test_wrong_for_sources_and_sinks(make: Make, options: dict[str, str], text: str, key: str) -> None:
    said = error(make, keyed(options))
    assert text in said
    assert at({**UPSERT, **options}, key) in said


@pytest.mark.parametrize("make", [upsert_kafka_source, upsert_kafka_sink])
def test_what_is_missing_is_said_at_once(make: Make) -> None:
    options = {"connector": "upsert-kafka", "topic": "orders"}
    said = error(make, table(options, primary_key=("id",)))
    assert "Missing required options are: properties.bootstrap.servers, key.format, value.format" in said


@pytest.mark.parametrize("make", [upsert_kafka_source, upsert_kafka_sink])
def test_there_is_a_primary_key(make: Make) -> None:
    with pytest.raises(DefinitionError, match="'upsert-kafka' tables require to define a PRIMARY KEY constraint"):
        make(keyed({}, key=()))


@pytest.mark.parametrize("make", [upsert_kafka_source, upsert_kafka_sink])
def test_a_key_column_is_physical(make: Make) -> None:
    columns = (physical("id"), metadata("offset", BIGINT, is_virtual=True))
    with pytest.raises(DefinitionError, match="Could not find the field 'offset' in the table schema for usage in the"):
        make(keyed({}, columns, ("offset",)))


def test_the_groups_offsets_need_a_group() -> None:
    with pytest.raises(DefinitionError, match=r"group\.id is required when using committed offset"):
        read({"scan.bounded.mode": "group-offsets"})


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"sink.buffer-flush.max-rows": "5"}, "sink.buffer-flush.max-rows"),
        ({"sink.buffer-flush.interval": "5 s"}, "sink.buffer-flush.interval"),
        (
            {"sink.buffer-flush.max-rows": "0", "sink.buffer-flush.interval": "5 s"},
            "sink.buffer-flush.max-rows",
        ),
    ],
)
def test_half_a_buffer_flush(options: dict[str, str], key: str) -> None:
    said = error(upsert_kafka_sink, keyed(options))
    assert (
        "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than zero together to "
        "enable sink buffer flushing."
    ) in said
    assert at({**UPSERT, **options}, key) in said
