"""The examples run by ``kafkastream run``, and write what they say; test_readme.py starts a job in each of the three ways."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
import pytest

from kafkastream import cli
from kafkastream.datastream.formats.avro import ConfluentRegistryAvroDeserializationSchema
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.groups import Group
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.session.master import is_cluster
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record
from kafkastream.testing.postgres import PostgresDatabase
from kafkastream.testing.pytest_plugin import NewTopic
from kafkastream.testing.registry import EmbeddedSchemaRegistry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[2] / "examples"
TIME_MS = round(time.time() * 1000) - 60_000  # not long ago, or the broker's retention deletes the records


class RunHere(Protocol):
    """Runs an example by ``kafkastream run``, in this process: a JVM of its own takes a while to start."""

    def __call__(self, example: str, kafka: KafkaBroker, topics: tuple[str, str], *more: str) -> None:
        """Run it to its end."""
        ...


@pytest.fixture
def checkpoints_on_cluster(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """A checkpoint directory for the jobs, without which a cluster refuses them: ``tests/cluster`` runs them on one."""
    if is_cluster(str(spark.sparkContext.master)):
        spark.conf.set("spark.sql.streaming.checkpointLocation", tmp_path.as_uri())
    yield
    spark.conf.unset("spark.sql.streaming.checkpointLocation")


@pytest.fixture
def run_here(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, checkpoints_on_cluster: None) -> RunHere:
    def run(example: str, kafka: KafkaBroker, topics: tuple[str, str], *more: str) -> None:
        monkeypatch.setattr(sys, "argv", [])
        monkeypatch.setattr(sys, "path", list(sys.path))
        script = [str(EXAMPLES / example), "--bootstrap-servers", kafka.bootstrap_servers]
        arguments = ["run", *script, "--input", topics[0], "--output", topics[1], *more]
        cli.main(arguments, prog_name="kafkastream", standalone_mode=False)

    return run


def values(kafka: KafkaBroker, topic: str) -> list[bytes | None]:
    return [record.value for record in kafka.consume(topic)]


@pytest.fixture
def topics(new_topic: NewTopic) -> tuple[str, str]:
    return new_topic(), new_topic()


def test_filter_orders(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    kafka.produce(topics[0], ['{"real_pay": "99.99"}', '{"real_pay": "100.00"}'])
    run_here("filter_orders.py", kafka, topics)
    assert values(kafka, topics[1]) == [b'{"real_pay": "100.00"}']


def test_split_words(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    kafka.produce(topics[0], ["to be or", "not to be"])
    run_here("split_words.py", kafka, topics)
    assert values(kafka, topics[1]) == [b"to", b"be", b"or", b"not", b"to", b"be"]


def test_copy_topic(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    kafka.produce(topics[0], [Record("as it is", timestamp_ms=TIME_MS)])
    run_here("copy_topic.py", kafka, topics)
    copied = [(record.value, record.timestamp_ms) for record in kafka.consume(topics[1])]
    assert copied == [(b"as it is", TIME_MS)]


STARTS = {
    "earliest": ["0", "1", "2", "3"],
    "latest": [],
    f"timestamp={TIME_MS + 3}": ["3"],
    "offsets=2": ["2", "3"],
    "committed": ["1", "2", "3"],
}


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.partition("=")[0])
def test_starting_positions_by_kafkastream_run(
    run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str], start: str
) -> None:
    kafka.produce(topics[0], [Record(str(i), timestamp_ms=TIME_MS + i) for i in range(4)])
    group = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "starting-positions"}
    partition = TopicPartition(topics[0], 0)
    Group(group).commit({partition: 1})
    run_here("starting_positions.py", kafka, topics, "--start", start)
    assert values(kafka, topics[1]) == [value.encode() for value in STARTS[start]]
    assert Cluster(group).committed_offsets([partition]) == {partition: 4}


def test_record_metadata_by_kafkastream_run(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    record = Record("v", key="k", headers=[("trace", b"7")], timestamp_ms=TIME_MS)
    kafka.produce(topics[0], [record, Record(None, timestamp_ms=TIME_MS + 1)])
    run_here("record_metadata.py", kafka, topics)
    assert [json.loads(value or b"") for value in values(kafka, topics[1])] == [
        {"partition": 0, "offset": 0, "timestamp": TIME_MS, "key": "k", "headers": {"trace": "7"}},
        {"partition": 0, "offset": 1, "timestamp": TIME_MS + 1, "key": None, "headers": {}},
    ]


def test_secured_copy_by_kafkastream_run(
    run_here: RunHere, secured_kafka: EmbeddedKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = ("secured-copy-in", "secured-copy-out")
    for topic in topics:
        secured_kafka.create_topic(topic)
    secured_kafka.produce(topics[0], ["as it is"])
    store = secured_kafka.certificates.truststore("JKS")
    listener = secured_kafka.listener("SASL_SSL", "SCRAM-SHA-512", user="ann")
    more = ("--user", "ann", "--truststore", store["ssl.truststore.location"])
    monkeypatch.setenv("KAFKA_PASSWORD", "secret of ann")
    monkeypatch.setenv("TRUSTSTORE_PASSWORD", store["ssl.truststore.password"])
    run_here("secured_copy.py", listener, topics, *more)
    assert values(secured_kafka, topics[1]) == [b"AS IT IS"]


def test_exactly_once_copy_by_kafkastream_run(
    run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str], tmp_path: Path
) -> None:
    for value in ("first", "second"):
        kafka.produce(topics[0], [value])
        run_here("exactly_once_copy.py", kafka, topics, "--checkpoints", tmp_path.as_uri())
    assert values(kafka, topics[1]) == [b"FIRST", b"SECOND"]


def test_route_orders_by_kafkastream_run(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    orders = [{"id": 1, "kind": "book", "source": "web"}, {"id": 2, "kind": "toy", "source": "shop"}]
    kafka.produce(topics[0], map(json.dumps, orders))
    kinds = [f"{topics[1]}-{order['kind']}" for order in orders]
    for kind in kinds:
        kafka.create_topic(kind)
    try:
        run_here("route_orders.py", kafka, topics)
        for kind, order in zip(kinds, orders, strict=True):
            (record,) = kafka.consume(kind)
            assert record.key == str(order["id"]).encode()
            assert json.loads(record.value or b"") == order
            assert [(name, value) for name, value in record.headers] == [("source", str(order["source"]).encode())]
    finally:
        for kind in kinds:
            kafka.delete_topic(kind)


def test_dead_letters_by_kafkastream_run(
    run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str], topic: str
) -> None:
    kafka.produce(topics[0], ['{"id": 1, "prices": [3, 4]}', "{", '{"id": 2, "prices": [3000000000]}'])
    run_here("dead_letters.py", kafka, topics, "--dead", topic)
    assert values(kafka, topics[1]) == [b'{"id":1,"total":7}']
    letters = {record.value: dict(record.headers)["kafkastream.error.operator"] for record in kafka.consume(topic)}
    assert letters == {b"{": b"orders", b'{"id": 2, "prices": [3000000000]}': b"totals"}


def test_registry_orders_by_kafkastream_run(run_here: RunHere, kafka: KafkaBroker, topics: tuple[str, str]) -> None:
    kafka.produce(topics[0], ['{"id": 7, "item": "pen"}'])
    with EmbeddedSchemaRegistry() as registry:
        run_here("registry_orders.py", kafka, topics, "--registry", registry.url)
        schema = ConfluentRegistryAvroDeserializationSchema.for_generic(
            '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, '
            '{"name": "item", "type": "string"}]}',
            registry.url,
        )
        (value,) = values(kafka, topics[1])
        assert schema.deserialize(value or b"") == {"id": 7, "item": "pen"}


def told(kafka: KafkaBroker, topic: str) -> list[dict[str, Any]]:
    """What a job has written as JSON, in no order: its keys are in several subtasks."""
    return sorted((json.loads(value or b"") for value in values(kafka, topic)), key=str)


def test_fraud_detection_by_kafkastream_run(
    run_here: RunHere, kafka: KafkaBroker, new_topic: NewTopic, topic: str
) -> None:
    payments = new_topic(partitions=2)

    def paid(account: str, amount: float, second: int) -> Record:
        value = json.dumps({"account": account, "amount": amount})
        return Record(value, partition=account == "bob", timestamp_ms=TIME_MS + second * 1000)

    kafka.produce(payments, [paid("ann", 0.5, 0), paid("bob", 0.5, 1), paid("ann", 600, 60), paid("bob", 600, 62)])
    kafka.produce(payments, [paid("ann", 0.5, 70), paid("ann", 20, 71), paid("ann", 600, 72)])
    run_here("fraud_detection.py", kafka, (payments, topic))
    assert told(kafka, topic) == [{"account": "ann", "amount": 600, "time": TIME_MS + 60_000}]


def test_session_counts_by_kafkastream_run(
    run_here: RunHere, kafka: KafkaBroker, new_topic: NewTopic, topic: str
) -> None:
    clicks = new_topic(partitions=2)

    def clicked(user: str, second: int, partition: int) -> Record:
        value = json.dumps({"user": user, "page": "/"})
        return Record(value, partition=partition, timestamp_ms=TIME_MS + second * 1000)

    kafka.produce(clicks, [clicked("ann", 0, 0), clicked("ann", 40, 0), clicked("ann", 90, 0)])
    kafka.produce(clicks, [clicked("ann", 20, 1), clicked("bob", 5, 1)])
    run_here("session_counts.py", kafka, (clicks, topic))
    assert told(kafka, topic) == [
        {"user": "ann", "first": TIME_MS, "last": TIME_MS + 40_000, "clicks": 3},
        {"user": "ann", "first": TIME_MS + 90_000, "last": TIME_MS + 90_000, "clicks": 1},
        {"user": "bob", "first": TIME_MS + 5_000, "last": TIME_MS + 5_000, "clicks": 1},
    ]


def test_top_items_by_kafkastream_run(run_here: RunHere, kafka: KafkaBroker, new_topic: NewTopic, topic: str) -> None:
    sales, minute = new_topic(partitions=2), TIME_MS // 60_000 * 60_000

    def sold(items: str, begin: int, partition: int) -> list[Record]:
        return [
            Record(json.dumps({"item": item}), partition=partition, timestamp_ms=minute + begin + number)
            for number, item in enumerate(items.split())
        ]

    kafka.produce(sales, sold("pen ink pen cup", 0, 0) + sold("pen", 60_000, 0))
    kafka.produce(sales, sold("pad ink pad pen", 10_000, 1))
    run_here("top_items.py", kafka, (sales, topic))
    assert told(kafka, topic) == [
        {"until": minute + 60_000, "top": [["pen", 3], ["ink", 2], ["pad", 2]]},
        {"until": minute + 120_000, "top": [["pen", 1]]},
    ]


def test_orders_per_minute_by_kafkastream_sql(
    spark: SparkSession, checkpoints_on_cluster: None, kafka: KafkaBroker, topics: tuple[str, str], tmp_path: Path
) -> None:
    orders = [("ann", 10, "10:00:01"), ("bob", 20.5, "10:00:30"), ("ann", 30, "10:00:40"), ("ann", 5, "10:02:00")]
    kafka.produce(
        topics[0],
        [
            json.dumps({"id": number, "customer": customer, "amount": amount, "ts": f"2024-05-01 {time}"})
            for number, (customer, amount, time) in enumerate(orders)
        ],
    )
    script = (EXAMPLES / "sql" / "orders_per_minute.sql").read_text(encoding="utf-8")
    for name, real in (
        ("localhost:9092", kafka.bootstrap_servers),
        ("'orders'", f"'{topics[0]}'"),
        ("'orders-per-minute'", f"'{topics[1]}'"),
    ):
        script = script.replace(name, real)
    placed = tmp_path / "orders_per_minute.sql"
    placed.write_text(script, encoding="utf-8")
    cli.main(["sql", "-f", str(placed)], prog_name="kafkastream", standalone_mode=False)
    assert [list(row.values()) for row in told(kafka, topics[1])] == [
        ["ann", "2024-05-01 10:00:00", 2, 40.0],
        ["ann", "2024-05-01 10:02:00", 1, 5.0],
        ["bob", "2024-05-01 10:00:00", 1, 20.5],
    ]


def test_shop_by_kafkastream_pipeline(
    spark: SparkSession, kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    kafka.produce(
        topic,
        [
            '{"op": "c", "after": {"id": 1, "price": 3, "pieces": 2}, "source": {"db": "shop", "table": "orders"}}',
            '{"op": "c", "after": {"text": "opened"}, "source": {"db": "shop", "table": "log"}}',
        ],
    )
    variables = tmp_path / "variables.yaml"
    variables.write_text(f"secret_values.url: {postgres_database.url}\n", encoding="utf-8")
    given = {"kafka.servers": kafka.bootstrap_servers, "topic": topic, "checkpoints": tmp_path.as_uri()}
    options = ["--variables", str(variables), *(f"--set={name}={value}" for name, value in given.items())]
    script = str(EXAMPLES / "pipelines" / "shop.yaml")
    cli.main(["pipeline", "-f", script, *options], prog_name="kafkastream", standalone_mode=False)
    with psycopg.connect(postgres_database.url) as connection:
        assert connection.execute("SELECT * FROM orders").fetchall() == [(1, 3, 2, 6)]
        assert connection.execute("SELECT * FROM log").fetchall() == [("opened",)]
