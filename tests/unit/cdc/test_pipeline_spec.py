"""The values of a pipeline, and what their constructors refuse."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import attrs
import pytest

from kafkastream.cdc.changes import CreateTable, Operation
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, MessageFormat
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.cdc.spec.settings import (
    KafkaCollector,
    PipelineFunction,
    PipelineSettings,
    RuntimeMode,
)
from kafkastream.cdc.spec.simple_sinks import DeltaSink, PrintSink
from kafkastream.cdc.spec.sink import SchemaChangeType
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.secret_masking import Secret
from kafkastream.sql.types import DataType, Kind

ORDERS = TableId.parse("shop.orders")
BIGINT = DataType.of(Kind.BIGINT)


def source(**options: Any) -> KafkaPipelineSource:
    builder = KafkaSource.builder().set_bootstrap_servers("k:9092").set_topics("orders")
    return KafkaPipelineSource.of(builder, **options)


def sink(**options: Any) -> KafkaPipelineSink:
    return KafkaPipelineSink.of(KafkaSink.builder().set_bootstrap_servers("k:9092"), **options)


def test_a_pipeline_is_a_value() -> None:
    one, other = (PipelineSpec(source=source(), sink=sink(topic="out")) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert attrs.evolve(one, sink=PrintSink()) != one


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"key_fields_prefix": "a", "value_fields_prefix": "a_"}, "one is a prefix of the other"),
        ({"max_pre_fetch_records": -1}, "less than 0"),
        ({"max_errors": -2}, "-1 for any number"),
        ({"metadata": ("topics",)}, "Did you mean 'topic'"),
        ({"metadata": ("topic", "topic")}, "twice"),
    ],
)
def test_a_source_that_contradicts_itself_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        source(**options)


def test_a_tolerance_without_effect_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        source(max_errors=5, ignores_errors=True)
        assert caplog.messages == []
        source(max_errors=5)
    assert "no effect without 'ingestion.ignore-errors'" in caplog.text


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: sink(includes_schema=True, message_format=MessageFormat.CANAL_JSON), "debezium-json"),
        (DeltaSink, "'path' is empty"),
        (lambda: PostgresSink(hostname=" ", max_retries=-1), "'hostname' is empty; 'sink.max-retries' is -1"),
        (lambda: PostgresSink(port=70000), "between 1 and 65535"),
        (lambda: PostgresSink.of_url("mysql://h/d"), "not a URL of a PostgreSQL database"),
        (lambda: PostgresSink.of_url("postgresql://h:x/d"), "not a URL of a PostgreSQL database"),
        (lambda: PipelineFunction("", "m.f"), "no 'name'"),
        (lambda: PipelineFunction("f", "f"), "'classpath'"),
        (lambda: PipelineSettings(functions=(PipelineFunction("f", "m.f"), PipelineFunction("F", "m.g"))), "two"),
        (lambda: PipelineSettings(configuration={"execution.checkpointing.interval": "soon"}), "soon"),
    ],
)
def test_a_part_that_contradicts_itself_is_refused(make: Any, reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        make()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"runtime_mode": RuntimeMode.BATCH}, "scan.bounded.mode"),
        ({"dirty_data_collector": KafkaCollector("orders")}, "a topic of its own"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        PipelineSpec(source=source(), sink=PrintSink(), settings=PipelineSettings(**settings))


def test_a_pipeline_ends_with_its_source() -> None:
    builder = KafkaSource.builder().set_bootstrap_servers("k:9092").set_topics("orders")
    bounded = KafkaPipelineSource.of(builder.set_bounded(OffsetsInitializer.latest()))
    ends = [PipelineSpec(source=one, sink=PrintSink()).is_bounded for one in (source(), bounded, ValuesSource())]
    assert ends == [False, True, True]


def test_settings_of_jobs_are_those_of_the_other_doors() -> None:
    settings = PipelineSettings(
        name="orders", parallelism=3, configuration={"state.checkpoints.dir": "/c", "restart-strategy.type": "none"}
    )
    job = settings.job_settings()
    assert (job.name, job.parallelism, job.checkpoint_dir) == ("orders", 3, "/c")


def test_changes_of_the_source_values_fit_their_tables() -> None:
    created = CreateTable(ORDERS, TableSchema.of([("id", BIGINT)]))
    insert = RowChange(ORDERS, Operation.INSERT, after={"id": 1})
    assert ValuesSource(events=[created, insert]).schemas == {ORDERS: created.schema}
    with pytest.raises(DefinitionError, match=r"unknown table 'shop\.orders'"):
        ValuesSource(events=[insert])
    with pytest.raises(DefinitionError, match="'idd' is not a column") as refused:
        ValuesSource(events=[created, RowChange(ORDERS, Operation.INSERT, after={"idd": 1})])
    assert refused.value.now == "Did you mean 'id'?"


def test_secrets_do_not_show() -> None:
    shown = [
        repr(PostgresSink(username=Secret("ann"), password="pw")),
        repr(PostgresSink.of_url("postgresql://bob:pw@h/d")),
        repr(FrozenMap({"bootstrap.servers": Secret("ann")})),
        repr(pickle.loads(pickle.dumps(PostgresSink(database=Secret("ann"))))),
    ]
    assert not [one for one in shown if "ann" in one or "pw" in one], shown


def test_sinks_say_which_changes_of_schemas_they_follow() -> None:
    printing = PrintSink(excluded=frozenset({SchemaChangeType.ADD_COLUMN}))
    assert [kind.value for kind in SchemaChangeType if not printing.follows(kind)] == ["add.column"]
