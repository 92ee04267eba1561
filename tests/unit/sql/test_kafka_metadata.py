"""Metadata columns of Kafka tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kafkastream.sql.connectors import kafka_sink, kafka_source
from kafkastream.sql.connectors.metadata import READABLE
from kafkastream.sql.table import Column
from kafkastream.sql.types import DataType, Kind, RowField
from tests.unit.sql.tables import BIGINT, INT, STRING, Make, error, metadata, physical, table

KAFKA = {"connector": "kafka", "properties.bootstrap.servers": "k:9092", "topic": "orders", "format": "json"}

METADATA: list[Column] = [
    metadata("topic", STRING, is_virtual=True),
    metadata("partition", INT, is_virtual=True),
    metadata("headers", DataType.of(Kind.MAP, parts=(STRING, DataType.bytes_())), is_virtual=True),
    metadata("leader-epoch", INT, is_virtual=True),
    metadata("offset", BIGINT, is_virtual=True),
    metadata("timestamp-type", STRING, is_virtual=True),
    metadata("event_time", DataType.of(Kind.TIMESTAMP, 3), "timestamp"),
    metadata("k", STRING, "__raw_key__", is_virtual=True),
    metadata("v", STRING, "__raw_value__", is_virtual=True),
    physical("message"),
]


def test_all_metadata_is_read_and_what_is_virtual_is_not_written() -> None:
    definition = table(KAFKA, METADATA)
    assert [(field.column.name, str(field.type)) for field in kafka_source(definition).metadata] == [
        ("topic", "STRING NOT NULL"),
        ("partition", "INT NOT NULL"),
        ("headers", "MAP<STRING, BYTES> NOT NULL"),
        ("leader-epoch", "INT"),
        ("offset", "BIGINT NOT NULL"),
        ("timestamp-type", "STRING NOT NULL"),
        ("event_time", "TIMESTAMP_LTZ(3) NOT NULL"),
        ("k", "STRING NOT NULL"),
        ("v", "STRING NOT NULL"),
    ]
    assert [(field.column.name, str(field.type)) for field in kafka_sink(definition).metadata] == [
        ("event_time", "TIMESTAMP_LTZ(3)")
    ]


def test_headers_are_written_as_a_map_or_a_list() -> None:
    headers = DataType.of(Kind.MAP, parts=(STRING, STRING))
    assert str(kafka_sink(table(KAFKA, [metadata("h", headers, "headers")])).metadata[0].type) == "MAP<STRING, BYTES>"
    listed = kafka_source(table(KAFKA, [metadata("h", READABLE["header-list"], "header-list")])).metadata[0].type
    assert str(listed) == "ARRAY<ROW<`key` STRING NOT NULL, `value` BYTES> NOT NULL> NOT NULL"


def test_metadata_of_the_value_format() -> None:
    columns = (metadata("origin", STRING, "value.source.table", is_virtual=True), physical("id", BIGINT))
    fields = kafka_source(table({**KAFKA, "format": "debezium-json"}, columns)).metadata
    assert [(field.column.key, str(field.type)) for field in fields] == [("value.source.table", "STRING")]


HEADERS = DataType.of(Kind.MAP, parts=(STRING, DataType.bytes_()))
PAIR = DataType.of(Kind.ROW, fields=(RowField("key", STRING), RowField("value", DataType.bytes_())))


@pytest.mark.parametrize(
    ("make", "columns", "text"),
    [
        (
            kafka_source,
            [metadata("at", STRING, "tiemstamp")],
            (
                "Invalid metadata key 'tiemstamp' in column 'at' of table 'default_catalog.default_database.orders'. The "
                "DynamicTableSource class 'KafkaDynamicSource' supports the following metadata keys for reading: topic, "
            ),
        ),
        (kafka_source, [metadata("at", STRING, "tiemstamp")], "Did you mean 'timestamp'?"),
        (
            kafka_sink,
            [metadata("partition", INT)],
            (
                "The DynamicTableSink class 'KafkaDynamicSink' supports the following metadata keys for writing: headers, "
                "header-list, timestamp, __raw_key__, __raw_value__"
            ),
        ),
        (kafka_sink, [metadata("partition", INT)], "It can only be read: declare the column VIRTUAL"),
        (kafka_sink, [metadata("topic", STRING)], "Invalid metadata key 'topic'"),
        (
            kafka_sink,
            [metadata("db", STRING, "value.source.database")],
            "It can only be read: declare the column VIRTUAL",
        ),
        (
            kafka_source,
            [metadata("db", STRING, "value.source.database")],
            "Invalid metadata key 'value.source.database'",
        ),
        (
            kafka_source,
            [metadata("offset", DataType.of(Kind.DATE))],
            (
                "Invalid data type for metadata column 'offset' of table 'default_catalog.default_database.orders'. The "
                "column cannot be declared as 'DATE' because the type must be castable from metadata type 'BIGINT NOT NULL'."
            ),
        ),
        (
            kafka_sink,
            [metadata("ts", BIGINT, "timestamp")],
            (
                "Invalid data type for metadata column 'ts' with metadata key 'timestamp' of table "
                "'default_catalog.default_database.orders'. The column cannot be declared as 'BIGINT' because the type must "
                "be castable to metadata type 'TIMESTAMP_LTZ(3)'."
            ),
        ),
        (
            kafka_sink,
            [metadata("headers", HEADERS), metadata("l", DataType.of(Kind.ARRAY, parts=(PAIR,)), "header-list")],
            "The writable metadata is ambiguous. Please use either metadata key 'headers' or 'header-list'.",
        ),
    ],
)
def test_wrong_metadata(make: Make, columns: Sequence[Column], text: str) -> None:
    said = error(make, table(KAFKA, [*columns, physical("id")]))
    assert text in said
    assert f"column {columns[-1].name!r}, line 2, column 7" in said
