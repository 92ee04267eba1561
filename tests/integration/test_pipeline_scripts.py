"""Pipelines by ``kafkastream pipeline``: a document is checked, run, killed and started again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from click.testing import CliRunner, Result

from kafkastream.cli import main
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.testing import KafkaBroker
from kafkastream.testing.postgres import PostgresDatabase
from tests.integration.test_pipelines_at_work import event

DOCUMENT = r"""
source:
  type: kafka
  properties.bootstrap.servers: ${kafka.servers}
  topic: ${topic}
  scan.startup.mode: earliest-offset
transform:
  - source-table: \.*.orders
    primary-keys: id
"""
INTO_POSTGRES = "sink: {type: postgres, url: '${url}'}\n"
INTO_KAFKA = "sink: {type: kafka, properties.bootstrap.servers: '${kafka.servers}', topic: '${sink.topic}'}\n"


def rows(database: PostgresDatabase, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.url) as connection:
        return connection.execute(query).fetchall()


def checked(path: Path, text: str, **variables: str) -> Result:
    path.write_text(text)
    given = [f"--set={name}={value}" for name, value in variables.items()]
    return CliRunner().invoke(main, ["pipeline", "-f", str(path), "--check", *given])


def lines(result: Result) -> list[str]:
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def test_a_check_tells_what_a_start_would_change(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1, "note": "ink"}), event("c", "shop.log", {"at": 1.5})])
    with psycopg.connect(postgres_database.url) as connection:
        connection.execute("CREATE SCHEMA shop; CREATE TABLE shop.orders (id BIGINT PRIMARY KEY)")
    variables = {
        "kafka.servers": kafka.bootstrap_servers,
        "topic": topic,
        "sink.topic": f"{topic}-out",
        "url": postgres_database.url,
    }
    result = checked(tmp_path / "job.yaml", DOCUMENT + INTO_POSTGRES, **variables)
    assert (result.exit_code, result.stderr) == (0, "")
    assert {f"{topic} 1", "shop.orders shop.orders", "id BIGINT NOT NULL primary", "at DOUBLE"} <= set(lines(result))
    told = " ".join(lines(result))
    assert 'ALTER TABLE "shop"."orders" ADD COLUMN "note" text' in told
    assert 'CREATE TABLE "shop"."log" ("at" double precision)' in told
    assert postgres_database.password not in result.output
    tables = "SELECT relname::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'shop'"
    assert rows(postgres_database, f"{tables} AND relkind = 'r'") == [("orders",)]

    result = checked(tmp_path / "job.yaml", DOCUMENT + INTO_KAFKA, **variables)
    assert result.exit_code == 0
    assert f"create topic {topic}-out" in lines(result)
    assert f"{topic}-out" not in ClusterTopics({"bootstrap.servers": kafka.bootstrap_servers}).names()
