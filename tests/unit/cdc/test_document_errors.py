"""Documents in YAML: their form, and where errors say that they are wrong."""

from __future__ import annotations

import logging

import pytest

from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.rules import RouteRule
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.subscription import TopicList
from tests.unit.cdc.documents import KAFKA, SINK, SOURCE, VALUES, read, refused, source


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


def test_a_setting_of_flink_that_cannot_be_ignored_is_refused() -> None:
    error = refused(f"{SOURCE}{SINK}pipeline:\n  execution.savepoint.path: s3://a/b")
    assert isinstance(error, UnsupportedFeatureError)
    assert error.where == "pipeline of job.yaml, line 4, column 3, 'execution.savepoint.path'"
    assert "execution.checkpointing.dir" in error.now


def test_models_are_refused() -> None:
    error = refused(f"{SOURCE}{SINK}pipeline:\n  model:\n    - model-name: m")
    assert isinstance(error, UnsupportedFeatureError)
    assert "user-defined-function" in error.now
