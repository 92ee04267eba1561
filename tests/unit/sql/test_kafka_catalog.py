"""Which tables a catalog makes of messages, and what its options say."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.connectors.topic_sample import Message, TopicSample
from kafkastream.sql.connectors import KafkaTableSource, source_of
from kafkastream.sql.formats import TimestampFormat
from kafkastream.sql.kafka_catalog.inference import inferred_table
from kafkastream.sql.kafka_catalog.options import CatalogOptions, CatalogSettings, catalog_settings
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateCatalog, CreateTable
from kafkastream.sql.table import TableDefinition
from kafkastream.table.session.ddl_text import create_table_text

NAME = ("c", "kafka", "orders")
SERVERS = {"properties.bootstrap.servers": "localhost:9092"}
PLAIN = CatalogSettings()
FLAT = CatalogSettings(flattens=True)
METADATA = "partition INT NOT NULL, offset BIGINT NOT NULL, timestamp TIMESTAMP_LTZ(3) NOT NULL"
STATEMENT = "CREATE CATALOG c WITH ('type' = 'kafka', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json'{})"


def inferred(
    *values: str, settings: CatalogSettings = PLAIN, keys: tuple[str | None, ...] = (), is_compacted: bool = False
) -> TableDefinition:
    pairs = zip(keys or [None] * len(values), values, strict=True)
    messages = (Message(None if key is None else key.encode(), value.encode()) for key, value in pairs)
    return inferred_table(NAME, TopicSample(tuple(messages), is_compacted), settings, SERVERS)


def physical(table: TableDefinition) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in table.schema.physical)


def options(text: str = "") -> CatalogOptions:
    statement = parse_one(STATEMENT.format(text))
    assert isinstance(statement, CreateCatalog)
    return CatalogOptions.of(statement, {})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (['{"a":1,"b":1.5,"c":true,"d":"x"}'], "a BIGINT, b DOUBLE, c BOOLEAN, d STRING"),
        (['{"a":9223372036854775807}', '{"a":9223372036854775808}'], "a DECIMAL(38, 0)"),
        (['{"a":9223372036854775808}', '{"a":0.5}'], "a DOUBLE"),
        (['{"a":1}', '{"a":1e3}'], "a DOUBLE"),
        ([f'{{"a":{10**38}}}', '{"a":1}'], "a STRING"),
        (['{"a":1}', '{"b":2}', '{"a":null}'], "a BIGINT, b BIGINT"),
        (['{"a":1}', '{"a":"1"}'], "a STRING"),
        (['{"a":1}', '{"a":true}'], "a STRING"),
        (['{"a":null,"b":1}'], "a STRING, b BIGINT"),
        (['{"a":{"b":1},"c":[1],"d":{},"e":[]}'], "a STRING, c STRING, d STRING, e STRING"),
        (['{"a":{"b":1}}', '{"a":1}'], "a STRING"),
        (['{"a":"2024-05-01"}'], "a DATE"),
        (['{"a":"2024-02-30"}'], "a STRING"),
        (['{"a":"2024-05-01 24:00:00"}'], "a STRING"),
        (['{"a":"2024-05-01 12:30:00"}', '{"a":"2024-05-01 12:30:00.123456"}'], "a TIMESTAMP(6)"),
        (['{"a":"2024-05-01 12:30:00Z"}'], "a TIMESTAMP_LTZ(3)"),
        (['{"a":"2024-05-01 12:30:00Z"}', '{"a":"2024-05-01 12:30:00"}'], "a STRING"),
        (['{"a":"2024-05-01"}', '{"a":"2024-05-01 12:30:00"}'], "a STRING"),
        (['{"a":"2024-05-01 12:30:00+02:00","b":"2024-05-01 12:30"}'], "a STRING, b STRING"),
        (['[{"a":1},null,{"a":0.5}]', "", " ", "null", "[]"], "a DOUBLE"),
        (['{"a b":1,"`":2}'], "a b BIGINT, ` BIGINT"),
    ],
)
def test_columns_hold_all_values_of_the_sample(values: list[str], expected: str) -> None:
    table = inferred(*values, settings=CatalogSettings(value_prefix=""))
    assert physical(table) == expected
    metadata = ", ".join(f"{column.name} {column.type}" for column in table.schema.metadata)
    assert (metadata, table.schema.primary_key) == (METADATA, ("partition", "offset"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (['{"a":{"b":1,"c":{"d":"x"}},"e":[{"f":1}]}'], "value_a.b BIGINT, value_a.c.d STRING, value_e STRING"),
        (['{"a":null}', '{"a":{}}', '{"a":{"b":1}}', '{"a":{"b":0.5}}'], "value_a.b DOUBLE"),
        (['{"a":{"b":1}}', '{"a":2}'], "value_a STRING"),
        (['{"a":2}', '{"a":{}}'], "value_a STRING"),
        (['{"a":{}}', '{"a":null}'], "value_a STRING"),
    ],
)
def test_members_of_objects_can_be_columns(values: list[str], expected: str) -> None:
    table = inferred(*values, settings=FLAT)
    assert physical(table) == expected
    key = "value.json.infer-schema.flatten-nested-columns.enable"
    assert table.options.get(key) == ("true" if "." in expected else None)


@pytest.mark.parametrize(
    ("settings", "expected", "form"),
    [
        (PLAIN, "value_a TIMESTAMP(3), value_b STRING", None),
        (
            CatalogSettings(timestamp_format=TimestampFormat.ISO_8601),
            "value_a STRING, value_b TIMESTAMP(3)",
            "ISO-8601",
        ),
    ],
)
def test_timestamps_are_of_the_wanted_form(settings: CatalogSettings, expected: str, form: str | None) -> None:
    table = inferred('{"a":"2024-05-01 12:30:00","b":"2024-05-01T12:30"}', settings=settings)
    assert (physical(table), table.options.get("value.json.timestamp-format.standard")) == (expected, form)


def test_timestamps_may_be_of_the_other_form_where_none_is_of_the_wanted_one() -> None:
    table = inferred('{"a":"2024-05-01T12:30:00","b":"2024-05-01"}')
    assert physical(table) == "value_a TIMESTAMP(3), value_b DATE"
    assert table.options["value.json.timestamp-format.standard"] == "ISO-8601"
    wanted = CatalogSettings(timestamp_format=TimestampFormat.ISO_8601)
    assert "value.json.timestamp-format.standard" not in inferred('{"a":1}', settings=wanted).options


def test_primitives_can_all_be_texts() -> None:
    settings = CatalogSettings(primitive_as_string=True, flattens=True)
    table = inferred('{"a":1,"b":{"c":true}}', keys=('{"id":1}',), settings=settings)
    assert physical(table) == "key_id STRING, value_a STRING, value_b.c STRING"


@pytest.mark.parametrize(
    ("keys", "expected", "key_options"),
    [
        ((None, None), "", {}),
        (('{"id":1}', '{"id":2,"n":"x"}'), "key_id BIGINT, key_n STRING", {"format": "json", "fields": "key_id;key_n"}),
        (("k", "l"), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
        (("1", '"x"'), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
        (('{"id":1}', "k"), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
        (('{"id":1}', None), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
        (("{}", "{}"), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
        (('{"a;b":1}', '{"a;b":1}'), "key_col BYTES", {"format": "raw", "fields": "key_col"}),
    ],
)
def test_columns_of_keys(keys: tuple[str | None, ...], expected: str, key_options: dict[str, str]) -> None:
    table = inferred('{"a":1}', '{"a":2}', keys=keys)
    assert physical(table) == ", ".join(filter(None, (expected, "value_a BIGINT")))
    prefixed = {**key_options, "fields-prefix": "key_"} if key_options else {}
    given = {key.removeprefix("key."): text for key, text in table.options.items() if key.startswith("key.")}
    assert given == prefixed
    assert isinstance(source_of(table), KafkaTableSource)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (('{"id":1}', '{"id":2}'), "key_id BIGINT NOT NULL"),
        (('{"id":1}', '{"n":2}'), "key_col BYTES NOT NULL"),
        (("k", "l"), "key_col BYTES NOT NULL"),
    ],
)
def test_a_compacted_topic_is_the_latest_row_of_each_key(keys: tuple[str, ...], expected: str) -> None:
    table = inferred('{"a":1}', '{"a":2}', keys=keys, is_compacted=True)
    assert physical(table) == f"{expected}, value_a BIGINT"
    assert table.schema.primary_key == (expected.split(maxsplit=1)[0],)
    assert table.options["connector"] == "upsert-kafka"
    assert isinstance(source_of(table), KafkaTableSource)


@pytest.mark.parametrize(("keys", "is_wanted"), [(("k", None), True), (("k", "l"), False)])
def test_a_compacted_topic_is_all_its_messages(keys: tuple[str | None, ...], is_wanted: bool) -> None:
    settings = CatalogSettings(compacted_as_upsert=is_wanted)
    table = inferred('{"a":1}', '{"a":2}', keys=keys, is_compacted=True, settings=settings)
    assert (table.options["connector"], table.schema.primary_key) == ("kafka", ("partition", "offset"))


def test_a_table_is_the_statement_that_it_is_shown_as() -> None:
    settings = CatalogSettings(flattens=True, key_prefix="", value_prefix="v ")
    table = inferred('{"a":{"`":1},"t":"2024-05-01T12:30"}', keys=('{"id":1}',), settings=settings)
    written = parse_one(create_table_text(table))
    assert isinstance(written, CreateTable)
    assert written.definition == table


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ((), PLAIN, "topic 'orders' has no messages to infer columns from"),
        (
            ("x", "1", "{}", "NaN"),
            PLAIN,
            "none of the 4 newest messages of topic 'orders' is a JSON object with members",
        ),
        (('{"offset":1}',), CatalogSettings(value_prefix=""), "two columns would have the name 'offset'"),
        (('{"a.b":1}',), FLAT, "the member 'a.b' cannot be distinguished from a member of an object"),
    ],
)
def test_topics_that_are_no_tables(values: tuple[str, ...], settings: CatalogSettings, message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        inferred(*values, settings=settings)
    assert (caught.value.what, caught.value.where, bool(caught.value.now)) == (message, "table c.kafka.orders", True)


def test_messages_that_are_no_json_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    assert physical(inferred("oops", '{"a":1}', "[1]", "[" * 100_000)) == "value_a BIGINT"
    assert "table c.kafka.orders: 3 of the 4 newest messages are not JSON objects" in caplog.text


def test_all_options_are_read() -> None:
    given = {
        "default-database": "d",
        "key.fields-prefix": "k",
        "value.fields-prefix": "v",
        "timestamp-format.standard": "ISO-8601",
        "infer-schema.flatten-nested-columns.enable": "true",
        "infer-schema.primitive-as-string": "true",
        "infer-schema.parse-key-error.field-name": "raw",
        "infer-schema.compacted-topic-as-upsert-table": "false",
        "max.fetch.records": "7",
    }
    assert catalog_settings(
        options("".join(f", '{key}' = '{text}'" for key, text in given.items()))
    ) == CatalogSettings(
        default_database="d",
        key_prefix="k",
        value_prefix="v",
        timestamp_format=TimestampFormat.ISO_8601,
        flattens=True,
        primitive_as_string=True,
        raw_key_name="raw",
        compacted_as_upsert=False,
        max_fetch_records=7,
    )
    assert catalog_settings(options()) == CatalogSettings()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (", 'formt' = 'json'", DefinitionError, "Unsupported options: formt"),
        (", 'max.fetch.records' = '0'", DefinitionError, "expected a whole number greater than zero"),
        (", 'value.fields-prefix' = 'key_x'", DefinitionError, "'value.fields-prefix' = 'key_x': one begins with"),
        (", 'type' = 'hive'", UnsupportedFeatureError, "There are no catalogs of type 'hive'"),
        (", 'format' = 'avro'", UnsupportedFeatureError, "infer columns from messages of format 'avro'"),
        (", 'properties.sasl.jaas.config' = '${env:JAAS}'", DefinitionError, "no environment variable 'JAAS'"),
    ],
)
def test_options_that_are_wrong(text: str, kind: type[KafkastreamError], message: str) -> None:
    with pytest.raises(kind) as caught:
        catalog_settings(options(text))
    assert message in caught.value.what
    column = STATEMENT.index("{}") + 3
    assert caught.value.where.startswith("catalog c, option '")
    assert caught.value.where.endswith(f"line 1, column {column}")


def test_options_that_are_missing() -> None:
    statement = parse_one("CREATE CATALOG c")
    assert isinstance(statement, CreateCatalog)
    with pytest.raises(DefinitionError, match=r"options are: type, properties\.bootstrap\.servers, format") as caught:
        catalog_settings(CatalogOptions.of(statement))
    assert caught.value.where == "catalog c"


def test_options_of_the_vendors_service_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    given = options(", 'aliyun.kafka.accessKeySecret' = 'hush'")
    assert catalog_settings(given) == CatalogSettings()
    assert "option 'aliyun.kafka.accessKeySecret'" in caplog.text
    assert "hush" not in caplog.text + repr(given)
