"""Documents in YAML: what they describe, and where errors say that they are wrong."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation
from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables, variables_of_file
from kafkastream.cdc.formats.canal_reader import CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, KeyFormat, MessageFormat, PartitionStrategy
from kafkastream.cdc.spec.kafka_source import InferenceStrategy, KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
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
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.subscription import TopicList, TopicPartition, TopicPattern
from kafkastream.pipeline import Pipeline
from kafkastream.sql.formats.json_format import TimestampFormat

SOURCE = "source: {type: kafka, properties.bootstrap.servers: 'k:9092', topic: orders, properties.group.id: g}\n"
SINK = "sink: {type: print}\n"


def read(text: str, given: dict[str, str] | None = None, environ: dict[str, str] | None = None) -> PipelineSpec:
    return read_document(text, "job.yaml", Variables(given or {}, environ or {})).spec


def source(options: str) -> KafkaPipelineSource:
    made = read(f"source:\n  type: kafka\n  properties.bootstrap.servers: k:9092\n{options}\n{SINK}").source
    assert isinstance(made, KafkaPipelineSource)
    return made


def sink(options: str) -> Any:
    return read(f"{SOURCE}sink:\n{options}").sink


def refused(text: str, given: dict[str, str] | None = None) -> KafkastreamError:
    with pytest.raises(KafkastreamError) as error:
        read(text, given)
    return error.value


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


# The document: anchors, indentation, sizes.


def test_anchors_and_merged_keys_are_taken() -> None:
    spec = read("""
source:
  type: kafka
  scan.startup.mode: earliest-offset
  <<: &brokers {properties.bootstrap.servers: 'k:9092', topic: orders}
  topic: others
sink:
  <<: [*brokers]
  type: kafka
""")
    assert isinstance(spec.source, KafkaPipelineSource)
    assert isinstance(spec.sink, KafkaPipelineSink)
    assert spec.source.source.subscription == TopicList(("others",))
    assert spec.sink.topic == "orders"


def test_an_indented_section_is_still_a_section(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        spec = read("""
source:
  type: values
  tables: CREATE TABLE a (id INT)

sink:
  type: print

 route:
  - source-table: mydb.mytable1,mydb.mytable2
    sink-table: mytable1
