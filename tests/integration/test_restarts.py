"""What a job has done survives its end: the next start continues from the checkpoint."""

from __future__ import annotations

import logging
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import JobClient, JobStatus, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaTopicPartition
from kafkastream.datastream.stream_outputs import CloseableIterator
from kafkastream.errors import DefinitionError, JobError, KafkaError
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder import CheckpointFolder, OffsetRange
from kafkastream.spark.checkpoint.record import JobRecord, PartRecord, SourceRecord
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.testing import Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts, Read


@pytest.fixture(autouse=True)
def checkpoints(env: StreamExecutionEnvironment, tmp_path: Path) -> Path:
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    return tmp_path


def test_second_run_reads_only_what_is_new(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, checkpoints: Path
) -> None:
    for run in ("first", "second"):
        parts.kafka.produce(topic, [run])
        assert list(read(parts.bounded(topic)).map(str.upper).execute_and_collect("upper")) == [run.upper()]
    assert [folder.name for folder in checkpoints.iterdir()] == ["upper"]


def test_a_bounded_run_after_a_completed_one_warns_of_its_empty_state(
    read: Read, parts: Parts, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    counts, warnings = [], []
    for _ in range(2):
        parts.kafka.produce(topic, ["a", "a"])
        pairs = read(parts.bounded(topic)).map(lambda value: (value, 1))
        counted = pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))
        caplog.clear()
        counts.append([count for _, count in counted.execute_and_collect("counts")])
        warnings.append([text for text in map(logging.LogRecord.getMessage, caplog.records) if "empty state" in text])
    assert counts == [[1, 2], [1, 2]]
    assert [len(texts) for texts in warnings] == [0, 1]
    assert "job 'counts': the last run of records is complete" in warnings[1][0]


def test_each_part_of_a_job_has_its_own_progress(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topics = [(new_topic(), new_topic()) for _ in range(2)]
    for run in range(2):
        for topic_in, topic_out in topics:
            parts.kafka.produce(topic_in, [f"{run} {topic_out}"])
            stream = read(parts.bounded(topic_in), "Kafka Source")  # equal names, as in many programs
            stream.map(str.upper, Types.STRING()).sink_to(parts.sink(topic_out))
        env.execute("twins")
    for _, topic_out in topics:
        assert parts.values(topic_out) == [f"{run} {topic_out}".upper() for run in range(2)]


@pytest.mark.parametrize("passes_through", [False, True], ids=["Python", "pass-through"])
def test_cancelled_job_loses_and_repeats_nothing(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, *, passes_through: bool
) -> None:
    source = new_topic(partitions=2)
    target = new_topic(config={"message.timestamp.type": "LogAppendTime"} if passes_through else {})
    expected = Counter(map(str, range(40_000)))

    def start() -> JobClient:
        stream = read(parts.endless(source))
        (stream if passes_through else stream.map(lambda value: value, Types.STRING())).sink_to(parts.sink(target))
        return env.execute_async("copy")

    client = start()
    parts.kafka.produce(source, map(str, range(20_000)))
    wait_until(lambda: parts.kafka.consume(target), 60, "the first output")
    client.cancel().result(60)
    parts.kafka.produce(source, map(str, range(20_000, 40_000)))
    client = start()
    written = parts.values(target, count=40_000)
    client.cancel().result(60)
    assert Counter(written) == expected
    assert Counter(parts.values(target)) == expected


def test_failed_batch_is_done_again_from_where_it_began(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, [Record("1"), Record("2")])
    assert list(read(parts.bounded(topic)).map(int).execute_and_collect("numbers")) == [1, 2]
    parts.kafka.produce(topic, ["3", "many"])
    with pytest.raises(Exception, match="many"):
        list(read(parts.bounded(topic)).map(int).execute_and_collect("numbers"))
    mended = read(parts.bounded(topic)).map(lambda value: int(value) if value.isdigit() else -1)
    assert list(mended.execute_and_collect("numbers")) == [3, -1]


def test_topic_that_is_gone_does_not_keep_a_job_from_starting(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, checkpoints: Path, spark: SparkSession
) -> None:
    prefix = new_topic()
    for number in range(2):
        parts.kafka.create_topic(f"{prefix}-{number}")
        parts.kafka.produce(f"{prefix}-{number}", [str(number)])
    source = parts.text(parts.unbound().set_topic_pattern(f"{prefix}-."))

    partitions = [KafkaTopicPartition(f"{prefix}-{number}", 0) for number in range(2)]
    folder = CheckpointFolder.of(spark, JobSettings(name="gone", checkpoint_dir=checkpoints.as_uri()))
    folder.record("pattern", {"pattern": OffsetRange(dict.fromkeys(partitions, 0))})
    sources = (SourceRecord(key="pattern", name="pattern", reads=f"topic pattern {prefix}-."),)
    part = PartRecord(folder="pattern", sources=sources, sinks=("collect",))
    folder.keep_record(JobRecord(job="gone", parts=(part,)))
    parts.kafka.delete_topic(f"{prefix}-0")
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "pattern")
    with stream.execute_and_collect("gone") as elements:
        assert next(elements) == "1"


