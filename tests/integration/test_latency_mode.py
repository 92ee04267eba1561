"""Jobs in latency mode: what they write, where they continue, how they fail."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import Configuration, JobStatus, RestartStrategies, Types
from kafkastream.datastream import MapFunction, ProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaTopicPartition,
)
from kafkastream.errors import JobError, KafkaError, UnsupportedFeatureError, UserFunctionError
from kafkastream.model.formats import JsonRowDeserializationSchema
from kafkastream.testing import Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.common import JobClient
    from tests.integration.conftest import Parts, Read

_PATIENCE_S = 120

_GUARANTEES = (
    DeliveryGuarantee.EXACTLY_ONCE,
    *(
        pytest.param(one, marks=pytest.mark.nightly)
        for one in (DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.NONE)
    ),
)
guarantees = pytest.mark.parametrize("guarantee", _GUARANTEES, ids=lambda guarantee: guarantee.name)


@pytest.fixture(autouse=True)
def checkpoints(env: StreamExecutionEnvironment, tmp_path: Path) -> Path:
    """Short epochs, so that each test has several."""
    env.configure(Configuration().set_string("kafkastream.latency.epoch", "1 s"))
    env.set_buffer_timeout(0).enable_checkpointing(300).get_checkpoint_config().set_checkpoint_storage_dir(
        tmp_path.as_uri()
    )
    return tmp_path


def sink_of(parts: Parts, topic: str, guarantee: DeliveryGuarantee) -> KafkaSink[Any]:
    return parts.sink_of(parts.serializer(topic), guarantee=guarantee)


def _has_more(parts: Parts, topic: str, than: int) -> bool:
    return len(parts.values(topic)) > than


def _has_all(parts: Parts, topic: str, end: int) -> bool:
    return len(set(parts.values(topic))) == end


def numbers(begin: int, end: int) -> list[Record]:
    return [Record(str(number), partition=number % 2) for number in range(begin, end)]


class Timed(ProcessFunction):
    """Each element with its time."""

    def process_element(self, value: str, ctx: ProcessFunction.Context) -> Iterator[str]:
        yield f"{value} {ctx.timestamp()}"


def written(parts: Parts, topic: str, count: int) -> list[str | None]:
    """The values in a topic, once there are so many; a busy machine takes its time to start workers."""
    wait_until(partial(_has_more, parts, topic, count - 1), _PATIENCE_S, f"{count} records")
    return parts.values(topic)


def await_next_epoch(spark: SparkSession) -> None:
    """Wait until the Spark job of the current epoch has ended."""
    tracker = spark.sparkContext.statusTracker()
    current = set(tracker.getActiveJobsIds())
    wait_until(lambda: current.isdisjoint(tracker.getActiveJobsIds()), _PATIENCE_S, "the end of the epoch")


@contextmanager
def running(job: JobClient) -> Iterator[JobClient]:
    """A job that is cancelled at the end, also if the test has failed."""
    try:
        yield job
    finally:
        job.cancel().result(_PATIENCE_S)


def copies(env: StreamExecutionEnvironment, read: Read, parts: Parts, two: str, sink: KafkaSink[Any]) -> JobClient:
    read(parts.endless(two)).map(lambda value: value, Types.STRING()).sink_to(sink).name("copy")
    return env.execute_async("copy")


@guarantees
def test_all_records_come_through_over_several_epochs(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    two: str,
    new_topic: NewTopic,
    spark: SparkSession,
    guarantee: DeliveryGuarantee,
) -> None:
    target = new_topic()
    with running(copies(env, read, parts, two, sink_of(parts, target, guarantee))) as job:
        for round_ in range(5):
            parts.kafka.produce(two, numbers(1000 * round_, 1000 * (round_ + 1)))
            written(parts, target, 1000 * (round_ + 1))
            await_next_epoch(spark)
    assert job.get_job_status().result() is JobStatus.CANCELED
    assert parts.values(target) == sorted(map(str, range(5000)))
    metrics = job.get_metrics()
    assert metrics.of_operator("Source: records").total("numRecordsOut") == 5000
    assert metrics.of_operator("Sink: copy").total("numRecordsOut") == 5000


@guarantees
def test_bounded_run_ends_at_its_stops_and_the_next_begins_there_in_either_mode(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    two: str,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
) -> None:
    target = new_topic()
    for run, timeout in enumerate((0, -1, 0, 0, -1)):
        env.set_buffer_timeout(timeout)
        parts.kafka.produce(two, numbers(10 * run, 10 * (run + 1)))
        stream = read(parts.bounded(two)).map(lambda value: value, Types.STRING())
        stream.sink_to(sink_of(parts, target, guarantee)).name("copy")
        result = env.execute("bounded")
        assert result.metrics.of_operator("Source: records").total("numRecordsOut") == 10
    assert parts.values(target) == sorted(map(str, range(50)))


@guarantees
def test_cancelled_job_loses_and_repeats_nothing_and_may_change_its_mode(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    two: str,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
) -> None:
    target = new_topic()
    for run, timeout in enumerate((0, 0, -1)):
        env.set_buffer_timeout(timeout)
        parts.kafka.produce(two, numbers(2000 * run, 2000 * (run + 1)))
        with running(copies(env, read, parts, two, sink_of(parts, target, guarantee))):
            wait_until(partial(_has_more, parts, target, 2000 * run), _PATIENCE_S, "the first output")
    with running(copies(env, read, parts, two, sink_of(parts, target, guarantee))):
        assert written(parts, target, 6000) == sorted(map(str, range(6000)))
    assert parts.values(target) == sorted(map(str, range(6000)))


def test_lines_are_printed_in_order_and_at_once(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, capfd: pytest.CaptureFixture[str]
) -> None:
    env.set_parallelism(1)
    read(parts.endless(topic)).print()
    with running(env.execute_async("lines")):
        lines: list[str] = []
        for number in range(3):
            parts.kafka.produce(topic, [f"line {number}-{place}" for place in range(3)])

            def has_come(number: int = number) -> bool:
                lines.extend(line for line in capfd.readouterr().out.splitlines() if line.startswith("line"))
                return f"line {number}-2" in lines

            wait_until(has_come, _PATIENCE_S, "the lines")
    assert lines == [f"line {number}-{place}" for number in range(3) for place in range(3)]


def test_strangers_at_the_port_delay_no_epoch(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    two: str,
    new_topic: NewTopic,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """400 connections that say nothing or nonsense, and messages that Spark's settings say to encrypt."""
    monkeypatch.setattr("kafkastream.spark.job.epoch_server._ENCRYPTS_RPC", ("spark.kafkastream.test",))
    monkeypatch.setattr(type(spark.sparkContext), "getConf", lambda _: {"spark.kafkastream.test": "true"})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env.configure(Configuration().set_string("kafkastream.latency.port", str(port)))
    target = new_topic()
    job = copies(env, read, parts, two, sink_of(parts, target, DeliveryGuarantee.AT_LEAST_ONCE))
    with running(job), ExitStack() as strangers:
        parts.kafka.produce(two, numbers(0, 10))
        written(parts, target, 10)
        for number in range(400):
            connection = strangers.enter_context(socket.create_connection(("127.0.0.1", port), _PATIENCE_S))
            with suppress(OSError):
                connection.sendall((b"", b"x", os.urandom(64), b"GET / HTTP/1.1\r\n\r\n")[number % 4])
        start = time.monotonic()
        for round_ in range(1, 4):
            await_next_epoch(spark)
            parts.kafka.produce(two, numbers(10 * round_, 10 * (round_ + 1)))
            written(parts, target, 10 * (round_ + 1))
        assert time.monotonic() - start < 20, "each epoch is 1 s long; a stranger that is waited for costs 10 s"


