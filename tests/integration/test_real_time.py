"""Queries of SQL in Spark's real-time mode: how soon they write, where they continue, and when they do not run in it."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, final

import attrs
import pytest
from confluent_kafka import Producer

from kafkastream.errors import KafkastreamError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.faults.feed import Numbers
from tests.faults.operators_model import PARTITIONS
from tests.faults.victim import Victim

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.common import JobClient
    from tests.integration.conftest import Parts

_PATIENCE_S = 120


@final
@attrs.frozen
class Doubling:
    """A job that doubles the numbers of a topic."""

    kafka: KafkaBroker
    checkpoints: Path
    source: str
    target: str

    @contextmanager
    def running(self, *, in_real_time: bool = True) -> Iterator[JobClient]:
        t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        config = t_env.get_config().set("pipeline.name", "doubling")
        config.set("execution.checkpointing.dir", self.checkpoints.as_uri())
        config.set("execution.checkpointing.interval", "5 s")
        if in_real_time:
            config.set("execution.buffer-timeout.interval", "0")
        with_ = f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{self.kafka.bootstrap_servers}'"
        t_env.execute_sql(f"""
            CREATE TABLE numbers (n BIGINT, written DOUBLE) WITH (
              {with_}, 'topic' = '{self.source}', 'properties.group.id' = 'doubling', 'format' = 'json',
              'scan.startup.mode' = 'earliest-offset', 'properties.isolation.level' = 'read_committed'
            )
        """)
        t_env.execute_sql(f"""
            CREATE TABLE doubles (n BIGINT, written DOUBLE) WITH ({with_}, 'topic' = '{self.target}', 'format' = 'json')
        """)
        job = t_env.execute_sql("INSERT INTO doubles SELECT n * 2, written FROM numbers WHERE n >= 0").get_job_client()
        assert job is not None
        try:
            yield job
        finally:
            job.cancel().result(_PATIENCE_S)

    def write(self, begin: int, end: int) -> None:
        """Write some numbers, each with the time of its writing."""
        values = (json.dumps({"n": number, "written": time.time()}) for number in range(begin, end))
        self.kafka.produce(self.source, [Record(value, partition=place % 2) for place, value in enumerate(values)])

    def numbers(self) -> list[int]:
        return sorted(json.loads(record.value or b"")["n"] // 2 for record in self.kafka.consume(self.target))

    def wait_for(self, count: int) -> None:
        """Wait for output; a busy machine takes its time to start."""
        wait_until(lambda: len(set(self.numbers())) >= count, _PATIENCE_S, f"{count} records")


@pytest.fixture
def doubling(kafka: KafkaBroker, spark: SparkSession, tmp_path: Path, two: str, new_topic: NewTopic) -> Doubling:
    return Doubling(kafka, tmp_path, two, new_topic())


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if "micro-batches" in record.message]


def test_records_come_out_at_once(doubling: Doubling, kafka: KafkaBroker) -> None:
    with doubling.running():
        doubling.write(0, 1)
        doubling.wait_for(1)
        for number in range(1, 201):
            doubling.write(number, number + 1)
            time.sleep(0.02)
        doubling.wait_for(201)
    delays = [
        record.timestamp_ms / 1000 - json.loads(record.value or b"")["written"]
        for record in kafka.consume(doubling.target)
    ]
    assert statistics.median(delays[100:]) < 0.1  # in micro-batches, a third of a second


def test_cancelled_job_loses_and_repeats_nothing_and_may_change_its_mode(doubling: Doubling) -> None:
    for run, in_real_time in enumerate((True, True, False, True)):
        doubling.write(500 * run, 500 * (run + 1))
        with doubling.running(in_real_time=in_real_time):
            wait_until(partial(_has_more, doubling, 500 * run), _PATIENCE_S, "the first output")
    with doubling.running():
        doubling.wait_for(2000)
    assert Counter(doubling.numbers()) == Counter(range(2000))


def _has_more(doubling: Doubling, than: int) -> bool:
    return len(doubling.numbers()) > than


def test_aborted_transactions_are_not_read(doubling: Doubling, kafka: KafkaBroker) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": doubling.source})
    producer.init_transactions(30)
    with doubling.running():
        for number in range(6):
            producer.begin_transaction()
            producer.produce(doubling.source, json.dumps({"n": number, "written": 0.0}), partition=number % 2)
            producer.flush()
            time.sleep(0.5)
            producer.abort_transaction(30) if number % 3 == 1 else producer.commit_transaction(30)
        doubling.wait_for(4)
    assert doubling.numbers() == [0, 2, 3, 5]


def test_malformed_record_fails_the_job_with_its_position(doubling: Doubling, kafka: KafkaBroker) -> None:
    with pytest.raises(KafkastreamError) as raised, doubling.running() as job:  # noqa: PT012
        doubling.write(0, 2)
        doubling.wait_for(2)
        kafka.produce(doubling.source, [Record("{", partition=1)])
        job.get_job_execution_result().result(_PATIENCE_S)
    assert f"topic {doubling.source}, partition 1, offset 1" in str(raised.value)


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_job_outlives_a_restart_of_the_broker(tmp_path: Path, spark: SparkSession) -> None:
    with EmbeddedKafka() as kafka:
        for topic in ("in", "out"):
            kafka.create_topic(topic, 2)
        doubling = Doubling(kafka, tmp_path, "in", "out")
        with doubling.running():
            doubling.write(0, 100)
            doubling.wait_for(100)
            kafka.stop(keep_data=True)
            time.sleep(20)
            kafka.start()
            doubling.write(100, 200)
            doubling.wait_for(200)
        assert set(doubling.numbers()) == set(range(200))


def test_new_partitions_beyond_the_slots_are_read_in_micro_batches(
    doubling: Doubling, kafka: KafkaBroker, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "kafkastream"), doubling.running():
        doubling.write(0, 100)
        doubling.wait_for(100)
        assert not told(caplog)
        kafka.add_partitions(doubling.source, 64)
        values = [json.dumps({"n": number, "written": 0.0}) for number in range(100, 164)]
        kafka.produce(doubling.source, [Record(value, partition=place) for place, value in enumerate(values)])
        doubling.wait_for(164)
    assert set(doubling.numbers()) == set(range(164))
    assert any("needs a slot for each of 64 partitions" in message for message in told(caplog))


def _has_written(parts: Parts, topic: str, count: int) -> bool:
    return len(parts.values(topic)) >= count


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_killed_job_loses_nothing_and_may_change_its_mode(parts: Parts, new_topic: NewTopic, tmp_path: Path) -> None:
    source, target, timeout = new_topic(PARTITIONS), new_topic(), tmp_path / "timeout"
    arguments = (parts.kafka.bootstrap_servers, source, target, tmp_path, "AT_LEAST_ONCE", "real_time_job.py")
    with Numbers(parts.kafka.bootstrap_servers, source, 200) as numbers, Victim(*arguments) as victim:
        for mode in ("0", "0", "-1", "-1", "0"):
            timeout.write_text(mode)
            enough = len(parts.values(target)) + 200
            victim.ensure_running()
            wait_until(partial(_has_written, parts, target, enough), _PATIENCE_S, "output")
            time.sleep(random.uniform(0, 7))
            victim.kill_all()
        total = numbers.stop()
        victim.ensure_running()
        wait_until(lambda: len(set(parts.values(target))) >= total, _PATIENCE_S, "all records")
    assert set(parts.values(target)) == set(map(str, range(total)))