def test_equal_sources_are_read_each_for_itself(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a"])
    both = read(parts.bounded(topic)).union(read(parts.bounded(topic)))
    assert list(both.execute_and_collect("twice")) == ["a", "a"]


def test_topic_made_again_after_a_finished_run_is_noticed(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topic = f"{new_topic()}-again"
    for values in (["1", "2", "3"], ["other"]):
        parts.kafka.create_topic(topic)
        parts.kafka.produce(topic, values)
        if values == ["other"]:
            with pytest.raises(KafkaError, match=f"gone: {topic}-0 holds offsets 0 to 1, read is 3"):
                read(parts.bounded(topic)).execute_and_collect("again")
            tolerant = parts.unbound(topic).set_property("spark.failOnDataLoss", "false")
            bounded = parts.text(tolerant.set_bounded(KafkaOffsetsInitializer.latest()))
            assert list(read(bounded).execute_and_collect("again")) == ["other"]
        else:
            assert list(read(parts.bounded(topic)).execute_and_collect("again")) == values
        parts.kafka.delete_topic(topic)


def _read_up_to(spark: SparkSession, topic: str) -> int:
    progress = active_queries(spark)[0].lastProgress
    ends = [offsets_of_json(source["endOffset"]) for source in progress["sources"]] if progress else []
    return max((end.get(KafkaTopicPartition(topic, 0), 0) for end in ends), default=0)


def test_interrupted_run_keeps_its_stops(spark: SparkSession, read: Read, parts: Parts, new_topic: NewTopic) -> None:
    now, later = new_topic(), new_topic()
    parts.kafka.produce(now, ["1", "2"])
    waits = parts.unbound(later).set_bounded(KafkaOffsetsInitializer.offsets({KafkaTopicPartition(later, 0): 1}))

    def elements() -> CloseableIterator[str]:
        return read(parts.bounded(now), "now").union(read(parts.text(waits), "later")).execute_and_collect("both")

    with elements() as first:
        assert sorted([next(first), next(first)]) == ["1", "2"]
        parts.kafka.produce(now, ["3"])  # behind the stop, and read by micro-batches that go on
        wait_until(lambda: _read_up_to(spark, now) == 3, 30, "a micro-batch behind the stop")
    parts.kafka.produce(later, ["late"])
    parts.kafka.produce(now, ["4"])
    assert list(elements()) == ["late"]
    assert sorted(elements()) == ["3", "4"]


def test_run_that_was_to_stop_does_not_go_on_without_end(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["1"])
    stop = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 0): 5})
    with read(parts.text(parts.unbound(topic).set_bounded(stop))).execute_and_collect("stops") as elements:
        assert next(elements) == "1"
    with pytest.raises(DefinitionError, match="interrupted before it had reached its stops"):
        read(parts.endless(topic)).execute_and_collect("stops")


def test_waiting_for_a_stop_ends_also_while_records_keep_coming(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    parts.kafka.produce(topic, ["0"])
    stop = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 0): 3})
    stream = read(parts.text(parts.unbound(topic).set_bounded(stop))).map(str.upper, Types.STRING())
    stream.sink_to(parts.sink(target))
    job = env.execute_async("busy")
    ended = job.get_job_execution_result()
    sent = 1
    deadline = time.monotonic() + 60
    while not ended.done() and time.monotonic() < deadline:
        parts.kafka.produce(topic, [str(sent)])
        sent += 1
    ended.result(1)
    assert job.get_job_status().result() is JobStatus.FINISHED
    assert parts.values(target) == ["0", "1", "2"]


def test_query_that_somebody_else_stops_fails_the_job(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, spark: SparkSession
) -> None:
    read(parts.endless(topic)).print()
    job = env.execute_async("stopped")
    for query in wait_until(lambda: active_queries(spark), 30, "the query"):
        query.stop()
    with pytest.raises(JobError, match="was stopped, and not by the job"):
        job.get_job_execution_result().result(30)


def test_cancel_before_a_collection_is_no_failure(env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    begun, cancelled = tmp_path / "begun", tmp_path / "cancelled"

    def until_cancelled(value: int) -> int:
        begun.touch()
        wait_until(cancelled.exists, 60, "the cancellation")
        return value

    env.from_collection([1], Types.INT()).map(until_cancelled).print()
    env.from_collection([2], Types.INT()).print()
    job = env.execute_async("two collections")
    wait_until(begun.exists, 60, "the first collection")
    end = job.cancel()
    cancelled.touch()
    end.result(60)
    assert job.get_job_status().result() is JobStatus.CANCELED
