"""Documents in YAML: what they describe."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation
from kafkastream.cdc.formats.canal_reader import CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, KeyFormat, MessageFormat, PartitionStrategy
from kafkastream.cdc.spec.kafka_source import InferenceStrategy
from kafkastream.cdc.spec.postgres_sink import PostgresSink, TypeNormalization
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule
from kafkastream.cdc.spec.settings import (
    KafkaCollector,
    PipelineFunction,
    RouteMode,
    RuntimeMode,
    SchemaChangeBehavior,
)
from kafkastream.cdc.spec.simple_sinks import DeltaSink, PrintSink, ValuesSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import TableId
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.subscription import TopicList, TopicPartition, TopicPattern
from kafkastream.sql.formats.json_format import TimestampFormat
from tests.unit.cdc.documents import SINK, SOURCE, read, source


def sink(options: str) -> Any:
    return read(f"{SOURCE}sink:\n{options}").sink


def test_a_source_has_the_options_of_its_topics() -> None:
    made = source(
        """
  name: Orders
  topic: a;b
  properties.group.id: readers
  properties.client.id: me
  key.format: json
  key.fields-prefix: key_
  value.fields-prefix: value_
  metadata.list: topic, offset
  schema.inference.strategy: static
  scan.max.pre.fetch.records: 7
  scan.startup.mode: earliest-offset
  scan.bounded.mode: latest-offset
  scan.topic-partition-discovery.interval: 1 min
  scan.check.duplicated.group.id: true
  ingestion.ignore-errors: yes
  ingestion.error-tolerance.max-count: 1000
""".replace("yes", "true")
    )
    assert made.source.subscription == TopicList(("a", "b"))
    assert made.source.starting_offsets == OffsetsInitializer.earliest()
    assert made.source.stopping_offsets == OffsetsInitializer.latest()
    assert made.source.properties["partition.discovery.interval.ms"] == "60000"
    assert made.source.properties["client.id"] == "me"
    assert made.key_format is not None
    assert (made.name, made.key_fields_prefix, made.value_fields_prefix) == ("Orders", "key_", "value_")
    assert made.metadata == ("topic", "offset")
    assert made.inference is InferenceStrategy.STATIC
    assert (made.max_pre_fetch_records, made.max_errors) == (7, 1000)
    assert made.ignores_errors
    assert made.source.checks_duplicated_group


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("topic: a", OffsetsInitializer.committed_offsets()),
        (
            "topic: a\n  properties.auto.offset.reset: earliest",
            OffsetsInitializer.committed_offsets(OffsetResetStrategy.EARLIEST),
        ),
        ("topic: a\n  scan.startup.mode: latest-offset", OffsetsInitializer.latest()),
        (
            "topic: a\n  scan.startup.mode: timestamp\n  scan.startup.timestamp-millis: 5",
            OffsetsInitializer.timestamp(5),
        ),
        (
            (
                "topic: a\n  scan.startup.mode: specific-offsets\n"
                "  scan.startup.specific-offsets: partition:0,offset:42;partition:1,offset:300"
            ),
            OffsetsInitializer.offsets({TopicPartition("a", 0): 42, TopicPartition("a", 1): 300}),
        ),
    ],
    ids=["group", "reset", "latest", "timestamp", "offsets"],
)
def test_a_source_begins_as_told(options: str, expected: OffsetsInitializer) -> None:
    assert source(f"  properties.group.id: g\n  {options}").source.starting_offsets == expected


def test_a_pattern_of_topics_is_read() -> None:
    made = source("  topic-pattern: db\\.t.*\n  scan.startup.mode: earliest-offset")
    assert made.source.subscription == TopicPattern(r"db\.t.*")


def test_initial_schemas_are_flink_sql() -> None:
    made = source("""
  topic: test-topic
  scan.startup.mode: earliest-offset
  scan.value.initial-schemas.ddls: CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE db1.t2 (id BIGINT);
