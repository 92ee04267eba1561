"""Follows the offsets of a query, for the consumer groups of its sources, its metrics, and the end of a bounded run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import final

from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.metrics.history import PartitionStanding
from kafkastream.metrics.standing import Standing
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.control_stream import is_control, without_control
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.internals.queries import StreamingQueryProgress, progress_after, records_at_work
from kafkastream.spark.job.batch_history import micro_batches
from kafkastream.spark.job.group_commits import GroupCommits
from kafkastream.spark.job.job_metrics import QueryMetrics
from kafkastream.spark.plan.keyed_query import KeyedQuery
from kafkastream.spark.plan.source_frames import SourceInput

__all__ = ["QueryProgress"]

Keep = Callable[[Mapping[str, OffsetRange]], None]

_LAST_COMMIT_S = 5.0
"""Seconds that a stopped job waits for its last commit; the next start continues from the checkpoint anyway."""


@final
class QueryProgress:
    """Follows the progress of a started query and acts on it.

    Spark reports a micro-batch after it has written its commit file, so a consumer group is never ahead of the job.

    Args:
        inputs: Kafka sources, in the order of the plan.
        settings: Settings of the job, with the interval of offset commits.
        metrics: Metrics of the sources.
        keep: Saves the offset ranges of the sources.
        keyed: Keyed operators of the query, which need the offsets for watermarks; None if there are none.
        name: Name of the query.
    """

    def __init__(
        self,
        inputs: Sequence[SourceInput],
        settings: JobSettings,
        metrics: QueryMetrics,
        keep: Keep,
        keyed: KeyedQuery | None = None,
        name: str = "query",
    ) -> None:
        self._name = name
        self._inputs = inputs
        self._commits = tuple(GroupCommits.of(one, settings) for one in inputs)
        self._metrics = metrics
        self._keep = keep
        self._keyed = keyed
        self._time_heard: str | None = None
        self._reached: Sequence[Mapping[TopicPartition, int]] = ()
        self._seen = ""

    def begin(self, inputs: Sequence[SourceInput]) -> None:
        """Save and publish the starting offsets before the query begins."""
        self._inputs = inputs
        self._keep({one.key: one.offset_range for one in inputs})
        self._metrics.begin(inputs, self._commits)
        if self._keyed is not None:
            self._keyed.begin(inputs)

    @property
    def has_stopped(self) -> bool:
        """True if nothing is left to read, even if the query has not ended."""
        if not self._reached or not all(map(SourceInput.has_stopped, self._inputs, self._reached)):
            return False
        return self._keyed is None or self._keyed.has_heard(self._time_heard)

    @property
    def partitions_read(self) -> int:
        """Number of partitions of the last micro-batch; 0 before the first has ended."""
        return sum(map(len, self._reached))

    @property
    def had_nothing_to_read(self) -> bool:
        """True if a bounded query has ended without a micro-batch."""
        return not self._reached and bool(self._inputs) and all(one.ends for one in self._inputs)

    def look(self, query: StreamingQuery) -> None:
        """Process the progress since the last call, and commit offsets if due."""
        progress = query.lastProgress
        if progress is not None and progress["timestamp"] != self._seen:
            self._read_each(query, progress)
            self._seen = progress["timestamp"]
            sources = progress["sources"]
            of_kafka = without_control(sources) if self._inputs else []
            self._reached = [
                one.processed(offsets_of_json(source["endOffset"]))
                for one, source in zip(self._inputs, of_kafka, strict=True)
            ]
            for commits, offsets in zip(self._commits, self._reached, strict=True):
                if commits is not None:
                    commits.reached(offsets)
            self._metrics.reached(self._reached, of_kafka)
            self._time_heard = next(filter(is_control, (one["endOffset"] for one in sources)), None)
        if self._keyed is not None and (self._reached or (self._seen and not self._inputs)):
            self._keyed.reached(self._inputs, self._reached)
        for commits in filter(None, self._commits):
            commits.commit_if_due()

    def _read_each(self, query: StreamingQuery, last: StreamingQueryProgress) -> None:
        """Read all reports since the last one that was read, if the metrics need more than ``last``."""
        if not self._metrics.reads_each_progress:
            return
        news = [one for one in progress_after(query, self._seen) if one["timestamp"] <= last["timestamp"]]
        if self._metrics.counts_by_progress:
            for one in news:
                self._metrics.count(one)
        self._metrics.completed(micro_batches(self._name, self._inputs, news))

    def partitions(self) -> tuple[PartitionStanding, ...]:
        """Return the progress in each partition of the sources."""
        return self._metrics.partitions()

    def watermarks(self) -> Mapping[int, int]:
        """Return the last watermark after each node that has one."""
        return self._metrics.watermarks()

    def standing(self, query: StreamingQuery) -> Standing:
        """Return the progress of the sources, including the running micro-batch as far as Spark reports it."""
        return self._metrics.standing().with_more(records_at_work(query) if query.isActive else 0)

    def end_at(
        self, query: StreamingQuery, reached: Sequence[Mapping[TopicPartition, int]], *, completed: bool
    ) -> None:
        """End after epochs that have all ended well: the next start begins at these offsets, in either mode."""
        self.look(query)
        self._reached = reached
        for commits, offsets in zip(self._commits, reached, strict=True):
            if commits is not None:
                commits.reached(offsets)
        self._end_commits(completed=completed)
        is_over = all(map(SourceInput.has_stopped, self._inputs, reached))  # otherwise the stops stay
        ends = zip(self._inputs, reached, strict=True)
        self._keep(
            {
                one.key: OffsetRange(offsets, None if is_over else one.offset_range.stops, finished=True)
                for one, offsets in ends
            }
        )

    def end(self, query: StreamingQuery, *, completed: bool) -> None:
        """Make the last commits and wait for them; after a bounded run, save its end for the next run."""
        self.look(query)
        self._end_commits(completed=completed)
        if completed and self.has_stopped:
            ends = zip(self._inputs, self._reached, strict=True)
            self._keep({one.key: OffsetRange(offsets, finished=True) for one, offsets in ends})

    def _end_commits(self, *, completed: bool) -> None:
        for commits in filter(None, self._commits):
            commits.end(wait_s=math.inf if completed else _LAST_COMMIT_S)
