"""Pipelines into real Delta Lake tables: they follow their records, and each row is right once."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from attrs import evolve

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation, SchemaChange
from kafkastream.cdc.rows import row_class, row_encoder
from kafkastream.cdc.sinks import SchemaChangeRefusedError, SinkError
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import RouteRule, TransformRule
from kafkastream.cdc.spec.simple_sinks import DeltaSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.errors import JobError
from kafkastream.pipeline import Pipeline
from kafkastream.spark.cdc.delta.connection import prepared
from kafkastream.spark.cdc.delta.tables import DeltaTables
from kafkastream.spark.cdc.delta.writer import DeltaWriter
from kafkastream.spark.cdc.frame_sink import MicroBatch
from kafkastream.spark.cdc.messages import by_place, table_text
from kafkastream.spark.job.pipelines import sink_steps, start
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import local_frame
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.cdc.sink_suite import ROW
from tests.integration import test_pipeline_scripts
from tests.integration.test_pipeline_scripts import BOUNDED, CHANGED, FIRST, LATER, LOG, SETTINGS
from tests.integration.test_pipelines_at_work import event, settings, source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDERS = TableId.parse("shop.orders")
INTO_DELTA = "sink: {type: delta, path: '${lake}'}\n"
KEYED = TransformRule(source_table=r"\.*.orders", primary_keys=("id",))
SHOUTED = TransformRule(source_table="shop.visits", projection="*, upper(page) AS shout")


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """A session as pipelines have it, with few partitions."""
    own = job_session(spark, "UTC")
    own.conf.set("spark.sql.shuffle.partitions", "2")
    return prepared(own)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def rows(session: SparkSession, path: Path, order: str = "id") -> list[dict[str, Any]]:
    found = session.read.format("delta").load(str(path)).orderBy(order).collect()
    return [row.asDict() for row in found]


def pipeline(kafka: KafkaBroker, topic: str, lake: Path, folder: Path, **options: Any) -> PipelineSpec:
    return PipelineSpec(
        source=source(kafka, topic, ends=options.pop("ends", True)),
        sink=DeltaSink(path=str(lake)),
        settings=settings(topic, configuration={"execution.checkpointing.dir": folder.as_uri()}),
        **{"transforms": (KEYED, SHOUTED), **options},
    )


def test_tables_follow_their_records(
    kafka: KafkaBroker, topic: str, session: SparkSession, lake: Path, tmp_path: Path
) -> None:
    def run(*records: str) -> None:
        kafka.produce(topic, list(records))
        start(pipeline(kafka, topic, lake, tmp_path / "checkpoints")).wait()

    run(
        event("c", "shop.orders", {"id": 1, "total": 10}),
        event("c", "shop.orders", {"id": 2, "total": 20}),
        event("c", "shop.orders", {"id": 3, "total": 30}),
        event("c", "shop.visits", {"page": "a"}),
        event("u", "shop.orders", {"id": 2, "total": 2.5}, {"id": 2, "total": 20}),
        event("d", "shop.orders", before={"id": 1, "total": 10}),
        event("c", "shop.orders", {"id": 4, "total": 1, "note": "ink"}),
        event("u", "shop.orders", {"id": 5, "total": 30}, {"id": 3, "total": 30}),
        event("c", "shop.visits", {"page": "a"}),
    )
    orders, visits = lake / "shop" / "orders", lake / "shop" / "visits"
    assert rows(session, orders) == [
        {"id": 2, "total": 2.5, "note": None},
        {"id": 4, "total": 1.0, "note": "ink"},
        {"id": 5, "total": 30.0, "note": None},
    ]
    seen = [{"page": "a", "shout": "A"}] * 2
    assert rows(session, visits, "page") == seen
    run(
        event("u", "shop.orders", {"id": 4, "total": "many", "note": "pen"}, {"id": 4, "total": 1, "note": "ink"}),
        event("d", "shop.orders", before={"id": 5, "total": 30}),
        event("c", "shop.visits", {"page": "b", "at": 7}),
    )
    assert rows(session, orders) == [
        {"id": 2, "total": "2.5", "note": None},
        {"id": 4, "total": "many", "note": "pen"},
    ]
    assert rows(session, visits, "at") == [{**row, "at": None} for row in seen] + [{"page": "b", "shout": "B", "at": 7}]
    with pytest.raises(JobError, match="table without primary key cannot take DELETE; define primary-keys"):
        run(event("d", "shop.visits", before={"page": "a"}))


def test_records_whose_names_exclude_others_are_skipped(
    kafka: KafkaBroker, new_topic: NewTopic, session: SparkSession, lake: Path, tmp_path: Path
) -> None:
    """Tasks find the tables at the same time; what the sink cannot have beside others does not stop the pipeline."""
    topic = new_topic(partitions=2)
    kafka.produce(topic, [Record(event("c", "shop.orders", {"id": 1, "note": "a"}), partition=0)])
    kafka.produce(
        topic,
        [
            Record(event("c", table, row), partition=1)
            for table, row in (
                ("orders.x", {"id": 2}),  # its folder would be in that of the table orders
                ("shop.orders", {"id": 3, "NOTE": "b"}),
                ("shop.more", {"id": 4, "Id": 5}),
                ("shop.orders", {"id": 6, "note": "c"}),
            )
        ],
    )
    routes = (RouteRule(source_table="shop.orders", sink_table="orders"),)
    spec = pipeline(kafka, topic, lake, tmp_path / "checkpoints", routes=routes, transforms=())
    start(evolve(spec, source=source(kafka, topic, ignores_errors=True))).wait()
    assert rows(session, lake / "orders") == [{"id": 1, "note": "a"}, {"id": 6, "note": "c"}]
    assert sorted(path.name for path in lake.iterdir()) == ["orders"]
    assert not (lake / "orders" / "x").exists()


@pytest.mark.timeout(400)  # the first writes to Delta Lake take a minute on a busy machine
def test_micro_batch_that_spark_repeats_is_written_once(
    kafka: KafkaBroker, topic: str, session: SparkSession, lake: Path, tmp_path: Path
) -> None:
    routes = tuple(RouteRule(source_table="shop.orders", sink_table=f"{db}.orders") for db in ("shop", "copy"))
    spec = pipeline(kafka, topic, lake, tmp_path / "checkpoints", ends=False, transforms=(), routes=routes)
    for number in range(2):
        kafka.produce(topic, [event("c", "shop.orders", {"id": number})])
        job = start(spec)
        expected = [{"id": one} for one in range(number + 1)]
        commits = 2 * (
            number + 2
        )  # the creation of two tables, and each micro-batch of each; a look at rows costs more
        wait_until(lambda commits=commits: len(list(lake.rglob("_delta_log/*.json"))) >= commits, 150, "the commits")  # type: ignore[misc]
        wait_for(lambda: [rows(session, lake / db / "orders") for db in ("copy", "shop")], [expected] * 2)
        job.cancel().result(60)
        for commit in (tmp_path / "checkpoints").rglob("commits/*"):  # as if killed before Spark has noted the end
            commit.unlink()


@pytest.mark.nightly
def test_document_of_the_scripts_gives_the_same_tables(
    kafka: KafkaBroker, topic: str, session: SparkSession, tmp_path: Path
) -> None:
    kafka.produce(topic, [*FIRST, *CHANGED, *LATER])
    variables = {
        "kafka.servers": kafka.bootstrap_servers,
        "topic": topic,
        "lake": str(tmp_path / "lake"),
        "checkpoints": (tmp_path / "checkpoints").as_uri(),
    }
    Pipeline.from_text(BOUNDED + INTO_DELTA + SETTINGS, variables).run()

    def written(table: str, *order: str) -> list[tuple[Any, ...]]:
        frame = session.read.format("delta").load(str(tmp_path / "lake" / "shop" / table))
        return [tuple(row) for row in frame.orderBy(*order).collect()]

    assert (written("orders", "id"), written("log", "at", "by")) == (test_pipeline_scripts.ORDERS, LOG)


def wait_for(read: Callable[[], Any], expected: Any, timeout_s: float = 60) -> None:
    def is_there() -> bool:
        try:
            return bool(read() == expected)
        except Exception:  # noqa: BLE001  # there is no table yet
            return False

    wait_until(is_there, timeout_s, f"{expected}")


def test_values_are_written_at_each_start(session: SparkSession, lake: Path, topic: str) -> None:
    schema = TableSchema.of([("id", parse_type("INT"))])
    values = ValuesSource(events=(CreateTable(ORDERS, schema), RowChange(ORDERS, Operation.INSERT, after={"id": 1})))
    for _ in range(2):
        start(PipelineSpec(source=values, sink=DeltaSink(path=str(lake)), settings=settings(topic))).wait()
    assert rows(session, lake / "shop" / "orders") == [{"id": 1}] * 2


class Sink:
    """The sink without a pipeline: its applier, and its writer."""

    def __init__(self, session: SparkSession, lake: Path) -> None:
        self.session = session
        self.writer = DeltaWriter(DeltaTables(session, str(lake)))
        self.applier = self.writer.applier
        self.path = lake / "shop" / "orders"

    def write(
        self,
        schema: TableSchema,
        number: int,
        *changes: Sequence[Any],
        through: Callable[[DataFrame], DataFrame] = lambda frame: frame,
        table: TableId = ORDERS,
    ) -> None:
        """Write changes: an operation, and the values of the rows before and after."""
        messages = [
            (table_text(table), operation, _json(schema, before), _json(schema, after), order)
            for order, (operation, before, after) in enumerate(changes)
        ]
        columns = "table string, operation string, before binary, after binary, `order` long"
        frame = local_frame(self.session, messages, columns)
        self.writer.write(through(frame), SchemaBook(sinks={table: schema}, job="job"), MicroBatch("query", number))


def _json(schema: TableSchema, row: Sequence[Any] | None) -> bytearray | None:
    """Return a row as messages have it."""
    columns = by_place(schema.columns)
    return None if row is None else bytearray(row_encoder(columns)(row_class(columns)(*row)))


@pytest.fixture
def sink(session: SparkSession, lake: Path) -> Sink:
    return Sink(session, lake)


def test_repeated_changes_change_nothing(session: SparkSession, sink: Sink) -> None:
    columns = [("id", parse_type("INT")), ("a`b", parse_type("TIMESTAMP(3)")), ("at", parse_type("TIME"))]
    schema = TableSchema.of(columns, ["id"])
    changes: list[Any] = [
        CreateTable(ORDERS, TableSchema(schema.columns, ("id",), ("at",))),
        AddColumns(ORDERS, (Column("note", parse_type("BYTES")),)),
        AlterColumnTypes(ORDERS, {"id": parse_type("BIGINT")}, {"id": parse_type("INT")}),
    ]
    whole = TableSchema.of([*columns, ("note", parse_type("BYTES"))], ["id"])
    for change in changes:
        sink.applier.apply(change)
        sink.applier.apply(change)
    (*first, last) = [
        ("INSERT", None, [1, "2024-05-01 12:30:00.5", "12:30:00", b"ink"]),
        ("INSERT", None, [2, None, None, None]),
        ("UPDATE", [2, None, None, None], [3, None, "01:00:00", None]),
        ("DELETE", [1, None, None, None], None),
    ]
    sink.write(whole, 7, *first)
    sink.write(whole, 7, *first, last)  # another content shows that nothing is written
    assert [row["id"] for row in rows(session, sink.path)] == [1, 3]
    (row, _) = rows(session, sink.path)
    assert (str(row["a`b"]), row["at"], bytes(row["note"])) == ("2024-05-01 12:30:00.500000", "12:30:00", b"ink")
    sink.write(whole, 8, last)
    assert [row["id"] for row in rows(session, sink.path)] == [3]
    with pytest.raises(SinkError, match="already has micro-batch 8 of this job, but its checkpoint continues with 7"):
        sink.write(whole, 7, last)
    existing = sink.writer.tables.existing(ORDERS)
    assert existing is not None
    assert existing.partition_columns == ("at",)
    with pytest.raises(SinkError, match=r"key column 'id' of table shop\.orders is NULL"):
        sink.write(whole, 9, ("INSERT", None, [None, None, None, None]))


def test_values_of_each_type_come_back_and_become_the_texts_of_rows(session: SparkSession, sink: Sink) -> None:
    schema = TableSchema.of((name, type_) for name, (type_, _) in ROW.items())
    sink.applier.apply(CreateTable(ORDERS, schema))
    sink.write(schema, 1, ("INSERT", None, [value for _, value in ROW.values()]), ("INSERT", None, [None] * len(ROW)))
    before = {name: type_ for name, (type_, _) in ROW.items()}
    sink.applier.apply(AlterColumnTypes(ORDERS, dict.fromkeys(before, DataType.string()), before))
    nulls, texts = rows(session, sink.path, "int")
    assert set(nulls.values()) == {None}
    expected = {name: value if isinstance(value, str) else str(value) for name, (_, value) in ROW.items()}
    assert texts == {**expected, "truth": "true", "bytes": "AP9c"}


@pytest.mark.nightly
def test_type_widening_of_delta_is_used_where_the_table_has_it(session: SparkSession, sink: Sink) -> None:
    schema = TableSchema((Column("n", parse_type("INT")),), options={"delta.enableTypeWidening": "true"})
    sink.applier.apply(CreateTable(ORDERS, schema))
    sink.write(schema, 1, ("INSERT", None, [1]))
    files = set(sink.path.glob("*.parquet"))
    sink.applier.apply(AlterColumnTypes(ORDERS, {"n": parse_type("BIGINT")}, {"n": parse_type("INT")}))
    wide = TableSchema.of([("n", parse_type("BIGINT"))])
    sink.write(wide, 2, ("INSERT", None, [2**40]))
    assert rows(session, sink.path, "n") == [{"n": 1}, {"n": 2**40}]
    assert files < set(sink.path.glob("*.parquet"))


def committing(path: Path, evaluation: int) -> Callable[[DataFrame], DataFrame]:
    """Return what has another job commit to a table's log while rows are computed, at one of the evaluations."""
    log, count = path / "_delta_log", path.parent / "evaluations"

    def pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with count.open("a") as evaluations:
            evaluations.write(".")
        if len(count.read_text()) == evaluation:
            actions = [json.loads(line) for line in min(log.glob("*.json")).read_text().splitlines()]
            (told,) = (action for action in actions if "metaData" in action)
            told["metaData"]["configuration"]["owner"] = "other"
            following = int(max(log.glob("*.json")).stem) + 1
            (log / f"{following:020}.json").write_text(json.dumps(told))
        yield from batches

    return lambda frame: frame.coalesce(1).mapInArrow(pass_on, frame.schema)


