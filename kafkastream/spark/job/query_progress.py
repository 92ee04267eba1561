"""What a query has read: told to the consumer groups of its sources, and noticed when all stops are reached."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Event
from typing import final

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.errors import KafkaError
from kafkastream.kafka.background import in_background
from kafkastream.kafka.groups import Group
from kafkastream.kafka.properties import request_timeout_s
from kafkastream.metrics.standing import Standing
from kafkastream.model.connectors.kafka_source import commit_interval_ms
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint import Extent
from kafkastream.spark.checkpoint.control_stream import is_control
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.internals.conditions import conditions_of, exception_of
from kafkastream.spark.internals.queries import records_at_work
from kafkastream.spark.job.job_metrics import QueryMetrics
from kafkastream.spark.plan.keyed_query import KeyedQuery
from kafkastream.spark.plan.source_frames import KafkaInput
from kafkastream.spark.session.key_stores import with_pem_stores

__all__ = ["FollowedQuery", "GroupCommits"]

log = logging.getLogger("kafkastream")

Resolve = Callable[[Mapping[str, Extent]], Sequence[KafkaInput]]
Begin = Callable[[Sequence[KafkaInput], Event], StreamingQuery]
Keep = Callable[[Mapping[str, Extent]], None]

_BEGINNINGS = 10
_RENEWAL_S = 24 * 3600.0  # brokers forget what is a week old (offsets.retention.minutes), also of a job at work
_LAST_COMMIT_S = 5.0
"""How long a job that is stopped waits for its last commit; the next start goes by its checkpoint."""
_PARTITIONS_CHANGED = "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED"
_ALL_PARTITIONS = "you must specify all TopicPartitions"  # of an assertion, which has no condition


@final
class FollowedQuery:
    """A started query, with what its progress means for its sources.

    Spark tells of a micro-batch after it has written its commit file, so a group is never ahead of the job.

    Args:
        resolve: Resolves the query's Kafka sources, which began before with these extents.
        begin: Begins the query; micro-batches that fail after the event is set fail because they were stopped.
        keep: Keeps what the sources begin with, and where a bounded run has ended.
        inputs: The Kafka sources, in the order of the plan.
        settings: The job's; they say how often offsets are committed.
        metrics: Takes in what has been read.
        keyed: The query's keyed operators, which are to hear of time; None when there are none.
    """

    def __init__(
        self,
        resolve: Resolve,
        begin: Begin,
        keep: Keep,
        inputs: Sequence[KafkaInput],
        settings: JobSettings,
        metrics: QueryMetrics,
        keyed: KeyedQuery | None = None,
    ) -> None:
        self._resolve = resolve
        self._begin = begin
        self._inputs = inputs
        self._commits = tuple(GroupCommits.of(one, settings) for one in inputs)
        self._keep = keep
        self._metrics = metrics
        self._keyed = keyed
        self._time_heard: str | None = None
        self._reached: Sequence[Mapping[TopicPartition, int]] = ()
        self._seen = ""
        self._begun_again = 0
        self._over = Event()
        self.query = self._begun()

    @property
    def lost_a_race(self) -> bool:
        """Whether it may begin anew: Spark wants an offset for just the partitions there are when it begins."""
        if self.query.isActive or self._begun_again == _BEGINNINGS:
            return False
        error = exception_of(self.query)
        if error is None:
            return False
        return _PARTITIONS_CHANGED in conditions_of(error) or _ALL_PARTITIONS in str(error)

    @property
    def was_stopped_by_others(self) -> bool:
        """Whether it has ended without an error, and neither by itself nor by us."""
        if self.query.isActive or self._over.is_set() or self.query.exception() is not None:
            return False
        self.look()
        had_nothing_to_read = not self._reached and all(one.ends for one in self._inputs)
        return not self.has_stopped and not had_nothing_to_read

    def begin_again(self) -> None:
        """Begin anew, with the partitions that there are now."""
        self._begun_again += 1
        self._inputs = self._resolve({one.key: one.extent for one in self._inputs})
        self.query = self._begun()

    def _begun(self) -> StreamingQuery:
        self._keep({one.key: one.extent for one in self._inputs})
        self._metrics.begin(self._inputs, self._commits)
        if self._keyed is not None:
            self._keyed.begin(self._inputs)
        return self._begin(self._inputs, self._over)

    def wait(self, timeout_s: float) -> None:
        """Until it ends, at most for so long."""
        with suppress(StreamingQueryException):  # which is there to be asked for
            self.query.awaitTermination(timeout_s)  # type: ignore[arg-type]  # it takes parts of a second, too

    def stop(self) -> None:
        """End the query; a micro-batch that is at work is given up."""
        self._over.set()
        if self.query.isActive:
            self.query.stop()

    @property
    def has_stopped(self) -> bool:
        """Whether nothing is left to read, though the query may not know."""
        if not self._reached or not all(map(KafkaInput.has_stopped, self._inputs, self._reached)):
            return False
        return self._keyed is None or self._keyed.has_heard(self._time_heard)

    def look(self) -> None:
        """Take in what has been read since the last look, and commit what is due."""
        progress = self.query.lastProgress
        if progress is not None and progress["timestamp"] != self._seen:
            self._count_between(self._seen, progress["timestamp"])
            self._seen = progress["timestamp"]
            ends = [source["endOffset"] for source in progress["sources"]]
            of_kafka = [end for end in ends if not is_control(end)]
            self._reached = [
                one.processed(offsets_of_json(end)) for one, end in zip(self._inputs, of_kafka, strict=True)
            ]
            for commits, offsets in zip(self._commits, self._reached, strict=True):
                if commits is not None:
                    commits.reached(offsets)
            self._metrics.reached(self._reached, progress)
            self._time_heard = next(filter(is_control, ends), None)
        if self._keyed is not None and self._reached:
            self._keyed.reached(self._inputs, self._reached)
        for commits in filter(None, self._commits):
            commits.commit_if_due()

    def _count_between(self, after: str, until: str) -> None:
        if self._metrics.counts_by_progress:
            for progress in self.query.recentProgress:
                if after < progress["timestamp"] <= until:
                    self._metrics.count(progress)

    def standing(self) -> Standing:
        """How far its sources have been read; of a micro-batch at work, as far as Spark knows."""
        return self._metrics.standing().with_more(records_at_work(self.query) if self.query.isActive else 0)

    def end(self, *, completed: bool) -> None:
        """Make the last commits and wait for them; a run that came to its own end leaves where the next begins."""
        self.look()
        for commits in filter(None, self._commits):
            commits.end(wait_s=math.inf if completed else _LAST_COMMIT_S)
        if self._keyed is not None:
            self._keyed.close()
        if completed and self.has_stopped:
            ends = zip(self._inputs, self._reached, strict=True)
            self._keep({one.key: Extent(offsets, finished=True) for one, offsets in ends})


@final
class GroupCommits:
    """Commits one source's offsets to its group in the background; a commit that fails is counted and logged.

    Only what has changed is committed, and once in a day all.

    Args:
        properties: The source's, with the brokers and the group.
        interval_s: The least time between two commits; the last one is always made.
    """

    def __init__(self, properties: Mapping[str, str], interval_s: float) -> None:
        self.succeeded = 0
        self.failed = 0
        self.committed: Mapping[TopicPartition, int] = {}
        self._properties = properties
        self._group: Group | None = None
        self._interval_s = interval_s
        self._patience_s = request_timeout_s(properties)
        self._wanted: Mapping[TopicPartition, int] = {}
        self._next_at = 0.0
        self._renew_at = 0.0
        self._late_at = math.inf
        self._running: Future[None] | None = None

    @staticmethod
    def of(one: KafkaInput, settings: JobSettings) -> GroupCommits | None:
        """What commits for a source; None when the job is not to commit."""
        interval = commit_interval_ms(one.source, settings.effective_checkpoint_interval_ms)
        return (
            None if interval is None else GroupCommits(with_pem_stores(one.source.consumer_properties), interval / 1000)
        )

    def reached(self, offsets: Mapping[TopicPartition, int]) -> None:
        """All before these offsets has been processed."""
        self._wanted = offsets

    def commit_if_due(self) -> None:
        """Begin to commit, unless that is still going on, or was a moment ago."""
        if self._is_running:
            if time.monotonic() >= self._late_at:
                self._late_at = math.inf
                self._failed(f"no answer for {self._patience_s:g} s; it goes on trying")
        elif time.monotonic() >= self._next_at:
            self._start()

    def end(self, wait_s: float = math.inf) -> None:
        """Commit what is left, and wait, though not for ever, and not longer than ``wait_s``."""
        patience_s = min(wait_s, self._patience_s)
        self._wait(patience_s)
        if not self._is_running:
            self._start()
            self._wait(patience_s)
        if self._is_running:
            self._failed(f"no answer for {patience_s:g} s")
        elif self._group is not None:
            self._group.close()

    @property
    def _is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def _wait(self, patience_s: float) -> None:
        if self._running is not None:
            with suppress(TimeoutError, futures.TimeoutError):
                self._running.result(patience_s)

    def _start(self) -> None:
        now, offsets = time.monotonic(), self._wanted
        is_renewal = now >= self._renew_at
        due = {p: offset for p, offset in offsets.items() if is_renewal or self.committed.get(p) != offset}
        if due:
            self._next_at, self._late_at = now + self._interval_s, now + self._patience_s
            if is_renewal:
                self._renew_at = now + _RENEWAL_S
            self._running = in_background(partial(self._commit, offsets, due), "kafkastream-commits")

    def _commit(self, offsets: Mapping[TopicPartition, int], due: Mapping[TopicPartition, int]) -> None:
        try:
            self._group = self._group or Group(self._properties)
            self._group.commit(due)
        except Exception as error:  # noqa: BLE001 - whatever it is, the job does not depend on it
            self._failed(error.what if isinstance(error, KafkaError) else str(error))
        else:
            self.succeeded += 1
            self.committed = offsets

    def _failed(self, why: str) -> None:
        self.failed += 1
        group = self._properties["group.id"]
        log.warning("offsets were not committed to group %r (the job goes on): %s", group, why)
