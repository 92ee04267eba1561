"""The support table says how the code is: each of its rows is looked up, or tried."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.spec.sinks import SINKS
from kafkastream.cdc.spec.sources import SOURCES
from kafkastream.common import Duration, JobClient, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    FlinkKafkaProducer,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.avro import AvroRowDeserializationSchema, AvroRowSerializationSchema
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from kafkastream.datastream.state import StateTtlConfig
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.kafka.properties import client_properties, producer_properties, transactional_properties
from kafkastream.kafka.untranslated import LOOK_UPS, SINK, untranslated
from kafkastream.model.common.types import RowTypeInfo, TypeInformation
from kafkastream.model.connectors.kafka_sink import ON_EXPIRED_MARKER
from kafkastream.options.job import JOB_OPTIONS
from kafkastream.options.metrics import METRIC_OPTIONS
from kafkastream.options.table_config import TABLE_OPTIONS
from kafkastream.spark.checkpoint.source_options import source_options
from kafkastream.sql.connectors import CONNECTORS
from kafkastream.sql.connectors.filesystem import FILE_FORMATS
from kafkastream.sql.formats import FORMATS
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.table import (
    DataTypes,
    EnvironmentSettings,
    Schema,
    StreamTableEnvironment,
    TableEnvironment,
    TableResult,
)
from kafkastream.table.session.statements import Interpreter
from kafkastream.table.udf import AggregateFunction, FunctionContext, udaf, udf, udtf
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "support.md"
HEADING = re.compile(r"^## (.*)$")
ROW = re.compile(r"^\| (?P<names>`.*?`) \| (?P<status>[a-z ]+) \| (?P<note>.*?)\|$")
COLUMN = re.compile(r"^\| (?P<column>[A-Z][\w ]*) \| Status \| Note \|$")
THERE = {"works", "differs", "no effect"}
ABSENT = {"not yet", "refused"}


@attrs.frozen
class Row:
    """One name of a row of the page."""

    module: str
    column: str
    name: str
    status: str
    note: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" if self.column == "Name" else f"{self.column} {self.name}"

    @property
    def is_call(self) -> bool:
        return self.name.endswith(")")

    def look_up(self) -> Any:
        names = self.name.partition("(")[0].split(".")
        return reduce(getattr, names, importlib.import_module(self.module))


def rows() -> Iterator[Row]:
    module = column = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.match(line):
            module = heading[1].strip("`")
        elif header := COLUMN.match(line):
            column = header["column"]
        elif row := ROW.match(line):
            for name in re.findall(r"`(.+?)`", row["names"]):
                yield Row(module, column, name, row["status"], row["note"])


ROWS = tuple(rows())
NAMES = [row for row in ROWS if row.column == "Name"]
NOT_THERE = [row for row in NAMES if row.status in ABSENT and not row.is_call and "Error`" not in row.note]
TRIED = [row for row in NAMES if row.status in ABSENT and row not in NOT_THERE]


def write_exactly_once(servers: str, topic: str) -> None:
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic)
    builder = KafkaSink.builder().set_bootstrap_servers(servers).set_transactional_id_prefix("support")
    builder.set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
    sink = builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection(["a"], Types.STRING()).sink_to(sink)
    env.execute()


def stop_with_savepoint() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection(["a"], Types.STRING()).print()
    client: JobClient = env.execute_async()
    client.get_job_execution_result().result(60)
    with pytest.raises(UnsupportedFeatureError):
        client.trigger_savepoint()
    client.stop_with_savepoint(True)


new_environment = StreamExecutionEnvironment.get_execution_environment


def new_tables() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def add_python_archive() -> None:
    env = new_environment()
    env.add_python_archive("data.zip")
    env.from_elements("a").print()
    env.execute()


def row_of(field: TypeInformation[Any]) -> RowTypeInfo:
    return Types.ROW_NAMED(["a"], [field])


def stream_of_another_form() -> None:
    t_env = StreamTableEnvironment.create()
    t_env.to_changelog_stream(t_env.sql_query("SELECT 1 AS id"), Schema.new_builder().column("id", "BIGINT").build())


ATTEMPTS: dict[str, Callable[[str, str], object]] = {
    "KafkaSinkBuilder.set_delivery_guarantee(EXACTLY_ONCE)": write_exactly_once,
    "DeliveryGuarantee.EXACTLY_ONCE": write_exactly_once,
    "KafkaRecordSerializationSchemaBuilder.set_kafka_value_serializer(AnotherClass)": lambda *_: (
        KafkaRecordSerializationSchema.builder()
        .set_topic("t")
        .set_kafka_value_serializer("io.confluent.kafka.serializers.KafkaAvroSerializer")
    ),
    "FlinkKafkaProducer.set_log_failures_only(True)": lambda servers, topic: FlinkKafkaProducer(
        topic, SimpleStringSchema(), {"bootstrap.servers": servers}
    ).set_log_failures_only(True),
    "Types.POJO(class)": lambda *_: Types.POJO(object),
    "Types.ENUM(class)": lambda *_: Types.ENUM(object),
    "JobClient.stop_with_savepoint(drain)": lambda *_: stop_with_savepoint(),
    "StateTtlConfig.get_cleanup_strategies()": lambda *_: (
        StateTtlConfig.new_builder(Time.days(1)).build().get_cleanup_strategies()
    ),
    "KafkaRecordDeserializationSchema.value_only(AnotherClass)": lambda *_: KafkaRecordDeserializationSchema.value_only(
        "io.confluent.kafka.serializers.KafkaAvroDeserializer"
    ),
    "JsonRowDeserializationSchemaBuilder.type_info(INSTANT, TUPLE, PICKLED_BYTE_ARRAY)": lambda *_: (
        JsonRowDeserializationSchema.builder().type_info(row_of(Types.TUPLE([Types.INT()]))).build()
    ),
    "JsonRowSerializationSchemaBuilder.with_type_info(MAP or LIST of ROW, SQL_TIME, SQL_TIMESTAMP)": lambda *_: (
        JsonRowSerializationSchema.builder().with_type_info(row_of(Types.LIST(row_of(Types.INT())))).build()
    ),
    "StreamExecutionEnvironment.add_python_archive(archive)": lambda *_: add_python_archive(),
    "StreamExecutionEnvironment.read_text_file(path)": lambda *_: new_environment().read_text_file("/data/lines.txt"),
    "StreamExecutionEnvironment.socket_text_stream(host, port)": lambda *_: new_environment().socket_text_stream(
        "localhost", 9999
    ),
    "StreamExecutionEnvironment.create_input(format)": lambda *_: new_environment().create_input(object()),
    "DataStream.cache()": lambda *_: new_environment().from_elements(1).cache(),
    "DataStream.partition_custom(…)": lambda *_: new_environment().from_elements(1).partition_custom(max, str),
    "AvroRowDeserializationSchema(record_class)": lambda *_: AvroRowDeserializationSchema("com.example.Order"),
    "AvroRowSerializationSchema(record_class)": lambda *_: AvroRowSerializationSchema("com.example.Order"),
    "EnvironmentSettings.in_batch_mode()": lambda *_: EnvironmentSettings.in_batch_mode(),
    "DataTypes.NULL()": lambda *_: DataTypes.NULL(),
    "StreamTableEnvironment.to_changelog_stream(target_schema)": lambda *_: stream_of_another_form(),
    "FunctionContext.get_metric_group()": lambda *_: FunctionContext().get_metric_group(),
    "TableEnvironment.create_java_function": lambda *_: new_tables().create_java_function("f", "com.example.F"),
    "TableEnvironment.create_java_temporary_function": lambda *_: new_tables().create_java_temporary_function(
        "f", "com.example.F"
    ),
    "TableEnvironment.create_java_temporary_system_function": lambda *_: (
        new_tables().create_java_temporary_system_function("f", "com.example.F")
    ),
    "TableEnvironment.load_module": lambda *_: new_tables().load_module("hive", object()),
    "TableEnvironment.unload_module": lambda *_: new_tables().unload_module("core"),
}


class Spread(AggregateFunction):
    """Difference of the greatest and the least amount."""

    def create_accumulator(self) -> list[object]:
        return []

    def accumulate(self, accumulator: list[object], *args: object) -> None:
        accumulator.extend(args)

    def get_value(self, accumulator: list[object]) -> object:
        return len(accumulator)


shop = ModuleType("shop")
"""The module of the functions that the page calls."""
vars(shop).update(
    discount=udf(lambda amount: amount, result_type="DOUBLE"),
    words=udf(str.split, result_type="ARRAY<STRING>"),
    parts=udtf(str.split, result_types=["STRING"]),
    spread=udaf(Spread(), result_type="DECIMAL(10, 2)", accumulator_type="ARRAY<DECIMAL(10, 2)>"),
    dice=udf(hash, result_type="BIGINT", deterministic=False),
)
sys.modules[shop.__name__] = shop

KAFKA_TABLE = "WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092', {})"
TABLES = f"""
    CREATE TABLE orders (
      id BIGINT, customer STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3), pt AS PROCTIME(), tags ARRAY<STRING>,
      WATERMARK FOR ts AS ts
    ) {KAFKA_TABLE.format("'format' = 'json'")};
    CREATE TABLE payments (id BIGINT, order_id BIGINT, paid DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
      {KAFKA_TABLE.format("'format' = 'json'")};
    CREATE TABLE customers (
      name STRING, city STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (name) NOT ENFORCED
    ) WITH (
      'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092',
      'key.format' = 'json', 'value.format' = 'json'
    );
    CREATE CATALOG shop WITH ('type' = 'kafka', 'properties.bootstrap.servers' = 'localhost:9092', 'format' = 'json');
    CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print');
    CREATE FUNCTION discount AS 'shop.discount' LANGUAGE PYTHON;
    CREATE FUNCTION words AS 'shop.words' LANGUAGE PYTHON;
    CREATE FUNCTION dice AS 'shop.dice' LANGUAGE PYTHON;
    CREATE FUNCTION parts AS 'shop.parts' LANGUAGE PYTHON;
    CREATE FUNCTION spread AS 'shop.spread' LANGUAGE PYTHON;
"""


def carry_out(statement: str) -> None:
    """Carry out a statement of SQL, but for its job."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    interpreter = Interpreter(t_env._planner, lambda _: TableResult.ok(), lambda _: TableResult.ok())
    for one in (*parse(TABLES), parse_one(statement)):
        interpreter.execute(one)


def camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def test_every_row_is_read() -> None:
    own, _, _ = PAGE.read_text(encoding="utf-8").partition("<!-- Made by tests/docs/test_stand_ins.py -->")
    lines = own.splitlines()
    assert len([line for line in lines if line.startswith("| `")]) == len([line for line in lines if ROW.match(line)])
    assert {row.status for row in ROWS} == THERE | ABSENT


def test_no_name_stands_twice() -> None:
    names = [str(row) for row in ROWS]
    assert [name for name in set(names) if names.count(name) > 1] == []


@pytest.mark.parametrize("row", [row for row in NAMES if row.status in THERE], ids=str)
def test_what_works_is_there_in_both_spellings(row: Row) -> None:
    found = row.look_up()
    owner_name, _, method = row.name.rpartition(".")
    if owner_name and method.islower():
        owner = attrs.evolve(row, name=owner_name).look_up()
        assert getattr(owner, camel_case(method)) == found


@pytest.mark.parametrize("row", NOT_THERE, ids=str)
def test_what_is_not_yet_there_has_no_name(row: Row) -> None:
    with pytest.raises((AttributeError, ImportError)):
        row.look_up()


@pytest.mark.parametrize("row", TRIED, ids=str)
def test_what_raises_does(row: Row, kafka: KafkaBroker, topic: str, spark: SparkSession) -> None:
    row.look_up()
    with pytest.raises(UnsupportedFeatureError):
        ATTEMPTS[row.name](kafka.bootstrap_servers, topic)


@pytest.mark.parametrize("row", [row for row in ROWS if row.column == "Key"], ids=str)
def test_configuration_key_is_an_option(row: Row) -> None:
    assert row.name in {key for option in (*JOB_OPTIONS, *METRIC_OPTIONS, *TABLE_OPTIONS) for key in option.keys}


@pytest.mark.parametrize("row", [row for row in ROWS if row.column in {"Statement", "Query"}], ids=str)
def test_statement_is_as_the_page_says(row: Row, spark: SparkSession) -> None:
    if row.status in ABSENT:
        with pytest.raises(UnsupportedFeatureError):
            carry_out(row.name)
    else:
        carry_out(row.name)


def test_all_connectors_and_formats_are_on_the_page() -> None:
    assert {row.name for row in ROWS if row.column == "Connector"} == set(CONNECTORS)
    assert {row.name for row in ROWS if row.column == "Format"} == {*FORMATS, *FILE_FORMATS}


@pytest.mark.parametrize(("part", "known"), [("source", SOURCES), ("sink", SINKS)], ids=["sources", "sinks"])
def test_all_sources_and_sinks_of_pipelines_are_on_the_page(part: str, known: Mapping[str, object]) -> None:
    told = {row.name: row.status for row in ROWS if row.column == f"Pipeline {part}"}
    assert {name for name, status in told.items() if status in THERE} == set(known)
    others = {"source": "{type: values, tables: CREATE TABLE t (id INT)}", "sink": "{type: print}"}
    for name in (name for name, status in told.items() if status in ABSENT):
        text = "".join(f"{key}: {value}\n" for key, value in {**others, part: f"{{type: {name}}}"}.items())
        with pytest.raises(UnsupportedFeatureError):
            read_document(text, "page", Variables({}, {}))


def test_metrics_of_flink_are_those_of_the_page(kafka: KafkaBroker, new_topic: NewTopic, spark: SparkSession) -> None:
    topic, target = new_topic(), new_topic()
    kafka.produce(topic, ["a"])
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    bounded = builder.set_bounded(KafkaOffsetsInitializer.latest())
    records = KafkaRecordSerializationSchema.builder().set_topic(target)
    sink = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap_servers)
    sink.set_record_serializer(records.set_value_serialization_schema(SimpleStringSchema()).build())
    source = bounded.set_value_only_deserializer(SimpleStringSchema()).build()
    env = StreamExecutionEnvironment.get_execution_environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_watermark_alignment("in", Duration.of_seconds(1))
    stream = env.from_source(source, strategy, "in")
    sink.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix("page")
    stream.map(str.upper, Types.STRING()).sink_to(sink.build())
    windows = stream.key_by(str).window(TumblingEventTimeWindows.of(Time.seconds(1)))
    windows.reduce(lambda one, other: one + other).print()
    metrics = env.execute().get_metrics().metrics
    place = f"topic.{topic}.partition.0"
    found = {metric.path.replace(place, "topic.<topic>.partition.<partition>") for metric in metrics}
    assert found == {row.name for row in ROWS if row.column == "Metric" and row.status in THERE}


