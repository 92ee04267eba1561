"""A pipeline is the same, whichever door it comes through: a document in YAML, a builder in Python; and so is its Kafka part."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaSource,
    KafkaTopicPartition,
)
from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.record_serialization import MessagesAsEncoded
from kafkastream.pipeline import (
    AfterTransform,
    DebeziumJson,
    InferenceStrategy,
    Json,
    KafkaCollector,
    KafkaPipelineSink,
    KafkaPipelineSource,
    KeyFormat,
    PartitionStrategy,
    Pipeline,
    PipelineFunction,
    PostgresSink,
    PrintSink,
    RouteMode,
    SchemaChangeBehavior,
    SchemaChangeType,
    TopicMapping,
    TypeNormalization,
)
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, sink_of, source_of
from kafkastream.sql.connectors.records import RecordsAsRead
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition

DOCUMENT = r"""
source:
  type: kafka
  name: Orders
  properties.bootstrap.servers: k:9092
  properties.group.id: readers
  properties.auto.offset.reset: earliest
  topic: a;b
  value.format: json
  json.infer-schema.flatten-nested-columns.enable: true
  key.format: json
  key.fields-prefix: key_
  metadata.list: topic, offset
  schema.inference.strategy: static
  scan.max.pre.fetch.records: 7
  scan.bounded.mode: latest-offset
  ingestion.ignore-errors: true
  ingestion.error-tolerance.max-count: 3
transform:
  - source-table: shop.\.*
    projection: \*, UPPER(name) AS shout
    filter: id > 10
    primary-keys: id
    table-options: k=v
    converter-after-transform: SOFT_DELETE
route:
  - source-table: shop.orders_\.*
    sink-table: ods.<>
    replace-symbol: <>
sink:
  type: postgres
  hostname: db
  database: shop
  username: writer
  password: ${secret_values.pw}
  sink.type-normalize-strategy: BROADEN
  exclude.schema.changes: [add.column]
pipeline:
  name: orders
  parallelism: 2
  local-time-zone: UTC
  route-mode: FIRST_MATCH
  schema.change.behavior: evolve
  dirty-data.collector: {type: kafka, topic: dirty}
  user-defined-function: [{name: f, classpath: m.f}]
  execution.checkpointing.interval: 10 s
"""


def built() -> Pipeline:
    records = (
        KafkaSource.builder()
        .set_bootstrap_servers("k:9092")
        .set_group_id("readers")
        .set_topics("a", "b")
        .set_starting_offsets(KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST))
        .set_bounded(KafkaOffsetsInitializer.latest())
    )
    source = KafkaPipelineSource.of(
        records,
        name="Orders",
        value_format=Json(flatten_nested_columns=True),
        key_format=KeyFormat.JSON,
        key_fields_prefix="key_",
        metadata=("topic", "offset"),
        inference=InferenceStrategy.STATIC,
        max_pre_fetch_records=7,
        ignores_errors=True,
        max_errors=3,
    )
    sink = PostgresSink(
        hostname="db",
        database="shop",
        username="writer",
        password="1234",
        types=TypeNormalization.BROADEN,
        excluded=frozenset({SchemaChangeType.ADD_COLUMN}),
    )
    return (
        Pipeline.builder()
        .source(source)
        .transform(
            source_table=r"shop.\.*",
            projection="*, UPPER(name) AS shout",
            filter="id > 10",
            primary_keys=["id"],
            table_options={"k": "v"},
            after_transform=AfterTransform.SOFT_DELETE,
        )
        .route(source_table=r"shop.orders_\.*", sink_table="ods.<>", replace_symbol="<>")
        .sink(sink)
        .settings(name="orders", parallelism=2, local_time_zone="UTC", route_mode=RouteMode.FIRST_MATCH)
        .settings(
            schema_change_behavior=SchemaChangeBehavior.EVOLVE,
            dirty_data_collector=KafkaCollector("dirty"),
            functions=[PipelineFunction("f", "m.f")],
            configuration={"execution.checkpointing.interval": "10 s"},
        )
        .build()
    )


def test_yaml_and_python_make_equal_pipelines() -> None:
    assert Pipeline.from_text(DOCUMENT, {"secret_values.pw": "1234"}) == built()


def test_yaml_and_python_make_equal_kafka_sinks() -> None:
    document = """
source: {type: values, tables: CREATE TABLE a (id INT)}
sink:
  type: kafka
  properties.bootstrap.servers: k:9092
  properties.acks: all
  topic: out
  partition.strategy: hash-by-key
  sink.tableId-to-topic.mapping: a.b:c
  debezium-json.include-schema.enabled: true
  sink.delivery-guarantee: exactly-once
  sink.transactional-id-prefix: p
