"""Metrics of a job on the driver: from the tasks' reports and the queries' progress, to the reporters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, final

import attrs
from typing_extensions import assert_never

from kafkastream.metrics.history import CompletedBatch, JobHistory, PartitionStanding
from kafkastream.metrics.log_reporter import LogReporter
from kafkastream.metrics.reporters import (
    LogReporterSettings,
    PrometheusReporterSettings,
    Reporter,
    ReporterSettings,
)
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.standing import Standing
from kafkastream.metrics.store import JOB, MetricStore, Operator
from kafkastream.metrics.values import Change, Group, MetricKind, MetricValue, OperatorChanges, OperatorScope, Reading
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph, distinct_names
from kafkastream.model.job.job_result import JobID
from kafkastream.spark.plan.source_frames import KafkaInput, SourceInput
from kafkastream.spark.plan.watermark_service import WatermarkService
from kafkastream.spark.worker.record_decoders import owner_subtask
from kafkastream.spark.worker.task_metrics import CONSUMER_GROUP, READER_GROUP

if TYPE_CHECKING:
    from kafkastream.spark.job.group_commits import GroupCommits

__all__ = ["JobMetrics", "QueryMetrics"]

Offsets = Mapping[TopicPartition, int]

_READER = (Group(READER_GROUP),)
_CONSUMER = (Group(READER_GROUP), Group(CONSUMER_GROUP))


@final
class JobMetrics:
    """The metrics of one job.

    Args:
        graph: The whole job.
        name: Its name.
        job_id: Its identity.
        restarts: Returns the number of restarts.
        history: History of the job for its page; None if nobody reads it.
    """

    def __init__(
        self,
        graph: JobGraph,
        name: str,
        job_id: JobID,
        restarts: Callable[[], int],
        history: JobHistory | None = None,
    ) -> None:
        self.history = history
        names = distinct_names(node.label for node in graph.nodes)
        operators = {
            node.id: Operator(name, node.uid or str(node.id)) for node, name in zip(graph.nodes, names, strict=True)
        }
        self.scopes = {node: OperatorScope(name, operator.name, node) for node, operator in operators.items()}
        self.store = MetricStore(name, str(job_id), operators)
        self.store.provide("", lambda: [Reading(JOB, 0, MetricKind.GAUGE, (), "numRestarts", restarts())])
        self._reporters: list[Reporter] = []
        self._last: MetricsSnapshot | None = None

    def read(self) -> MetricsSnapshot:
        """Return all metrics, as of now or of the job's end."""
        return self.store.snapshot() if self._last is None else self._last

    def report_by(self, settings: Sequence[ReporterSettings], address: str) -> None:
        """Start the configured reporters.

        Args:
            settings: Settings of the reporters.
            address: Address at which servers listen whose settings have none.

        Raises:
            SetupError: The port of one is in use.
        """
        try:
            for reporter in settings:
                self._reporters.append(_started(reporter, self.read, address))
        except Exception:
            self.end()
            raise

    def end(self) -> None:
        """Stop the reporters; the metrics of an ended job do not change any more."""
        self._last = self.store.snapshot()
        with ExitStack() as stack:  # each is stopped, even if another one raises
            while self._reporters:
                stack.callback(self._reporters.pop().stop)


def _started(settings: ReporterSettings, read: Callable[[], MetricsSnapshot], address: str) -> Reporter:
    match settings:
        case LogReporterSettings(interval_ms=interval):
            return LogReporter(read, interval / 1000)
        case PrometheusReporterSettings():
            from kafkastream.metrics.prometheus import PrometheusReporter

            return PrometheusReporter(settings, read, address)
        case never:
            assert_never(never)


