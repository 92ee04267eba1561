"""Every document of the product whose options a pipeline takes: read, or refused with the way that works.

| Example | Read or refused here | At work in ``tests/integration/test_pipeline_documents.py`` |
|---|---|---|
| Syntax | ``test_the_first_document_needs_a_group_or_another_start`` | topics: ``GROUPED_SYNTAX`` |
| From Kafka into Hologres | ``DOCUMENTS``, ``test_hologres_is_a_postgres_sink`` | ``test_into_hologres``, a real PostgreSQL |
| From MySQL into Kafka | ``OF_MYSQL``; with Kafka's source ``DOCUMENTS`` | topics: ``ROUTED_BY_VARIABLES`` |
| Initial schemas, fixed types, fields for table ids | ``DOCUMENTS`` | ``test_tables_of_json_documents`` |
| Primary keys | ``DOCUMENTS``, ``test_primary_keys_are_those_of_every_table`` | ``test_tables_of_json_documents`` |
| Up to 1000 errors, any number, in the log | ``DOCUMENTS``, ``test_dirty_data_is_logged`` | ``test_tables_of_json_documents`` |
| Topics: by no rule, a route, a mapping, two mappings | ``OF_MYSQL``, ``DOCUMENTS``, ``test_the_indented_route_counts`` | topics |

Topics: ``test_topics_and_the_tables_in_their_messages``.
Examples within tables of options: ``test_document.py`` has lists of topics, offsets and prefixes, ``test_json_reader.py``
the table ids of ``col0,col1,col2``.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.schema import json_schema
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.postgres_sink import PostgresSink, TypeNormalization
from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.cdc.spec.settings import LoggerCollector
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError

SINK = "sink: {type: print}\n"
MYSQL = """
source:
  type: mysql
  name: MySQL Source
  hostname: ${secret_values.mysql.hostname}
  port: ${mysql.port}
  username: ${secret_values.mysql.username}
  password: ${secret_values.mysql.password}
  tables: mydb.mytable1,mydb.mytable2
  server-id: 8601-8604
"""
KAFKA = """
source:
  type: kafka
  name: Kafka Source
  properties.bootstrap.servers: host:9092
  topic: test-topic
  scan.startup.mode: earliest-offset
"""
KAFKA_SINK = """
sink:
  type: kafka
  name: Kafka Sink
  properties.bootstrap.servers: ${kafka.bootstraps.server}
"""
JSON = f"{KAFKA}  value.format: json\n"
VARIABLES = {
    "kafka.bootstraps.server": "k:9092",
    "kafka.topic": "orders",
    "value.format": "debezium-json",
    "scan.startup.mode": "earliest-offset",
    "secret_values.ak_id": "id",
    "secret_values.ak_secret": "secret",
    "secret_values.mysql.hostname": "h",
    "secret_values.mysql.username": "u",
    "secret_values.mysql.password": "p",
    "mysql.port": "3306",
    "mysql.source.table": "mydb.mytable",
}
SYNTAX = """
source:
  type: kafka
  name: Kafka source
  properties.bootstrap.servers: localhost:9092
  topic: ${kafka.topic}
sink:
  type: kafka
  name: Kafka Sink
  properties.bootstrap.servers: localhost:9092
"""
GROUPED_SYNTAX = SYNTAX.replace(
    "topic:", "properties.group.id: readers\n  properties.auto.offset.reset: earliest\n  topic:"
)
INTO_HOLOGRES = """
source:
  type: kafka
  name: Kafka source
  properties.bootstrap.servers: ${kafka.bootstraps.server}
  topic: ${kafka.topic}
  value.format: ${value.format}
  scan.startup.mode: ${scan.startup.mode}

sink:
  type: hologres
  name: Hologres sink
  endpoint: <yourEndpoint>
  dbname: <yourDbname>
  username: ${secret_values.ak_id}
  password: ${secret_values.ak_secret}
  sink.type-normalize-strategy: BROADEN
"""
ROUTED_BY_VARIABLES = f"""{KAFKA_SINK}
route:
  - source-table: ${{mysql.source.table}}
    sink-table: ${{kafka.topic}}
"""
DDLS = (
    f"{JSON}  # Set the initial schema.\n"
    "  scan.value.initial-schemas.ddls: "
    "CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE db1.t2 (id BIGINT);\n"
)
FIXED = f"{JSON}  json.infer-schema.fixed-types: id BIGINT, name VARCHAR(10)\n  scan.max.pre.fetch.records: 0\n"
TABLE_IDS = f"{JSON}  json.decode.parser-table-id.fields: col1,col2\n"
KEYS = r"""
transform:
  - source-table: \.*\.\.*
    projection: \*
    primary-keys: key1, key2
