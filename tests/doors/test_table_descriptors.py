"""A table is the same, whichever door it comes through: a statement of SQL, or a descriptor in Python."""

from __future__ import annotations

import pytest

from kafkastream.common import ConfigOptions
from kafkastream.sql.connectors import sink_of, source_of
from kafkastream.sql.table import TableDefinition
from kafkastream.table import (
    DataTypes,
    EnvironmentSettings,
    FormatDescriptor,
    Schema,
    TableDescriptor,
    TableEnvironment,
)

KEY_FORMAT = ConfigOptions.key("key.format").string_type().no_default_value()
VALUE_FORMAT = ConfigOptions.key("value.format").string_type().no_default_value()
RATE = ConfigOptions.key("rows-per-second").long_type().default_value(10_000)


def environment() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def declared(statement: str) -> TableDefinition:
    """The table that a statement declares."""
    t_env = environment()
    t_env.execute_sql(statement)
    return found(t_env)


def described(descriptor: TableDescriptor) -> TableDefinition:
    """The table that a descriptor declares."""
    t_env = environment()
    t_env.create_table("orders", descriptor)
    return found(t_env)


def found(t_env: TableEnvironment) -> TableDefinition:
    table = t_env._catalog.find(("orders",))
    assert isinstance(table, TableDefinition)
    return table


TABLES: dict[str, tuple[str, TableDescriptor]] = {
    "kafka, every kind of column": (
        """
        CREATE TABLE orders (
          id BIGINT NOT NULL,
          customer ROW<name STRING, tags ARRAY<VARCHAR(9) NOT NULL>>,
          amount DECIMAL(10, 2),
          doubled AS amount * 2,
          `offset` BIGINT METADATA VIRTUAL,
          ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
          WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
        ) COMMENT 'what was ordered' WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k1:9092',
          'scan.startup.mode' = 'earliest-offset', 'scan.parallelism' = '2',
          'format' = 'json', 'json.ignore-parse-errors' = 'true'
        )
        """,
        TableDescriptor.for_connector("kafka")
        .schema(
            Schema.new_builder()
            .column("id", DataTypes.BIGINT().not_null())
            .column("customer", "ROW<name STRING, tags ARRAY<VARCHAR(9) NOT NULL>>")
            .column("amount", DataTypes.DECIMAL(10, 2))
            .column_by_expression("doubled", "amount * 2")
            .column_by_metadata("offset", DataTypes.BIGINT(), is_virtual=True)
            .column_by_metadata("ts", "TIMESTAMP_LTZ(3)", "timestamp")
            .watermark("ts", "ts - INTERVAL '5' SECOND")
            .build()
        )
        .comment("what was ordered")
        .option("topic", "orders")
        .option("properties.bootstrap.servers", "k1:9092")
        .option("scan.startup.mode", "earliest-offset")
        .option("scan.parallelism", 2)
        .format(FormatDescriptor.for_format("json").option("ignore-parse-errors", True).build())
        .build(),
    ),
    "kafka, a format for the key and another for the value": (
        """
        CREATE TABLE orders (id BIGINT, name STRING) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k1:9092',
          'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'csv', 'value.csv.field-delimiter' = ';',
          'value.fields-include' = 'EXCEPT_KEY'
        )
        """,
        TableDescriptor.forConnector("kafka")
        .schema(Schema.newBuilder().fromFields(["id", "name"], [DataTypes.BIGINT(), DataTypes.STRING()]).build())
        .option("topic", "orders")
        .option("properties.bootstrap.servers", "k1:9092")
        .format("raw", KEY_FORMAT)
        .option("key.fields", "id")
        .format(FormatDescriptor.forFormat("csv").option("field-delimiter", ";").build(), VALUE_FORMAT)
        .option("value.fields-include", "EXCEPT_KEY")
        .build(),
    ),
    "upsert-kafka": (
        """
        CREATE TABLE orders (
          id BIGINT, line INT, name STRING, CONSTRAINT pk PRIMARY KEY (id, line) NOT ENFORCED
        ) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k1:9092',
          'key.format' = 'json', 'value.format' = 'json', 'value.json.encode.decimal-as-plain-number' = 'true'
        )
        """,
        TableDescriptor.for_connector("upsert-kafka")
        .schema(
            Schema.new_builder()
            .column("id", DataTypes.BIGINT(False))
            .column("line", DataTypes.INT().not_null())
            .column("name", DataTypes.STRING())
            .primary_key_named("pk", "id", "line")
            .build()
        )
        .option("topic", "orders")
        .option("properties.bootstrap.servers", "k1:9092")
        .format("json", KEY_FORMAT)
        .format(
            FormatDescriptor.for_format("json").option("encode.decimal-as-plain-number", "true").build(), VALUE_FORMAT
        )
        .build(),
    ),
    "datagen": (
        """
        CREATE TABLE orders (id BIGINT, ts AS LOCALTIMESTAMP, WATERMARK FOR ts AS ts) WITH (
          'connector' = 'datagen', 'rows-per-second' = '7', 'number-of-rows' = '3', 'fields.id.kind' = 'random'
        )
        """,
        TableDescriptor.for_connector("datagen")
        .schema(
            Schema.new_builder()
            .from_row_data_type(DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT())]))
            .column_by_expression("ts", " LOCALTIMESTAMP ")
            .watermark("ts", "ts")
            .build()
        )
        .option(RATE, 7)
        .option("number-of-rows", 3)
        .option("fields.id.kind", "random")
        .build(),
    ),
    "print": (
        "CREATE TABLE orders (id BIGINT, name CHAR(3)) WITH ('connector' = 'print', 'print-identifier' = 'it''s')",
        TableDescriptor.for_connector("print")
        .schema(Schema.new_builder().column("id", "bigint").column("name", DataTypes.CHAR(3)).build())
        .option("print-identifier", "it's")
        .build(),
    ),
    "blackhole": (
        "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'blackhole')",
        TableDescriptor.for_connector("blackhole").schema(Schema.new_builder().column("id", "BIGINT").build()).build(),
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_descriptor_declares_what_a_statement_does(table: str) -> None:
    statement, descriptor = TABLES[table]
    assert described(descriptor) == declared(statement)


@pytest.mark.parametrize("table", [table for table in TABLES if "kafka" in table])
def test_a_kafka_table_is_read_and_written_alike(table: str) -> None:
    of_sql, of_python = (declared(TABLES[table][0]), described(TABLES[table][1]))
    assert source_of(of_python) == source_of(of_sql)
    assert sink_of(of_python) == sink_of(of_sql)


@pytest.mark.parametrize("table", TABLES)
def test_what_a_descriptor_shows_is_a_statement(table: str) -> None:
    descriptor = TABLES[table][1]
    assert declared(f"CREATE TABLE orders {descriptor}") == described(descriptor)


def test_a_temporary_table_hides_another() -> None:
    t_env = environment()
    kept = TABLES["blackhole"][1]
    t_env.create_table("orders", kept)
    t_env.create_temporary_table("orders", TABLES["print"][1])
    assert found(t_env).options["connector"] == "print"
    assert t_env.list_tables() == ["orders"]
    t_env.drop_temporary_table("orders")
    assert found(t_env) == described(kept)