""")
    assert spec.routes == (RouteRule(source_table="mydb.mytable1,mydb.mytable2", sink_table="mytable1"),)
    assert "job.yaml, line 9: indented, but read as a section" in caplog.text


def test_the_topic_mapping_may_stand_below_the_source(caplog: pytest.LogCaptureFixture) -> None:
    mapping = "  sink.tableId-to-topic.mapping: mydb.mytable1:mytable\n"
    source_ = "source:\n  type: values\n  tables: CREATE TABLE a (id INT)\n"
    sink_ = "sink:\n  type: kafka\n  properties.bootstrap.servers: k:9092\n"
    with caplog.at_level(logging.WARNING, "kafkastream"):
        moved = read(source_ + mapping + sink_)
    assert moved == read(source_ + sink_ + mapping)
    assert "job.yaml, line 4, column 3: 'sink.tableId-to-topic.mapping' is an option of the sink" in caplog.text
    assert (
        "no option" in refused(source_ + mapping + SINK).what
        or "Unsupported options" in refused(source_ + mapping + SINK).what
    )


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)
MALFORMED = {
    "empty": ("", "not a mapping", "job.yaml"),
    "text": ("just text", "not a mapping", "job.yaml"),
    "tab": ("source:\n\ttype: kafka", "cannot start any token", "line 2, column 1"),
    "unclosed": ("source: {type: kafka", "expected ',' or '}'", "line 1, column 21"),
    "colon": ("source:\n  type: kafka\n  topic: a: b", "mapping values are not allowed", "line 3, column 11"),
    "star": (f"{SOURCE}{SINK}transform:\n  - source-table: a\n    projection: *, b", "alias", "line 5, column 18"),
    "escape": (f'{SOURCE}{SINK}transform: [{{source-table: "\\*"}}]', "unknown escape", "line 3"),
    "alias": ("source: *nowhere", "undefined alias", "line 1, column 9"),
    "two": (f"{SOURCE}{SINK}---\n{SOURCE}", "single document", "line 3"),
    "twice": (f"{SOURCE}{SINK}sink: {{type: values}}", "'sink' is given twice; first in line 2", "line 3, column 1"),
    "option twice": ("source:\n  type: kafka\n  topic: a\n  topic: b", "'topic' is given twice", "line 4, column 3"),
    "tag": (f"{SOURCE}sink: {{type: !!python/name:os.system x}}", "tag", "line 2, column 14"),
    "binary": (f"{SOURCE}sink: {{type: !!binary aGk=}}", "tag", "line 2, column 14"),
    "key": (f"{SOURCE}? [a]\n: b", "a key is not text", "line 2, column 3"),
    "bomb": (BOMB, "too large, or nested too deeply", "line 1"),
    "cycle": ("source: &a [*a]", "too large, or nested too deeply", "line 1"),
    "deep": ("source: " + "[" * 1500 + "]" * 1500, "nested too deeply", "job.yaml"),
    "control": (f"{SOURCE}\x00", "not allowed in YAML", "line 2"),
    "merge": ("source: {<<: a}", "'<<' takes mappings", "line 1, column 14"),
    "large": ("#" * 1_000_001, "1000001 characters", "job.yaml"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "place"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_document_is_refused(text: str, reason: str, place: str) -> None:
    error = refused(text)
    assert isinstance(error, DefinitionError)
    assert reason in error.what
    assert place in error.where
    assert error.where.startswith("job.yaml")


KAFKA = "source:\n  type: kafka\n  properties.bootstrap.servers: k:9092\n  properties.group.id: g\n"
VALUES = "source:\n  type: values\n  tables: CREATE TABLE a (id INT)\n  changes:\n"
WRONG = {
    "section": (f"{SOURCE}{SINK}routes: []", "unknown section 'routes'", "line 3, column 1", "Did you mean 'route'?"),
    "no source": (SINK, "missing section 'source'", "job.yaml", "Write 'source:'"),
    "no sink": (SOURCE, "missing section 'sink'", "job.yaml", "Write 'sink:'"),
    "scalar section": (f"{SOURCE}sink: print", "'sink' is not a mapping", "line 2, column 1", ""),
    "no type": (f"{SOURCE}sink: {{name: a}}", "no 'type'", "line 2", "kafka, postgres"),
    "null type": (f"{SOURCE}sink: {{type: }}", "no 'type'", "line 2", "kafka, postgres"),
    "sink": (f"{SOURCE}sink: {{type: postgre}}", "unknown sink 'postgre'", "line 2, column 14", "Did you mean 'postgres'?"),
    "both": (f"{KAFKA}  topic: a\n  topic-pattern: b\n{SINK}", "shouldn't be set together", "line 6, column 3", ""),
    "neither": (f"{KAFKA}{SINK}", "Either 'topic' or 'topic-pattern' must be set", "source of job.yaml, line 1", ""),
    "option": (f"{KAFKA}  topics: a\n{SINK}", "Unsupported options: topics", "'topics', line 5, column 3", "'topic'?"),
    "value": (
        f"{KAFKA}  topic: a\n  scan.startup.mode: first\n{SINK}",
        "Unsupported value 'first' for 'scan.startup.mode'", "line 6, column 3", "Starting position",
    ),
    "number": (f"{KAFKA}  topic: a\n  scan.max.pre.fetch.records: few\n{SINK}", "whole number", "line 6", "Number of newest"),
    "format": (f"{KAFKA}  topic: a\n  value.format: debezium\n{SINK}", "expected one of", "line 6", "'debezium-json'?"),
    "servers": ("source: {type: kafka, topic: a}\n" + SINK, "properties.bootstrap.servers", "line 1", "Add"),
    "group": (
        "source: {type: kafka, topic: a, properties.bootstrap.servers: k}\n" + SINK,
        "there is no 'properties.group.id'", "source of job.yaml, line 1", "'scan.startup.mode: earliest-offset'",
    ),
    "prefixes": (
        f"{KAFKA}  topic: a\n  key.fields-prefix: k\n  value.fields-prefix: k_\n{SINK}",
        "one is a prefix of the other", "source of job.yaml", "",
    ),
    "metadata": (f"{KAFKA}  topic: a\n  metadata.list: [topic, ofset]\n{SINK}", "'ofset'", "line 6", "columns"),
    "ddl": (
        f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: CREATE TABLE t (id BIGNT)\n{SINK}",
        "BIGNT", "line 6, column 3", "Flink SQL",
    ),
    "ddl with": (
        f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: CREATE TABLE t (id INT) WITH ('a' = 'b')\n{SINK}",
        "columns and a primary key only", "line 6", "",
    ),
    "no ddl": (
        f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: SELECT 1\n{SINK}", "CREATE TABLE", "line 6", "",
    ),
    "ddl type": (
        f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: CREATE TABLE t (a INTERVAL DAY TO SECOND)\n{SINK}",
        "cannot hold", "line 6, column 3", "STRING",
    ),
    "fixed types": (
        f"{KAFKA}  topic: a\n  value.format: json\n  json.infer-schema.fixed-types: id BIGINT\n{SINK}",
        "needs 'scan.max.pre.fetch.records' = 0", "source of job.yaml, line 1", "",
    ),
    "table id": (
        f"{KAFKA}  topic: a\n  value.format: json\n  json.decode.parser-table-id.fields: a,b,c,d\n{SINK}",
        "at most 3 parts", "line 7, column 3", "",
    ),
    "format option": (
        f"{KAFKA}  topic: a\n  value.format: json\n  json.decode.table-id.fields: a\n{SINK}",
        "json.decode.table-id.fields", "line 7, column 3", "'json.decode.parser-table-id.fields'?",
    ),
    "no value": (f"{KAFKA}  topic:\n{SINK}", "'topic' has no value", "line 5, column 3", "Topics"),
    "nested": (
        f"{SOURCE}{SINK}pipeline:\n  execution:\n    checkpointing.interval: 1 s",
        "unknown option 'execution'", "line 4, column 3", "'execution.checkpointing.interval'",
    ),
    "list": (f"{SOURCE}sink: {{type: print, name: [a]}}", "neither a text nor a number", "line 2", ""),
    "inner section": (
        f"{SOURCE}sink:\n  type: print\n  route:\n    - source-table: a\n",
        "'route' is a section of its own", "line 4, column 3", "first column",
    ),
    "inner scalar section": (f"{SOURCE}sink:\n  type: print\n  route: a\n", "section of its own", "line 4", ""),
    "rules": (f"{SOURCE}{SINK}route: a", "'route' is not a list", "line 3", "'- '"),
    "rule": (f"{SOURCE}{SINK}route: [a]", "item 1 of 'route' is not a mapping", "line 3, column 9", ""),
    "rule without": (f"{SOURCE}{SINK}route:\n  - sink-table: a", "source-table", "route 1 of job.yaml, line 4", ""),
    "rule key": (
        f"{SOURCE}{SINK}route:\n  - source-table: a\n    sink-tabel: a",
        "sink-table", "route 1 of job.yaml", "",
    ),
    "transform key": (
        f"{SOURCE}{SINK}transform:\n  - source-table: a\n    primary-key: a",
        "primary-key", "transform 1 of job.yaml, option 'primary-key', line 5, column 5", "Did you mean 'primary-keys'?",
    ),
    "pattern": (
        f"{SOURCE}{SINK}route:\n  - source-table: db.*\n    sink-table: a",
        "not a regular expression", "line 4, column 5", "",
    ),
    "groups": (
        f"{SOURCE}{SINK}route:\n  - source-table: db.t\n    sink-table: a.$1",
        "refers to group 1", "option 'sink-table', line 5, column 5", "",
    ),
    "options": (
        f"{SOURCE}{SINK}transform:\n  - source-table: a\n    table-options: a",
        "key=value", "line 5, column 5", "",
    ),
    "behavior": (f"{SOURCE}{SINK}pipeline: {{schema.change.behavior: x}}", "expected one of", "line 3, column 12", ""),
    "zone": (f"{SOURCE}{SINK}pipeline: {{local-time-zone: Mars}}", "time zone", "line 3", ""),
    "job key": (
        f"{SOURCE}{SINK}pipeline:\n  execution.checkpointing.intervall: 1 s",
        "execution.checkpointing.intervall", "line 4, column 3", "'execution.checkpointing.interval'?",
    ),
    "job value": (
        f"{SOURCE}{SINK}pipeline:\n  execution.checkpointing.interval: soon",
        "Unsupported value 'soon'", "line 4, column 3", "Interval of checkpoints",
    ),
    "batch": (f"{SOURCE}{SINK}pipeline:\n  execution.runtime-mode: BATCH", "scan.bounded.mode", "job.yaml", ""),
    "collector": (f"{SOURCE}{SINK}pipeline:\n  dirty-data.collector: {{type: x}}", "logger, kafka", "line 4", ""),
    "collector topic": (f"{SOURCE}{SINK}pipeline:\n  dirty-data.collector: {{type: kafka}}", "'topic'", "line 4", ""),
    "collector text": (f"{SOURCE}{SINK}pipeline:\n  dirty-data.collector: logger", "mapping", "line 4", "type: logger"),
    "function": (f"{SOURCE}{SINK}pipeline:\n  user-defined-function: [{{name: f}}]", "classpath", "line 4", ""),
    "url and host": (
        f"{SOURCE}sink:\n  type: postgres\n  url: postgresql://h/d\n  hostname: h", "exclude each other", "line 5, column 3", "",
    ),
    "url": (f"{SOURCE}sink:\n  type: postgres\n  url: mysql://h/d", "not a URL", "line 4, column 3", "postgresql://"),
    "endpoint": (
        f"{SOURCE}sink: {{type: hologres, endpoint: 'http://h', dbname: d, username: u, password: p}}",
        "not an endpoint", "line 2", "host:port",
    ),
    "mapping": (
        f"{SOURCE}sink:\n  type: kafka\n  properties.bootstrap.servers: k\n  sink.tableId-to-topic.mapping: a",
        "tables:topic", "line 5, column 3", "",
    ),
    "schema changes": (f"{SOURCE}sink: {{type: print, include.schema.changes: [add.colum]}}", "add.column", "line 2", ""),
    "sink format": (
        f"{SOURCE}sink: {{type: kafka, properties.bootstrap.servers: k, value.format: json}}",
        "debezium-json, canal-json", "line 2", "",
    ),
    "prefix": (
        f"{SOURCE}sink: {{type: kafka, properties.bootstrap.servers: k, sink.delivery-guarantee: exactly-once}}",
        "transactional-id-prefix", "line 2", "",
    ),
    "no tables": ("source: {type: values}\n" + SINK, "tables", "line 1", ""),
    "changes": (f"{VALUES.rstrip()} x\n{SINK}", "'changes' is not a list", "line 4", "'- '"),
    "verb": (f"{VALUES}    - inser: a\n{SINK}", "one of insert, update", "line 5, column 7", "'insert'?"),
    "half": (f"{VALUES}    - insert: a\n{SINK}", "needs 'after'", "line 5, column 7", ""),
    "table": (f"{VALUES}    - insert: b\n      after: {{id: 1}}\n{SINK}", "unknown table 'b'", "line 5, column 7", ""),
    "column": (f"{VALUES}    - insert: a\n      after: {{ID: 1}}\n{SINK}", "'ID' is not a column", "line 6, column 15", ""),
    "row value": (f"{VALUES}    - insert: a\n      after: {{id: x}}\n{SINK}", "'x' is not of type INT", "line 6, column 19", ""),
    "row": (f"{VALUES}    - insert: a\n      after: [1]\n{SINK}", "{column: value", "line 6, column 14", ""),
    "side": (f"{VALUES}    - insert: a\n      before: {{id: 1}}\n{SINK}", "no 'before'", "line 6, column 7", ""),
    "altered": (
        f"{VALUES}    - alter-columns: a\n      columns: idd INT\n{SINK}", "'idd' is not a column", "line 6", "'id'?",
    ),
    "added": (f"{VALUES}    - add-columns: a\n      columns: id INT\n{SINK}", "is used twice", "line 5", ""),
    "column type": (f"{VALUES}    - add-columns: a\n      columns: b IN T\n{SINK}", "cannot be read", "line 6", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "what", "where", "now"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_place(text: str, what: str, where: str, now: str) -> None:
    error = refused(text)
    assert what in error.what
    assert where in error.where
    assert "job.yaml" in error.where
    assert now in error.now


@pytest.mark.parametrize("vendor", ["mysql", "postgres", "oracle", "MongoDB"])
def test_databases_are_read_through_kafka(vendor: str) -> None:
    error = refused(f"source:\n  type: {vendor}\n  hostname: h\n{SINK}")
    assert isinstance(error, UnsupportedFeatureError)
    assert error.where == "source of job.yaml, line 2, column 9"
    assert "Debezium or Canal" in error.now
    assert "type: kafka" in error.now


@pytest.mark.parametrize("vendor", ["doris", "paimon", "iceberg"])
def test_other_sinks_are_refused(vendor: str) -> None:
    error = refused(f"{SOURCE}sink: {{type: {vendor}}}")
    assert isinstance(error, UnsupportedFeatureError)
    assert "postgres" in error.now


def test_options_of_another_format_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        source("  topic: a\n  properties.group.id: g\n  json.ignore-parse-errors: true")
    assert "'json.ignore-parse-errors', line 6, column 3: no effect, the format is debezium-json" in caplog.text


def test_models_are_refused() -> None:
    error = refused(f"{SOURCE}{SINK}pipeline:\n  model:\n    - model-name: m")
    assert isinstance(error, UnsupportedFeatureError)
    assert "user-defined-function" in error.now


# Variables and secrets.


def test_variables_come_from_many_places(tmp_path: Path) -> None:
    file = tmp_path / "vars.yaml"
    file.write_text("kafka:\n  topic: of-file\n  servers: k:9092\nsecret_values: {group: g}\n")
    given = {**variables_of_file(file), "kafka.topic": "given"}
    environ = {"KAFKA_TOPIC": "of-environment", "SCAN_STARTUP_MODE": "latest-offset", "plain": "p"}
    text = """
