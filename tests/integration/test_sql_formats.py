"""Formats of tables that Python reads and writes, and tables whose rows are made up, at work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from kafkastream.errors import DeserializationError, UnsupportedFeatureError
from kafkastream.table import TableEnvironment
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from kafkastream.testing.registry import EmbeddedSchemaRegistry

Create = Callable[..., str]
COLUMNS = "id BIGINT, who STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), tags ARRAY<STRING>"
BOUNDED = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}


@pytest.fixture
def registry() -> Iterator[EmbeddedSchemaRegistry]:
    with EmbeddedSchemaRegistry() as started:
        yield started


@pytest.fixture
def create(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> Create:
    """Declares a table on a topic of its own, and returns the topic."""

    def table(name: str, columns: str, options: dict[str, str], connector: str = "kafka", topic: str = "") -> str:
        topic = topic or new_topic()
        given = {
            "connector": connector,
            "topic": topic,
            "properties.bootstrap.servers": kafka.bootstrap_servers,
            **options,
        }
        text = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
        t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({text})")
        return topic

    return table


def json_values(kafka: KafkaBroker, topic: str) -> list[object]:
    return [json.loads(record.value or b"null") for record in kafka.consume(topic)]


def test_avro_with_a_registry(
    t_env: TableEnvironment, create: Create, kafka: KafkaBroker, registry: EmbeddedSchemaRegistry
) -> None:
    """From JSON to registered Avro and back, by table and by key; a record that is no Avro stops the job."""
    avro = {"format": "avro-confluent", "avro-confluent.url": registry.url}
    both = {
        "key.format": "avro-confluent",
        "key.avro-confluent.url": registry.url,
        "value.format": "avro-confluent",
        "value.avro-confluent.url": registry.url,
        "scan.bounded.mode": "latest-offset",
    }
    orders = create("orders", COLUMNS, {**BOUNDED, "format": "json"})
    again = create("again", COLUMNS, {**BOUNDED, "format": "json"})
    registered = create("registered", COLUMNS, {**BOUNDED, **avro})
    create("latest", "who STRING, n BIGINT, PRIMARY KEY (who) NOT ENFORCED", both, "upsert-kafka")
    sent = [
        {"id": 1, "who": "a", "price": 1.5, "ts": "2024-05-01 10:00:00.123", "tags": ["x", None]},
        {"id": 2, "who": "b", "price": None, "ts": None, "tags": None},
        {"id": 3, "who": "a", "price": -1.28, "ts": "1969-12-31 23:59:59.999", "tags": []},
    ]
    kafka.produce(orders, [json.dumps(one) for one in sent])
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT INTO registered SELECT * FROM orders")
    statements.add_insert_sql("INSERT INTO latest SELECT who, COUNT(*) FROM orders GROUP BY who")
    statements.execute().wait()
    assert {record.value[:1] for record in kafka.consume(registered) if record.value} == {b"\0"}
    assert f"POST /subjects/{registered}-value/versions" in registry.asked
    t_env.execute_sql("INSERT INTO again SELECT * FROM registered").wait()
    assert sorted(json_values(kafka, again), key=str) == sorted(sent, key=str)
    with t_env.execute_sql("SELECT who, n FROM latest WHERE n > 1").collect() as rows:
        assert [tuple(row) for row in rows][-1:] == [("a", 2)]
    kafka.produce(registered, [Record(value=b"{}")])
    with pytest.raises(DeserializationError) as failed:
        t_env.execute_sql("INSERT INTO again SELECT * FROM registered").wait()
    assert f"topic {registered}, partition 0, offset 3" in str(failed.value)
    assert "Magic number" in str(failed.value)


def test_rows_that_are_made_up(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    columns = "n INT, kind STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    fields = "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.kind.length' = '1', 'fields.n.end' ="
    t_env.execute_sql(f"CREATE TABLE few ({columns}) WITH ('connector' = 'datagen', {fields} '100')")
    t_env.execute_sql(
        "CREATE TABLE endless (x INT) WITH ('connector' = 'datagen', 'rows-per-second' = '3', 'fields.x.min' = '7', "
        "'fields.x.max' = '7')"
    )
    out = create("taken", "n INT", {**BOUNDED, "format": "json"})
    query = """
        SELECT COUNT(*), SUM(n), MIN(CHAR_LENGTH(kind))
        FROM TABLE(TUMBLE(TABLE few, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end
    """
    with t_env.execute_sql(query).collect() as rows:
        assert list(map(tuple, rows)) == [(100, 5050, 1)]
    both = t_env.create_statement_set()
    for table, column in ("endless", "x"), ("few", "n"):
        both.add_insert_sql(f"INSERT INTO taken SELECT {column} FROM {table}")
    with pytest.raises(UnsupportedFeatureError, match="next to other queries"):
        both.execute()
    with pytest.raises(UnsupportedFeatureError, match="together with a table or stream of Kafka"):
        t_env.execute_sql("INSERT INTO taken SELECT n FROM few UNION ALL SELECT n FROM taken")
    t_env.execute_sql("INSERT INTO taken SELECT n FROM few WHERE n <= 3").wait()
    assert json_values(kafka, out) == [{"n": 1}, {"n": 2}, {"n": 3}]
    job = t_env.execute_sql("INSERT INTO taken SELECT x FROM endless").get_job_client()
    assert job is not None
    wait_until(lambda: len(kafka.consume(out)) >= 9, 60, "rows of the endless table")
    job.cancel().result()
    found = json_values(kafka, out)[3:]
    assert len(found) % 3 == 0
    assert found == [{"n": 7}] * len(found) != []
