"""A source or a sink is the same, whichever door it comes through: a builder in Python, or a table in SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from kafkastream.common import SimpleStringSchema
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSinkBuilder,
    KafkaSource,
    KafkaSourceBuilder,
    KafkaTopicPartition,
)
from kafkastream.sql.connectors import JdbcTableSink, KafkaTableSink, KafkaTableSource, sink_of, source_of
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition

BOTH_OFFSETS = {KafkaTopicPartition("orders", 0): 42, KafkaTopicPartition("orders", 1): 300}
WRITTEN_OFFSETS = "partition:0,offset:42;partition:1,offset:300"


def definition(options: str, connector: str = "kafka") -> TableDefinition:
    """A table as it is written."""
    key = ", PRIMARY KEY (id) NOT ENFORCED" if connector == "upsert-kafka" else ""
    formats = "'key.format' = 'json', 'value.format' = 'json'" if key else "'format' = 'json'"
    created = parse_one(f"""
        CREATE TABLE orders (id BIGINT, name STRING{key}) WITH (
          'connector' = '{connector}', 'properties.bootstrap.servers' = 'k1:9092,k2:9092', {formats}, {options}
        )
    """)
    assert isinstance(created, CreateTable)
    return created.definition


def source(options: str, connector: str = "kafka") -> KafkaSource[Any]:
    """What a table reads, as text."""
    read = source_of(definition(options, connector))
    assert isinstance(read, KafkaTableSource)
    built: KafkaSource[Any] = read.source
    return attrs.evolve(built, deserializer=text_source(KafkaSource.builder().set_topics("t")).deserializer)


def text_source(builder: KafkaSourceBuilder[Any]) -> KafkaSource[str]:
    builder.set_bootstrap_servers("k1:9092,k2:9092")
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def sink(options: str, connector: str = "kafka") -> KafkaSink[Any]:
    """What a table writes, as text."""
    written = sink_of(definition(options, connector))
    assert isinstance(written, KafkaTableSink)
    return attrs.evolve(written.sink, record_serializer=text_sink(KafkaSink.builder()).record_serializer)


def text_sink(builder: KafkaSinkBuilder[Any]) -> KafkaSink[Any]:
    records = KafkaRecordSerializationSchema.builder().set_topic("orders")
    serializer = records.set_value_serialization_schema(SimpleStringSchema()).build()
    return builder.set_bootstrap_servers("k1:9092,k2:9092").set_record_serializer(serializer).build()


STARTS = {
    "'scan.startup.mode' = 'earliest-offset'": KafkaOffsetsInitializer.earliest(),
    "'scan.startup.mode' = 'latest-offset'": KafkaOffsetsInitializer.latest(),
    "'scan.parallelism' = '2'": KafkaOffsetsInitializer.committed_offsets(),
    "'scan.startup.mode' = 'group-offsets'": KafkaOffsetsInitializer.committed_offsets(),
    "'properties.auto.offset.reset' = 'earliest'": KafkaOffsetsInitializer.committed_offsets(
        KafkaOffsetResetStrategy.EARLIEST
    ),
    "'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1655395200000'": (
        KafkaOffsetsInitializer.timestamp(1655395200000)
    ),
    f"'scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = '{WRITTEN_OFFSETS}'": (
        KafkaOffsetsInitializer.offsets(BOTH_OFFSETS)
    ),
}


@pytest.mark.parametrize("options", STARTS)
def test_where_a_source_begins(options: str) -> None:
    builder = KafkaSource.builder().set_topics("orders").set_group_id("g").set_starting_offsets(STARTS[options])
    assert source(f"'topic' = 'orders', 'properties.group.id' = 'g', {options}") == text_source(builder)


ENDS = {
    "'scan.bounded.mode' = 'latest-offset'": KafkaOffsetsInitializer.latest(),
    "'scan.bounded.mode' = 'group-offsets'": KafkaOffsetsInitializer.committed_offsets(),
    "'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '7'": KafkaOffsetsInitializer.timestamp(7),
    f"'scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = '{WRITTEN_OFFSETS}'": (
        KafkaOffsetsInitializer.offsets(BOTH_OFFSETS)
    ),
}


@pytest.mark.parametrize("options", ENDS)
@pytest.mark.parametrize("connector", ["kafka", "upsert-kafka"])
def test_where_a_source_ends(options: str, connector: str) -> None:
    builder = KafkaSource.builder().set_topics("orders").set_bounded(ENDS[options]).set_property("group.id", "g")
    is_upsert = connector == "upsert-kafka"
    builder.set_starting_offsets(
        KafkaOffsetsInitializer.earliest() if is_upsert else KafkaOffsetsInitializer.committed_offsets()
    )
    written = f"'topic' = 'orders', 'properties.group.id' = 'g', {options}"
    assert source(written, connector) == text_source(builder)


SUBSCRIPTIONS: dict[str, Callable[[KafkaSourceBuilder[Any]], object]] = {
    "'topic' = 'a;b'": lambda builder: builder.set_topics("a", "b"),
    "'topic-pattern' = 'test-topic-[0-9]'": lambda builder: builder.set_topic_pattern("test-topic-[0-9]"),
    "'topic' = 'a', 'scan.topic-partition-discovery.interval' = '10 s'": lambda builder: builder.set_topics(
        "a"
    ).set_property("partition.discovery.interval.ms", "10000"),
    "'topic' = 'a', 'properties.isolation.level' = 'read_committed', 'properties.max.poll.records' = '7'": (
        lambda builder: builder.set_topics("a").set_properties(
            {"isolation.level": "read_committed", "max.poll.records": "7"}
        )
    ),
}


@pytest.mark.parametrize("options", SUBSCRIPTIONS)
def test_what_a_source_reads(options: str) -> None:
    builder = KafkaSource.builder().set_group_id("g").set_starting_offsets(KafkaOffsetsInitializer.earliest())
    SUBSCRIPTIONS[options](builder)
    written = f"'properties.group.id' = 'g', 'scan.startup.mode' = 'earliest-offset', {options}"
    assert source(written) == text_source(builder)


SINKS: dict[str, Callable[[KafkaSinkBuilder[Any]], object]] = {
    "'sink.delivery-guarantee' = 'none'": lambda builder: builder.set_delivery_guarantee(DeliveryGuarantee.NONE),
    "'sink.parallelism' = '2'": lambda builder: builder.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE),
    "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'p'": (
        lambda builder: builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix("p")
    ),
    "'properties.acks' = 'all', 'properties.compression.type' = 'zstd'": (
        lambda builder: builder.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).set_kafka_producer_config(
            {"acks": "all", "compression.type": "zstd"}
        )
    ),
}


@pytest.mark.parametrize("options", SINKS)
@pytest.mark.parametrize("connector", ["kafka", "upsert-kafka"])
def test_what_a_sink_writes(options: str, connector: str) -> None:
    builder = KafkaSink.builder()
    SINKS[options](builder)
    assert sink(f"'topic' = 'orders', {options}", connector) == text_sink(builder)


JDBC_URL = "jdbc:postgresql://db:5433/shop?sslmode=require"


def test_which_database_a_sink_writes_to_and_how() -> None:
    created = parse_one(f"""
        CREATE TABLE orders (id BIGINT, name STRING) WITH (
          'connector' = 'jdbc', 'table-name' = 'orders', 'url' = '{JDBC_URL}', 'driver' = 'org.postgresql.Driver',
          'username' = 'ann', 'password' = 'secret', 'sink.buffer-flush.max-rows' = '7',
          'sink.buffer-flush.interval' = '2 s', 'sink.max-retries' = '1'
        )
    """)
    assert isinstance(created, CreateTable)
    written = sink_of(created.definition)
    assert isinstance(written, JdbcTableSink)
    connection = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(JDBC_URL).with_user_name("ann")
    connection.with_password("secret").with_driver_name("org.postgresql.Driver")
    execution = JdbcExecutionOptions.builder().with_batch_size(7).with_batch_interval_ms(2000).with_max_retries(1)
    assert (written.connection, written.execution) == (connection.build(), execution.build())


def test_the_older_guarantee() -> None:
    assert sink("'topic' = 'orders', 'sink.semantic' = 'none'") == sink(
        "'topic' = 'orders', 'sink.delivery-guarantee' = 'none'"
    )
