"""Tables of the connector ``kafka``: their options become the specs that the builders of the DataStream door make."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kafkastream.model.connectors.kafka_sink import (
    DeliveryGuarantee,
    KafkaSink,
    KafkaSinkBuilder,
    TransactionNamingStrategy,
)
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner
from kafkastream.model.connectors.record_serialization import KafkaSinkContext, ProducerRecord
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, kafka_sink, kafka_source, sink_of, source_of
from kafkastream.sql.connectors.header_filter import header_filter
from kafkastream.sql.connectors.records import RecordsAsEncoded, RecordsAsRead
from kafkastream.sql.formats import AvroConfluentFormat, CsvFormat, DebeziumJsonFormat, JsonFormat
from kafkastream.sql.table import Column, ComputedColumn, Expression, TableDefinition
from kafkastream.sql.types import DataType, Kind
from tests.unit.sql.tables import BIGINT, INT, STRING, metadata, only_options, physical, table

KAFKA = {"connector": "kafka", "properties.bootstrap.servers": "k:9092", "topic": "orders", "format": "json"}
GROUP = "KafkaSource-default_catalog.default_database.orders"
DISCOVERY = "partition.discovery.interval.ms"
SourceStep = Callable[[KafkaSourceBuilder[Any]], Any]
SinkStep = Callable[[KafkaSinkBuilder[Any]], Any]


def read(options: Mapping[str, str]) -> KafkaTableSource:
    return kafka_source(table({**KAFKA, **options}))


def write(options: Mapping[str, str]) -> KafkaTableSink:
    return kafka_sink(table({**KAFKA, **options}))


def group_offsets(strategy: OffsetResetStrategy = OffsetResetStrategy.NONE) -> SourceStep:
    return lambda builder: builder.set_starting_offsets(OffsetsInitializer.committed_offsets(strategy))


def starts(initializer: OffsetsInitializer) -> SourceStep:
    return lambda builder: builder.set_starting_offsets(initializer)


def ends(initializer: OffsetsInitializer) -> SourceStep:
    return lambda builder: builder.set_bounded(initializer)


def has(key: str, value: str) -> SourceStep:
    return lambda builder: builder.set_property(key, value)


def built_source(*steps: SourceStep) -> KafkaSource[Any]:
    builder = KafkaSource.builder().set_bootstrap_servers("k:9092").set_group_id(GROUP)
    for step in (group_offsets(), *steps):
        step(builder)
    return builder.set_deserializer(RecordsAsRead()).build()


TO_TOPIC: list[tuple[dict[str, str], list[SourceStep]]] = [
    ({}, []),
    ({"topic": "a;b"}, [lambda builder: builder.set_topics("a", "b")]),
    ({"properties.group.id": "g"}, [has("group.id", "g")]),
    ({"properties.isolation.level": "read_committed"}, [has("isolation.level", "read_committed")]),
    ({"properties.allow.auto.create.topics": "false"}, [has("allow.auto.create.topics", "false")]),
    ({"scan.startup.mode": "earliest-offset"}, [starts(OffsetsInitializer.earliest())]),
    ({"scan.startup.mode": "latest-offset"}, [starts(OffsetsInitializer.latest())]),
    ({"scan.startup.mode": "group-offsets"}, []),
    ({"properties.auto.offset.reset": "earliest"}, [group_offsets(OffsetResetStrategy.EARLIEST)]),
    ({"properties.auto.offset.reset": "Latest"}, [group_offsets(OffsetResetStrategy.LATEST)]),
    ({"properties.auto.offset.reset": "none"}, []),
    (
        {"scan.startup.mode": "latest-offset", "properties.auto.offset.reset": "earliest"},
        [starts(OffsetsInitializer.latest())],
    ),
    (
        {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "1655395200000"},
        [starts(OffsetsInitializer.timestamp(1655395200000))],
    ),
    (
        {
            "scan.startup.mode": "specific-offsets",
            "scan.startup.specific-offsets": "partition:0,offset:42;partition:1,offset:300",
        },
        [starts(OffsetsInitializer.offsets({TopicPartition("orders", 0): 42, TopicPartition("orders", 1): 300}))],
    ),
    ({"scan.bounded.mode": "unbounded"}, []),
    ({"scan.bounded.mode": "latest-offset"}, [ends(OffsetsInitializer.latest())]),
    ({"scan.bounded.mode": "group-offsets"}, [ends(OffsetsInitializer.committed_offsets())]),
    (
        {"scan.bounded.mode": "timestamp", "scan.bounded.timestamp-millis": "7"},
        [ends(OffsetsInitializer.timestamp(7))],
    ),
    (
        {"scan.bounded.mode": "specific-offsets", "scan.bounded.specific-offsets": "partition:0,offset:42;"},
        [ends(OffsetsInitializer.offsets({TopicPartition("orders", 0): 42}))],
    ),
    ({"scan.topic-partition-discovery.interval": "10 s"}, [has(DISCOVERY, "10000")]),
    ({"scan.topic-partition-discovery.interval": "-1"}, [has(DISCOVERY, "-1")]),
    ({"properties.partition.discovery.interval.ms": "7"}, [has(DISCOVERY, "300000")]),
    ({"properties.value.deserializer": "com.example.Own"}, []),
]


@pytest.mark.parametrize(("options", "steps"), TO_TOPIC, ids=only_options)
def test_source_is_that_of_the_builder(options: dict[str, str], steps: list[SourceStep]) -> None:
    topics: list[SourceStep] = [] if "topic" in options else [lambda builder: builder.set_topics("orders")]
    assert read(options).source == built_source(*topics, *steps)


def test_topic_pattern() -> None:
    options = {key: value for key, value in KAFKA.items() if key != "topic"}
    pattern = kafka_source(table({**options, "topic-pattern": "test-topic-[0-9]"}))
    assert pattern.source == built_source(lambda builder: builder.set_topic_pattern("test-topic-[0-9]"))


@pytest.mark.parametrize(("options", "checks"), [({"scan.check.duplicated.group.id": "true"}, True), ({}, False)])
def test_the_group_may_be_checked(options: dict[str, str], checks: bool) -> None:
    assert kafka_source(table({**KAFKA, **options})).source.checks_duplicated_group == checks


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        ({"scan.parallelism": "4"}, "parallelism", 4),
        ({}, "parallelism", None),
        (
            {"scan.header-filter": "depart:toy|depart:book&!env:test"},
            "header_filter",
            header_filter("depart:toy|depart:book&!env:test"),
        ),
        ({}, "header_filter", None),
        ({}, "changelog", ChangelogMode.APPEND),
        ({"format": "debezium-json"}, "changelog", ChangelogMode.RETRACT),
    ],
    ids=only_options,
)
def test_what_a_table_adds_to_its_source(options: dict[str, str], name: str, value: object) -> None:
    assert getattr(read(options), name) == value


class First(KafkaPartitioner[ProducerRecord]):
    """The first partition, and what it was opened with."""

    def open(self, parallel_instance_id: int, parallel_instances: int) -> None:
        self.subtask = parallel_instance_id

    def partition(
        self, record: ProducerRecord, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        return partitions[self.subtask]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, First)

    __hash__ = None  # type: ignore[assignment]


def built_sink(
    *steps: SinkStep, topics: tuple[str, ...] = ("orders",), partitioner: KafkaPartitioner[Any] | None = None
) -> KafkaSink[Any]:
    builder = KafkaSink.builder().set_bootstrap_servers("k:9092")
    for step in (guarantees(DeliveryGuarantee.AT_LEAST_ONCE), *steps):
        step(builder)
    return builder.set_record_serializer(RecordsAsEncoded(topics, partitioner)).build()


def guarantees(guarantee: DeliveryGuarantee) -> SinkStep:
    return lambda builder: builder.set_delivery_guarantee(guarantee)


def prefix(text: str) -> SinkStep:
    return lambda builder: builder.set_transactional_id_prefix(text)


EXACTLY_ONCE = {"sink.delivery-guarantee": "exactly-once", "sink.transactional-id-prefix": "p"}


@pytest.mark.parametrize(
    ("options", "sink"),
    [
        ({}, built_sink()),
        ({"properties.acks": "1"}, built_sink(lambda builder: builder.set_property("acks", "1"))),
        ({"properties.group.id": "g", "properties.auto.offset.reset": "latest"}, built_sink()),
        ({"sink.partitioner": "default"}, built_sink()),
        ({"sink.partitioner": "round-robin"}, built_sink()),
        ({"sink.partitioner": "fixed"}, built_sink(partitioner=FlinkFixedPartitioner())),
        ({"sink.partitioner": f"{__name__}:First"}, built_sink(partitioner=First())),
        ({"sink.delivery-guarantee": "none"}, built_sink(guarantees(DeliveryGuarantee.NONE))),
        ({"sink.delivery-guarantee": "at-least-once"}, built_sink()),
        (EXACTLY_ONCE, built_sink(guarantees(DeliveryGuarantee.EXACTLY_ONCE), prefix("p"))),
        ({"sink.semantic": "none"}, built_sink(guarantees(DeliveryGuarantee.NONE))),
        ({"sink.semantic": "none", **EXACTLY_ONCE}, built_sink(guarantees(DeliveryGuarantee.NONE), prefix("p"))),
        (
            {**EXACTLY_ONCE, "sink.transaction-naming-strategy": "pooling"},
            built_sink(
                guarantees(DeliveryGuarantee.EXACTLY_ONCE),
                prefix("p"),
                lambda builder: builder.set_transaction_naming_strategy(TransactionNamingStrategy.POOLING),
            ),
        ),
    ],
    ids=only_options,
)
def test_sink_is_that_of_the_builder(options: dict[str, str], sink: KafkaSink[Any]) -> None:
    assert write(options).sink == sink


def test_parallelism_of_a_sink() -> None:
    assert (write({"sink.parallelism": "3"}).parallelism, write({}).parallelism) == (3, None)


def test_several_topics_need_a_column_that_says_where_rows_go() -> None:
    columns = (physical("id"), metadata("topic", STRING))
    sink = kafka_sink(table({**KAFKA, "topic": "a;b"}, columns))
    assert sink.sink == built_sink(topics=("a", "b"))
    assert [field.column.key for field in sink.metadata] == ["topic"]


def test_records_go_where_they_may() -> None:
    context = KafkaSinkContext(1, 2, lambda topic: [0, 1])
    schema = RecordsAsEncoded(("a", "b"), First())
    schema.open(None, context)  # type: ignore[arg-type]  # the context is not looked at
    assert schema.topic is None
    assert schema.serialize(ProducerRecord("b", b"v"), context, None) == ProducerRecord("b", b"v", partition=1)
    assert RecordsAsEncoded(("a",)).serialize(ProducerRecord("a", b"v"), context, None).partition is None
    with pytest.raises(ValueError, match=r"Expected topic to be in: \[a, b\] but was: c"):
        schema.serialize(ProducerRecord("c", b"v"), context, None)


VERSIONS: list[Column] = [
    physical("k_version", INT),
    physical("k_user_id", BIGINT),
    physical("k_item_id", BIGINT),
    physical("version", INT),
    physical("behavior"),
]
USERS: list[Column] = [metadata("ts", DataType.of(Kind.TIMESTAMP, 3), "timestamp"), physical("user_id", BIGINT)]
USERS += [physical("item_id", BIGINT), physical("behavior"), ComputedColumn("half", Expression("item_id / 2"))]
KEYED = {
    "key.format": "json",
    "key.json.ignore-parse-errors": "true",
    "value.json.fail-on-missing-field": "false",
}


@pytest.mark.parametrize(
    ("columns", "options", "key", "value"),
    [
        (USERS, {}, None, "ROW<`user_id` BIGINT, `item_id` BIGINT, `behavior` STRING>"),
        (
            USERS,
            {**KEYED, "key.fields": "item_id;user_id", "value.fields-include": "ALL"},
            "ROW<`item_id` BIGINT, `user_id` BIGINT>",
            "ROW<`user_id` BIGINT, `item_id` BIGINT, `behavior` STRING>",
        ),
        (
            VERSIONS,
            {
                **KEYED,
                "key.fields-prefix": "k_",
                "key.fields": "k_version;k_user_id;k_item_id",
                "value.fields-include": "EXCEPT_KEY",
            },
            "ROW<`version` INT, `user_id` BIGINT, `item_id` BIGINT>",
            "ROW<`version` INT, `behavior` STRING>",
        ),
        (
            [physical("key_id", INT.not_null()), physical("val_name", DataType.of(Kind.VARCHAR, 200))],
            {
                **KEYED,
                "key.fields": "key_id",
                "key.fields-prefix": "key_",
                "value.fields-prefix": "val_",
                "value.fields-include": "EXCEPT_KEY",
            },
            "ROW<`id` INT NOT NULL>",
            "ROW<`name` VARCHAR(200)>",
        ),
    ],
)
def test_key_and_value_have_their_columns(
    columns: list[Column], options: dict[str, str], key: str | None, value: str
) -> None:
    definition = table({**KAFKA, **options}, columns)
    parts = kafka_source(definition)
    assert (parts.key and str(parts.key.row_type)) == key
    assert str(parts.value.row_type) == value
    sink = kafka_sink(definition)
    assert (sink.key, sink.value) == (parts.key, parts.value)


def test_a_field_knows_its_column() -> None:
    options = {"key.format": "csv", "key.fields": "behavior;version"}
    key = kafka_source(table({**KAFKA, **options}, VERSIONS)).key
    assert key is not None
    assert [(field.index, field.column, field.name) for field in key.fields] == [
        (4, "behavior", "behavior"),
        (3, "version", "version"),
    ]


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        ({"json.ignore-parse-errors": "true"}, None, JsonFormat(ignore_parse_errors=True)),
        ({"value.json.ignore-parse-errors": "true"}, None, JsonFormat(ignore_parse_errors=True)),
        ({"format": "csv", "csv.field-delimiter": ";"}, None, CsvFormat(field_delimiter=";")),
        (
            {
                "key.format": "csv",
                "key.fields": "id",
                "key.csv.field-delimiter": "|",
                "value.format": "json",
                "value.json.fail-on-missing-field": "true",
            },
            CsvFormat(field_delimiter="|"),
            JsonFormat(fail_on_missing_field=True),
        ),
        (
            {"value.format": "json", "json.fail-on-missing-field": "true"},
            None,
            JsonFormat(fail_on_missing_field=True),
        ),
        ({"format": "debezium-json"}, None, DebeziumJsonFormat()),
    ],
    ids=only_options,
)
def test_formats_and_their_options(options: dict[str, str], key: object, value: object) -> None:
    parts = read(options)
    assert (parts.key and parts.key.format, parts.value.format) == (key, value)


def test_a_registry_has_the_topic_as_subject() -> None:
    url = "avro-confluent.url"
    options = {"key.format": "avro-confluent", "key.fields": "id", "format": "avro-confluent"}
    urls = {f"key.{url}": "http://key:8081", url: "http://value:8081"}
    sink = write({**options, **urls})
    assert sink.key is not None
    assert sink.key.format == AvroConfluentFormat(url="http://key:8081", subject="orders-key")
    assert sink.value.format == AvroConfluentFormat(url="http://value:8081", subject="orders-value")
    given = write({"format": "avro-confluent", url: "http://value:8081", "avro-confluent.subject": "own"}).value.format
    assert given == AvroConfluentFormat(url="http://value:8081", subject="own")
    assert read({"format": "avro-confluent", url: "http://r"}).value.format == AvroConfluentFormat(url="http://r")


def test_value_format_goes_before_format(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        assert read({"format": "json", "value.format": "csv"}).value.format == CsvFormat()
    assert "option 'format', line 13, column 3: no effect, since there is 'value.format'" in caplog.text
    caplog.clear()
    assert read({"format": "json", "value.format": "json"}).value.format == JsonFormat()
    assert caplog.text == ""


POSITION = (metadata("part", BIGINT, "partition", is_virtual=True), metadata("offset", INT, is_virtual=True))


def test_a_primary_key_may_be_the_position() -> None:
    definition = table(KAFKA, (*POSITION, physical("id")), primary_key=("part", "offset"))
    assert kafka_source(definition).changelog is ChangelogMode.APPEND
    assert kafka_sink(definition).metadata == ()


def test_changes_have_a_primary_key() -> None:
    definition = table({**KAFKA, "format": "canal-json"}, primary_key=("id",))
    assert kafka_source(definition).changelog is kafka_sink(definition).changelog is ChangelogMode.RETRACT


def test_relocated_classes_are_kafkas_own() -> None:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";'
    options = {"properties.sasl.jaas.config": f"org.apache.flink.kafka.shaded.{login}"}
    assert read(options).source.properties["sasl.jaas.config"] == login
    assert write(options).sink.properties["sasl.jaas.config"] == login
    assert "password" not in repr(read(options))


def test_what_only_a_vendor_has_is_ignored_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    options = {
        "properties.connector.auth.open": "true",
        "properties.connector.kerberos.principal": "u",
        "properties.connector.kerberos.krb5": "obs://xx/krb5.conf",
        "properties.connector.kerberos.keytab": "obs://xx/user.keytab",
        "aliyun.kafka.accessKeyId": "a",
    }
    with caplog.at_level(logging.WARNING, "kafkastream"):
        assert read(options).source == read({}).source
    for key in options:
        assert f"option {key!r}, line" in caplog.text


def test_the_older_guarantee_is_said_to_be_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kafkastream"):
        write({"sink.semantic": "at-least-once"})
    assert "deprecated, please use 'sink.delivery-guarantee'" in caplog.text


def test_by_the_name_of_the_connector() -> None:
    definition = table(KAFKA)
    assert source_of(definition) == kafka_source(definition)
    assert sink_of(definition) == kafka_sink(definition)


@pytest.mark.parametrize("make", [kafka_source, kafka_sink])
def test_tables_are_values(make: Callable[[TableDefinition], object]) -> None:
    definition = table({**KAFKA, "key.format": "csv", "key.fields": "id", "scan.header-filter": "a:b"})
    made = make(definition)
    assert pickle.loads(pickle.dumps(made)) == made == make(definition)
    assert hash(made) == hash(make(definition))


def test_values_in_the_environment_are_read_when_the_table_is_used() -> None:
    definition = table({**KAFKA, "properties.ssl.key.password": "${env:PW}", "topic": "${env:TOPIC}-1"})
    made = source_of(definition, {"PW": "hunter2", "TOPIC": "t"})
    assert isinstance(made, KafkaTableSource)
    assert made.source.properties["ssl.key.password"] == "hunter2"
    assert str(made.source.subscription) == "topics t-1"
    assert "hunter2" not in repr(made) + repr(definition)
