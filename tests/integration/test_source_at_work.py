"""A source while its job runs: what appears is read, what disappears is told, and the brokers may go away for a while."""

from __future__ import annotations

import logging
import os
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from kafkastream.common import JobClient, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaSourceBuilder,
    KafkaTopicPartition,
)
from kafkastream.errors import DefinitionError, KafkaError
from kafkastream.kafka.admin import Cluster
from kafkastream.spark.internals import texts
from kafkastream.spark.job.group_commits import GroupCommits
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tests.integration.conftest import Read

ROOT = Path(__file__).parents[2]
START = KafkaOffsetsInitializer


@pytest.fixture
def checkpoints(env: StreamExecutionEnvironment, tmp_path: Path) -> Path:
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    return tmp_path


@contextmanager
def running(env: StreamExecutionEnvironment, name: str = "copy") -> Iterator[JobClient]:
    job = env.execute_async(name)
    try:
        yield job
    finally:
        job.cancel().result()


def committed(kafka: KafkaBroker, group: str, topic: str) -> dict[int, int]:
    cluster = Cluster({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group})
    partitions = range(cluster.topics()[topic])
    found = cluster.committed_offsets([KafkaTopicPartition(topic, partition) for partition in partitions])
    return {partition.partition: offset for partition, offset in found.items()}


def _holds(parts: Parts, topic: str, values: list[str]) -> bool:
    return parts.values(topic) == values