def test_elements_are_collected(env: StreamExecutionEnvironment, read: Read, parts: Parts, two: str) -> None:
    parts.kafka.produce(two, numbers(0, 3000))
    # Tasks have the job's limits for records; the default is 1,000 digits.
    env.configure(Configuration().set_string("kafkastream.records.max-digits", "2000"))
    row = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.BIG_INT()])).build()

    def number(text: str) -> int:
        digits = len(str(row.deserialize(b'{"n":%s}' % (b"9" * 1_500))))
        return int(text) + digits - len("Row(n=)") - 1_500

    assert sorted(read(parts.bounded(two)).map(number).execute_and_collect("numbers")) == list(range(3000))


def test_two_sources_one_of_which_gets_new_partitions(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkastream.spark.job.epochs._DISCOVERY_S", 0.5)
    left, right, target = new_topic(), new_topic(2), new_topic()
    both = read(parts.endless(left), "left").union(read(parts.endless(right), "right"))
    both.map(str.upper, Types.STRING()).sink_to(sink_of(parts, target, DeliveryGuarantee.EXACTLY_ONCE))
    with running(env.execute_async("both")):
        parts.kafka.produce(left, ["a"])
        parts.kafka.produce(right, [Record("b", partition=1)])
        assert written(parts, target, 2) == ["A", "B"]
        parts.kafka.add_partitions(left, 2)
        parts.kafka.produce(left, [Record("c", partition=1)])
        assert written(parts, target, 3) == ["A", "B", "C"]


@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE])
def test_records_that_cannot_be_decoded_become_dead_letters(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
) -> None:
    target, dead = new_topic(), new_topic()
    parts.kafka.produce(topic, [Record("good"), Record(b"\xff"), Record("fine")])
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(dead)
    read(parts.text(builder)).sink_to(sink_of(parts, target, guarantee))
    env.execute("letters")
    assert parts.values(target) == ["fine", "good"]
    assert [letter.value for letter in parts.kafka.consume(dead)] == [b"\xff"]


