"""Runs a job of random graphs on Spark, replays each of its micro-batches in the test driver, and compares.

Spark's log of offsets has the records and the watermarks of each micro-batch. The processing time is that of a clock
which both share. Compared are the watermarks of all operators before each micro-batch, the records of the sink, the
counters, and the keyed state and timers of each operator at the end.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.values import MetricKind
from kafkastream.model.common.time import wall_clock
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.folder_names import own_folder
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.checkpoint.stored import stored_folder
from kafkastream.testing import JobTestDriver, wait_until
from tests.differential.replay.functions import UNORDERED
from tests.differential.replay.job import LINES, Job
from tests.differential.replay.records import PARTITIONS, START_MS, SentRecord
from tests.differential.replay.shared_clock import SharedClock
from tests.differential.replay.stored_state import shown_state, state_in_checkpoint
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.common import JobClient
    from kafkastream.testing import KafkaBroker

__all__ = ["Difference", "Replay"]

_PATIENCE_S: Final = 240
_COUNTERS: Final = frozenset({"calls", "numLateRecordsDropped", "numRecordsIn", "numRecordsOut"})


class Difference(NamedTuple):
    """A difference between Spark and the driver.

    Args:
        what: What differs.
        spark: What Spark has given.
        driver: What the driver has given.
    """

    what: str
    spark: object
    driver: object


class _Batch(NamedTuple):
    """Micro-batch of Spark: its records, and the content of the control stream, if it has a new one."""

    number: int
    records: Sequence[SentRecord]
    told: Mapping[str, Any] | None


@final
class Replay:
    """A job on Spark, and its replay.

    Args:
        job: The job.
        kafka: Broker with its topics.
        spark: Session in which it runs.
        folder: Folder for its checkpoint and its clock.
    """

    def __init__(self, job: Job, kafka: KafkaBroker, spark: SparkSession, folder: Path) -> None:
        self.job, self.kafka, self.spark, self.folder = job, kafka, spark, folder
        self.name = f"replay-{uuid.uuid4().hex[:8]}"
        self.topics = {name: f"{self.name}-{name}" for name in (*PARTITIONS, LINES)}
        self.clock = SharedClock(folder / "clock")
        self.now = START_MS
        self.operators: Mapping[int, Sequence[str]] = {}
        self.differences: list[Difference] = []
        self.batches = 0
        self._read = self._starts = 0
        self._sent: dict[tuple[TopicPartition, int], SentRecord] = {}
        self._client: JobClient
        self._driver: JobTestDriver
        self._written: list[Any] = []

    def run(self) -> list[Difference]:
        """Run all steps on both, and return the differences."""
        with wall_clock(self.clock.now):  # by which the job tells its tasks the processing time
            return self._run()

    def _run(self) -> list[Difference]:
        for name, topic in self.topics.items():
            self.kafka.create_topic(topic, PARTITIONS.get(name, 3))
        self._start(None)
        try:
            for step in self.job.random_steps():
                self._pass(step.passes_ms)
                self._send(step.records)
                self._follow()
                if self.differences:
                    return self.differences
                if step.restarts:
                    self._restart(ends=False)
            self._restart(ends=True)
            self._client.get_job_execution_result().result(_PATIENCE_S)
            self._driver.finish()  # nothing was left to read
            self._replay_new()
            self._compare_counters()
            self._written += self._driver.topic(self.topics[LINES])
            self._compare_lines()
        finally:
            self._driver.close()
            self._client.cancel().result()
            self.clock.path.unlink()
            for topic in self.topics.values():
                self.kafka.delete_topic(topic)
        return self.differences

    def _environment(self, *, ends: bool) -> StreamExecutionEnvironment:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.get_checkpoint_config().set_checkpoint_storage_dir(self.folder.as_uri())
        self.operators = self.job.build(env, self.kafka.bootstrap_servers, self.topics, self.clock, ends=ends)
        return env

    def _start(self, snapshot: Any, *, ends: bool = False) -> None:
        self.now += 1  # a start is a micro-batch because it has another time than the last one
        self.clock.set(self.now)
        self._starts += 1
        self._driver = JobTestDriver.of(
            self._environment(ends=ends),
            partitions={self.topics[name]: number for name, number in {**PARTITIONS, LINES: 3}.items()},
            now_ms=self.now,
            restored=snapshot,
        )
        self._fire_timers()
        self._client = self._environment(ends=ends).execute_async(self.name)
        if not ends:
            self._follow()

    def _restart(self, *, ends: bool) -> None:
        self._compare_counters()
        self._written += self._driver.topic(self.topics[LINES])
        snapshot = self._driver.snapshot()
        self._client.cancel().result()
        if ends:
            self._compare_state()
        self._driver.close()
        self._start(snapshot, ends=ends)

    def _compare_state(self) -> None:
        """Compare the state in Spark's checkpoint with that of the driver."""
        (part,) = self._driver._run._parts
        checkpoint = Path(own_folder(str(self.folder), self.name)) / self._part
        stored = state_in_checkpoint(self.spark, checkpoint, len(part.states))
        spark, driver = (shown_state(states, part.identities.values()) for states in (stored, part.states))
        for place in sorted(spark.keys() | driver.keys()):
            self._compare(f"state of {place}", spark.get(place), driver.get(place))

    def _pass(self, passes_ms: int) -> None:
        """Let processing time pass on both; timers that are due fire in one micro-batch."""
        self.now += passes_ms
        self.clock.set(self.now)
        due = [part.next_timer() for part in self._driver._run._parts]
        if not any(timer is not None and timer <= self.now for timer in due):
            self._driver._run.now_ms = self.now
            return
        self._fire_timers()
        wait_until(lambda: self._has_ended or self._told_now() >= self.now, _PATIENCE_S, "the timers")
        self._follow()

    def _fire_timers(self) -> None:
        """Let the driver have the processing time, and fire all timers that are due in one micro-batch, as Spark does."""
        run = self._driver._run
        run.now_ms = self.now
        with run._working():
            for part in run._parts:
                part.fire_timers()

    def _told_now(self) -> int:
        told = self._log().planned_offsets(self._part).get(CONTROL_NAME)
        return -1 if told is None else int(json.loads(told)["now"])

    def _send(self, records: Sequence[SentRecord]) -> None:
        """Write records in one transaction, so that Spark reads all of them in one micro-batch."""
        from confluent_kafka import Producer

        producer = Producer(
            {"bootstrap.servers": self.kafka.bootstrap_servers, "transactional.id": self.name, "log_level": 0}
        )
        producer.init_transactions()
        producer.begin_transaction()

        def noted(record: SentRecord) -> Any:
            def note(error: Any, message: Any) -> None:
                assert error is None, error
                self._sent[TopicPartition(message.topic(), message.partition()), message.offset()] = record

            return note

        for record in records:
            producer.produce(
                self.topics[record.topic],
                record.value,
                record.key,
                record.partition,
                noted(record),
                timestamp=record.timestamp,
                headers=list(record.headers),
            )
        producer.flush()
        producer.commit_transaction()

    def _follow(self) -> None:
        """Wait until Spark has processed all that there is, and replay its micro-batches."""
        from pyspark.errors import StreamingQueryException

        def query() -> Any:
            if self._has_ended:
                self._client.get_job_execution_result().result()
            return next((query for query in active_queries(self.spark) if self.name in (query.name or "")), None)

        with suppress(StreamingQueryException):  # the job has the error
            wait_until(query, _PATIENCE_S, "the query").processAllAvailable()
        if self._has_ended:
            self._client.get_job_execution_result().result()
        self._replay_new()

    @property
    def _has_ended(self) -> bool:
        return self._client.get_job_execution_result().done()

    def _log(self) -> Any:
        return stored_folder(own_folder(str(self.folder), self.name))

    @property
    def _part(self) -> str:
        record = self._log().job_record()
        assert record is not None
        (part,) = record.parts
        return str(part.folder)

    def _new_batches(self) -> Iterator[_Batch]:
        log, part = self._log(), self._part
        state = log.state(part)
        for number in range(self._read, 0 if state is None else state.batch):
            before, after = log.offsets_before_and_after(part, number)
            records = []
            for source, offsets in after.items():
                if source == CONTROL_NAME:
                    continue
                begun = offsets_of_json(before.get(source))
                for partition, end in offsets_of_json(offsets).items():
                    found = (self._sent.get((partition, at)) for at in range(begun.get(partition, 0), end))
                    records += [record for record in found if record is not None]
            is_new = after[CONTROL_NAME] != before.get(CONTROL_NAME)
            yield _Batch(number, records, json.loads(after[CONTROL_NAME]) if is_new else None)
            self._read = number + 1

    def _replay_new(self) -> None:
        """Replay the micro-batches since the last call; the watermarks before each have to be equal, and those at the end."""
        (part,) = self._driver._run._parts
        told: Mapping[str, Any] | None = None
        for batch in self._new_batches():
            self.batches += 1
            told = batch.told or told
            if not batch.records:
                continue
            if told is not None:
                self._compare(
                    f"watermarks before micro-batch {batch.number}", told["watermarks"], part._announced_watermarks
                )
            with self._driver.micro_batch():
                for record in batch.records:
                    self._driver.source(record.topic).send(
                        record.value,
                        timestamp=record.timestamp,
                        key=record.key,
                        headers=record.headers,
                        partition=record.partition,
                    )
        if told is not None and self.job.graphs:
            self._compare("watermarks", told["watermarks"], part._announced_watermarks)

    def _compare(self, what: str, spark: object, driver: object) -> None:
        if spark != driver:
            self.differences.append(Difference(f"{what}, start {self._starts}", spark, driver))

    def _compare_counters(self) -> None:
        spark, driver = (_counters(metrics) for metrics in (self._client.get_metrics(), self._driver.metrics))
        for name in sorted(spark.keys() | driver.keys()):
            self._compare(f"counter {name}", spark.get(name), driver.get(name))

    def _compare_lines(self) -> None:
        spark = _groups(self.kafka.consume(self.topics[LINES]), lambda record: record.timestamp_ms)
        driver = _groups(self._written, lambda record: record.timestamp_ms)
        for group in sorted(spark.keys() | driver.keys()):
            self._compare(f"lines of {group}", spark.get(group), driver.get(group))


def _counters(metrics: MetricsSnapshot) -> dict[str, object]:
    return {
        f"{metric.operator} ({metric.operator_id}) {metric.subtask} {metric.path}": metric.value
        for metric in metrics.metrics
        if metric.kind is MetricKind.COUNTER and metric.name in _COUNTERS
    }


def _groups(records: Sequence[Any], time_of: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Return the written records by their group, in order; without the time of those that have none of their own."""
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for record in records:
        group = record.key.decode()
        line = record.value.decode()
        timestamp = None if line.split("|", 4)[3] == "None" else time_of(record)
        groups.setdefault(group, []).append((record.partition, timestamp, line))
    return {group: sorted(lines, key=repr) if UNORDERED in group else lines for group, lines in groups.items()}