@pytest.mark.parametrize("row", [row for row in ROWS if row.column == "Property of a source"], ids=str)
def test_property_of_a_source_is_an_exception(row: Row) -> None:
    value = {"key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer"}
    value["value.deserializer"] = value["key.deserializer"]
    numbers = {"partition.discovery.interval.ms": "1"}
    given = {row.name: value.get(row.name, numbers.get(row.name, "true"))}
    builder = KafkaSource.builder().set_bootstrap_servers("localhost:9092").set_topics("t").set_group_id("g")
    source = builder.set_properties(given).set_value_only_deserializer(SimpleStringSchema()).build()
    reaches_spark = f"kafka.{row.name}" in source_options(source, {})
    assert reaches_spark == (row.status == "not yet")


@pytest.mark.parametrize("row", [row for row in ROWS if row.column == "Property of a sink"], ids=str)
def test_property_of_a_sink_is_as_the_page_says(row: Row) -> None:
    given = {"bootstrap.servers": "localhost:9092"}
    if row.status in ABSENT:
        with pytest.raises(UnsupportedFeatureError):
            producer_properties({**given, row.name: "mine"})
    else:
        value = {"acks": "1", "enable.idempotence": "false", "max.in.flight.requests.per.connection": "3"}
        changes = producer_properties({**given, row.name: value.get(row.name, "7000")}) != producer_properties(given)
        assert changes == (row.status == "works")