source:
  type: kafka
  properties.bootstrap.servers: ${kafka.servers}
  topic: ${kafka.topic}-in;$${literal};${plain}
  properties.group.id: ${secret_values.group}
  scan.startup.mode: ${scan.startup.mode}
sink: {type: print}
"""
    made = read(text, given, environ).source
    assert isinstance(made, KafkaPipelineSource)
    assert made.source.subscription == TopicList(("given-in", "${literal}", "p"))
    assert made.source.starting_offsets == OffsetsInitializer.latest()
    assert made.source.group_id == "g"


@pytest.mark.parametrize(
    ("reference", "what", "now"),
    [
        ("${kafka.topc}", "undefined variable 'kafka.topc'", "Did you mean 'kafka.topic'?"),
        ("${nowhere.topic_}", "undefined variable 'nowhere.topic_'", "--set nowhere.topic_=…"),
        ("${secret_values.pw}", "undefined variable 'secret_values.pw'", "variable SECRET_VALUES_PW"),
        ("${env:NOWHERE}", "no environment variable 'NOWHERE'", "NOWHERE=…"),
        ("${file:/nowhere/at/all}", "cannot be read", ""),
        ("${}", "undefined variable ''", ""),
    ],
)
def test_a_variable_without_a_value_is_told(reference: str, what: str, now: str) -> None:
    error = refused(f"{KAFKA}  topic: {reference}\n{SINK}", {"kafka.topic": "a"})
    assert what in error.what
    assert now in error.now
    assert error.where == "job.yaml, line 5, column 10"


SECRET = "hunter2"
SECRETS = {
    "value": f"{KAFKA}  topic: a\n  scan.startup.mode: ${{secret_values.pw}}\n{SINK}",
    "number": f"{KAFKA}  topic: a\n  scan.max.pre.fetch.records: ${{secret_values.pw}}\n{SINK}",
    "duration": f"{SOURCE}{SINK}pipeline: {{execution.checkpointing.interval: '1 ${{secret_values.pw}}'}}",
    "type": f"{SOURCE}sink: {{type: '${{secret_values.pw}}'}}",
    "url": f"{SOURCE}sink: {{type: postgres, url: 'mysql://${{secret_values.pw}}/d'}}",
    "table": f"{VALUES}    - insert: ${{secret_values.pw}}\n      after: {{id: 1}}\n{SINK}",
    "route": f"{SOURCE}{SINK}route: [{{source-table: 'a', sink-table: '${{secret_values.pw}}.$1'}}]",
    "password": f"{SOURCE}sink: {{type: postgres, port: 0, password: {SECRET}}}",
    "ddl": f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: CREATE ${{secret_values.pw}}\n{SINK}",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_errors_keep_secrets(text: str) -> None:
    error = refused(text, {"secret_values.pw": SECRET})
    assert SECRET not in f"{error}{error!r}{error.__cause__!r}"


def test_values_keep_secrets(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text(f"{SECRET}\n")
    document = read_document(
        f"""
