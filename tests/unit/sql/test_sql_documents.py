"""The statements of the documents about Flink's Kafka connectors are read as they are written there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.sql.syntax.statements import AsTable, CreateTable, Insert, Statement
from kafkastream.sql.table import (
    Column,
    ComputedColumn,
    Expression,
    MetadataColumn,
    PhysicalColumn,
    TableDefinition,
    TableSchema,
)

DOCUMENTS = Path(__file__).parent / "documents"
ORDER = [
    "order_id",
    "order_channel",
    "order_time",
    "pay_amount",
    "real_pay",
    "pay_time",
    "user_id",
    "user_name",
    "area_id",
]
ORDERS = {"order_id": "STRING NOT NULL", "pay_amount": "DOUBLE", "real_pay": "DOUBLE"}


def statements(document: str) -> tuple[Statement, ...]:
    return parse((DOCUMENTS / document).read_text())


def texts(document: str) -> list[str]:
    return (DOCUMENTS / document).read_text().strip().split("\n\n")


def short(statement: Statement) -> str:
    if isinstance(statement, Insert):
        return f"{statement.query.text} -> {'.'.join(statement.target)}"
    assert isinstance(statement, CreateTable)
    definition = statement.definition
    name = ".".join(definition.name) + ("?" if statement.if_not_exists else "")
    schema, options = definition.schema, definition.options
    return f"{name} {len(schema.physical)}+{len(schema.metadata)}+{len(schema.computed)} {options['connector']} {len(options)}"


@pytest.mark.parametrize(
    ("document", "read"),
    [
        (
            "kafka.sql",
            [
                *("kafkaSource 1+7+0 kafka 8", "kafkaSink 8+0+0 kafka 4", "select * from kafkaSource -> kafkaSink"),
                *("kafkaSource 9+0+0 kafka 6", "kafkaSink 9+0+0 kafka 4", "select * from kafkaSource -> kafkaSink"),
                *(
                    "ordersSource 9+0+0 kafka 15",
                    "ordersSink 9+0+0 print 1",
                    "select * from ordersSource -> ordersSink",
                ),
                *(
                    "ordersSource 9+0+0 kafka 19",
                    "ordersSink 9+0+0 print 1",
                    "select * from ordersSource -> ordersSink",
                ),
                *(
                    "ordersSource 9+0+0 kafka 13",
                    "ordersSink 9+0+0 print 1",
                    "select * from ordersSource -> ordersSink",
                ),
                *(
                    "ordersSource 9+0+0 kafka 14",
                    "ordersSink 9+0+0 print 1",
                    "select * from ordersSource -> ordersSink",
                ),
            ],
        ),
        (
            "upsert_kafka.sql",
            [
                *(
                    "upsertKafkaSource 9+0+0 upsert-kafka 5",
                    "printSink 9+0+0 print 1",
                    "SELECT * FROM upsertKafkaSource -> printSink",
                ),
                *(
                    "orders 9+0+0 kafka 6",
                    "upsertKafkaSink 9+0+0 upsert-kafka 5",
                    "select * from orders -> upsertKafkaSink",
                ),
                *(
                    "upsertKafkaSource 9+0+0 upsert-kafka 12",
                    "printSink 9+0+0 print 1",
                    "SELECT * FROM upsertKafkaSource -> printSink",
                ),
            ],
        ),
        (
            "kafka_and_sync.sql",
            [
                *("KafkaTable 3+1+0 kafka 6", "kafka_source 3+0+0 kafka 5", "kafka_sink 3+0+0 kafka 5"),
                "SELECT id, name, age FROM kafka_source -> kafka_sink",
                *("kafkaTable 0+2+0 kafka 6", "hologres.kafka.sync_kafka? 0+0+0 hologres 1"),
                *("kafkaTable 2+0+0 kafka 10", "kafkaTable 2+1+1 kafka 8"),
                *("hologres.kafka.sync_kafka? 0+0+0 hologres 1", "kafka_source 3+0+0 kafka 5"),
            ],
        ),
    ],
)
def test_all_statements_are_read(document: str, read: list[str]) -> None:
    assert [short(statement) for statement in statements(document)] == read


def test_all_metadata_of_kafka() -> None:
    source, *_ = statements("kafka.sql")
    virtual = {
        "topic": "STRING",
        "partition": "INT",
        "headers": "MAP<STRING, BYTES>",
        "leader-epoch": "INT",
        "offset": "BIGINT",
        "timestamp-type": "STRING",
    }
    columns: tuple[Column, ...] = (
        *(MetadataColumn(name, parse_type(kind), name, is_virtual=True) for name, kind in virtual.items()),
        MetadataColumn("event_time", parse_type("TIMESTAMP(3)"), "timestamp"),
        PhysicalColumn("message", parse_type("STRING")),
    )
    options = {
        "connector": "kafka",
        "topic": "SourceKafkaTopic",
        "properties.bootstrap.servers": "KafkaAddress1:KafkaPort,KafkaAddress2:KafkaPort",
        "properties.group.id": "GroupId",
        "scan.startup.mode": "latest-offset",
        "format": "csv",
        "csv.field-delimiter": r"\u0001",
        "csv.quote-character": "'",
    }
    definition = TableDefinition(("kafkaSource",), TableSchema(columns), FrozenMap(options))
    assert source == CreateTable(definition=definition)


def test_an_upsert_table() -> None:
    *_, sink, insert = statements("upsert_kafka.sql")[:6]
    columns = tuple(PhysicalColumn(name, parse_type(ORDERS.get(name, "STRING"))) for name in ORDER)
    options = {
        "connector": "upsert-kafka",
        "topic": "KafkaTopic",
        "properties.bootstrap.servers": "KafkaAddress1:KafkaPort,KafkAddress2:KafkaPort",
        "key.format": "csv",
        "value.format": "json",
    }
    schema = TableSchema(columns, primary_key=("order_id",))
    assert sink == CreateTable(definition=TableDefinition(("upsertKafkaSink",), schema, FrozenMap(options)))
    assert insert == Insert(target=("upsertKafkaSink",), query=Expression("select * from orders"))


def test_a_key_of_metadata() -> None:
    created = statements("kafka_and_sync.sql")[4]
    assert isinstance(created, CreateTable)
    assert created.temporary
    assert created.definition.schema == TableSchema(
        (
            MetadataColumn("offset", parse_type("INT NOT NULL"), "offset"),
            MetadataColumn("part", parse_type("BIGINT NOT NULL"), "partition"),
        ),
        primary_key=("part", "offset"),
    )


def test_tables_that_are_kept_in_step_with_another() -> None:
    plain, computed = (one for one in statements("kafka_and_sync.sql") if isinstance(one, CreateTable) and one.as_table)
    options = FrozenMap({"connector": "hologres"})
    definition = TableDefinition(("hologres", "kafka", "sync_kafka"), TableSchema(), options)
    source = ("vvp", "default", "kafkaTable")
    assert plain == CreateTable(definition=definition, if_not_exists=True, as_table=AsTable(source))
    order_id = ComputedColumn("order_id", Expression("COALESCE(JSON_VALUE(`properties`, '$.order_id'), 'default')"))
    assert computed == CreateTable(definition=definition, if_not_exists=True, as_table=AsTable(source, (order_id,)))


def test_nested_and_computed_columns() -> None:
    computed, nested = (statements("kafka_and_sync.sql")[index] for index in (7, 9))
    assert isinstance(computed, CreateTable)
    assert isinstance(nested, CreateTable)
    assert computed.definition.schema.columns == (
        PhysicalColumn("distinct_id", parse_type("INT NOT NULL")),
        PhysicalColumn("properties", parse_type("STRING")),
        MetadataColumn("timestamp", parse_type("TIMESTAMP_LTZ(6)"), "timestamp"),
        ComputedColumn("date", Expression("CAST(`timestamp` AS DATE)")),
    )
    assert nested.definition.schema.columns == (
        PhysicalColumn("id", parse_type("STRING")),
        PhysicalColumn("name", parse_type("STRING")),
        PhysicalColumn("properties", parse_type("ROW<owner STRING, engine STRING>")),
    )


@pytest.mark.parametrize("text", texts("kafka_left_out.sql"))
def test_examples_that_leave_something_out(text: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape("found '...'")) as caught:
        parse(text)
    line = text[: text.index("...")].count("\n") + 1
    assert caught.value.where.startswith(f"line {line}, column ")
    whole = re.sub(r",\s*\.\.\.(\s*\))", r"\1", re.sub(r"\(\s*\.\.\.\s*\)", "(id INT)", text)).replace("...", "")
    assert isinstance(parse_one(whole), CreateTable)


@pytest.mark.parametrize("text", texts("kafka.sql") + texts("upsert_kafka.sql"))
def test_examples_without_their_line_breaks(text: str) -> None:
    """So do some documents show them: then a comment goes on to the end."""
    flat = " ".join(text.split("\n"))
    if "--" not in text:
        assert parse(flat) == parse(text)
        return
    with pytest.raises(DefinitionError, match="found the end of the text") as caught:
        parse(flat)
    assert caught.value.where.startswith(f"line 1, column {len(flat) + 1}")


def test_an_example_with_a_stray_parenthesis() -> None:
    text = "CREATE TABLE IF NOT EXISTS hologres.kafka.`sync_kafka`(\nWITH (\n  'connector' = 'hologres'\n) AS TABLE vvp.`default`.kafkaTable;"
    with pytest.raises(DefinitionError, match="found 'WITH'") as caught:
        parse(text)
    assert caught.value.where.startswith("line 2, column 1\n")
    assert isinstance(parse_one(text.replace("(\nWITH", "\nWITH")), CreateTable)


def test_ddl_of_initial_schemas() -> None:
    text = "CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE db1.t2 (id BIGINT);"
    identity, name = PhysicalColumn("id", parse_type("BIGINT")), PhysicalColumn("name", parse_type("VARCHAR(10)"))
    assert parse(text) == (
        CreateTable(definition=TableDefinition(("db1", "t1"), TableSchema((identity, name)))),
        CreateTable(definition=TableDefinition(("db1", "t2"), TableSchema((identity,)))),
    )


@pytest.mark.parametrize(
    "declared",
    [
        *("STRING NOT NULL", "INT NOT NULL", "MAP<STRING, BYTES> NOT NULL", "BIGINT NOT NULL", "INT NULL"),
        "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL",
    ],
)
def test_columns_of_the_metadata_tables(declared: str) -> None:
    created = parse_one(f"CREATE TABLE t (topic {declared} METADATA VIRTUAL)")
    schema = TableSchema((MetadataColumn("topic", parse_type(declared), "topic", is_virtual=True),))
    assert created == CreateTable(definition=TableDefinition(("t",), schema))