@pytest.mark.parametrize("row", [row for row in ROWS if row.column == "Property of an EXACTLY_ONCE sink"], ids=str)
def test_property_of_an_exactly_once_sink_is_as_the_page_says(row: Row) -> None:
    given = {"bootstrap.servers": "localhost:9092"}
    if row.status in ABSENT:
        with pytest.raises(DefinitionError, match=re.escape(row.name)):
            transactional_properties({**given, row.name: "mine"})
    elif row.name == ON_EXPIRED_MARKER:
        with pytest.raises(DefinitionError, match="fail, replay, skip"):
            KafkaSink.builder().set_property(row.name, "mine").build()
    else:
        assert transactional_properties({**given, row.name: "7000"}) != transactional_properties(given)


@pytest.mark.parametrize("row", [row for row in ROWS if row.column == "Property of security"], ids=str)
def test_property_of_security_is_as_the_page_says(row: Row) -> None:
    given = {row.name: "org.example.Mine"}
    if row.status in ABSENT:
        jaas = "PlainLoginModule required username=u password=p;"
        secured = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}
        for translate in (client_properties, producer_properties):
            assert translate({"bootstrap.servers": "localhost:9092", **secured})
            with pytest.raises(UnsupportedFeatureError, match=re.escape(row.name)):
                translate({"bootstrap.servers": "localhost:9092", **secured, **given})
    else:
        for client in (LOOK_UPS, SINK):
            assert list(untranslated(given, client, ())) == ([row.name] if row.status == "differs" else [])