class _Followed(NamedTuple):
    """A source with its offsets and its lag, which is unknown before the first record."""

    input: SourceInput
    commits: GroupCommits | None
    reached: Mapping[TopicPartition, int]
    pending: Mapping[TopicPartition, int]
    time: WatermarkService | None

    @property
    def node(self) -> int:
        return self.input.node.id

    def standing(self, begun: Mapping[TopicPartition, int]) -> Standing:
        """Return the progress of the source since the job has started at the offsets ``begun``."""
        starts, stops = self.input.offset_range.starts, self.input.offset_range.stops
        before = {partition: begun.get(partition, start) for partition, start in starts.items()}
        come_to = {**before, **{p: max(offset, before.get(p, 0)) for p, offset in self.reached.items()}}
        return Standing(
            records=sum(offset - before.get(partition, 0) for partition, offset in come_to.items()),
            left=None if stops is None else sum(max(stop - come_to.get(p, 0), 0) for p, stop in stops.items()),
            lag=sum(self.pending.values()) if self.pending else None,
        )

    def come_further(self, reached: Offsets, ends: Offsets) -> _Followed:
        pending = {p: max(end - reached.get(p, end), 0) for p, end in ends.items()}
        return self._replace(reached={**self.reached, **reached}, pending={**self.pending, **pending})

    def partitions(self) -> Iterator[PartitionStanding]:
        """Yield the progress in each partition."""
        committed = {} if self.commits is None else self.commits.committed
        times = {} if self.time is None else self.time.of_partitions(self.node)
        for partition, offset in sorted(self.reached.items()):
            watermark, is_idle = times.get(partition, (None, False))
            lag = self.pending.get(partition)
            yield PartitionStanding(
                node=self.node,
                topic=partition.topic,
                partition=partition.partition,
                offset=offset,
                end=None if lag is None else offset + lag,
                committed=committed.get(partition),
                watermark_ms=watermark,
                is_idle=is_idle,
            )

    def has_read(self, partition: TopicPartition, offset: int) -> bool:
        return offset > self.input.offset_range.starts.get(partition, 0)

    def come_to(self, logged: Mapping[TopicPartition, int], report: Mapping[str, Any]) -> _Followed:
        offsets = {p: max(offset, self.reached.get(p, offset)) for p, offset in logged.items()}  # epochs run ahead
        has_read = any(self.has_read(partition, offset) for partition, offset in offsets.items())
        if not (has_read or self.pending):  # not by the report's rows: an earlier report may not have been read
            return self._replace(reached=offsets)
        pending = self.input.pending(offsets, report["latestOffset"])
        return self._replace(reached=offsets, pending=pending or self.pending)


