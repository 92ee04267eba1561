"""A task of an epoch: consumes partitions, and takes each record through the chain of its source as it comes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, final

import attrs

from kafkastream.errors import KafkastreamError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats.malformed import RecordLimits, use_limits
from kafkastream.model.job.job_result import LatencySettings
from kafkastream.secret_masking import redacted
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.exchange.epoch_link import DriverLink, Endpoint, Offsets, Share, TaskJoin, Tidings, report_rows
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.worker.fetched_records import arrow_of
from kafkastream.spark.worker.record_decoders import owner_subtask
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import WORKER_CACHE, tried_before

if TYPE_CHECKING:
    from kafkastream.kafka.consumer import Fetched, RecordConsumer

__all__ = ["EpochTask", "PolledSource"]

_WORKER: Final = uuid.uuid4().hex
_WAIT_S: Final = 0.05
"""Longest wait for a record, after which the driver's requests are heard."""
_SHORT_WAIT_S: Final = 0.002
"""Longest wait for a record of one source, if there are others."""
_HEAR_S: Final = 0.02
_TELL_S: Final = 1.0


@final
@attrs.frozen
class PolledSource:
    """A Kafka source as a task of an epoch consumes it.

    Args:
        name: Name of the source.
        properties: Properties of the consumer.
        columns: Columns that the decoder reads.
    """

    name: str
    properties: Mapping[str, str] = attrs.field(repr=redacted)
    columns: tuple[str, ...]


@final
@attrs.frozen
class EpochTask:
    """Function that Spark runs in each task of an epoch.

    Args:
        epoch: Number of the epoch.
        tasks: Chains of the sources.
        sources: Sources, by their nodes.
        settings: Intervals of the latency mode.
        limits: Limits for records.
        driver: Place at which the driver listens.
    """

    epoch: int
    tasks: TaskPlan
    sources: Mapping[int, PolledSource]
    settings: LatencySettings
    limits: RecordLimits
    driver: Endpoint

    def __call__(self, numbers: Iterable[int]) -> Iterator[int]:
        """Run the task with the one number that it is given; there is no result but the messages to the driver."""
        use_limits(self.limits)
        link = DriverLink.to(self.driver)
        try:
            for number in numbers:
                share = link.join(TaskJoin(self.epoch, number, worker_id()))
                if any(share.starts.values()):
                    _Work(self, link, share).run()
        finally:
            link.close()
        return iter(())


def worker_id() -> str:
    """Return the identity of this process; one that was forked has its own."""
    import os

    return f"{_WORKER}-{os.getpid()}"