"""
TOLERANT = f"{JSON}  ingestion.ignore-errors: true\n  ingestion.error-tolerance.max-count: 1000\n"
ALL_TOLERANT = f"{JSON}  ingestion.ignore-errors: true\n  ingestion.error-tolerance.max-count: -1\n"
LOGGED = """
pipeline:
  dirty-data.collector:
    # Write dirty data to TaskManager log files.
    type: logger
"""
INDENTED_ROUTE = f"""{KAFKA_SINK}
 route:
  - source-table: mydb.mytable1,mydb.mytable2
    sink-table: mytable1
"""
MAPPED = "  sink.tableId-to-topic.mapping: mydb.mytable1,mydb.mytable2:mytable\n"
MAPPED_ONE_BY_ONE = "  sink.tableId-to-topic.mapping: mydb.mytable1:mytable;mydb.mytable2:mytable\n"
DOCUMENTS = {
    "into hologres": INTO_HOLOGRES,
    "into kafka": KAFKA + ROUTED_BY_VARIABLES,
    "initial schemas": DDLS + SINK,
    "fixed types": FIXED + SINK,
    "table ids": TABLE_IDS + SINK,
    "primary keys": KAFKA + SINK + KEYS,
    "tolerant": TOLERANT + SINK,
    "all tolerant": ALL_TOLERANT + SINK,
    "logged": ALL_TOLERANT + SINK + LOGGED,
    "no mapping": KAFKA + KAFKA_SINK,
    "mapped": KAFKA + MAPPED + KAFKA_SINK,
    "mapped one by one": KAFKA + MAPPED_ONE_BY_ONE + KAFKA_SINK,
}
OF_MYSQL = {
    "into kafka": MYSQL + ROUTED_BY_VARIABLES,
    "no mapping": MYSQL + KAFKA_SINK,
    "routed": MYSQL + INDENTED_ROUTE,
    "mapped": MYSQL + MAPPED + KAFKA_SINK,
    "mapped one by one": MYSQL + MAPPED_ONE_BY_ONE + KAFKA_SINK,
}


def read(text: str) -> PipelineSpec:
    return read_document(text, "job.yaml", Variables(VARIABLES, {})).spec


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


def validate(document: Any) -> None:
    """As ``jsonschema.validate``, which checks the schema itself each time, too."""
    error = jsonschema.exceptions.best_match(validator().iter_errors(document))
    if error is not None:
        raise error


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_are_read_and_valid(text: str) -> None:
    read(text)
    validate(yaml.safe_load(text))


@pytest.mark.parametrize("text", OF_MYSQL.values(), ids=OF_MYSQL)
def test_documents_that_read_a_database_say_how_it_works(text: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="reads the database's changes from Kafka") as refused:
        read(text)
    assert "line 3, column 9" in refused.value.where
    assert "Debezium or Canal" in refused.value.now


def test_the_first_document_needs_a_group_or_another_start() -> None:
    with pytest.raises(DefinitionError, match=r"no 'properties\.group\.id'") as refused:
        read(SYNTAX)
    assert "line 2" in refused.value.where
    assert "'scan.startup.mode: earliest-offset'" in refused.value.now
    source = read(GROUPED_SYNTAX).source
    assert isinstance(source, KafkaPipelineSource)
    assert source.source.group_id == "readers"


def test_hologres_is_a_postgres_sink() -> None:
    sink = read(INTO_HOLOGRES).sink
    assert isinstance(sink, PostgresSink)
    assert (sink.username, sink.password, sink.types) == ("id", "secret", TypeNormalization.BROADEN)


def test_primary_keys_are_those_of_every_table() -> None:
    (rule,) = read(DOCUMENTS["primary keys"]).transforms
    assert rule == TransformRule(source_table=r"\.*\.\.*", projection="*", primary_keys=("key1", "key2"))
    assert rule.source_table.selects(TableId.parse("db.t"))


def test_dirty_data_is_logged() -> None:
    assert read(DOCUMENTS["logged"]).settings.dirty_data_collector == LoggerCollector()


@pytest.mark.parametrize("name", ["no mapping", "mapped", "mapped one by one"])
def test_tables_go_to_their_topics(name: str, caplog: pytest.LogCaptureFixture) -> None:
    sink = read(DOCUMENTS[name]).sink
    assert isinstance(sink, KafkaPipelineSink)
    topics = [sink.topic_of(TableId.parse(table)) for table in ("mydb.mytable1", "mydb.mytable2")]
    assert topics == (["mydb.mytable1", "mydb.mytable2"] if name == "no mapping" else ["mytable", "mytable"])
    assert ("is an option of the sink" in caplog.text) is (name != "no mapping")


def test_the_indented_route_counts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        (rule,) = read(KAFKA + INDENTED_ROUTE).routes
    assert rule.target(TableId.parse("mydb.mytable2")) == TableId.parse("mytable1")
    assert "indented, but read as a section" in caplog.text


# The JSON schema that editors have.


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


SMALL: dict[str, Any] = {
    "source": {"type": "kafka", "properties.bootstrap.servers": "k", "topic": ["a", "b"]},
    "sink": {"type": "print"},
}


@pytest.mark.parametrize(
    "change",
    [
        {"route": None, "transform": None, "pipeline": None},
        {"pipeline": {"schema.change.behavior": "TRY-EVOLVE", "parallelism": "${p}", "metrics.reporter.a.port": 1}},
        {"pipeline": {"user-defined-function": [{"name": "f", "classpath": "m.f"}], "schema.operator.uid": "x"}},
        {"sink": {"type": "delta", "warehouse": "/lake", "include.schema.changes": ["add"]}},
        {"sink": {"type": "kafka", "properties.bootstrap.servers": "k", "properties.acks": 1}},
        {"source": {"type": "values", "tables": "CREATE TABLE a (id INT)", "changes": [{"insert": "a", "after": {"id": 1}}]}},
        {"source": {**SMALL["source"], "scan.max.pre.fetch.records": "7", "ingestion.ignore-errors": "True"}},
        {"source": {**SMALL["source"], "canal-json.infer-schema.strategy": "sql_type"}},
    ],
)  # fmt: skip
def test_good_documents_are_valid(change: dict[str, Any]) -> None:
    validate({**SMALL, **change})


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"sinks": {}}, []),
        ({"sink": {"type": "postgre"}}, ["sink", "type"]),
        ({"sink": {"name": "a"}}, ["sink"]),
        ({"sink": {"type": "delta"}}, ["sink"]),
        ({"sink": {"type": "print", "topic": "a"}}, ["sink"]),
        ({"source": {"type": "kafka", "topic": "a"}}, ["source"]),
        ({"source": {**SMALL["source"], "topics": "a"}}, ["source"]),
        ({"source": {**SMALL["source"], "scan.startup.mode": "first"}}, ["source", "scan.startup.mode"]),
        ({"source": {**SMALL["source"], "ingestion.ignore-errors": "maybe"}}, ["source", "ingestion.ignore-errors"]),
        ({"source": {**SMALL["source"], "scan.max.pre.fetch.records": "few"}}, ["source", "scan.max.pre.fetch.records"]),
        ({"source": {"type": "values", "tables": "", "changes": [{"upsert": "a"}]}}, ["source", "changes", 0]),
        ({"route": [{"source-table": "a"}]}, ["route", 0]),
        ({"route": {"source-table": "a"}}, ["route"]),
        ({"transform": [{"source-table": "a", "primary-key": "b"}]}, ["transform", 0]),
        ({"pipeline": {"parallelism": 0}}, ["pipeline", "parallelism"]),
        ({"pipeline": {"dirty-data.collector": {"type": "file"}}}, ["pipeline", "dirty-data.collector", "type"]),
        ({"pipeline": {"execution": {"checkpointing.interval": 1}}}, ["pipeline"]),
    ],
)  # fmt: skip
def test_bad_documents_are_not_valid(change: dict[str, Any], place: list[str | int]) -> None:
    with pytest.raises(jsonschema.ValidationError) as error:
        validate({**SMALL, **change})
    assert list(error.value.absolute_path) == place


def test_options_tell_their_meaning_and_default() -> None:
    branches = json_schema()["properties"]["source"]["allOf"]
    options = next(one["then"]["properties"] for one in branches if "topic" in one["then"]["properties"])
    assert options["scan.max.pre.fetch.records"]["default"] == 50
    assert options["value.format"]["default"] == "debezium-json"
    assert options["scan.topic-partition-discovery.interval"]["default"] == "5 min"
    assert all(option.get("description") for key, option in options.items() if key != "type")


SECRET = "Zx123q"
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), st.sampled_from(
    ["", " ", "\n", "\t", "  ", "'", '"', "{", "}", "[", "]", ":", ": ", "- ", "*", "&a ", "!", "$", "${secret_values.x}", "~", "a", "9", "."]
)), min_size=1, max_size=5)  # fmt: skip


@given(st.sampled_from([*DOCUMENTS.values(), *OF_MYSQL.values()]), EDITS)
def test_whatever_is_wrong_is_told_in_words_and_keeps_secrets(text: str, edits: list[tuple[float, int, str]]) -> None:
    for place, length, new in edits:
        start = int(place * len(text))
        text = text[:start] + new + text[start + length :]
    told = ""
    try:
        read_document(text, "job.yaml", Variables({**VARIABLES, "secret_values.x": SECRET}, {}))
    except KafkastreamError as error:
        told = str(error)
    assert SECRET not in told
