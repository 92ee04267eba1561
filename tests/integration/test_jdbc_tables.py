"""Queries into tables of PostgreSQL by ``INSERT INTO``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest

from kafkastream.errors import DefinitionError
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.testing import KafkaBroker, PostgresDatabase, Record
from kafkastream.testing.pytest_plugin import NewTopic

pytestmark = pytest.mark.usefixtures("spark")


def execute(database: PostgresDatabase, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.url) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def table(database: PostgresDatabase, name: str, columns: str) -> str:
    return f"""
        CREATE TABLE {name} ({columns}) WITH (
          'connector' = 'jdbc', 'url' = '{database.jdbc_url}', 'table-name' = '{name}',
          'username' = '{database.user}', 'password' = '{database.password}'
        )
    """


def change(op: str, id_: int, before: str | None, after: str | None) -> Record:
    def row(name: str | None) -> dict[str, Any] | None:
        return None if name is None else {"id": id_, "name": name}

    return Record(json.dumps({"before": row(before), "after": row(after), "op": op}), partition=id_ % 2)


def start(
    database: PostgresDatabase,
    kafka: KafkaBroker,
    topic: str,
    folder: Path,
    *,
    loses: bool = False,
    copies: str = "copies",
) -> TableResult:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    config = t_env.get_config().set("parallelism.default", "1").set("pipeline.name", "copy")
    config.set("execution.checkpointing.dir", folder.as_uri())
    t_env.execute_sql(f"""
        CREATE TABLE shop (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
          'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}',
          'properties.group.id' = 'g', 'properties.spark.failOnDataLoss' = '{str(not loses).lower()}',
          'scan.startup.mode' = 'earliest-offset',
          'scan.bounded.mode' = 'latest-offset', 'format' = 'debezium-json'
        )
    """)
    t_env.execute_sql(table(database, copies, "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED"))
    t_env.execute_sql(table(database, "counts", "name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED"))
    statements = t_env.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO {copies} SELECT id, name FROM shop")
    statements.add_insert_sql("INSERT INTO counts SELECT name, COUNT(*) FROM shop GROUP BY name")
    return statements.execute()


def test_changes_are_copied_once_and_counted(
    kafka: KafkaBroker, new_topic: NewTopic, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    execute(postgres_database, "CREATE TABLE copies (id int PRIMARY KEY, name text)")
    execute(postgres_database, "CREATE TABLE counts (name varchar(9) PRIMARY KEY, n bigint)")
    execute(
        postgres_database, "INSERT INTO copies VALUES (1, 'a'), (2, 'a'); INSERT INTO counts VALUES ('c', 7), ('z', 1)"
    )
    topic = new_topic(partitions=2)
    kafka.produce(topic, [change("u", 1, "a", "b"), change("d", 2, "a", None), change("c", 3, None, "b")])
    kafka.produce(topic, [change("c", 4, None, "d"), change("c", 6, None, "c"), change("d", 4, "d", None)])
    start(postgres_database, kafka, topic, tmp_path).wait()
    assert execute(postgres_database, "SELECT * FROM copies ORDER BY 1") == [(1, "b"), (3, "b"), (6, "c")]
    assert execute(postgres_database, "SELECT * FROM counts ORDER BY 1") == [("b", 2), ("c", 1), ("z", 1)]
    assert execute(postgres_database, "SELECT partition, reached FROM kafkastream_progress ORDER BY 1") == [
        (0, 4),
        (1, 2),
    ]


def test_topic_that_is_made_again_loses_nothing_to_the_markers_of_the_old_one(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    execute(postgres_database, "CREATE TABLE copies (id int PRIMARY KEY, name text)")
    execute(postgres_database, "CREATE TABLE counts (name text PRIMARY KEY, n bigint)")
    kafka.produce(topic, [attrs.evolve(change("c", number, None, "a"), partition=0) for number in (1, 2)])
    start(postgres_database, kafka, topic, tmp_path).wait()
    kafka.delete_topic(topic)
    kafka.create_topic(topic, 1)
    kafka.produce(topic, [attrs.evolve(change("c", 3, None, "a"), partition=0)])
    start(postgres_database, kafka, topic, tmp_path, loses=True).wait()
    assert execute(postgres_database, "SELECT * FROM copies ORDER BY 1") == [(1, "a"), (2, "a"), (3, "a")]


def test_what_does_not_fit_is_told_before_anything_is_read(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    execute(postgres_database, "CREATE TABLE copies (id int PRIMARY KEY, name text)")
    execute(postgres_database, "CREATE TABLE counts (name text PRIMARY KEY, total bigint)")
    with pytest.raises(DefinitionError, match="the table has no column 'n'") as raised:
        start(postgres_database, kafka, topic, tmp_path)
    assert "table public.counts" in str(raised.value)
    assert postgres_database.password not in str(raised.value)
    execute(postgres_database, "DROP TABLE counts; CREATE TABLE counts (name text PRIMARY KEY, n bigint)")
    execute(postgres_database, "ALTER TABLE copies RENAME TO kafkastream_progress")
    with pytest.raises(DefinitionError, match="the name 'kafkastream_progress' is reserved"):
        start(postgres_database, kafka, topic, tmp_path, copies="kafkastream_progress")