def test_conflict_with_another_job_is_written_again(session: SparkSession, sink: Sink) -> None:
    schema = TableSchema.of([("id", parse_type("INT"))], ["id"])
    sink.applier.apply(CreateTable(ORDERS, schema))
    sink.write(schema, 1, ("INSERT", None, [1]))
    sink.write(schema, 2, ("INSERT", None, [2]), through=committing(sink.path, 2))
    assert len((sink.path.parent / "evaluations").read_text()) > 2
    sink.write(schema, 2, ("INSERT", None, [2]))
    assert rows(session, sink.path) == [{"id": 1}, {"id": 2}]


def test_what_others_have_made_of_a_table(session: SparkSession, sink: Sink) -> None:
    def make(columns: str) -> None:
        writer = local_frame(session, [], columns).write.format("delta").mode("overwrite")
        writer.option("overwriteSchema", "true").save(str(sink.path))

    wide = "note string, id bigint, day timestamp_ntz, ratio double, price decimal(20,4)"
    types = {"id": "INT", "day": "DATE", "ratio": "FLOAT", "price": "DECIMAL(10, 2)"}
    schema = TableSchema.of((name, parse_type(type_)) for name, type_ in types.items())
    row = [1, "2024-05-01", 1.5, Decimal("2.25")]
    make(wide)
    sink.applier.apply(CreateTable(ORDERS, schema))
    sink.write(schema, 1, ("INSERT", None, row))
    sink.write(evolve(schema, primary_key=("id",)), 2, ("INSERT", None, [2, *row[1:]]))
    found = [tuple(map(str, one.values())) for one in rows(session, sink.path)]
    assert found == [("None", number, "2024-05-01 00:00:00", "1.5", "2.2500") for number in "12"]

    def refused(what: str) -> None:
        with pytest.raises(SinkError, match=what) as error:
            sink.write(schema, 3, ("INSERT", None, row))
        assert "or give the pipeline another name" in error.value.now

    make(wide.replace("day timestamp_ntz, ", ""))
    refused("there is no column 'day' any more")
    make(wide.replace("bigint", "tinyint"))
    refused("column 'id' has the type tinyint, which does not hold int")
    shutil.rmtree(sink.path)
    refused("there is no such table any more")
    assert not sink.path.exists()


