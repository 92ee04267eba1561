"""Pipelines on a real broker: schemas that follow the records, over micro-batches and restarts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkastream.cdc.captured import METADATA
from kafkastream.cdc.changes import CreateTable, Operation
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.kafka_source import InferenceStrategy, KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule
from kafkastream.cdc.spec.settings import KafkaCollector, PipelineSettings, SchemaChangeBehavior
from kafkastream.cdc.spec.simple_sinks import PrintSink, ValuesSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaSource,
)
from kafkastream.errors import JobError
from kafkastream.spark.job.pipelines import start, start_and_collect
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic

pytestmark = pytest.mark.usefixtures("spark")


def event(op: str, table: str, after: dict[str, Any] | None = None, before: dict[str, Any] | None = None) -> str:
    """Return a message of Debezium's."""
    db, name = table.split(".")
    return json.dumps({"op": op, "before": before, "after": after, "source": {"db": db, "table": name}})


def source(kafka: KafkaBroker, topic: str, *, ends: bool = True, **options: Any) -> KafkaPipelineSource:
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    builder.set_group_id(f"{topic}-readers").set_starting_offsets(
        KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST)
    )
    if ends:
        builder.set_bounded(KafkaOffsetsInitializer.latest())
    return KafkaPipelineSource.of(builder, **{"max_pre_fetch_records": 0, **options})


def changes(spec: PipelineSpec) -> list[RowChange]:
    """Run a pipeline to its end, and return what has come to its sink."""
    with start_and_collect(spec) as elements:
        return list(elements)


def after(found: list[RowChange]) -> list[tuple[str, dict[str, Any] | None]]:
    return [(str(one.table), None if one.after is None else dict(one.after)) for one in found]


def settings(name: str, **options: Any) -> PipelineSettings:
    return PipelineSettings(name=name, parallelism=1, **options)


def test_columns_are_added_and_types_widen_within_a_micro_batch(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(
        topic,
        [
            event("c", "shop.orders", {"id": 1}),
            event("c", "shop.orders", {"id": 2, "note": "ink"}),
            event("c", "shop.items", {"sku": True}),
            event("u", "shop.orders", {"id": 2.5, "note": None}, {"id": 2, "note": "ink"}),
            event("d", "shop.orders", before={"id": 1}),
        ],
    )
    found = changes(PipelineSpec(source=source(kafka, topic), sink=ValuesSink(prints=False), settings=settings(topic)))
    assert [one.operation for one in found] == [
        Operation.INSERT,
        Operation.INSERT,
        Operation.INSERT,
        Operation.UPDATE,
        Operation.DELETE,
    ]
    assert after(found) == [
        ("shop.orders", {"id": 1.0, "note": None}),
        ("shop.orders", {"id": 2.0, "note": "ink"}),
        ("shop.items", {"sku": True}),
        ("shop.orders", {"id": 2.5, "note": None}),
        ("shop.orders", None),
    ]
    assert [one.before for one in found[3:]] == [{"id": 2.0, "note": "ink"}, {"id": 1.0, "note": None}]


def test_what_fits_is_written_before_the_schema_follows(
    kafka: KafkaBroker, topic: str, capfd: pytest.CaptureFixture[str]
) -> None:
    first = [event("c", "shop.orders", {"id": number}) for number in range(3)]
    kafka.produce(topic, [*first, event("c", "shop.orders", {"id": 3, "note": "ink"})])
    ddl = {TableId.parse("shop.orders"): TableSchema.of([("id", parse_type("BIGINT"))])}
    start(
        PipelineSpec(source=source(kafka, topic, initial_schemas=ddl), sink=PrintSink(), settings=settings(topic))
    ).wait()
    assert capfd.readouterr().out.splitlines() == [
        "CreateTableEvent{tableId=shop.orders, schema=columns={`id` BIGINT}, primaryKeys=, options=()}",
        *(
            f"DataChangeEvent{{tableId=shop.orders, before=[], after=[{number}], op=INSERT, meta=()}}"
            for number in range(3)
        ),
        (
            "AddColumnEvent{tableId=shop.orders, addedColumns=[ColumnWithPosition{column=`note` STRING, position=LAST, "
            "existedColumnName=null}]}"
        ),
        "DataChangeEvent{tableId=shop.orders, before=[], after=[3, ink], op=INSERT, meta=()}",
    ]


def test_a_ddl_that_contradicts_the_data_gives_way_or_is_told(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1}), event("c", "shop.orders", {"id": "x"})])
    ddl = {TableId.parse("shop.orders"): TableSchema.of([("id", parse_type("INT"))])}

    def found(**options: Any) -> list[tuple[str, dict[str, Any] | None]]:
        given = source(kafka, topic, initial_schemas=ddl, **options)
        return after(changes(PipelineSpec(source=given, sink=ValuesSink(prints=False), settings=settings(topic))))

    assert found() == [("shop.orders", {"id": 1}), ("shop.orders", {"id": "x"})]
    with pytest.raises(JobError, match=rf"column 'id': 'x' is not a number\n.*{topic}, partition 0, offset 1"):
        found(inference=InferenceStrategy.STATIC)


