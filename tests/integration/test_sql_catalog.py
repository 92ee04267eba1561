"""A catalog of a real cluster's topics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from kafkastream.errors import BrokerUnreachableError, DefinitionError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import KafkaBroker, Record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing.pytest_plugin import NewTopic

WHOLE = "/*+ OPTIONS('scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset') */"
COMPACTED = {"cleanup.policy": "compact"}


def environment(servers: str, options: str = "") -> TableEnvironment:
    """With the catalog ``c``."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    t_env.execute_sql(
        f"CREATE CATALOG c WITH ('type' = 'kafka', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'{options})"
    )
    return t_env


def columns(t_env: TableEnvironment, topic: str) -> list[str]:
    """The columns that the catalog finds; nothing of Spark's is needed for that."""
    found = t_env._catalog.get(("c", "kafka", topic), "here")
    return [f"{column.name} {column.type}" for column in found.schema.physical]  # type: ignore[union-attr]


def test_the_newest_messages_say_what_the_columns_are(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=3)
    old = [Record('{"old":1}', partition=number % 2) for number in range(20)]
    kafka.produce(topic, [*old, Record('{"few":1}', partition=2), Record('{"new":1}', partition=0)])
    groups = group_names(kafka)
    t_env = environment(kafka.bootstrap_servers, ", 'max.fetch.records' = '3'")
    assert columns(t_env, topic) == ["value_new BIGINT", "value_old BIGINT", "value_few BIGINT"]
    kafka.produce(topic, [Record('{"newer":1}', partition=number) for number in range(3)])
    assert columns(t_env, topic) == ["value_new BIGINT", "value_old BIGINT", "value_few BIGINT"]  # as they were
    t_env.execute_sql("DROP CATALOG c")
    assert columns(environment(kafka.bootstrap_servers, ", 'max.fetch.records' = '3'"), topic) == ["value_newer BIGINT"]
    assert group_names(kafka) == groups


def group_names(kafka: KafkaBroker) -> set[str]:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    return {group.group_id for group in admin.list_consumer_groups().result().valid}


def test_the_ends_of_transactions_are_no_messages(kafka: KafkaBroker, topic: str) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions(30)
    for value, ends in (('{"kept":1}', producer.commit_transaction), ('{"aborted":1}', producer.abort_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(30)
        ends(30)
    assert columns(environment(kafka.bootstrap_servers), topic) == ["value_kept BIGINT", "value_aborted BIGINT"]
    committed = environment(kafka.bootstrap_servers, ", 'properties.isolation.level' = 'read_committed'")
    assert columns(committed, topic) == ["value_kept BIGINT"]


def test_what_is_no_table(kafka: KafkaBroker, topic: str) -> None:
    empty, texts = topic, f"{topic}-texts"
    kafka.create_topic(texts)
    kafka.produce(texts, ["one", "two"])
    t_env = environment(kafka.bootstrap_servers)
    t_env.use_catalog("c")
    assert {empty, texts} <= set(t_env.list_tables())
    with pytest.raises(DefinitionError, match=f"topic '{empty}' has no messages"):
        columns(t_env, empty)
    with pytest.raises(DefinitionError, match=f"none of the 2 newest messages of topic '{texts}' is a JSON object"):
        columns(t_env, texts)
    kafka.delete_topic(texts)
    with pytest.raises(DefinitionError, match="not found"):
        columns(t_env, texts)


def test_brokers_that_are_not_there() -> None:
    secret = ", 'properties.default.api.timeout.ms' = '2000', 'properties.ssl.key.password' = 'hush'"
    t_env = environment("localhost:1", secret)
    began = time.monotonic()
    with pytest.raises(BrokerUnreachableError, match="localhost:1") as caught:
        columns(t_env, "orders")
    assert time.monotonic() - began < 10
    assert "hush" not in str(caught.value)


def test_tables_of_topics(kafka: KafkaBroker, new_topic: NewTopic, spark: SparkSession) -> None:
    orders, latest = new_topic(), new_topic(config=COMPACTED)
    targets = {"target": new_topic(), "pairs": new_topic()}
    kafka.produce(
        orders,
        [
            Record('{"id":1,"at":"2024-05-01T12:30","place":{"city":"Bern"}}', '{"no":1}'),
            Record('[{"id":2.5},{"id":3}]', '{"no":2}'),
        ],
    )
    kafka.produce(latest, [Record('{"n":1}', "a"), Record('{"n":2}', "b"), Record('{"n":3}', "a"), Record(None, "b")])
    t_env = environment(kafka.bootstrap_servers, ", 'infer-schema.flatten-nested-columns.enable' = 'true'")
    with t_env.execute_sql(f"DESCRIBE c.kafka.`{orders}`").collect() as rows:
        described = [tuple(row)[:4] for row in rows]
    position = "PRI(partition, offset)"
    assert described == [
        ("key_no", "BIGINT", True, None),
        ("value_id", "DOUBLE", True, None),
        ("value_at", "TIMESTAMP(3)", True, None),
        ("value_place.city", "STRING", True, None),
        ("partition", "INT", False, position),
        ("offset", "BIGINT", False, position),
        ("timestamp", "TIMESTAMP_LTZ(3)", False, None),
    ]
    t_env.execute_sql(f"CREATE TABLE mine (WATERMARK FOR value_at AS value_at) LIKE c.kafka.`{orders}`")
    keyed = "'key.format' = 'raw', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY'"
    columns_of = {
        "target": "`no` BIGINT, id DOUBLE, h BIGINT, city STRING, `at` BIGINT) WITH ('connector' = 'kafka', 'format' = 'json'",
        "pairs": f"k BYTES, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', {keyed}",
    }
    for name, declared in columns_of.items():
        servers = f"'properties.bootstrap.servers' = '{kafka.bootstrap_servers}'"
        t_env.execute_sql(f"CREATE TABLE {name} ({declared}, 'topic' = '{targets[name]}', {servers})")
    t_env.execute_sql(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO target "
        f"SELECT key_no, value_id, EXTRACT(HOUR FROM value_at), `value_place.city`, `offset` FROM mine {WHOLE}; "
        f"INSERT INTO pairs SELECT key_col, value_n FROM c.kafka.`{latest}` "
        "/*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */; END"
    ).wait()
    assert [record.value for record in kafka.consume(targets["target"])] == [
        b'{"no":1,"id":1.0,"h":12,"city":"Bern","at":0}',
        b'{"no":2,"id":2.5,"h":null,"city":null,"at":1}',
        b'{"no":2,"id":3.0,"h":null,"city":null,"at":1}',
    ]
    last = {record.key: record.value for record in kafka.consume(targets["pairs"])}
    assert last == {b"a": b'{"n":3}', b"b": None}