def test_what_does_not_fit_is_refused_in_words(session: SparkSession, sink: Sink) -> None:
    def create(**columns: str) -> None:
        schema = TableSchema.of((name, parse_type(type_)) for name, type_ in columns.items())
        sink.applier.apply(CreateTable(ORDERS, schema))

    for name, reason in {"a b": "because of the character ' '", "": "not allow the column ''"}.items():
        with pytest.raises(SchemaChangeRefusedError, match=reason):
            create(**{name: "INT"})
    with pytest.raises(SchemaChangeRefusedError, match="cannot distinguish the columns 'a' and 'A'"):
        create(a="INT", A="INT")
    with pytest.raises(SchemaChangeRefusedError, match=r"a folder of a table cannot have the name '\.\.'"):
        sink.applier.apply(CreateTable(TableId(("..", "a")), TableSchema.of([("a", parse_type("INT"))])))
    create(a="INT")
    with pytest.raises(SchemaChangeRefusedError, match="'a' has the type int, which does not hold string"):
        create(a="STRING")
    create(a="SMALLINT", b="STRING")
    assert rows(session, sink.path, "a") == []
    other = TableId.parse("shop.other")
    (sink.path.parent / "other").mkdir()
    (sink.path.parent / "other" / "notes.txt").write_text("mine")
    with pytest.raises(SchemaChangeRefusedError, match="are not a Delta Lake table"):
        sink.applier.apply(CreateTable(other, TableSchema.of([("a", parse_type("INT"))])))
    (sink.path.parent.parent / "file").write_text("")
    with pytest.raises(SinkError, match="the table's files cannot be read or written") as refused:
        sink.applier.apply(CreateTable(TableId(("file", "t")), TableSchema.of([("a", parse_type("INT"))])))
    assert "Exception" not in str(refused.value)
    assert "[" not in refused.value.what