class Opened(MapFunction):
    """Notes when it is opened and closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _note(self, what: str) -> None:
        with (self._folder / "notes").open("a") as notes:
            notes.write(f"{what}\n")

    def open(self, runtime_context: RuntimeContext) -> None:
        self._note("open")
        self.count = 0

    def map(self, value: str) -> str:
        self.count += 1
        return f"{value} {self.count}"

    def close(self) -> None:
        self._note("close")


def test_functions_are_opened_once_an_epoch_if_they_are_closed(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    env.configure(Configuration().set_string("kafkastream.latency.epoch", "1 min"))
    stream = read(parts.endless(topic)).map(Opened(checkpoints), Types.STRING())
    stream.sink_to(sink_of(parts, target, DeliveryGuarantee.AT_LEAST_ONCE))
    with running(env.execute_async("opened")):
        for number in range(3):
            parts.kafka.produce(topic, [str(number)])
            assert written(parts, target, number + 1) == [f"{one} {one + 1}" for one in range(number + 1)]
    assert (checkpoints / "notes").read_text().split() == ["open", "close"]


class FailsOnce(MapFunction):
    """Fails at one value, until a file is there."""

    def __init__(self, flag: Path, how: Callable[[], object]) -> None:
        self._flag = flag
        self._how = how

    def map(self, value: str) -> str:
        if value == "700" and not self._flag.exists():
            self._flag.touch()
            self._how()
        return value


def raises() -> None:
    raise ValueError("once")


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("how", [raises, is_killed])
@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE])
def test_job_goes_on_after_a_function_raises_and_after_a_worker_is_killed(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    two: str,
    new_topic: NewTopic,
    checkpoints: Path,
    guarantee: DeliveryGuarantee,
    how: Callable[[], None],
) -> None:
    target = new_topic()
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 100))
    stream = read(parts.endless(two)).map(FailsOnce(checkpoints / "flag", how), Types.STRING())
    stream.sink_to(sink_of(parts, target, guarantee))
    with running(env.execute_async("fails once")):
        for begin, end in ((0, 600), (600, 1000)):  # the function fails at 700
            parts.kafka.produce(two, numbers(begin, end))
            wait_until(partial(_has_all, parts, target, end), _PATIENCE_S, f"all records below {end}")
    written = Counter(parts.values(target))
    assert set(written) == set(map(str, range(1000)))
    if guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        assert set(written.values()) == {1}


def test_failure_names_operator_and_record(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["1", "many"])
    with pytest.raises(UserFunctionError, match="ValueError") as raised:
        list(read(parts.bounded(topic)).map(int).name("parse").execute_and_collect("numbers"))
    assert raised.value.where == f"topic {topic}, partition 0, offset 1; element 'many'"
    mended = read(parts.bounded(topic)).map(lambda value: int(value) if value.isdigit() else -1)
    assert -1 in list(mended.execute_and_collect("numbers"))


def test_interrupted_run_keeps_its_stops(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    now, later = new_topic(), new_topic()
    parts.kafka.produce(now, ["1", "2"])
    waits = parts.unbound(later).set_bounded(KafkaOffsetsInitializer.offsets({KafkaTopicPartition(later, 0): 1}))

    def elements() -> Any:
        return read(parts.bounded(now), "now").union(read(parts.text(waits), "later")).execute_and_collect("both")

    with elements() as first:
        assert sorted([next(first), next(first)]) == ["1", "2"]
        parts.kafka.produce(now, ["3"])
    parts.kafka.produce(later, ["late"])
    assert list(elements()) == ["late"]
    assert sorted(elements()) == ["3"]


def test_records_of_any_time_are_read_and_written_with_it(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    times = (1_700_000_000_000_000_000, -62_135_596_800_000, -1, 5)
    source, target = (new_topic(config={"message.timestamp.after.max.ms": str(2**63 - 1)}) for _ in range(2))
    parts.kafka.produce(source, [Record(str(time), timestamp_ms=time) for time in times])
    read(parts.bounded(source)).process(Timed(), Types.STRING()).sink_to(parts.sink(target))
    env.execute("times")
    assert parts.values(target) == sorted(f"{time} {time}" for time in times)
    written_times = [record.timestamp_ms for record in parts.kafka.consume(target)]
    assert (written_times[0], written_times[3]) == (times[0], 5)
    assert min(written_times[1:3]) > 10**12  # as in Flink: times before 1970 are not written


def test_lost_records_are_an_error_or_passed_over(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    topic = f"{new_topic()}-again"
    for values in (["1", "2", "3"], ["other"]):
        parts.kafka.create_topic(topic)
        parts.kafka.produce(topic, values)
        if values == ["other"]:
            with pytest.raises(KafkaError, match="gone"):
                list(read(parts.bounded(topic)).execute_and_collect("again"))
            tolerant = parts.unbound(topic).set_property("spark.failOnDataLoss", "false")
            bounded = parts.text(tolerant.set_bounded(KafkaOffsetsInitializer.latest()))
            assert list(read(bounded).execute_and_collect("again")) == ["other"]
        else:
            assert list(read(parts.bounded(topic)).execute_and_collect("again")) == values
        parts.kafka.delete_topic(topic)


def test_a_mode_cannot_change_after_an_interruption(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, spark: SparkSession
) -> None:
    parts.kafka.produce(topic, ["1", "many"])

    def fail(timeout: int, expected: type[JobError] | type[UnsupportedFeatureError]) -> None:
        env.set_buffer_timeout(timeout)
        with pytest.raises(expected):
            list(read(parts.endless(topic)).map(int).execute_and_collect("modes"))

    fail(0, JobError)
    fail(-1, UnsupportedFeatureError)
    fail(0, JobError)


def test_parts_with_keys_stay_micro_batches(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, caplog: pytest.LogCaptureFixture
) -> None:
    env.set_parallelism(1)
    plain, keyed, target = new_topic(), new_topic(), new_topic()
    parts.kafka.produce(plain, ["plain"])
    parts.kafka.produce(keyed, ["keyed"])
    sink = parts.sink(target)
    read(parts.bounded(plain), "plain").map(str.upper, Types.STRING()).sink_to(sink)
    read(parts.bounded(keyed), "keyed").key_by(str).map(str.upper, Types.STRING()).sink_to(sink)
    with caplog.at_level("INFO", "kafkastream"):
        env.execute("both kinds")
    assert parts.values(target) == ["KEYED", "PLAIN"]
    told = [record.message for record in caplog.records if "micro-batches" in record.message]
    assert len(told) == 1
    assert "source 'keyed'" in told[0]


def test_source_time_headers_and_keys_are_as_in_micro_batches(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    from kafkastream.datastream.connectors.kafka import ConsumerRecord, KafkaRecordDeserializationSchema

    class Whole(KafkaRecordDeserializationSchema[Any]):
        def deserialize(self, record: ConsumerRecord) -> Any:
            yield repr(record)

    parts.kafka.produce(topic, [Record("v", key="k", headers=(("h", b"1"), ("n", None))), Record(None, key="k")])
    found = []
    for run, timeout in enumerate((0, -1)):
        env.set_buffer_timeout(timeout)
        found.append(list(read(parts.bounded_as(Whole(), topic)).execute_and_collect(f"whole {run}")))
    assert found[0] == found[1]
    assert len(found[0]) == 2