def test_the_newest_records_give_the_first_schemas(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1}), "no JSON", event("c", "shop.orders", {"n": "x"})])
    options: dict[str, Any] = {"max_pre_fetch_records": 1, "ignores_errors": True}
    found = changes(
        PipelineSpec(source=source(kafka, topic, **options), sink=ValuesSink(prints=False), settings=settings(topic))
    )
    assert after(found) == [("shop.orders", {"n": None, "id": 1}), ("shop.orders", {"n": "x", "id": None})]


def test_restarts_go_on_with_the_schemas_that_are_known(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    def run(*records: str) -> list[tuple[str, dict[str, Any] | None]]:
        kafka.produce(topic, list(records))
        return after(
            changes(
                PipelineSpec(
                    source=source(kafka, topic),
                    sink=ValuesSink(prints=False),
                    settings=settings(topic, configuration={"execution.checkpointing.dir": tmp_path.as_uri()}),
                )
            )
        )

    assert run(event("c", "shop.orders", {"id": 1, "note": "ink"})) == [("shop.orders", {"id": 1, "note": "ink"})]
    assert run(event("c", "shop.orders", {"id": 2})) == [("shop.orders", {"id": 2, "note": None})]
    assert run(event("c", "shop.orders", {"id": "x"})) == [("shop.orders", {"id": "x", "note": None})]
    assert run(event("c", "shop.orders", {"id": 4})) == [("shop.orders", {"id": "4", "note": None})]


def test_restarts_with_more_topics_ddls_metadata_and_columns(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    old, new = new_topic(), new_topic()
    kept = settings(old, configuration={"execution.checkpointing.dir": tmp_path.as_uri()})
    kafka.produce(old, [event("c", "shop.orders", {"id": 1})])
    found = after(
        changes(PipelineSpec(source=source(kafka, old), sink=ValuesSink(prints=False), settings=kept)),
    )
    assert found == [("shop.orders", {"id": 1})]
    kafka.produce(old, [event("c", "shop.orders", {"id": 2})])
    kafka.produce(new, [event("c", "shop.items", {"sku": 3})])
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(old, new)
    builder.set_starting_offsets(KafkaOffsetsInitializer.latest()).set_bounded(KafkaOffsetsInitializer.latest())
    ddl = {TableId.parse("shop.items"): TableSchema.of([("sku", parse_type("STRING")), ("note", parse_type("STRING"))])}
    spec = PipelineSpec(
        source=KafkaPipelineSource.of(builder, initial_schemas=ddl, metadata=("offset",)),
        sink=ValuesSink(prints=False),
        transforms=(TransformRule(source_table="shop.orders", projection="*, id * 2 AS twice"),),
        settings=kept,
    )
    assert sorted(map(repr, after(changes(spec)))) == [
        repr(("shop.items", {"sku": "3", "note": None, "offset": 0})),
        repr(("shop.orders", {"id": 2, "offset": 1, "twice": 4})),
    ]


def test_several_partitions_show_schemas_at_once(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(3)
    for partition in range(3):
        more = [event("c", "shop.orders", {"id": partition, f"only{partition}": number}) for number in range(20)]
        kafka.produce(
            topic, [Record(one, partition=partition) for one in (event("c", "shop.orders", {"id": -1}), *more)]
        )
    found = changes(
        PipelineSpec(source=source(kafka, topic), sink=ValuesSink(prints=False), settings=PipelineSettings(name=topic))
    )
    rows = [one.after for one in found if one.after is not None]
    assert len(rows) == 63
    assert {tuple(row) for row in rows} == {("id", "only0", "only1", "only2")}
    assert all(sum(value is not None for value in row.values()) == 1 + (row["id"] >= 0) for row in rows)


def test_routes_and_keys(kafka: KafkaBroker, topic: str, capfd: pytest.CaptureFixture[str]) -> None:
    kafka.produce(topic, [event("c", f"shop.orders_{number}", {"id": number, f"c{number}": "x"}) for number in (1, 2)])
    start(
        PipelineSpec(
            source=source(kafka, topic),
            sink=PrintSink(),
            transforms=(TransformRule(source_table=r"shop.\.*", primary_keys=("id",), table_options={"fill": "80"}),),
            routes=(RouteRule(source_table=r"shop.orders_\.*", sink_table="ods.orders"),),
            settings=settings(topic),
        )
    ).wait()
    created, *rows = capfd.readouterr().out.splitlines()
    assert created == (
        "CreateTableEvent{tableId=ods.orders, schema=columns={`id` BIGINT NOT NULL,`c1` STRING,`c2` STRING}, "
        "primaryKeys=id, options=(fill=80)}"
    )
    assert [row.split("after=")[1].split(", op")[0] for row in rows] == ["[1, x, null]", "[2, null, x]"]


def test_soft_deletes_become_inserts(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1}), event("d", "shop.orders", before={"id": 1})])
    rule = TransformRule(source_table="shop.orders", after_transform=AfterTransform.SOFT_DELETE)
    found = changes(
        PipelineSpec(
            source=source(kafka, topic), sink=ValuesSink(prints=False), transforms=(rule,), settings=settings(topic)
        )
    )
    assert [(one.operation, one.after) for one in found] == [(Operation.INSERT, {"id": 1})] * 2


