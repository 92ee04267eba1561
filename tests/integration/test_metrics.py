"""The metrics of jobs at work: what functions count, what sources and sinks tell, and who may read it."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from confluent_kafka import Consumer
from prometheus_client.parser import text_string_to_metric_families

from kafkastream.common import Configuration, JobStatus, Types, WatermarkStrategy
from kafkastream.datastream import FlatMapFunction, MapFunction, ProcessFunction, RuntimeContext
from kafkastream.datastream import StreamExecutionEnvironment as Environment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.errors import SetupError, UnsupportedFeatureError, UserFunctionError
from kafkastream.metrics import DistributionValue, MeterValue, MetricsSnapshot
from kafkastream.spark.session.jars import connector_jars
from kafkastream.spark.worker.record_decoders import owner_subtask
from kafkastream.testing import Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

PARTITIONS = 3
LENGTHS = range(60)
PREFIX = "flink_taskmanager_job_task_operator_"
LOG_APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}
FACTORIES = {
    "log": "org.apache.flink.metrics.slf4j.Slf4jReporterFactory",
    "prom": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
}


class Measured(MapFunction[str, str]):
    """Counts, measures and remembers the lengths of its elements."""

    def open(self, runtime_context: RuntimeContext) -> None:
        group = runtime_context.get_metrics_group()
        self.calls = group.counter("calls")
        self.events = group.meter("events")
        self.lengths = group.add_group("kind", "text").distribution("lengths")
        self.last = -1
        group.gauge("last", lambda: self.last)

    def map(self, value: str) -> str:
        self.calls.inc()
        self.events.mark_event(2)
        self.lengths.update(len(value))
        self.last = len(value)
        return value


class ClosedMeasured(Measured):
    def close(self) -> None:
        self.calls.dec()


class Long(ProcessFunction[str, str]):
    """Lets long elements pass, and counts the others."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.short = runtime_context.get_metrics_group().counter("short")

    def process_element(self, value: str, ctx: ProcessFunction.Context) -> Iterable[str]:
        if len(value) >= 10:
            yield value
        else:
            self.short.inc()


class Words(FlatMapFunction[str, str]):
    def flat_map(self, value: str) -> Iterable[str]:
        return value.split()


class FailsOn(MapFunction[str, str]):
    def __init__(self, bad: str) -> None:
        self.bad = bad

    def open(self, runtime_context: RuntimeContext) -> None:
        self.calls = runtime_context.get_metrics_group().counter("calls")

    def map(self, value: str) -> str:
        self.calls.inc()
        if value == self.bad:
            raise ValueError(value)
        return value


def slowly(value: str) -> str:
    time.sleep(0.3)
    return value


def in_steps(parts: Parts, per_batch: int, *topics: str, **properties: str) -> KafkaSource[str]:
    """A bounded source that takes several micro-batches."""
    builder = parts.unbound(*topics).set_property("spark.maxOffsetsPerTrigger", str(per_batch))
    builder.set_properties(properties)
    return parts.text(builder.set_bounded(KafkaOffsetsInitializer.latest()))


def lengthy(parts: Parts, topic: str) -> None:
    """A text of each length, round the partitions."""
    parts.kafka.produce(topic, [Record("x" * length, partition=length % PARTITIONS) for length in LENGTHS])


def reporters(**settings: str) -> Environment:
    """An environment with reporters: ``prom_port="9250"``."""
    configuration = Configuration()
    for name, factory in FACTORIES.items():
        if any(key.startswith(name) for key in settings):
            configuration.set_string(f"metrics.reporter.{name}.factory.class", factory)
    for key, value in settings.items():
        configuration.set_string(f"metrics.reporter.{key.replace('_', '.', 1)}", value)
    return Environment.get_execution_environment(configuration)