@final
class QueryMetrics:
    """Metrics of the Kafka sources of one query, from its progress and its offset commits.

    Args:
        store: Store that calls it whenever the metrics are read.
        parallelism: The number of subtasks.
        native: Nodes that Spark runs by itself, without reports from tasks.
        event_time: Watermarks; None if the query has none on the driver.
        name: Name of the query; only its last start sets its metrics.
        begun: Offsets of the sources when the job started, by their keys; default: their starting offsets.
        history: History of the job; None if nobody reads it.
    """

    def __init__(
        self,
        store: MetricStore,
        parallelism: int,
        native: Sequence[int] = (),
        event_time: WatermarkService | None = None,
        name: str = "query",
        begun: Mapping[str, Mapping[TopicPartition, int]] = FrozenMap(),
        history: JobHistory | None = None,
    ) -> None:
        self._history = history
        self._store = store
        self._event_time = event_time
        self._parallelism = parallelism
        self._native = native
        self._begun = begun
        self._followed: tuple[_Followed, ...] = ()  # replaced as a whole, since other threads read it
        store.provide(name, self._readings)

    def begin(self, inputs: Sequence[SourceInput], commits: Sequence[GroupCommits | None]) -> None:
        """Begin with the sources of the query."""
        pairs = zip(inputs, commits, strict=True)
        self._followed = tuple(_Followed(one, own, one.offset_range.starts, {}, self._event_time) for one, own in pairs)

    def standing(self) -> Standing:
        """Return the progress of the sources as of the last completed micro-batch."""
        time = self._event_time
        watermarks = [] if time is None else [time.of_subtasks(one.node) for one in self._followed]
        watermark = min((own for one in watermarks for own in one.values()), default=-1)
        parts = [one.standing(self._begun.get(one.input.key, {})) for one in self._followed]
        standing = Standing.of(parts) or Standing(left=0)
        return attrs.evolve(standing, watermark_ms=None if watermark < 0 else watermark)

    def came_to(self, node: int, reached: Offsets, ends: Offsets) -> None:
        """Note the offsets that the epochs of a source have reached, and the ends of its partitions."""
        self._followed = tuple(one if one.node != node else one.come_further(reached, ends) for one in self._followed)

    def partitions(self) -> tuple[PartitionStanding, ...]:
        """Return the progress in each partition as of the last completed micro-batch."""
        return tuple(standing for one in self._followed for standing in one.partitions())

    def watermarks(self) -> Mapping[int, int]:
        """Return the last watermark after each node that has one."""
        return {} if self._event_time is None else self._event_time.of_nodes()

    @property
    def reads_each_progress(self) -> bool:
        """True if each of Spark's progress reports is needed, not only the last."""
        return self.counts_by_progress or self._history is not None

    def completed(self, batches: Sequence[CompletedBatch]) -> None:
        """Note completed micro-batches."""
        if self._history is not None:
            self._history.add(batches)

    @property
    def counts_by_progress(self) -> bool:
        """True if records are counted from Spark's progress, since tasks do not report them."""
        return bool(self._native)

    def reached(self, offsets: Sequence[Mapping[TopicPartition, int]], reports: Sequence[Mapping[str, Any]]) -> None:
        """Note the offsets that the query has reached and Spark's report, for each Kafka source."""
        come = zip(self._followed, offsets, reports, strict=True)
        self._followed = tuple(one.come_to(own, report) for one, own, report in come)

    def count(self, progress: Mapping[str, Any]) -> None:
        """Count the records of a micro-batch that Spark alone has written."""
        written = progress["sink"]["numOutputRows"]
        if written > 0:
            changes = tuple(Change(MetricKind.COUNTER, (), name, written) for name in ("numRecordsIn", "numRecordsOut"))
            self._store.merge(OperatorChanges(node, 0, changes) for node in self._native)

    def _readings(self) -> Iterator[Reading]:
        for one in self._followed:
            yield from self._of_subtasks(one)
            if self._event_time is not None:
                yield from self._of_time(one.node, self._event_time)
            yield from self._of_partitions(one)
            succeeded, failed = (0, 0) if one.commits is None else (one.commits.succeeded, one.commits.failed)
            for name, count in (("commitsSucceeded", succeeded), ("commitsFailed", failed)):
                yield Reading(one.node, 0, MetricKind.COUNTER, _READER, name, count)

    def _of_subtasks(self, one: _Followed) -> Iterator[Reading]:
        for subtask, seconds in self._store.seconds_since_growth(one.node, "numRecordsIn").items():
            yield _gauge(one.node, subtask, (), "sourceIdleTime", round(seconds * 1000))
        lags: dict[int, list[int]] = {}
        for partition, lag in one.pending.items():
            lags.setdefault(self._subtask(partition), []).append(lag)
        for subtask, pending in lags.items():
            yield _gauge(one.node, subtask, (), "pendingRecords", sum(pending))
            if isinstance(one.input, KafkaInput) and one.input.source.registers_consumer_metrics:
                yield _gauge(one.node, subtask, _CONSUMER, "records-lag-max", max(pending))

    def _of_time(self, source: int, event_time: WatermarkService) -> Iterator[Reading]:
        """Yield Flink's metrics of watermarks: an idle source's lag does not grow, drift is beyond the limit."""
        quiet = self._store.seconds_since_growth(source, "numRecordsIn")
        limit = event_time.allowed(source)
        for subtask, watermark in event_time.of_subtasks(source).items():
            last_read = wall_clock_ms() - round(quiet.get(subtask, 0) * 1000)
            yield _gauge(source, subtask, (), "watermarkLag", last_read - watermark)
            if limit is not None:
                yield _gauge(source, subtask, (), "watermarkAlignmentDrift", watermark - limit)

    def _of_partitions(self, one: _Followed) -> Iterator[Reading]:
        committed = {} if one.commits is None else one.commits.committed
        for partition, offset in one.reached.items():
            place = (one.node, self._subtask(partition), _groups(partition))
            has_read = bool(self._native) and one.has_read(partition, offset)
            yield _gauge(*place, "currentOffset", offset - 1 if has_read else -1)
            yield _gauge(*place, "committedOffset", committed.get(partition, -1))

    def _subtask(self, partition: TopicPartition) -> int:
        return owner_subtask(partition.topic, partition.partition, self._parallelism)


def _groups(partition: TopicPartition) -> tuple[Group, ...]:
    return (*_READER, Group("topic", partition.topic), Group("partition", str(partition.partition)))


def _gauge(node: int, subtask: int, groups: tuple[Group, ...], name: str, value: MetricValue) -> Reading:
    return Reading(node, subtask, MetricKind.GAUGE, groups, name, value)