def test_a_record_that_cannot_be_read_fails_the_pipeline_with_its_place(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1}), "[1]"])
    with pytest.raises(JobError, match=rf"topic {topic}, partition 0, offset 1"):
        changes(PipelineSpec(source=source(kafka, topic), sink=ValuesSink(prints=False), settings=settings(topic)))


def test_skipped_records_are_counted_over_restarts(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    def run(*records: str) -> list[RowChange]:
        kafka.produce(topic, list(records))
        return changes(
            PipelineSpec(
                source=source(kafka, topic, ignores_errors=True, max_errors=2),
                sink=ValuesSink(prints=False),
                settings=settings(topic, configuration={"execution.checkpointing.dir": tmp_path.as_uri()}),
            )
        )

    good = event("c", "shop.orders", {"id": 1})
    assert len(run("{", good)) == 1
    assert len(run(good, "{")) == 1
    with pytest.raises(JobError, match="3 records could not be read, more than the 2"):
        run(good, "{")


def test_dirty_data_may_go_to_a_topic(kafka: KafkaBroker, topic: str, new_topic: NewTopic) -> None:
    dead = new_topic(1)
    kafka.produce(topic, ["{", event("c", "shop.orders", {"id": 1})])
    spec = PipelineSpec(
        source=source(kafka, topic, ignores_errors=True),
        sink=ValuesSink(prints=False),
        settings=settings(topic, dirty_data_collector=KafkaCollector(dead)),
    )
    assert len(changes(spec)) == 1
    (letter,) = kafka.consume(dead)
    assert letter.value == b"{"
    assert dict(letter.headers)["kafkastream.error.offset"] == b"0"


@pytest.mark.parametrize("behavior", list(SchemaChangeBehavior), ids=lambda one: one.value)
def test_each_behavior_when_the_sink_refuses(kafka: KafkaBroker, topic: str, behavior: SchemaChangeBehavior) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1}), event("c", "shop.orders", {"id": 1.5})])
    ddl = {TableId.parse("shop.orders"): TableSchema.of([("id", parse_type("BIGINT"))])}
    spec = PipelineSpec(
        source=source(kafka, topic, initial_schemas=ddl),
        sink=ValuesSink(prints=False, error_on_schema_change=True),
        settings=settings(topic, schema_change_behavior=behavior),
    )
    if behavior in (SchemaChangeBehavior.IGNORE, SchemaChangeBehavior.TRY_EVOLVE):
        assert after(changes(spec)) == [("shop.orders", {"id": 1}), ("shop.orders", {"id": None})]
    else:
        with pytest.raises(JobError, match=r"shop\.orders"):
            changes(spec)