@pytest.mark.parametrize("function", [Measured, ClosedMeasured])
def test_user_metrics_are_exact_over_partitions_and_micro_batches(
    env: Environment, read: Read, parts: Parts, new_topic: NewTopic, function: type[Measured]
) -> None:
    topic, target = new_topic(partitions=PARTITIONS), new_topic()
    lengthy(parts, topic)
    env.set_parallelism(PARTITIONS)
    stream = read(in_steps(parts, 15, topic)).map(function(), Types.STRING()).name("measure")
    stream.process(Long(), Types.STRING()).name("long").sink_to(parts.sink(target))
    metrics = env.execute("measured").get_metrics()
    of_function = metrics.of_operator("measure")
    if function is Measured:
        assert of_function.total("calls") == len(LENGTHS)
    else:  # closed once with each task
        assert of_function.total("calls") == len(LENGTHS) - batches(metrics)
    assert of_function.total("events") == 2 * len(LENGTHS)
    for partition in range(PARTITIONS):
        subtask = owner_subtask(topic, partition, PARTITIONS)
        seen = LENGTHS[partition::PARTITIONS]
        assert of_function[f"measured.measure.{subtask}.kind.text.lengths"] == DistributionValue(
            len(seen), sum(seen), min(seen), max(seen)
        )
        assert of_function[f"measured.measure.{subtask}.last"] == seen[-1]
        assert isinstance(of_function[f"measured.measure.{subtask}.events"], MeterValue)
    assert metrics.of_operator("long").total("short") == 10
    assert counted(metrics, "numRecordsIn", "numRecordsOut") == {
        "Source: records": (60, 60),
        "measure": (60, 60),
        "long": (60, 50),
        "Sink: Writer": (50, 50),
    }
    assert metrics.of_operator("Sink: Writer").total("numRecordsSend") == 50
    assert len(parts.values(target, 50)) == 50


def batches(metrics: MetricsSnapshot) -> int:
    """How many tasks a job ran whose micro-batches held 5 records of each partition."""
    return metrics.of_operator("Source: records").total("numRecordsIn") // 5


def counted(metrics: MetricsSnapshot, *names: str) -> dict[str, tuple[int, ...]]:
    operators = dict.fromkeys(metric.operator for metric in metrics.metrics if metric.operator)
    return {operator: tuple(map(metrics.of_operator(operator).total, names)) for operator in operators}


def test_operators_reached_on_two_ways_and_of_one_name_are_told_apart(env: Environment) -> None:
    lines = env.from_collection(["a b", "c"], Types.STRING())
    words = lines.flat_map(Words(), Types.STRING())
    upper = words.map(str.upper, Types.STRING())
    upper.union(words).map(str.strip, Types.STRING()).print()
    metrics = env.execute("ways").get_metrics()
    assert counted(metrics, "numRecordsIn", "numRecordsOut") == {
        "Flat Map": (2, 3),
        "Map": (3, 3),
        "Map-2": (6, 6),
        "Sink: Print to Std. Out": (6, 0),
        "Source: Collection Source": (2, 2),
    }
    assert "ways.Source: Collection Source.0.numBytesIn" not in metrics


