"""Jobs of SQL go on where they have stopped, and write exactly once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.table.data_view import MapView
from kafkastream.table.udf import AggregateFunction, udaf, udtf
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

    def start(
        self, query: str = "SELECT who, COUNT(*) FROM seen GROUP BY who", **functions: UserFunction
    ) -> TableResult:
        t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        for name, function in functions.items():
            t_env.create_temporary_function(name, function)
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


class Different(AggregateFunction):
    """The number of different values, in a view."""

    def create_accumulator(self) -> Row:
        return Row(MapView())

    def accumulate(self, accumulator: Row, *args: str) -> None:
        accumulator[0][args[0]] = True

    def get_value(self, accumulator: Row) -> int:
        return len(list(accumulator[0].keys()))


def stop(result: TableResult) -> None:
    job = result.get_job_client()
    assert job is not None
    job.cancel().result(120)


@pytest.fixture
def job(spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path) -> Job:
    return Job(kafka, tmp_path / "checkpoints", new_topic(partitions=2), new_topic())


def test_functions_of_the_users_go_on_after_a_restart(job: Job, kafka: KafkaBroker) -> None:
    query = "SELECT who, different(part) FROM seen, LATERAL TABLE(parts(n)) AS p (part) GROUP BY who"
    functions = {
        "parts": udtf(lambda number: [str(number), str(number % 2)], result_types=["STRING"]),
        "different": udaf(Different(), result_type="BIGINT", accumulator_type="ROW<seen MAP<STRING, BOOLEAN>>"),
    }

    def produce(*rows: tuple[str, int]) -> None:
        kafka.produce(job._source, [Record(value=b'{"who":"%s","n":%d}' % (who.encode(), n)) for who, n in rows])

    def told(who: str, n: int) -> bool:
        return dict(job.written()).get(who) == b'{"who":"%s","n":%d}' % (who.encode(), n)

    produce(("a", 2), ("a", 4))
    running = job.start(query, **functions)
    wait_until(lambda: told("a", 3), 120, "2, 4 and 0")
    produce(("a", 4), ("a", 5))
    wait_until(lambda: told("a", 5), 120, "5 and 1")
    stop(running)
    produce(("a", 6), ("b", 1))
    running = job.start(query, **functions)
    wait_until(lambda: told("a", 6) and told("b", 1), 120, "the values after the restart")
    stop(running)


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
    with pytest.raises(DefinitionError, match="does not fit the operator's current computation"):
        job.start("SELECT who, SUM(CAST(n AS BIGINT)) FROM seen WHERE n IS NOT NULL GROUP BY who").wait()