""")
    assert {str(table): schema.names for table, schema in made.initial_schemas.items()} == {
        "db1.t1": ("id", "name"),
        "db1.t2": ("id",),
    }


def test_plain_json_has_options_of_its_own() -> None:
    made = source("""
  topic: test-topic
  value.format: json
  scan.startup.mode: earliest-offset
  scan.max.pre.fetch.records: 0
  json.timestamp-format.standard: ISO-8601
  json.ignore-parse-errors: true
  json.infer-schema.flatten-nested-columns.enable: true
  json.decode.parser-table-id.fields: col1,col2
  json.infer-schema.fixed-types: id BIGINT, name VARCHAR(10)
""").value_format
    assert isinstance(made, Json)
    assert made.timestamp_format is TimestampFormat.ISO_8601
    assert made.ignore_parse_errors
    assert made.flatten_nested_columns
    assert not made.primitive_as_string
    assert made.table_id_fields == ("col1", "col2")
    assert {name: str(type_) for name, type_ in made.fixed_types.items()} == {"id": "BIGINT", "name": "VARCHAR(10)"}


def test_debezium_json_has_options_of_its_own() -> None:
    made = source("  topic: a\n  properties.group.id: g\n  debezium-json.schema-include: true").value_format
    assert made == DebeziumJson(schema_include=True)


def test_canal_json_has_options_of_its_own() -> None:
    made = source("""
  topic: a
  properties.group.id: g
  value.format: canal-json
  canal-json.distributed-tables: true
  canal-json.infer-schema.strategy: MYSQL_TYPE
  canal-json.mysql.treat-tinyint1-as-boolean.enabled: false
""").value_format
    assert isinstance(made, CanalJson)
    assert made.distributed_tables
    assert not made.tinyint1_as_boolean


def test_a_kafka_sink_has_its_options() -> None:
    made = sink("""
  type: kafka
  name: Kafka Sink
  properties.bootstrap.servers: k:9092
  properties.acks: 1
  value.format: canal-json
  key.format: csv
  partition.strategy: hash-by-key
  sink.tableId-to-topic.mapping: mydb.t1,mydb.t2:t
  sink.add-tableId-to-header-enabled: true
  sink.custom-header: a:1,b:2
  sink.delivery-guarantee: exactly-once
  sink.transactional-id-prefix: p
  exclude.schema.changes: [drop, create.table]
""")
    assert isinstance(made, KafkaPipelineSink)
    assert made.sink.properties == {"bootstrap.servers": "k:9092", "acks": "1"}
    assert made.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE
    assert made.sink.transactional_id_prefix == "p"
    assert (made.message_format, made.key_format) == (MessageFormat.CANAL_JSON, KeyFormat.CSV)
    assert made.partition_strategy is PartitionStrategy.HASH_BY_KEY
    assert [made.topic_of(TableId.parse(table)) for table in ("mydb.t1", "mydb.t3")] == ["t", "mydb.t3"]
    assert made.custom_headers == {"a": "1", "b": "2"}
    assert {kind.value for kind in made.excluded} == {"drop.column", "drop.table", "create.table"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("  type: print\n  print-identifier: seen", PrintSink(print_identifier="seen")),
        ("  type: values\n  print.enabled: false", ValuesSink(prints=False)),
        ("  type: delta\n  path: /lake", DeltaSink(path="/lake")),
        ("  type: delta\n  warehouse: /lake", DeltaSink(path="/lake")),
        ("  type: postgres\n  hostname: db\n  database: shop\n  username: u", PostgresSink(
            hostname="db", database="shop", username="u")),
        ("  type: postgres\n  properties.sslmode: require", PostgresSink(properties={"sslmode": "require"})),
        ("  type: postgres\n  url: jdbc:postgresql://u:p@db:5433/shop\n  password: q", PostgresSink(
            hostname="db", port=5433, database="shop", username="u", password="q")),
        ("  type: Hologres\n  endpoint: e:81\n  dbname: d\n  username: u\n  password: p\n  sink.type-normalize-strategy: BROADEN", PostgresSink(
            hostname="e", port=81, database="d", username="u", password="p", types=TypeNormalization.BROADEN)),
    ],
    ids=["print", "values", "delta", "warehouse", "postgres", "properties", "url", "hologres"],
)  # fmt: skip
def test_sinks_have_their_options(options: str, expected: Any) -> None:
    assert sink(options) == expected


def test_rules_and_settings_are_read() -> None:
    spec = read(
        SOURCE
        + SINK
        + r"""