def test_micro_batch_that_fails_counts_nothing(env: Environment, read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    values = ["a", "b", "c", "bad"]
    parts.kafka.produce(topic, [Record(value, partition=0) for value in values])
    parts.kafka.produce(topic, [Record(f"fine {number}", partition=1) for number in range(4)])
    read(in_steps(parts, 4, topic)).map(FailsOn("bad"), Types.STRING()).name("fails").print()
    job = env.execute_async("failing")
    with pytest.raises(UserFunctionError):
        job.get_job_execution_result().result(90)
    metrics = job.get_metrics()
    # The second micro-batch fails in one of its two tasks; the other task's records do not count either.
    assert metrics.of_operator("fails").total("calls") == 4
    assert metrics.of_operator("Source: records").total("numRecordsIn") == 4
    assert job.get_metrics() == metrics


KILLED_WORKER = """
import os, sys
from pathlib import Path
from kafkastream import *
from kafkastream.datastream import MapFunction

servers, topic, marker = sys.argv[1:]

class Crashes(MapFunction):
    def open(self, runtime_context):
        self.calls = runtime_context.get_metrics_group().counter("calls")

    def map(self, value):
        self.calls.inc()
        if value == "4" and not Path(marker).exists():
            Path(marker).touch()
            os._exit(1)
        return value

env = StreamExecutionEnvironment.get_execution_environment()
source = (
    KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
    .set_property("spark.maxOffsetsPerTrigger", "3").set_bounded(KafkaOffsetsInitializer.latest())
    .set_value_only_deserializer(SimpleStringSchema()).build()
)
env.from_source(source, WatermarkStrategy.no_watermarks(), "in").map(Crashes(), Types.STRING()).print()
metrics = env.execute("crash").get_metrics()
print("calls", metrics.total("calls"), "read", metrics.of_operator("Source: in").total("numRecordsIn"))
"""


def test_task_that_spark_repeats_counts_once(parts: Parts, topic: str, tmp_path: Path) -> None:
    parts.kafka.produce(topic, [str(number) for number in range(9)])
    script, marker = tmp_path / "job.py", tmp_path / "crashed"
    script.write_text(KILLED_WORKER)
    submit = shutil.which("spark-submit", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert submit
    jars = ",".join(map(str, connector_jars()))
    job = [str(script), parts.kafka.bootstrap_servers, topic, str(marker)]
    done = subprocess.run(
        [submit, "--master", "local[2,3]", "--jars", jars, *job],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert marker.exists()
    assert "calls 9 read 9" in done.stdout


def test_source_tells_what_it_has_read(env: Environment, read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    written_at = 1_700_000_000_000
    parts.kafka.produce(topic, [Record("é" * 3, key=b"key", partition=0, timestamp_ms=written_at) for _ in range(5)])
    env.set_parallelism(1)
    before = time.time_ns() // 1_000_000
    read(parts.bounded(topic)).map(str.upper, Types.STRING()).print()
    metrics = env.execute("reading").get_metrics()
    own = {metric.path: metric.value for metric in metrics.of_operator("Source: records").metrics}
    offsets = f"KafkaSourceReader.topic.{topic}.partition"
    lags = {name: own.pop(name) for name in ("currentEmitEventTimeLag", "currentFetchEventTimeLag", "sourceIdleTime")}
    assert own == {
        "numRecordsIn": 5,
        "numRecordsInErrors": 0,
        "numRecordsInPerSecond": MeterValue(5, 5 / 60),
        "numRecordsOut": 5,
        "numRecordsOutPerSecond": MeterValue(5, 5 / 60),
        "numBytesIn": 30,  # the keys are not read
        "numBytesInPerSecond": MeterValue(30, 0.5),
        "pendingRecords": 0,
        "KafkaSourceReader.commitsSucceeded": 0,
        "KafkaSourceReader.commitsFailed": 0,
        "KafkaSourceReader.KafkaConsumer.records-consumed-total": 5,
        "KafkaSourceReader.KafkaConsumer.records-lag-max": 0,
        f"{offsets}.0.currentOffset": 4,
        f"{offsets}.0.committedOffset": -1,
        f"{offsets}.1.currentOffset": -1,
        f"{offsets}.1.committedOffset": -1,
    }
    now = time.time_ns() // 1_000_000
    fetch, emit, idle = lags["currentFetchEventTimeLag"], lags["currentEmitEventTimeLag"], lags["sourceIdleTime"]
    assert isinstance(idle, int)
    assert isinstance(fetch, int)
    assert isinstance(emit, int)
    assert before - written_at <= fetch <= emit <= now - written_at
    assert 0 <= idle <= now - before


def test_emit_lag_goes_by_the_assigned_time_and_consumer_metrics_can_be_left_out(
    env: Environment, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a"])
    future = time.time_ns() // 1_000_000 + 1_000_000
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda _, __: future)
    source = in_steps(parts, 10, topic, **{"register.consumer.metrics": "false"})
    env.set_parallelism(1).from_source(source, strategy, "in").map(str.upper, Types.STRING()).print()
    metrics = env.execute("times").get_metrics()
    lag, fetched = (
        metrics["times.Source: in.0.currentEmitEventTimeLag"],
        metrics["times.Source: in.0.currentFetchEventTimeLag"],
    )
    assert isinstance(lag, int)
    assert isinstance(fetched, int)
    assert -1_000_000 <= lag < -500_000
    assert 0 <= fetched < 500_000
    assert not [name for name in metrics if "KafkaConsumer" in name]
    assert metrics.total("numRecordsIn") == 3  # source, map, print


def test_commits_are_counted(env: Environment, read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["a", "b"])
    env.set_parallelism(1).enable_checkpointing(50)
    read(parts.text(parts.unbound(topic).set_group_id(topic))).print()
    job = env.execute_async("commits")
    committed = f"commits.Source: records.0.KafkaSourceReader.topic.{topic}.partition.0.committedOffset"
    wait_until(lambda: job.get_metrics().get(committed) == 2, 60, "the first commit")
    assert job.get_metrics().total("KafkaSourceReader.commitsSucceeded") == 1
    parts.kafka.produce(topic, ["c"])
    wait_until(lambda: job.get_metrics()[committed] == 3, 60, "the second commit")
    job.cancel().result(60)
    assert job.get_metrics().total("KafkaSourceReader.commitsSucceeded") == 2
    assert job.get_metrics().total("KafkaSourceReader.commitsFailed") == 0


def test_commits_that_fail_are_counted(env: Environment, read: Read, parts: Parts, topic: str) -> None:
    member = Consumer({"bootstrap.servers": parts.kafka.bootstrap_servers, "group.id": topic, "log_level": 0})
    try:
        member.subscribe([topic])
        wait_until(lambda: member.poll(0.1) is None and member.assignment(), 30, "the member's assignment")
        parts.kafka.produce(topic, ["a"])
        env.enable_checkpointing(100)
        read(parts.text(parts.unbound(topic).set_group_id(topic).set_bounded(KafkaOffsetsInitializer.latest()))).print()
        metrics = env.execute("commits").get_metrics()
        assert metrics.total("KafkaSourceReader.commitsFailed") >= 1
        assert metrics.total("KafkaSourceReader.commitsSucceeded") == 0
    finally:
        member.close()


def test_pending_records_and_idle_time_of_a_job_that_lags(
    env: Environment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, [str(number) for number in range(12)])
    env.set_parallelism(1)
    one_by_one = parts.text(parts.unbound(topic).set_property("spark.maxOffsetsPerTrigger", "1"))
    read(one_by_one).map(slowly, Types.STRING()).print()
    job = env.execute_async("lagging")
    seen: list[Any] = []

    def pending() -> Any:
        seen.append(job.get_metrics().get("lagging.Source: records.0.pendingRecords"))
        return seen[-1]

    assert pending() is None  # as in Flink, only after the first records
    wait_until(lambda: pending() == 0, 90, "the last record")
    known = [value for value in seen if value is not None]
    assert known == sorted(known, reverse=True)
    assert max(known) > 1
    idle = "lagging.Source: records.0.sourceIdleTime"
    wait_until(lambda: int(str(job.get_metrics()[idle])) > 2000, 60, "idleness")
    job.cancel().result(60)
    last = job.get_metrics()
    assert last.of_operator("Source: records").total("numRecordsIn") == 12
    assert last == job.get_metrics()


def test_copy_that_spark_does_alone_is_counted_from_its_progress(
    env: Environment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topic, target = new_topic(partitions=2), new_topic(config=LOG_APPEND_TIME)
    parts.kafka.produce(topic, [Record(str(number), partition=0) for number in range(30)])
    env.set_parallelism(1)
    read(in_steps(parts, 10, topic)).sink_to(parts.sink(target))
    metrics = env.execute("copy").get_metrics()
    assert counted(metrics, "numRecordsIn", "numRecordsOut") == {
        "Sink: Writer": (30, 30),
        "Source: records": (30, 30),
    }
    assert metrics[f"copy.Source: records.0.KafkaSourceReader.topic.{topic}.partition.0.currentOffset"] == 29
    assert metrics[f"copy.Source: records.0.KafkaSourceReader.topic.{topic}.partition.1.currentOffset"] == -1
    assert metrics["copy.Source: records.0.pendingRecords"] == 0


class Hostile(MapFunction[str, str]):
    """Has metrics with values and names that few readers expect."""

    def open(self, runtime_context: RuntimeContext) -> None:
        group = runtime_context.get_metrics_group().add_group('a "b"\n<i>', "half \ud800")
        self.huge, self.of_numpy = group.counter("huge"), group.counter("of numpy")
        self.sizes = group.distribution("sizes")
        gauges = {"nan": math.nan, "digits": 10**5000, "numpy": np.float64(0.5), "bytes": b"\xff", "half": "\udfff"}
        for name, value in gauges.items():
            group.gauge(name, partial(self.read, value))

    @staticmethod
    def read(value: object) -> object:
        return value

    def map(self, value: str) -> str:
        self.huge.inc(10**5000)
        self.of_numpy.inc(np.int64(2))
        self.sizes.update(np.int64(3))
        return value


def test_any_value_of_a_metric_reaches_its_readers(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    env = reporters(prom_port="0", log_interval="1 h").set_parallelism(1)
    env.configure(Configuration().set_string("rest.port", "0"))
    env.from_elements("a", "b").map(Hostile(), Types.STRING()).name("map").print()
    with caplog.at_level(logging.INFO, "kafkastream"):
        metrics = env.execute("hostile").get_metrics()
    operator = {metric.name: metric.value for metric in metrics.of_operator("map").metrics if metric.groups}
    assert operator.pop("nan") != operator["digits"]
    assert operator == {
        "huge": 2**63 - 1,
        "of numpy": 4,
        "sizes": DistributionValue(2, 6, 3, 3),
        "digits": "about 1.00e+5000",
        "numpy": 0.5,
        "bytes": "b'\\xff'",
        "half": "\udfff",
    }
    assert type(operator["of numpy"]) is int
    page = re.search(r"has a page: (\S+)", capfd.readouterr().err)
    assert page
    with urllib.request.urlopen(f"{page[1]}page/jobs", timeout=10) as answer:
        job = json.load(answer)["jobs"][0]["id"]
    with urllib.request.urlopen(f"{page[1]}page/jobs/{job}", timeout=10) as answer:
        shown = {path.rpartition(".")[2]: value for _, _, path, _, value in json.load(answer)["metrics"]}
    assert (shown["nan"], shown["half"], shown["of numpy"]) == ("NaN", "\ufffd", 4)
    assert 'hostile.map.0.a "b"\\n<i>.half \\ud800.of numpy: 4' in caplog.text


def scraped(port: int) -> dict[tuple[str, str], tuple[float, dict[str, str]]]:
    """What Prometheus reads: value and labels, by name and operator."""
    with urllib.request.urlopen(f"http://localhost:{port}/metrics", timeout=10) as answer:
        found = text_string_to_metric_families(answer.read().decode())
    samples = [sample for family in found for sample in family.samples]
    return {
        (one.name.removeprefix(PREFIX), one.labels.get("operator_name", "")): (one.value, dict(one.labels))
        for one in samples
    }


def port_of(log: pytest.LogCaptureFixture) -> int:
    said = re.search(r"metric reporter 'prom' serves Prometheus on port (\d+)", log.text)
    assert said
    return int(said[1])


def test_prometheus_is_answered_while_the_job_runs(parts: Parts, topic: str, caplog: pytest.LogCaptureFixture) -> None:
    env = reporters(prom_port="0").set_parallelism(1)
    stream = env.from_source(parts.endless(topic), WatermarkStrategy.no_watermarks(), "in")
    stream.map(Measured(), Types.STRING()).name("my map").print()
    with caplog.at_level(logging.INFO, "kafkastream"):
        job = env.execute_async("my job")
    ask = partial(scraped, port_of(caplog))
    labels = {
        "job_id": str(job.get_job_id()),
        "job_name": "my_job",
        "operator_id": "2",
        "operator_name": "my_map",
        "subtask_index": "0",
    }
    parts.kafka.produce(topic, ["a", "bcd"])
    wait_until(lambda: ("calls", "my_map") in ask(), 60, "the records")
    wait_until(lambda: ask()["calls", "my_map"] == (2, labels), 60, "the second record")
    found = ask()
    expected = {
        ("numRecordsIn", "my_map"): (2.0, labels),
        ("kind_lengths_max", "my_map"): (3.0, {**labels, "kind": "text"}),
        ("flink_jobmanager_job_numRestarts", ""): (0.0, {"job_id": labels["job_id"], "job_name": "my_job"}),
    }
    assert {name: found[name] for name in expected} == expected
    offset, place = found["KafkaSourceReader_topic_partition_currentOffset", "Source:_in"]
    assert (offset, place["topic"], place["partition"]) == (1, topic.replace("-", "_"), "0")
    job.cancel().result(60)
    with pytest.raises(OSError, match="refused"):
        ask()


def test_port_in_use_is_told_before_the_job_starts(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    refused = tmp_path / "refused"

    def until_refused(value: str) -> str:
        wait_until(refused.exists, 60, "the refusal")
        return value

    first = reporters(prom_port="0")
    first.from_elements("a").map(until_refused).print()
    with caplog.at_level(logging.INFO, "kafkastream"):
        running = first.execute_async("first")
    taken = str(port_of(caplog))
    second = reporters(prom_port=taken, log_interval="1 h")
    second.from_elements(1).print()
    with pytest.raises(SetupError, match="no free port"):
        second.execute("second")
    refused.touch()
    running.get_job_execution_result().result(60)


def test_log_reporter_writes_lines(caplog: pytest.LogCaptureFixture) -> None:
    env = reporters(log_interval="50 ms").set_parallelism(1)
    env.from_collection(["a", "b"], Types.STRING()).map(slowly, Types.STRING()).map(Measured(), Types.STRING()).print()
    with caplog.at_level(logging.INFO, "kafkastream.metrics"):
        assert env.execute_async("logged").get_job_execution_result().result(60)
    reports = [record.getMessage() for record in caplog.records if record.name == "kafkastream.metrics"]
    assert len(reports) > 2
    assert reports[0] == "metrics of job 'logged': 1\n-- gauges\nlogged.numRestarts: 0"
    lines = reports[-1].splitlines()
    assert "logged.Map-2.0.calls: 2" in lines
    assert "logged.Map-2.0.kind.text.lengths: count=2, min=1, max=1, mean=1" in lines
    assert "logged.Map-2.0.last: 1" in lines


def test_unknown_reporter_is_refused_before_anything_starts() -> None:
    configuration = Configuration().set_string("metrics.reporter.x.factory.class", "org.example.Mine")
    env = Environment.get_execution_environment(configuration)
    env.from_elements(1).print()
    with pytest.raises(UnsupportedFeatureError, match=r"org\.example\.Mine"):
        env.execute()


def test_metrics_can_be_read_from_the_beginning(env: Environment) -> None:
    env.from_elements(1).print()
    job = env.execute_async("early")
    read_early: Callable[[], MetricsSnapshot] = job.get_metrics
    assert read_early().job_name == "early"
    job.get_job_execution_result().result(60)
    assert job.get_job_status().result() is JobStatus.FINISHED
    assert job.get_metrics().job_id == str(job.get_job_id())