def test_values_go_the_same_way(capfd: pytest.CaptureFixture[str], topic: str) -> None:
    orders = TableId.parse("shop.orders")
    schema = TableSchema.of([("id", parse_type("INT")), ("note", parse_type("STRING"))])
    rows = (
        RowChange(orders, Operation.INSERT, after={"id": 1, "note": "ink"}),
        RowChange(orders, Operation.UPDATE, {"id": 1, "note": "ink"}, {"id": 1}),
        RowChange(orders, Operation.DELETE, {"id": 1}),
    )
    values = ValuesSource(events=(CreateTable(orders, schema), *rows))
    start(PipelineSpec(source=values, sink=PrintSink(), settings=settings(topic))).wait()
    assert [line.partition("{")[0] for line in capfd.readouterr().out.splitlines()] == [
        "CreateTableEvent",
        *["DataChangeEvent"] * 3,
    ]


@pytest.fixture
def exactly_once(kafka: KafkaBroker, topic: str) -> KafkaPipelineSink:
    builder = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap_servers)
    builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix(topic)
    builder.set_property("transaction.timeout.ms", "60000")
    return KafkaPipelineSink.of(builder, topic=f"{topic}-out")


def test_exactly_once_with_schemas_that_follow(
    kafka: KafkaBroker, topic: str, exactly_once: KafkaPipelineSink, tmp_path: Path
) -> None:
    configuration = {
        "execution.checkpointing.dir": tmp_path.as_uri(),
        "execution.checkpointing.interval": "200",
    }
    kafka.create_topic(f"{topic}-out")
    job = start(
        PipelineSpec(
            source=source(kafka, topic, ends=False),
            sink=exactly_once,
            settings=settings(topic, configuration=configuration),
        )
    )
    written: list[str] = []
    for number in range(4):
        more = [
            event("c", "shop.orders", {"id": number, f"c{place}": place})
            for place in range(number + 1)
            for _ in range(3)
        ]
        kafka.produce(topic, more)
        written += more
        kafka.consume(f"{topic}-out", count=len(written), timeout_s=60)
    job.cancel().result(60)
    found = [json.loads(record.value or b"")["after"] for record in kafka.consume(f"{topic}-out")]
    expected = [json.loads(one)["after"] for one in written]
    assert [{name: value for name, value in row.items() if value is not None} for row in found] == expected


def test_metadata_are_columns(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(
        topic, [Record(event("c", "shop.orders", {"id": 1}), key="k", headers=(("h", b"x"),), timestamp_ms=7)]
    )
    (row,) = changes(
        PipelineSpec(
            source=source(kafka, topic, metadata=METADATA), sink=ValuesSink(prints=False), settings=settings(topic)
        )
    )
    assert row.after == {
        "id": 1,
        "topic": topic,
        "partition": 0,
        "offset": 0,
        "timestamp": 7,
        "timestamp-type": "CreateTime",
        "headers": '{"h": "x"}',
        "leader-epoch": None,
        "__raw_key__": "k",
        "__raw_value__": event("c", "shop.orders", {"id": 1}),
    }


def test_another_sink_gets_the_tables_of_a_pipeline_that_goes_on(
    capfd: pytest.CaptureFixture[str], topic: str, tmp_path: Path
) -> None:
    values = ValuesSource(events=(CreateTable(TableId.parse("a"), TableSchema.of([("id", parse_type("INT"))])),))
    kept = settings(topic, configuration={"execution.checkpointing.dir": tmp_path.as_uri()})
    created = []
    for to_err in (False, False, True):
        start(PipelineSpec(source=values, sink=PrintSink(standard_error=to_err), settings=kept)).wait()
        printed = capfd.readouterr()
        created.append("CreateTableEvent{tableId=a," in (printed.err if to_err else printed.out))
    assert created == [True, False, True]


def test_values_of_a_changed_document_keep_their_columns(topic: str, tmp_path: Path) -> None:
    table = TableId.parse("a")
    kept = settings(topic, configuration={"execution.checkpointing.dir": tmp_path.as_uri()})

    def run(row: dict[str, Any], **columns: str) -> list[tuple[str, dict[str, Any] | None]]:
        schema = TableSchema.of((name, parse_type(type_)) for name, type_ in columns.items())
        values = ValuesSource(events=(CreateTable(table, schema), RowChange(table, Operation.INSERT, after=row)))
        return after(changes(PipelineSpec(source=values, sink=ValuesSink(prints=False), settings=kept)))

    assert run({"id": 1, "note": "ink"}, id="INT", note="STRING") == [("a", {"id": 1, "note": "ink"})]
    assert run({"id": 2, "note": "x", "more": 3}, note="STRING", more="INT", id="INT") == [
        ("a", {"id": 2, "note": "x", "more": 3})
    ]
