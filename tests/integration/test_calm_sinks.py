"""EXACTLY_ONCE sinks of healthy jobs: nobody is fenced, nothing piles up on the brokers, companions are left in peace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from confluent_kafka.admin import AdminClient

from kafkastream.common import JobClient, Types
from kafkastream.datastream import DataStream, MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee
from kafkastream.errors import JobError
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

MICRO_BATCHES = 8
PARTITIONS = 3


@pytest.fixture
def checkpoints(env: StreamExecutionEnvironment, tmp_path: Path) -> Path:
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    return tmp_path


def exactly_once(parts: Parts, topic: str) -> Any:
    return parts.sink_of(parts.serializer(topic), guarantee=DeliveryGuarantee.EXACTLY_ONCE)


def on_brokers(kafka: KafkaBroker, part: str) -> tuple[set[str], set[str]]:
    """The groups and the transactional ids that have a text in their names."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    groups = {group.group_id for group in admin.list_consumer_groups().result().valid}
    ids = {(record.key or b"")[4:].decode() for record in kafka.consume("__transaction_state")}  # behind two numbers
    return {name for name in groups if part in name}, {name for name in ids if part in name}


def counted(job: JobClient, metric: str) -> int:
    """A counter of the sink, as the tasks have reported it so far."""
    metrics = job.get_metrics().of_operator("Sink: copy")
    return sum(value for name, value in metrics.items() if name.endswith(metric) and isinstance(value, int))


def as_it_is(stream: DataStream[str]) -> DataStream[str]:
    return stream.map(str.upper, Types.STRING())


def by_keys(stream: DataStream[str]) -> DataStream[str]:
    return stream.key_by(lambda value: value[-1]).map(str.upper, Types.STRING())


@pytest.mark.parametrize("work", [as_it_is, by_keys])
def test_nobody_is_fenced_in_a_healthy_job(
    read: Read,
    env: StreamExecutionEnvironment,
    parts: Parts,
    new_topic: NewTopic,
    checkpoints: Path,
    work: Callable[[DataStream[str]], DataStream[str]],
) -> None:
    """Whichever of two workers writes a slot."""
    source, target = new_topic(PARTITIONS), new_topic(2)
    work(read(parts.endless(source))).sink_to(exactly_once(parts, target)).name("copy")
    job = env.execute_async(work.__name__)
    try:
        for batch in range(MICRO_BATCHES):
            parts.kafka.produce(source, [Record(f"v{batch}", partition=number) for number in range(PARTITIONS)])
            written = (batch + 1) * PARTITIONS
            wait_until(lambda written=written: counted(job, "numRecordsOut") == written, 60, "the copies")  # type: ignore[misc]
    finally:
        job.cancel().result()
    assert counted(job, "transactionsFenced") == 0
    assert counted(job, "transactionsCommitted") >= MICRO_BATCHES
    assert len(parts.values(target)) == MICRO_BATCHES * PARTITIONS


def test_runs_of_a_bounded_job_have_the_same_groups_and_transactional_ids(
    read: Read, env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, checkpoints: Path
) -> None:
    source, target = new_topic(2), new_topic()

    def run(value: str) -> tuple[set[str], set[str]]:
        parts.kafka.produce(source, [Record(f"{value}{number}", partition=number) for number in (0, 1)])
        stream = read(parts.bounded(source)).union(env.from_collection([f"{value}-collected"], Types.STRING()))
        stream.sink_to(exactly_once(parts, target)).name(target)
        env.execute("bounded")
        return on_brokers(parts.kafka, target)

    first = run("a")
    assert (len(first[0]), len(first[1])) == (3, 3)
    assert run("b") == first
    shutil.copytree(checkpoints / "bounded", checkpoints / "backup")
    assert run("c") == first
    written = sorted(f"{value}{rest}" for value in "abc" for rest in ("0", "1", "-collected"))
    assert parts.values(target) == written
    shutil.rmtree(checkpoints / "bounded")
    shutil.copytree(checkpoints / "backup", checkpoints / "bounded")
    with pytest.raises(JobError, match="already written"):
        run("d")


def test_job_without_checkpoint_directory_leaves_no_groups(
    read: Read, env: StreamExecutionEnvironment, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    parts.kafka.produce(topic, ["a"])
    read(parts.bounded(topic)).sink_to(exactly_once(parts, target)).name(target)
    env.execute("temporary")
    groups, ids = on_brokers(parts.kafka, target)
    assert (groups, len(ids)) == (set(), 1)
    assert parts.values(target) == ["a"]


class Noting(MapFunction):
    """Notes where it is opened."""

    def __init__(self, notes: Path, name: str) -> None:
        self._notes = notes
        self._name = name

    def open(self, runtime_context: RuntimeContext) -> None:
        with self._notes.open("a") as notes:
            notes.write(f"{self._name} {os.getpid()}\n")

    def map(self, value: str) -> str:
        return value


def test_jobs_in_one_worker_keep_their_functions(
    read: Read, env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    names = ("one", "two")
    topics = {name: (new_topic(), new_topic()) for name in names}
    jobs = []
    for name, (source, target) in topics.items():
        noting = Noting(tmp_path / "notes", name)
        read(parts.endless(source)).map(noting, Types.STRING()).sink_to(parts.sink(target))
        jobs.append(env.execute_async(name))
    try:
        for batch in range(5):
            for source, target in topics.values():
                parts.kafka.produce(source, [str(batch)])
                wait_until(lambda target=target, batch=batch: len(parts.values(target)) == batch + 1, 60, "the copy")  # type: ignore[misc]
    finally:
        for job in jobs:
            job.cancel().result()
    opened = (tmp_path / "notes").read_text().splitlines()
    assert sorted(opened) == sorted(set(opened))


def test_keyed_job_keeps_its_workers(
    read: Read, env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    """Spark ends a worker that has not read its input to the end, and with it go opened functions and producers."""
    source, target = new_topic(PARTITIONS), new_topic()
    noted = read(parts.endless(source)).map(Noting(tmp_path / "notes", "keyed"), Types.STRING())
    by_keys(noted).sink_to(parts.sink(target))
    job = env.execute_async("keyed")
    try:
        for batch in range(8):
            parts.kafka.produce(source, [Record(f"v{batch}", partition=number) for number in range(PARTITIONS)])
            written = (batch + 1) * PARTITIONS
            wait_until(lambda written=written: len(parts.values(target)) == written, 60, "the copies")  # type: ignore[misc]
        workers = {int(line.split()[1]) for line in (tmp_path / "notes").read_text().splitlines()}
        assert workers
        assert [worker for worker in workers if not psutil.pid_exists(worker)] == []
    finally:
        job.cancel().result()