def test_partition_that_is_added_is_read_from_its_beginning(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    parts.kafka.produce(topic, ["old"])
    builder = parts.unbound(topic).set_starting_offsets(START.latest())
    read(parts.text(builder)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    with running(env):
        parts.kafka.produce(topic, ["new"])
        wait_until(lambda: parts.values(target) == ["NEW"], 30, "the first record")
        parts.kafka.add_partitions(topic, 2)
        parts.kafka.produce(topic, [Record("added", partition=1)])
        wait_until(lambda: parts.values(target) == ["ADDED", "NEW"], 30, "the record of the new partition")


def test_without_discovery_a_partition_that_is_added_is_not_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    builder = parts.unbound(topic).set_property("partition.discovery.interval.ms", "-1")
    read(parts.text(builder)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    with running(env):
        parts.kafka.add_partitions(topic, 2)
        parts.kafka.produce(topic, [Record("added", partition=1)])
        for known in (["KNOWN"], ["KNOWN", "KNOWN"]):  # two micro-batches, so that one began after the other record
            parts.kafka.produce(topic, [Record("known", partition=0)])
            wait_until(partial(_holds, parts, target, known), 30, "the known partition's record")


@pytest.mark.parametrize("existing", [True, False], ids=["one matches", "none matches yet"])
def test_topic_that_is_created_later_is_found_by_its_pattern(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, *, existing: bool
) -> None:
    target = new_topic()
    prefix = f"{target}-matched-"
    if existing:
        parts.kafka.create_topic(f"{prefix}0")
        parts.kafka.produce(f"{prefix}0", ["old"])
    builder = parts.unbound().set_topic_pattern(prefix + r"\d").set_starting_offsets(START.latest())
    read(parts.text(builder)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    with running(env):
        for name, value in ((f"{prefix}1", "new"), (f"{prefix}x", "no match"), (f"{prefix}2", "newer")):
            parts.kafka.create_topic(name)
            parts.kafka.produce(name, [value])
        wait_until(lambda: parts.values(target) == ["NEW", "NEWER"], 30, "the records of the new topics")


def delete_records(kafka: KafkaBroker, topic: str, before: int) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    for answer in admin.delete_records([TopicPartition(topic, 0, before)]).values():
        answer.result()


@pytest.mark.parametrize("tolerant", [False, True], ids=["fails", "goes on"])
def test_records_lost_by_retention(read: Read, parts: Parts, topic: str, checkpoints: Path, *, tolerant: bool) -> None:
    def run() -> list[str]:
        builder = parts.unbound(topic).set_property("spark.failOnDataLoss", str(not tolerant).lower())
        return list(read(parts.text(builder.set_bounded(START.latest()))).execute_and_collect("copy"))

    def interrupted(value: str) -> str:
        if value == "bad":
            raise ValueError(value)
        return value

    parts.kafka.produce(topic, ["first", "bad", "lost", "left"])
    one_by_one = parts.unbound(topic).set_property("spark.maxOffsetsPerTrigger", "1").set_bounded(START.latest())
    with pytest.raises(Exception, match="bad"):
        list(read(parts.text(one_by_one)).map(interrupted).execute_and_collect("copy"))
    delete_records(parts.kafka, topic, 3)
    if tolerant:
        assert run() == ["left"]
    else:
        with pytest.raises(KafkaError, match="gone") as raised:
            run()
        assert "retention" in raised.value.now


def _job_whose_topic_is_deleted(env: StreamExecutionEnvironment, read: Read, parts: Parts, target: str) -> JobClient:
    """A job that has copied a record from the topic ``{target}-deleted``, which is there no more."""
    topic = f"{target}-deleted"
    parts.kafka.create_topic(topic)
    parts.kafka.produce(topic, ["before"])
    read(parts.endless(topic)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    job = env.execute_async("copy")
    wait_until(lambda: parts.values(target) == ["BEFORE"], 30, "the first record")
    parts.kafka.delete_topic(topic)
    return job


@pytest.mark.nightly
def test_topic_that_is_deleted_while_it_is_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    target = new_topic()
    job = _job_whose_topic_is_deleted(env, read, parts, target)
    with pytest.raises(KafkaError) as raised:
        job.get_job_execution_result().result(90)
    assert "deleted" in raised.value.now or "does not exist" in raised.value.what
    assert f"{target}-deleted" in str(raised.value)
    assert parts.values(target) == ["BEFORE"]


def asks_for_offsets(query: StreamingQuery) -> bool:
    return str(query.status["message"]).startswith(texts.GETTING_OFFSETS)


def test_job_whose_topic_is_deleted_is_cancelled_at_once(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, spark: SparkSession
) -> None:
    target = new_topic()
    job = _job_whose_topic_is_deleted(env, read, parts, target)
    wait_until(lambda: all(map(asks_for_offsets, active_queries(spark))), 30, "a question for the topic's offsets")
    began = time.monotonic()
    job.cancel().result()
    assert time.monotonic() - began < 10


def test_topic_that_is_read_no_more_is_told_as_such(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, checkpoints: Path
) -> None:
    kept, removed, target = new_topic(), new_topic(), new_topic()
    for topics in ((kept, removed), (kept,)):
        for topic in topics:
            parts.kafka.produce(topic, [f"{len(topics)}"])
        read(parts.endless(*topics)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
        if len(topics) == 2:
            with running(env):
                wait_until(lambda: parts.values(target) == ["2", "2"], 30, "the records of both")
        else:
            with pytest.raises(DefinitionError, match=f"no longer reads topic {removed}"):
                env.execute("copy")


def commits_of(kafka: KafkaBroker, group: str) -> Counter[int]:
    """How often each partition was committed, by Kafka's own log of offsets."""
    counted: Counter[int] = Counter()
    for record in kafka.consume("__consumer_offsets"):
        key = record.key or b""
        version, length = struct.unpack_from(">hh", key)
        if version == 1 and key[4 : 4 + length].decode() == group:
            counted[struct.unpack(">i", key[-4:])[0]] += 1
    return counted


def test_only_what_has_changed_is_committed(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    commits = GroupCommits({"bootstrap.servers": kafka.bootstrap_servers, "group.id": topic}, 0)
    for offsets in ((1, 1), (2, 1), (2, 1), (3, 1)):
        commits.reached({KafkaTopicPartition(topic, number): offset for number, offset in enumerate(offsets)})
        commits.commit_if_due()
        wait_until(lambda: not commits._is_running, 30, "the commit")
    commits.end()
    assert commits.succeeded == 3
    assert commits_of(kafka, topic) == {0: 3, 1: 1}


def test_a_group_with_members_may_be_refused(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    member = Consumer({"bootstrap.servers": parts.kafka.bootstrap_servers, "group.id": topic, "log_level": 0})
    source = parts.unbound(topic).set_group_id(topic).set_property("check.duplicated.group.id", "true")
    records = read(parts.text(source.set_bounded(START.latest())))
    try:
        member.subscribe([topic])
        wait_until(lambda: member.poll(0.1) is None and member.assignment(), 30, "the other member's partitions")
        with pytest.raises(DefinitionError, match=f"group {topic!r} has 1 member already"):
            records.execute_and_collect("refused")
    finally:
        member.close()
    assert list(records.execute_and_collect("alone")) == []


def test_group_with_live_members_takes_no_commits_and_the_job_goes_on(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    caplog: pytest.LogCaptureFixture,
) -> None:
    member = Consumer({"bootstrap.servers": parts.kafka.bootstrap_servers, "group.id": topic, "log_level": 0})
    try:
        member.subscribe([topic])
        wait_until(lambda: member.poll(0.1) is None and member.assignment(), 30, "the member's assignment")
        parts.kafka.produce(topic, ["a", "b"])
        env.enable_checkpointing(100)
        source = parts.text(parts.unbound(topic).set_group_id(topic).set_bounded(START.latest()))
        with caplog.at_level(logging.WARNING, "kafkastream"):
            assert list(read(source).execute_and_collect("copy")) == ["a", "b"]
        assert f"offsets were not committed to group {topic!r} (the job continues)" in caplog.text
    finally:
        member.close()


def test_broker_that_is_away_for_longer_than_a_request_may_take(
    env: StreamExecutionEnvironment, read: Read, checkpoints: Path
) -> None:
    seen: list[str] = []
    with EmbeddedKafka() as kafka:
        kafka.create_topic("in", partitions=2)
        builder: KafkaSourceBuilder[str] = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers)
        builder.set_topics("in").set_group_id("g").set_property("request.timeout.ms", "2000")
        source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
        kafka.produce("in", [Record(f"before {i}", partition=i % 2) for i in range(100)])
        elements = read(source).execute_and_collect("away")
        seen += [next(elements) for _ in range(100)]
        wait_until(lambda: committed(kafka, "g", "in") == {0: 50, 1: 50}, 30, "the group's offsets")
        kafka.stop(keep_data=True)
        time.sleep(6)  # the absence itself: three times the timeout of a request
        kafka.start()
        kafka.produce("in", [Record(f"after {i}", partition=i % 2) for i in range(100)])
        seen += [next(elements) for _ in range(100)]
        wait_until(lambda: committed(kafka, "g", "in") == {0: 100, 1: 100}, 60, "the group's offsets")
        elements.close()
    assert sorted(seen) == sorted(f"{when} {i}" for when in ("before", "after") for i in range(100))


def test_commits_outlive_brokers_that_come_and_go() -> None:
    with EmbeddedKafka() as kafka:
        kafka.create_topic("in")
        partition = KafkaTopicPartition("in", 0)
        properties = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "default.api.timeout.ms": "1000"}
        commits, offset = GroupCommits(properties, 0.1), 0

        def commit_for(seconds: float) -> None:
            nonlocal offset
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                offset += 1
                commits.reached({partition: offset})
                commits.commit_if_due()
                time.sleep(0.05)

        for _ in range(2):
            commit_for(1)
            kafka.stop(keep_data=True)
            failed = commits.failed
            commit_for(3)
            assert commits.failed == failed + 1  # one commit waits for an answer; it is told once
            kafka.start()
        commit_for(1)
        commits.end()
        assert committed(kafka, "g", "in") == {0: offset}
        assert commits.committed == {partition: offset}


def test_commits_end_though_the_brokers_are_gone() -> None:
    with EmbeddedKafka() as kafka:
        properties = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "default.api.timeout.ms": "1000"}
        commits = GroupCommits(properties, 0.1)
    commits.reached({KafkaTopicPartition("in", 0): 1})
    began = time.monotonic()
    commits.end()
    assert (commits.succeeded, commits.failed) == (0, 1)
    assert time.monotonic() - began < 5


KILLED = """
import sys
from tests.integration.test_source_at_work import killed
killed(*sys.argv[1:]).execute("killed")
"""


def killed(servers: str, topic: str, target: str, checkpoints: str) -> StreamExecutionEnvironment:
    """A job of several micro-batches."""
    env, parts = StreamExecutionEnvironment.get_execution_environment(), Parts(KafkaBroker(servers))
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    builder = parts.unbound(topic).set_group_id(topic).set_property("spark.maxOffsetsPerTrigger", "300")
    stream = env.from_source(parts.text(builder), WatermarkStrategy.no_watermarks(), "in")
    stream.map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    return env


def test_job_killed_between_batches_reads_every_record_and_the_group_follows(
    spark: SparkSession, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic, target = new_topic(partitions=2), new_topic()
    total = 1500
    parts.kafka.produce(topic, [Record(f"r{i}", partition=i % 2) for i in range(total)])
    arguments = parts.kafka.bootstrap_servers, topic, target, (tmp_path / "c").as_uri()

    def reached() -> int:
        return sum(committed(parts.kafka, topic, topic).values())

    program = subprocess.Popen([sys.executable, "-c", KILLED, *arguments], cwd=ROOT, start_new_session=True)
    try:
        wait_until(lambda: reached() >= 300, 90, "the group's offsets")
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    assert 300 <= reached() <= len(set(parts.values(target)))  # a group is never ahead of what is processed
    with running(killed(*arguments), "killed"):
        wait_until(lambda: reached() == total, 90, "the group's offsets")
    assert set(parts.values(target)) == {f"R{i}" for i in range(total)}