@final
class _Work:
    """Work of one task."""

    def __init__(self, plan: EpochTask, link: DriverLink, share: Share) -> None:
        self._plan = plan
        self._link = link
        self._stops = share.stops
        self._reached = {node: dict(offsets) for node, offsets in share.starts.items()}
        self._left = {(node, partition) for node, offsets in share.starts.items() for partition in offsets}
        self._tasks: dict[tuple[int, int], SourceTask] = {}
        self._at: dict[int, TopicPartition] = {}
        self._consumers: dict[int, RecordConsumer] = {}
        self._unpublished: set[tuple[int, TopicPartition]] = set()
        now = time.monotonic()
        self._publish_at = self._hear_at = now
        self._checkpoint_at = now + plan.settings.checkpoint_ms / 1000
        self._tell_at = now + _TELL_S

    def run(self) -> None:
        """Process records until the driver asks to end, or all have been read.

        A failure is reported to the driver; if it were raised, the JVM would turn it into a Java stack trace.
        """
        run = self._plan.tasks.run
        try:
            with NOTE.task(run.id, tried_before()), ExitStack() as stack:
                self._open(stack)
                while self._left and not self._is_to_end():
                    self._pass()
                self._finish()
        except KafkastreamError as error:
            node = next(iter(self._reached))
            self._link.tell(Tidings(report_rows([Report(ReportKind.FAILURE, node, error)])))
            return
        for node, consumer in self._consumers.items():
            WORKER_CACHE.keep(run, ("consumer", node), consumer)

    def _open(self, stack: ExitStack) -> None:
        for node, offsets in self._reached.items():
            for partition in offsets:
                key = (node, self._subtask(partition))
                if key not in self._tasks:
                    self._tasks[key] = stack.enter_context(self._plan.tasks.runner(*key).operators())
                self._task(node, partition)
            self._consumers[node] = self._consumer(node)
            self._consumers[node].assign(offsets)

    def _consumer(self, node: int) -> RecordConsumer:
        from kafkastream.kafka.consumer import RecordConsumer

        source = self._plan.sources[node]
        return WORKER_CACHE.take(
            self._plan.tasks.run, ("consumer", node), lambda: RecordConsumer(source.properties, source.name)
        )

    def _subtask(self, partition: TopicPartition) -> int:
        return owner_subtask(partition.topic, partition.partition, self._plan.tasks.parallelism)

    def _task(self, node: int, partition: TopicPartition) -> SourceTask:
        """Return the task of a partition, turned to it."""
        task = self._tasks[node, self._subtask(partition)]
        if self._at.get(id(task)) != partition:
            self._at[id(task)] = partition
            task.turn_to(partition)
        return task

    def _pass(self) -> None:
        """Take what has arrived, then do what is due."""
        wait_s = self._wait_s()
        for node, consumer in self._consumers.items():
            for fetched in consumer.fetch(wait_s):
                self._take(node, fetched)
        now = time.monotonic()
        if self._unpublished and now >= self._publish_at:
            self._publish()
        if now >= self._checkpoint_at:
            self._checkpoint()
        elif now >= self._tell_at:
            self._tell(())

    def _wait_s(self) -> float:
        if self._unpublished:
            return min(max(self._publish_at - time.monotonic(), 0), self._longest_wait_s)
        return self._longest_wait_s

    @property
    def _longest_wait_s(self) -> float:
        return _WAIT_S if len(self._consumers) == 1 else _SHORT_WAIT_S

    def _take(self, node: int, fetched: Fetched) -> None:
        partition, messages, position = fetched
        if (node, partition) not in self._left:
            return
        stop = self._stops.get(node, {}).get(partition)
        if stop is not None and position >= stop:
            messages, position = [one for one in messages if (one.offset() or 0) < stop], stop
            self._left.discard((node, partition))
            self._consumers[node].leave(partition)
        if messages:
            task = self._task(node, partition)
            task.process(arrow_of(node, partition, messages, self._plan.sources[node].columns))
            reports = list(task.chain.drain())
            if reports:
                self._link.tell(Tidings(report_rows(reports)))
            self._unpublished.add((node, partition))
        self._reached[node][partition] = position

    def _publish(self) -> None:
        """Make the output so far visible."""
        for node, partition in self._unpublished:
            for sink in self._task(node, partition).chain.sinks:
                sink.publish(self._reached[node][partition])
        self._unpublished.clear()
        self._publish_at = time.monotonic() + self._plan.settings.transaction_ms / 1000

    def _checkpoint(self) -> None:
        """Have all output delivered, and tell the driver that the records so far are done with."""
        self._publish()
        for task in self._tasks.values():
            for sink in task.chain.sinks:
                sink.flush()
        self._tell([task.counted() for task in self._tasks.values()], is_safe=True)
        self._checkpoint_at = time.monotonic() + self._plan.settings.checkpoint_ms / 1000

    def _finish(self) -> None:
        for node, offsets in self._reached.items():
            for partition, offset in offsets.items():
                for sink in self._task(node, partition).chain.sinks:
                    sink.stops(offset)
        self._tell([report for task in self._tasks.values() for report in task.finish()], is_safe=True)

    def _tell(self, reports: Sequence[Report], *, is_safe: bool = False) -> None:
        self._tell_at = time.monotonic() + _TELL_S
        reached = {node: dict(offsets) for node, offsets in self._reached.items()}
        ends: Offsets = {node: self._consumers[node].ends(offsets) for node, offsets in reached.items()}
        self._link.tell(Tidings(report_rows(reports), reached, ends, is_safe))

    def _is_to_end(self) -> bool:
        now = time.monotonic()
        if now < self._hear_at:
            return False
        self._hear_at = now + _HEAR_S
        return self._link.is_to_end()