"""
    messages = (
        KafkaSink.builder()
        .set_bootstrap_servers("k:9092")
        .set_property("acks", "all")
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .set_transactional_id_prefix("p")
    )
    assert Pipeline.from_text(document).spec.sink == KafkaPipelineSink.of(
        messages,
        topic="out",
        partition_strategy=PartitionStrategy.HASH_BY_KEY,
        topic_mapping=TopicMapping.parse("a.b:c"),
        includes_schema=True,
    )


def table(options: dict[str, str]) -> TableDefinition:
    written = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    statement = parse_one(f"CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'format' = 'json', {written})")
    assert isinstance(statement, CreateTable)
    return statement.definition


def document(section: str, options: dict[str, str]) -> str:
    others = {"source": "source: {type: values, tables: CREATE TABLE a (id INT)}", "sink": "sink: {type: print}"}
    del others[section]
    lines = "\n".join(f"  {key}: '{value}'" for key, value in options.items())
    return f"{section}:\n  type: kafka\n{lines}\n{''.join(others.values())}\n"


BROKERS = {"properties.bootstrap.servers": "k:9092", "properties.group.id": "g"}
READ: dict[str, dict[str, str]] = {
    "topics": {"topic": "a;b"},
    "pattern": {"topic-pattern": "a.*", "scan.startup.mode": "latest-offset"},
    "reset": {"topic": "a", "properties.auto.offset.reset": "latest"},
    "offsets": {
        "topic": "a",
        "scan.startup.mode": "specific-offsets",
        "scan.startup.specific-offsets": "partition:0,offset:42",
        "scan.bounded.mode": "timestamp",
        "scan.bounded.timestamp-millis": "7",
    },
    "discovery": {"topic": "a", "scan.topic-partition-discovery.interval": "0", "scan.bounded.mode": "group-offsets"},
}
WRITTEN: dict[str, dict[str, str]] = {
    "plain": {"topic": "a"},
    "properties": {"topic": "a", "properties.acks": "1", "sink.delivery-guarantee": "none"},
    "exactly once": {"topic": "a", "sink.delivery-guarantee": "exactly-once", "sink.transactional-id-prefix": "p"},
}


@pytest.mark.parametrize("options", READ.values(), ids=READ)
def test_yaml_and_sql_read_the_same_records(options: dict[str, str]) -> None:
    of_sql = source_of(table({**BROKERS, **options}))
    of_yaml = Pipeline.from_text(document("source", {**BROKERS, **options})).spec.source
    assert isinstance(of_sql, KafkaTableSource)
    assert isinstance(of_yaml, KafkaPipelineSource)
    assert of_yaml.source == of_sql.source


@pytest.mark.parametrize("options", WRITTEN.values(), ids=WRITTEN)
def test_yaml_and_sql_write_the_same_way(options: dict[str, str]) -> None:
    of_sql = sink_of(table({**BROKERS, **options}))
    of_yaml = Pipeline.from_text(document("sink", {**BROKERS, **options})).spec.sink
    assert isinstance(of_sql, KafkaTableSink)
    assert isinstance(of_yaml, KafkaPipelineSink)
    # What differs is how a row becomes a record.
    assert of_yaml.sink == attrs.evolve(of_sql.sink, record_serializer=MessagesAsEncoded("a"))


@pytest.mark.parametrize(
    "options",
    [
        {"topic": "a", "topic-pattern": "b"},
        {},
        {"topic": "a", "scan.startup.mode": "timestamp"},
        {
            "topic": "a;b",
            "scan.startup.mode": "specific-offsets",
            "scan.startup.specific-offsets": "partition:0,offset:1",
        },
        {"topic": "a", "properties.auto.offset.reset": "first"},
        {"topic": "a", "scan.startup.mode": "first"},
    ],
    ids=["both", "neither", "timestamp", "offsets", "reset", "mode"],
)
def test_yaml_and_sql_refuse_the_same_in_the_same_words(options: dict[str, str]) -> None:
    def words(make: Any) -> tuple[str, str]:
        with pytest.raises(DefinitionError) as error:
            make()
        return error.value.what, error.value.now

    of_sql = words(lambda: source_of(table({**BROKERS, **options})))
    assert words(lambda: Pipeline.from_text(document("source", {**BROKERS, **options}))) == of_sql


def test_a_source_for_python_takes_a_whole_source_as_well() -> None:
    partitions = KafkaSource.builder().set_bootstrap_servers("k").set_partitions({KafkaTopicPartition("a", 0)})
    whole = partitions.set_deserializer(RecordsAsRead()).build()
    assert KafkaPipelineSource(source=whole) == KafkaPipelineSource.of(partitions, value_format=DebeziumJson())


@pytest.mark.parametrize("missing", ["source", "sink"])
def test_a_builder_without_an_end_is_refused(missing: str) -> None:
    builder = Pipeline.builder()
    if missing == "sink":
        builder.source(built().spec.source)
    else:
        builder.sink(PrintSink())
    with pytest.raises(DefinitionError, match=f"no {missing}"):
        builder.build()
