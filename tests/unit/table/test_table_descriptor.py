"""Tables without SQL: what their descriptors refuse, show, and lead to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkastream.common import ConfigOptions
from kafkastream.errors import DefinitionError
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

ID = Schema.new_builder().column("id", "BIGINT").build()
KAFKA = (
    TableDescriptor.for_connector("kafka")
    .schema(ID)
    .option("topic", "orders")
    .option("properties.bootstrap.servers", "k:9092")
    .build()
)
TIMED = Schema.new_builder().column("id", "INT").column_by_metadata("at", DataTypes.TIMESTAMP(3)).build()


@pytest.fixture
def t_env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def table(t_env: TableEnvironment, *name: str) -> TableDefinition:
    found = t_env._catalog.find(name)
    assert isinstance(found, TableDefinition)
    return found


def test_what_a_descriptor_tells() -> None:
    assert KAFKA.get_schema() == ID
    assert KAFKA.get_options() == {
        "connector": "kafka",
        "topic": "orders",
        "properties.bootstrap.servers": "k:9092",
    }
    assert (KAFKA.get_partition_keys(), KAFKA.get_comment()) == ([], None)
    assert KAFKA.to_builder().comment("all").build().get_comment() == "all"
    assert KAFKA.to_builder().build() == KAFKA
    assert {KAFKA.toBuilder().partitioned_by().build()} == {KAFKA}


def test_options_of_a_format_are_below_its_name() -> None:
    described = FormatDescriptor.for_format("csv").option("field-delimiter", ";").build()
    assert (described.get_format(), described.get_options()) == ("csv", {"field-delimiter": ";"})
    key, value = (ConfigOptions.key(key).string_type().no_default_value() for key in ("key.format", "value.format"))
    built = TableDescriptor.for_connector("kafka").format(described).format(described, key).format("json", value)
    assert built.build().get_options() == {
        "connector": "kafka",
        "format": "csv",
        "csv.field-delimiter": ";",
        "key.format": "csv",
        "key.csv.field-delimiter": ";",
        "value.format": "json",
    }


@pytest.mark.parametrize(
    ("value", "text"), [("7", "7"), (7, "7"), (True, "true"), (1e10, "1.0E10"), (bytearray(b"x"), "x")]
)
def test_values_of_options_become_text_as_in_java(value: str | float | bytearray, text: str) -> None:
    option = ConfigOptions.key("some").double_type().no_default_value()
    for key in ("some", option):
        assert TableDescriptor.for_connector("print").option(key, value).build().get_options()["some"] == text


def test_secrets_are_not_shown() -> None:
    described = FormatDescriptor.for_format("avro-confluent").option("basic-auth.user-info", "u:pw").build()
    built = TableDescriptor.for_connector("kafka").format(described).option("properties.ssl.key.password", "pw").build()
    assert "pw" not in "".join(map(str, (described, built))) + "".join(map(repr, (described, built)))
    assert built.get_options()["avro-confluent.basic-auth.user-info"] == "u:pw"


def create_twice(t_env: TableEnvironment) -> None:
    t_env.create_table("t", KAFKA)
    t_env.create_table("t", KAFKA)


REFUSED: dict[str, tuple[Callable[[TableEnvironment], object], str, str]] = {
    "no columns": (
        lambda t_env: t_env.create_table("t", TableDescriptor.for_connector("print").build()),
        "Missing schema in TableDescriptor.",
        "create_table('t')",
    ),
    "no columns to read": (
        lambda t_env: t_env.from_descriptor(TableDescriptor.for_connector("kafka").build()),
        "Missing schema in TableDescriptor.",
        "from_descriptor",
    ),
    "a table of that name": (
        create_twice,
        "Table (or view) default_database.t already exists in Catalog default_catalog.",
        "create_table('t')",
    ),
    "no such database": (
        lambda t_env: t_env.create_table("sales.t", KAFKA),
        "A database with name [sales] does not exist in the catalog: [default_catalog].",
        "create_table('sales.t')",
    ),
    "partitions": (
        lambda _: KAFKA.to_builder().partitioned_by("id"),
        "only a table in files has PARTITIONED BY",
        "partitioned_by('id')",
    ),
    "a format's options with its name": (
        lambda _: KAFKA.to_builder().format(FormatDescriptor.for_format("csv").option("csv.x", "-").build()),
        "Format options set using #format(FormatDescriptor) should not contain the prefix 'csv.', but found 'csv.x'.",
        "format('csv')",
    ),
    "no option of a format": (
        lambda _: KAFKA.to_builder().format("csv", ConfigOptions.key("topic").string_type().no_default_value()),
        "Format identifier key should be 'format' or suffix with '.format', don't support format identifier key 'topic'.",
        "format('csv')",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, t_env: TableEnvironment) -> None:
    refused, what, where = REFUSED[case]
    with pytest.raises(DefinitionError) as caught:
        refused(t_env)
    assert (caught.value.what, caught.value.where) == (what, where)


@pytest.mark.parametrize(
    ("descriptor", "where"),
    [
        (
            KAFKA.to_builder().format("json").option("scan.startup.modes", "x").build(),
            "table default_catalog.default_database.t, option 'scan.startup.modes'",
        ),
        (
            KAFKA.to_builder().schema(TIMED).format("json").build(),
            "table default_catalog.default_database.t, column 'at'",
        ),
    ],
)
def test_errors_of_a_connector_name_the_option_or_column_and_no_line(
    descriptor: TableDescriptor, where: str, t_env: TableEnvironment
) -> None:
    t_env.create_table("t", descriptor)
    with pytest.raises(DefinitionError) as caught:
        source_of(table(t_env, "t"))
    assert caught.value.where == where


def test_what_exists_may_stay(t_env: TableEnvironment) -> None:
    t_env.create_table("t", KAFKA)
    t_env.create_table("t", TableDescriptor.for_connector("print").schema(ID).build(), ignoreIfExists=True)
    assert table(t_env, "t").options["connector"] == "kafka"


def test_a_table_is_known_by_its_place(t_env: TableEnvironment) -> None:
    t_env.execute_sql("CREATE DATABASE sales")
    t_env.use_database("sales")
    t_env.createTable("orders", KAFKA)
    t_env.use_database("default_database")
    t_env.createTemporaryTable("default_catalog.sales.`lines`", KAFKA)
    assert table(t_env, "sales", "orders").identifier == "default_catalog.sales.orders"
    assert table(t_env, "sales", "lines").identifier == "default_catalog.sales.lines"
    assert t_env.list_tables() == []


def test_tables_without_a_name_are_in_no_list(t_env: TableEnvironment) -> None:
    names = [t_env._inline(KAFKA, "here") for _ in range(2)]
    assert names == [("default_catalog", "default_database", f"*anonymous_kafka${number}*") for number in (1, 2)]
    assert t_env.list_tables() == []
    assert sink_of(table(t_env, *t_env._inline(TableDescriptor.for_connector("print").schema(ID).build(), "here")))