transform:
  - source-table: db\.t.\.*
    projection: \*, UPPER(name) AS name2
    filter: id > 10 AND name2 <> 'x'
    primary-keys: id
    partition-keys: [dt, hr]
    table-options: k1=v1;k2=v,2
    table-options.delimiter: ;
    converter-after-transform: SOFT_DELETE
    description: ignored
route:
  - source-table: db.orders_\.*
    sink-table: ods.<>
    replace-symbol: <>
pipeline:
  name: job
  parallelism: 2
  local-time-zone: Europe/Berlin
  route-mode: FIRST_MATCH
  schema.change.behavior: try_evolve
  dirty-data.collector: {type: kafka, topic: dirty}
  user-defined-function:
    - name: f
      classpath: package.module.f
  execution.checkpointing.dir: /c
  metrics.reporter.p.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
"""
    )
    assert spec.transforms == (
        TransformRule(
            source_table=r"db\.t.\.*",
            projection="*, UPPER(name) AS name2",
            filter="id > 10 AND name2 <> 'x'",
            primary_keys=("id",),
            partition_keys=("dt", "hr"),
            table_options={"k1": "v1", "k2": "v,2"},
            after_transform=AfterTransform.SOFT_DELETE,
        ),
    )
    assert spec.routes == (RouteRule(source_table=r"db.orders_\.*", sink_table="ods.<>", replace_symbol="<>"),)
    settings = spec.settings
    assert (settings.name, settings.parallelism, settings.local_time_zone) == ("job", 2, "Europe/Berlin")
    assert settings.route_mode is RouteMode.FIRST_MATCH
    assert settings.runtime_mode is RuntimeMode.STREAMING
    assert settings.schema_change_behavior is SchemaChangeBehavior.TRY_EVOLVE
    assert settings.dirty_data_collector == KafkaCollector("dirty")
    assert settings.functions == (PipelineFunction("f", "package.module.f"),)
    assert settings.job_settings().checkpoint_dir == "/c"
    assert len(settings.job_settings().reporters) == 1


@pytest.mark.parametrize("behavior", ["exception", "evolve", "TRY_EVOLVE", "lenient", "Ignore"])
def test_behaviors_are_read_in_any_case(behavior: str) -> None:
    settings = read(f"{SOURCE}{SINK}pipeline: {{schema.change.behavior: {behavior}}}").settings
    assert settings.schema_change_behavior.value == behavior.lower()


def test_rows_stand_in_the_document() -> None:
    made = read(
        """
source:
  type: values
  tables: CREATE TABLE shop.orders (id BIGINT, name STRING, price DECIMAL(5, 2), PRIMARY KEY (id) NOT ENFORCED)
  changes:
    - insert: shop.orders
      after: {id: 1, name: 007, price: 1.5}
    - add-columns: shop.orders
      columns: paid BOOLEAN
    - alter-columns: shop.orders
      columns: price DECIMAL(10, 2)
    - update: shop.orders
      before: {id: 1, name: 007}
      after: {id: 1, name: ~, paid: true}
    - delete: shop.orders
      before: {id: 1}
"""
        + SINK
    ).source
    assert isinstance(made, ValuesSource)
    created, insert, added, altered, update, delete = made.events
    assert isinstance(created, CreateTable)
    assert created.schema.primary_key == ("id",)
    assert isinstance(added, AddColumns)
    assert isinstance(altered, AlterColumnTypes)
    assert isinstance(insert, RowChange)
    assert {name: str(value) for name, value in (insert.after or {}).items()} == {
        "id": "1",
        "name": "007",
        "price": "1.50",
    }
    orders = TableId.parse("shop.orders")
    before = {"id": 1, "name": "007"}
    assert update == RowChange(orders, Operation.UPDATE, before, {"id": 1, "name": None, "paid": True})
    assert delete == RowChange(orders, Operation.DELETE, {"id": 1})
    assert made.schemas[orders].names == ("id", "name", "price", "paid")
