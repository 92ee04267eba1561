"""What is wrong in the documents about Flink's Kafka connectors, or stands there as an error, and what is said of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.connectors import KafkaTableSink, sink_of, source_of
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition
from kafkastream.table import EnvironmentSettings, TableEnvironment

DOCUMENTS = Path(__file__).parent / "documents"
SERVERS = "'properties.bootstrap.servers' = 'k:9092'"


def statement(document: str, number: int) -> str:
    return (DOCUMENTS / document).read_text().strip().split("\n\n")[number]


def table(text: str) -> TableDefinition:
    created = parse_one(text)
    assert isinstance(created, CreateTable)
    return created.definition


def without(text: str, *options: str) -> str:
    """The statement without some options."""
    for option in options:
        text = re.sub(rf"\n\s*'{option}[^\n]*", "", text)
    return re.sub(r",(\s*(--[^\n]*)?\s*\);)", r"\1", text)


DEW = [(6, "properties.sasl.jaas.config", 23), (9, "properties.ssl.truststore.password", 27)]


@pytest.mark.parametrize(("number", "secret", "line"), [*DEW, (15, "properties.ssl.truststore.password", 22)])
def test_secrets_that_only_the_vendor_can_read(number: int, secret: str, line: int) -> None:
    with pytest.raises(UnsupportedFeatureError, match="secrets in Huawei's Data Encryption Workshop") as caught:
        source_of(table(statement("kafka.sql", number)))
    assert caught.value.where.endswith(f"option 'dew.endpoint', line {line}, column 3")
    assert f"write '{secret}' = '${{env:NAME}}', a variable, or '${{file:PATH}}', a file." in caught.value.now


@pytest.mark.parametrize(("number", "line"), [(6, 18), (9, 23), (15, 18)])
def test_files_that_only_the_vendor_can_read(number: int, line: int) -> None:
    with pytest.raises(UnsupportedFeatureError, match="is not a file on this machine") as caught:
        source_of(table(without(statement("kafka.sql", number), "dew")))
    assert caught.value.where.endswith(f"option 'properties.ssl.truststore.location', line {line}, column 3")


@pytest.mark.parametrize(("document", "number"), [("kafka.sql", 12), ("upsert_kafka.sql", 6)])
def test_kerberos_is_said_in_another_way(document: str, number: int, caplog: pytest.LogCaptureFixture) -> None:
    source_of(table(statement(document, number)))
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 4
    assert all(", line " in text and "only Huawei's connector has it; " in text for text in said)
    assert sum("name it in properties.sasl.jaas.config" in text for text in said) == 2


def test_a_key_field_that_is_no_column() -> None:
    text = statement("kafka_and_sync.sql", 7)
    with pytest.raises(DefinitionError, match="Could not find the field 'key_id' in the table schema") as caught:
        source_of(table(text))
    assert caught.value.where.endswith("option 'key.fields', line 13, column 3")
    with_column = text.replace("`properties`", "`key_id` INT, `properties`")
    with pytest.raises(DefinitionError, match="A key prefix is not allowed when option") as caught:
        source_of(table(with_column))
    assert caught.value.where.endswith("option 'key.fields-prefix', line 14, column 3")
    assert source_of(table(with_column.replace("'key_'", "'key_', 'value.fields-include' = 'EXCEPT_KEY'")))


@pytest.mark.parametrize("number", [5, 8])
def test_a_connector_of_another_system(number: int) -> None:
    with pytest.raises(DefinitionError, match="Could not find any connector for identifier 'hologres'") as caught:
        sink_of(table(statement("kafka_and_sync.sql", number)))
    assert "option 'connector', line " in caught.value.where


def test_a_timestamp_that_is_virtual_is_not_written() -> None:
    """The document says that it is."""
    left_out = re.sub(r",\s*\.\.\.\s*\) WITH", ", message STRING) WITH", statement("kafka_left_out.sql", 4))
    text = left_out.replace("...", f"{SERVERS}, 'topic' = 't', 'format' = 'json'")
    for declared, metadata in ((text, []), (text.replace("VIRTUAL", ""), ["timestamp"])):
        sink = sink_of(table(declared))
        assert isinstance(sink, KafkaTableSink)
        assert [field.column.key for field in sink.metadata] == metadata


def test_a_position_that_can_only_be_read() -> None:
    with pytest.raises(DefinitionError, match="Invalid metadata key 'offset' in column 'offset'") as caught:
        sink_of(table(statement("kafka_and_sync.sql", 4)))
    assert caught.value.where.endswith("column 'offset', line 2, column 3")
    assert caught.value.now == "It can only be read: declare the column VIRTUAL, and INSERT leaves it out."


@pytest.fixture
def t_env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


KAFKA = f"'connector' = 'kafka', 'topic' = 't', 'format' = 'json', {SERVERS}"
WRONG: list[tuple[str, str, str]] = [
    (
        "CREATE TABLE t (\n  id INT,\n  ts TIMESTAMP(3) METADATA FROM 'timestamp'\n) WITH ('connector' = 'print')",
        (
            "Table 'default_catalog.default_database.t' declares persistable metadata columns, but the underlying "
            "DynamicTableSink doesn't implement the SupportsWritingMetadata interface. If the column should not be "
            "persisted, it can be declared with the VIRTUAL keyword."
        ),
        "line 3, column 3",
    ),
    (
        f"CREATE TABLE t (id INT) WITH ({KAFKA.replace(chr(39) + 'format' + chr(39) + ' = ' + chr(39) + 'json' + chr(39) + ', ', '')})",
        "Could not find required sink format 'value.format'.",
        "table default_catalog.default_database.t",
    ),
    (
        f"CREATE TABLE t (id INT) WITH ({KAFKA},\n'sink.partitionr' = 'fixed')",
        "Unsupported options found for 'kafka'. Unsupported options: sink.partitionr.",
        "option 'sink.partitionr', line 2, column 1",
    ),
    (
        f"CREATE TABLE t (id INT) WITH ({KAFKA},\n'sink.parallelism' = 'two')",
        "Unsupported value 'two' for 'sink.parallelism': expected a whole number",
        "option 'sink.parallelism', line 2, column 1",
    ),
    (
        f"CREATE TABLE t (id INT) WITH ({KAFKA}, 'key.format' = 'json',\n'key.fields' = 'idd')",
        "Could not find the field 'idd' in the table schema for usage in the key format.",
        "option 'key.fields', line 2, column 1",
    ),
    (
        f"CREATE TABLE t (id INT) WITH ({KAFKA.replace('kafka', 'upsert-kafka').replace('format', 'value.format')}, 'key.format' = 'json')",
        "'upsert-kafka' tables require to define a PRIMARY KEY constraint.",
        "table default_catalog.default_database.t",
    ),
]


@pytest.mark.parametrize(("created", "what", "where"), WRONG)
def test_an_insert_tells_what_is_wrong_with_its_table(
    created: str, what: str, where: str, t_env: TableEnvironment
) -> None:
    t_env.execute_sql(created)
    with pytest.raises(DefinitionError) as caught:
        t_env.execute_sql("INSERT INTO t VALUES (1)")
    assert what in caught.value.what
    assert where in caught.value.where
