"""Names of tables and columns that a sink cannot have: refused in a definition, and malformed in a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, TopicMapping
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.cdc.spec.rules import RouteRule, TransformRule
from kafkastream.cdc.spec.simple_sinks import DeltaSink
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.spec.values_source import ValuesSource
from kafkastream.cdc.table_rules import PipelineRules, Router
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.datastream.connectors.kafka import KafkaSink, KafkaSource
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.types import DataType

POSTGRES = PostgresSink()
DELTA = DeltaSink(path="/lake")
KAFKA = KafkaPipelineSink.of(
    KafkaSink.builder().set_bootstrap_servers("localhost:9092"), topic_mapping=TopicMapping.parse("a b:mapped")
)
IMPOSSIBLE = [
    (POSTGRES, ("kafkastream_progress",), "is reserved"),
    (POSTGRES, ("shop", "kafkastream_progress"), "is reserved"),
    (POSTGRES, ("pg_temp", "kafkastream_staging_0"), "PostgreSQL's own"),
    (POSTGRES, ("information_schema", "t"), "PostgreSQL's own"),
    (POSTGRES, ("x" * 64,), "more than 63 bytes"),
    (POSTGRES, ("a\0",), "does not accept"),
    (DELTA, ("..",), "cannot have the name"),
    (DELTA, ("shop", "a/b"), "cannot have the name"),
    (DELTA, ("shop", "_delta_log"), "cannot have the name"),
    (DELTA, ("x" * 256,), "more than 255 bytes"),
    (KAFKA, ("__consumer_offsets",), "Kafka's own"),
    (KAFKA, ("__consumer", "offsets"), "Kafka's own"),
    (KAFKA, ("..",), "no topic"),
    (KAFKA, ("shop", "a\n"), "no topic"),
]


def record(table: tuple[str, ...], **row: Any) -> bytes:
    """Return a message of Debezium's."""
    named = dict(zip(("db", "table") if len(table) > 1 else ("table",), table, strict=True))
    return json.dumps({"op": "c", "after": row or {"id": 1}, "source": named}).encode()


def reader(
    sink: PipelineSink,
    *routes: RouteRule,
    transforms: tuple[TransformRule, ...] = (),
    known: Mapping[TableId, TableSchema] = FrozenMap(),
    **options: Any,
) -> ChangeReader:
    rules = PipelineRules(transforms, Router(routes), sink)
    return ChangeReader(ReadSettings(value=DebeziumJson(**options), table_rules=rules), known)


@pytest.mark.parametrize(("sink", "table", "reason"), IMPOSSIBLE)
def test_record_for_an_impossible_table_is_malformed(sink: PipelineSink, table: tuple[str, ...], reason: str) -> None:
    for see in (reader(sink).read, reader(sink).infer):
        with pytest.raises(MalformedRecordError, match=reason):
            see("topic", None, record(table))
    ignoring = reader(sink, ignore_parse_errors=True)
    assert (ignoring.read("topic", None, record(table)), ignoring.infer("topic", None, record(table))) == ((), ())


@pytest.mark.parametrize(("sink", "table", "reason"), IMPOSSIBLE)
def test_route_to_an_impossible_table_is_refused(sink: PipelineSink, table: tuple[str, ...], reason: str) -> None:
    text = ".".join(part.replace(".", r"\.") for part in table)
    if table != ("..",):
        route = RouteRule(source_table="orders", sink_table=text)
        with pytest.raises(DefinitionError, match=reason):
            PipelineSpec(source=ValuesSource(), sink=sink, routes=(route,))


@pytest.mark.parametrize(
    ("sink", "column"),
    [(POSTGRES, ""), (POSTGRES, "ctid"), (POSTGRES, "x" * 64), (POSTGRES, "a\0"), (DELTA, "a b"), (DELTA, "")],
)
def test_record_with_an_impossible_column_is_malformed(sink: PipelineSink, column: str) -> None:
    with pytest.raises(MalformedRecordError, match="it is for table 'orders', and"):
        reader(sink).read("topic", None, record(("orders",), **{column: 1}))
    projecting = TransformRule(source_table="orders", projection="1 AS one")
    with pytest.raises(SchemaMismatchError):  # the rule may leave the column out
        reader(sink, transforms=(projecting,)).read("topic", None, record(("orders",), **{column: 1}))