source:
  type: kafka
  properties.bootstrap.servers: ${{secret_values.pw}}
  topic: a;${{secret_values.pw}}
  properties.group.id: ${{file:{tmp_path / "pw"}}}
sink:
  type: postgres
  username: ${{secret_values.pw}}
  database: ${{env:PW}}
  hostname: ${{my_password}}
  password: {SECRET}
route:
  - source-table: a
    sink-table: ${{secret_values.pw}}
""",
        "job.yaml",
        Variables({"secret_values.pw": SECRET, "my_password": SECRET}, {"PW": SECRET}),
    )
    assert SECRET not in repr(document).replace("password: ***", "")
    sink_ = document.spec.sink
    assert isinstance(sink_, PostgresSink)
    assert {sink_.username, sink_.database, sink_.hostname, sink_.password} == {SECRET}


def test_a_file_gives_its_name_to_the_pipeline(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(f"\ufeff{SOURCE}{SINK}", encoding="utf-8")
    (tmp_path / "named.yaml").write_text(f"{SOURCE}{SINK}pipeline: {{name: given}}")
    names = [Pipeline.from_file(tmp_path / name).spec.settings.name for name in ("orders.yaml", "named.yaml")]
    assert names == ["orders", "given"]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="cannot be read: No such file") as error:
        Pipeline.from_file(tmp_path / "none.yaml")
    assert error.value.where.endswith("none.yaml")
