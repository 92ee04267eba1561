"""Pipelines by ``kafkastream pipeline``: a document is checked, run and killed; it goes on in Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from kafkastream.cli import main
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.pipeline import Pipeline
from kafkastream.testing import KafkaBroker, wait_until
from kafkastream.testing.postgres import PostgresDatabase
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.test_pipelines_at_work import event

TIMEOUT_S = 120
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
SETTINGS = "pipeline: {name: shop, parallelism: 1, execution.checkpointing.dir: '${checkpoints}'}\n"
BOUNDED = DOCUMENT.replace("transform:", "  scan.bounded.mode: latest-offset\ntransform:")
INTO_POSTGRES = "sink: {type: postgres, url: '${url}'}\n"
INTO_KAFKA = "sink: {type: kafka, properties.bootstrap.servers: '${kafka.servers}', topic: '${sink.topic}'}\n"
FIRST = [
    *(event("c", "shop.orders", {"id": number, "price": number}) for number in (1, 2, 3)),
    *(event("c", "shop.log", {"at": 1}) for _ in range(3)),
]
CHANGED = [
    event("c", "shop.orders", {"id": 4, "price": 2.5, "note": "ink"}),
    event("u", "shop.orders", {"id": 1, "price": 9, "note": None}, {"id": 1, "price": 1}),
    event("d", "shop.orders", before={"id": 2, "price": 2}),
    event("c", "shop.log", {"at": 2, "by": "ann"}),
]
LATER = [
    event("u", "shop.orders", {"id": 1, "price": 10, "note": "pen"}, {"id": 1, "price": 9}),
    event("d", "shop.orders", before={"id": 3, "price": 3}),
    *(event("c", "shop.log", {"at": number, "by": "bob"}) for number in range(3, 1000)),
]
ORDERS = [(1, 10.0, "pen"), (4, 2.5, "ink")]
LOG = [*[(1, None)] * 3, (2, "ann"), *[(number, "bob") for number in range(3, 1000)]]


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


@contextmanager
def command(path: Path, variables: Path) -> Iterator[None]:
    """Run ``kafkastream pipeline``, and kill all that it has started."""
    arguments = [sys.executable, "-m", "kafkastream", "pipeline", "-f", str(path), "--variables", str(variables)]
    with (path.parent / "output.txt").open("ab") as output:
        program = subprocess.Popen(arguments, stdout=output, stderr=output, start_new_session=True)
    try:
        yield
        assert program.poll() is None, (path.parent / "output.txt").read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def await_rows(database: PostgresDatabase, query: str, expected: Sequence[tuple[Any, ...]]) -> None:
    found: list[tuple[Any, ...]] = []

    def is_right() -> bool:
        with suppress(psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
            found[:] = rows(database, query)
        return found == expected

    with suppress(TimeoutError):
        wait_until(is_right, TIMEOUT_S, query)
    assert found == expected


@pytest.mark.usefixtures("spark")
@pytest.mark.timeout(3 * TIMEOUT_S)  # a JVM starts, maybe on a busy machine
def test_tables_follow_while_it_runs_and_rows_are_right_once_after_a_kill(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    path, variables = tmp_path / "job.yaml", tmp_path / "variables.yaml"
    path.write_text(DOCUMENT + INTO_POSTGRES + SETTINGS)
    given = {
        "kafka.servers": kafka.bootstrap_servers,
        "topic": topic,
        "url": postgres_database.url,
        "checkpoints": (tmp_path / "checkpoints").as_uri(),
    }
    variables.write_text(json.dumps(given))  # JSON is YAML
    kafka.produce(topic, FIRST)
    with command(path, variables):
        await_rows(postgres_database, "SELECT id, price FROM shop.orders ORDER BY id", [(1, 1), (2, 2), (3, 3)])
        kafka.produce(topic, CHANGED)
        await_rows(
            postgres_database,
            "SELECT * FROM shop.orders ORDER BY id",
            [(1, 9.0, None), (3, 3.0, None), (4, 2.5, "ink")],
        )
        kafka.produce(topic, LATER)
    job = Pipeline.from_file(path, given).start()  # in this JVM, which is here already
    try:
        await_rows(postgres_database, "SELECT * FROM shop.orders ORDER BY id", ORDERS)
        await_rows(postgres_database, "SELECT * FROM shop.log ORDER BY at, by", LOG)
    finally:
        job.cancel().result(60)


@pytest.mark.usefixtures("spark")
def test_the_same_document_into_kafka_gives_the_same_tables(
    kafka: KafkaBroker, topic: str, new_topic: NewTopic, tmp_path: Path
) -> None:
    target = new_topic()
    kafka.produce(topic, [*FIRST, *CHANGED, *LATER])
    text = BOUNDED + INTO_KAFKA + SETTINGS
    variables = {
        "kafka.servers": kafka.bootstrap_servers,
        "topic": topic,
        "sink.topic": target,
        "checkpoints": tmp_path.as_uri(),
    }
    Pipeline.from_text(text, variables).run()
    orders: dict[int, dict[str, Any]] = {}
    log: list[dict[str, Any]] = []
    for record in kafka.consume(target):
        change = json.loads(record.value or b"")
        assert change["source"]["db"] == "shop"
        if change["source"]["table"] == "log":
            log.append(change["after"])
        elif change["op"] == "d":
            del orders[change["before"]["id"]]
        else:
            orders[change["after"]["id"]] = change["after"]
    assert [tuple(orders[number][name] for name in ("id", "price", "note")) for number in sorted(orders)] == ORDERS
    assert [(row["at"], row.get("by")) for row in log] == LOG

    changed = text.replace("primary-keys: id", "primary-keys: id\n    projection: \\*, price * 2 AS twice")
    changed = changed.replace("topic: ${topic}", "topic-pattern: ${topic}.*")
    result = checked(tmp_path / "job.yaml", changed, **variables)
    assert (result.exit_code, result.stderr) == (
        0,
        "Starting Spark, to find out the topics that the pattern matches.\n",
    )
    assert "The checkpoint directory has the schemas of an earlier run" in " ".join(lines(result))
    assert {"by STRING", "price DOUBLE", "twice DOUBLE", "id BIGINT NOT NULL primary"} <= set(lines(result))
    assert "A start would change nothing in the sink." in lines(result)
