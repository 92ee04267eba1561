"""Jobs of SQL go on where they have stopped, and write exactly once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Job:
    """A job that counts, by ``who``, what comes to a topic."""

    def __init__(self, kafka: KafkaBroker, folder: Path, source: str, target: str) -> None:
        self._kafka = kafka
        self._folder = folder
        self._source = source
        self._target = target

    def start(self, query: str = "SELECT who, COUNT(*) FROM seen GROUP BY who") -> TableResult:
        t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        servers = f"'properties.bootstrap.servers' = '{self._kafka.bootstrap_servers}'"
        config = t_env.get_config().set("parallelism.default", "2").set("pipeline.name", "counts")
        config.set("execution.checkpointing.dir", self._folder.as_uri())
        config.set("execution.checkpointing.interval", "200 ms")
        t_env.execute_sql(f"""
            CREATE TABLE seen (who STRING, n INT) WITH (
              'connector' = 'kafka', 'topic' = '{self._source}', {servers}, 'properties.group.id' = 'counting',
              'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
            )
        """)
        t_env.execute_sql(f"""
            CREATE TABLE counts (who STRING, n BIGINT NOT NULL, PRIMARY KEY (who) NOT ENFORCED) WITH (
              'connector' = 'upsert-kafka', 'topic' = '{self._target}', {servers}, 'key.format' = 'raw',
              'value.format' = 'json', 'sink.delivery-guarantee' = 'exactly-once',
              'sink.transactional-id-prefix' = 'counts', 'properties.transaction.timeout.ms' = '60000'
            )
        """)
        return t_env.execute_sql(f"INSERT INTO counts {query}")

    def written(self) -> list[tuple[str, bytes | None]]:
        records = self._kafka.consume(self._target)
        return [((record.key or b"").decode(), record.value) for record in records]


def stop(result: TableResult) -> None:
    job = result.get_job_client()
    assert job is not None
    job.cancel().result(120)


@pytest.fixture
def job(spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path) -> Job:
    return Job(kafka, tmp_path / "checkpoints", new_topic(partitions=2), new_topic())


def test_aggregates_go_on_after_a_restart_and_are_written_once(job: Job, kafka: KafkaBroker) -> None:
    def produce(*whos: str) -> None:
        kafka.produce(job._source, [Record(value=b'{"who":"%s"}' % who.encode()) for who in whos])

    def told(*counts: tuple[str, int]) -> bool:
        latest = dict(job.written())
        return all(latest.get(who) == b'{"who":"%s","n":%d}' % (who.encode(), n) for who, n in counts)

    produce("a", "b", "a")
    running = job.start()
    wait_until(lambda: told(("a", 2), ("b", 1)), 120, "the first counts")
    stop(running)
    produce("a", "c")
    running = job.start()
    wait_until(lambda: told(("a", 3), ("b", 1), ("c", 1)), 120, "the counts after the restart")
    stop(running)
    assert [value for who, value in job.written() if who == "b"] == [b'{"who":"b","n":1}']
    with pytest.raises(DefinitionError, match="does not fit what the operator computes now"):
        job.start("SELECT who, SUM(CAST(n AS BIGINT)) FROM seen WHERE n IS NOT NULL GROUP BY who").wait()