def test_names_of_tables_are_neither_versions_nor_variables(session: SparkSession, sink: Sink) -> None:
    """Delta takes ``orders@v0`` for a version of ``orders``, and Spark replaces ``${env:HOME}`` in values of settings."""
    narrow, wide = (TableSchema.of((name, parse_type("INT")) for name in names) for names in (["a"], ["a", "b"]))
    tables = {ORDERS: narrow, TableId(("shop", "orders@v0")): wide, TableId(("shop", "${env:HOME}")): narrow}
    for table, schema in tables.items():
        row = ("INSERT", None, range(len(schema.columns)))
        for _ in range(2):
            sink.applier.apply(CreateTable(table, schema))
            sink.write(schema, 5, row, table=table)
        with pytest.raises(SinkError, match="already has micro-batch 5"):
            sink.write(schema, 4, row, table=table)
        assert rows(session, sink.path.parent / table.table, "a") == [dict(zip(schema.names, (0, 1), strict=False))]
    log = "".join(path.read_text() for path in (sink.path.parent / "${env:HOME}" / "_delta_log").glob("*.json"))
    assert f"query {os.environ['HOME']}" not in log


def test_steps_of_a_start_are_told_without_spark() -> None:
    schema = TableSchema.of([("id", parse_type("INT"))])
    changes: list[SchemaChange] = [
        CreateTable(ORDERS, schema),
        AddColumns(ORDERS, (Column("note", parse_type("STRING")),)),
    ]
    assert list(sink_steps(DeltaSink(path="/lake"), changes)) == [
        "/lake/shop/orders: create the table with columns id INT, unless it is there",
        "/lake/shop/orders: add column note STRING",
    ]