def test_names_count_as_routes_make_them() -> None:
    renamed = RouteRule(source_table="kafkastream_progress", sink_table="progress")
    with pytest.raises(SchemaMismatchError):
        reader(POSTGRES, renamed).read("topic", None, record(("kafkastream_progress",)))
    prefixed = RouteRule(source_table=r"\.*", sink_table="ods.<>", replace_symbol="<>")
    with pytest.raises(MalformedRecordError, match="one to three parts"):
        reader(POSTGRES, prefixed).read("topic", None, record(("a.b.c",)))
    with pytest.raises(SchemaMismatchError):
        reader(KAFKA).read("topic", None, record(("a b",)))


def test_targets_are_not_remembered_without_end() -> None:
    router = Router()
    for number in range(30_000):
        router.targets(TableId((f"t{number}",)))
    assert len(router._known) <= 10_000


EXCLUDED = [
    (DELTA, "orders", ("orders", "x"), "folder of orders.x would be in that of the table orders"),
    (DELTA, "orders.x", ("orders",), "folder of orders.x would be in that of the table orders"),
    (KAFKA, "shop.orders", ("shop_orders",), "no topic 'shop_orders' beside 'shop.orders'"),
]


def schema(*names: str, key: tuple[str, ...] = ()) -> TableSchema:
    return TableSchema.of([(name, DataType.string()) for name in names], key)


@pytest.mark.parametrize(("sink", "first", "table", "reason"), EXCLUDED)
def test_record_for_a_table_that_cannot_be_beside_another_is_malformed(
    sink: PipelineSink, first: str, table: tuple[str, ...], reason: str
) -> None:
    known = {TableId.parse(first): schema("id")}
    for see in (reader(sink, known=known).read, reader(sink, known=known).infer):
        with pytest.raises(MalformedRecordError, match=reason):
            see("topic", None, record(table))
    away = RouteRule(source_table=".".join(table), sink_table="elsewhere")
    with pytest.raises(SchemaMismatchError):
        reader(sink, away, known=known).read("topic", None, record(table))
    found = [(TableId.parse(first), schema("id")), (TableId(table), schema("id"))]
    assert PipelineRules((), Router(), sink).accepted(found, {}) == found[:1]
    assert PipelineRules((), Router(), POSTGRES).accepted(found, {}) == found


def test_columns_of_delta_that_differ_only_in_case() -> None:
    orders, more = TableId.parse("orders"), TableId.parse("more")
    known = {orders: schema("id", "Name")}
    with pytest.raises(MalformedRecordError, match="the column 'name' differs from 'Name' only in case"):
        reader(DELTA, known=known).read("topic", None, record(("orders",), id="1", name="a"))
    with pytest.raises(MalformedRecordError, match="the column 'A' differs from 'a' only in case"):
        reader(DELTA).infer("topic", None, record(("orders",), a=1, A=2))
    with pytest.raises(SchemaMismatchError):
        reader(POSTGRES, known=known).read("topic", None, record(("orders",), id="1", name="a"))
    together = PipelineRules((), Router((RouteRule(source_table=r"\.*", sink_table="all"),)), DELTA)
    found = [
        (orders, schema("a", "id", "ID", "NAME", key=("ID",))),
        (more, schema("Id", "n")),
        (more, schema("b", "N")),
    ]
    assert together.accepted(found, {}) == [
        (orders, schema("a", "ID", "NAME", key=("ID",))),
        (more, schema("n")),
        (more, schema("b")),
    ]
    assert together.accepted([(more, schema("NAME", key=("NAME",)))], known) == []


def test_a_pipeline_does_not_write_to_the_topics_that_it_reads() -> None:
    brokers = KafkaSource.builder().set_bootstrap_servers("localhost:9092,other:9092").set_topics("events", "more")
    rules = PipelineRules.of(PipelineSpec(source=KafkaPipelineSource.of(brokers), sink=KAFKA))
    see = ChangeReader(ReadSettings(value=DebeziumJson(), table_rules=rules), {}).read
    with pytest.raises(MalformedRecordError, match="the pipeline itself reads the topic 'more'"):
        see("events", None, record(("more",)))
    with pytest.raises(SchemaMismatchError):
        see("events", None, record(("orders",)))
    elsewhere = KafkaPipelineSink.of(KafkaSink.builder().set_bootstrap_servers("elsewhere:9092"))
    assert PipelineRules.of(PipelineSpec(source=KafkaPipelineSource.of(brokers), sink=elsewhere)).topics_read == set()
