"""Epochs of a query in latency mode: a thread that runs one Spark job after the other, ahead of Spark's log of offsets."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from functools import partial
from threading import Event, Lock, Thread
from typing import Final, final

import attrs
from pyspark import SparkContext
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.kafka.background import in_background
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.model.job.job_result import LatencySettings
from kafkastream.spark.checkpoint.reached_offsets import ReachedFile
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.exchange.epoch_link import Share, Tidings
from kafkastream.spark.exchange.epoch_task import EpochTask, PolledSource
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.job.epoch_server import EpochServer, listener_address
from kafkastream.spark.job.live_runs import LIVE_RUNS
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.plan.source_frames import SourceInput
from kafkastream.spark.worker.record_decoders import owner_subtask
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["EpochWork", "Epochs"]

_POLL_S: Final = 0.1
_DISCOVERY_S: Final = 10.0
_QUIET_S: Final = 10.0
_PATIENCE_S: Final = 30.0
_KILLED_S: Final = 15.0
_LOGGED_S: Final = 5.0

Found = Mapping[int, Mapping[TopicPartition, int]]
Source = tuple[int, TopicPartition]
Discover = Callable[[Mapping[int, frozenset[TopicPartition]]], Found]
"""Function from the known partitions of sources, by their nodes, to the first offsets of new ones."""
Heard = Callable[[int, Mapping[TopicPartition, int], Mapping[TopicPartition, int]], None]
"""Called with a source's node, the offsets that it has reached, and the ends of its partitions."""


@final
@attrs.frozen
class EpochWork:
    """Work of the epochs of a query.

    Args:
        tasks: Chains of the sources.
        sources: Sources, by their nodes.
        settings: Settings of the latency mode.
        limits: Limits for records.
        slots: Number of tasks at a time.
    """

    tasks: TaskPlan
    sources: Mapping[int, PolledSource]
    settings: LatencySettings
    limits: RecordLimits
    slots: int


@final
class Epochs:
    """The epochs of one start of a query.

    Args:
        work: What they do.
        batches: Context of the query: its names, and the handler of reports.
        inputs: Kafka sources, in the order of the plan.
        positions: Offsets at which the sources continue, by their nodes.
        files: File of each source, by its node, for the offsets that have been reached.
        discover: Finds new partitions.
        heard: Takes the progress of a source, for metrics.
    """

    def __init__(
        self,
        work: EpochWork,
        batches: MicroBatches,
        inputs: Sequence[SourceInput],
        positions: Mapping[int, Mapping[TopicPartition, int]],
        files: Mapping[int, ReachedFile],
        discover: Discover,
        heard: Heard,
    ) -> None:
        self._work = work
        self._batches = batches
        self._spark: SparkContext = batches.spark
        self._discover = discover
        self._heard = heard
        self._files = files
        self._inputs = inputs
        self._stops = {one.node.id: one.offset_range.stops or {} for one in inputs}
        self._is_bounded = all(one.offset_range.stops is not None for one in inputs)
        self._reached = {node: dict(offsets) for node, offsets in positions.items()}
        self._failure: Exception | None = None
        self._is_to_end = Event()
        self._ended = Event()
        self._group = f"kafkastream-epochs-{batches.run_id}-{batches.query}-{id(self)}"
        self._lock = Lock()
        self._query: StreamingQuery | None = None
        self._thread = Thread(target=self._run, name="kafkastream-epochs", daemon=True)
        for node in self._reached:
            self._write(node)

    def begin(self, query: StreamingQuery) -> None:
        """Begin to run epochs, whose offsets a query of Spark's logs."""
        self._query = query
        self._thread.start()

    @property
    def has_ended(self) -> bool:
        """True once no epoch runs any more."""
        return self._ended.is_set()

    @property
    def is_clean(self) -> bool:
        """True if all epochs have ended well, so that the offsets reached are exactly what has been processed."""
        return self.has_ended and self._failure is None

    @property
    def has_read_all(self) -> bool:
        """True if nothing is left to read."""
        return self._is_bounded and not self._left()

    def reached(self) -> Sequence[Mapping[TopicPartition, int]]:
        """Return the offsets that each source has reached, in the order of the plan."""
        return [dict(self._reached[one.node.id]) for one in self._inputs]

    def stop(self) -> None:
        """End the epoch, at first by a request to its tasks; after the patience Spark kills them."""
        self._is_to_end.set()
        if not self._thread.is_alive():
            return
        self._thread.join(_PATIENCE_S)
        if self._thread.is_alive():
            self._failure = self._failure or TimeoutError("the tasks of the epoch did not end")
            self._spark.cancelJobGroup(self._group)
            self._thread.join(_KILLED_S)

    def _run(self) -> None:
        try:
            address = listener_address(self._spark, self._work.settings.ports)
            with closing(EpochServer(address, self._take, self._fail)) as server:
                while not self._is_over and self._left():
                    self._epoch(server)
        except Exception as error:  # noqa: BLE001 - whatever it is, the job has to hear of it
            self._fail(error)
        finally:
            if self._failure is not None:
                self._await_log()
            self._ended.set()
            if self._failure is not None and not self._batches.over.is_set():
                self._batches.runner.note(self._failure)

    @property
    def _is_over(self) -> bool:
        return self._is_to_end.is_set() or self._failure is not None or self._batches.runner.is_to_stop

    def _left(self) -> list[Source]:
        """Return the partitions that are not at their stops."""
        return [
            (node, partition)
            for node, offsets in self._reached.items()
            for partition, offset in offsets.items()
            if offset < self._stops[node].get(partition, offset + 1)
        ]

    def _epoch(self, server: EpochServer) -> None:
        shares = self._divided(self._left())
        number = server.begin(len(shares), lambda one: self._share(shares[one]))
        work = self._work
        task = EpochTask(number, work.tasks, work.sources, work.settings, work.limits, server.endpoint)
        is_done = Event()
        watch = Thread(target=self._watch, args=(server, is_done), name="kafkastream-epoch-watch", daemon=True)
        LIVE_RUNS.context(self._batches.names.id, self._batches.names.of_epochs).hand_out(self._spark)
        self._spark.setJobGroup(self._group, f"epoch {number} of {self._batches.query}", interruptOnCancel=True)
        watch.start()
        try:
            self._spark.parallelize(range(len(shares)), len(shares)).mapPartitions(task).collect()
            server.quiet(_QUIET_S)
        finally:
            is_done.set()
            watch.join()

    def _divided(self, left: Sequence[Source]) -> list[list[Source]]:
        """Divide partitions among as many tasks as there are slots; those of a subtask stay together."""
        by_subtask: dict[int, list[Source]] = {}
        for node, partition in sorted(left):
            subtask = owner_subtask(partition.topic, partition.partition, self._work.tasks.parallelism)
            by_subtask.setdefault(subtask, []).append((node, partition))
        shares: list[list[Source]] = [[] for _ in range(min(self._work.slots, len(by_subtask)))]
        for number, (_, partitions) in enumerate(sorted(by_subtask.items())):
            shares[number % len(shares)] += partitions
        return shares

    def _share(self, partitions: Sequence[Source]) -> Share:
        starts: dict[int, dict[TopicPartition, int]] = {}
        left = set(self._left())
        for node, partition in partitions:
            if (node, partition) in left:
                starts.setdefault(node, {})[partition] = self._reached[node][partition]
        return Share(starts, {node: self._stops[node] for node in starts})

    def _watch(self, server: EpochServer, is_done: Event) -> None:
        """Ask the tasks to end when that is due: at a stop, after a failure, at the end of the epoch, for new partitions."""
        ends_at = time.monotonic() + self._work.settings.epoch_ms / 1000
        search, search_at = Future[Found](), time.monotonic() + _DISCOVERY_S
        search.set_result({})
        while not is_done.wait(_POLL_S):
            now = time.monotonic()
            if search.done() and now > search_at:
                has_grown, search_at = self._grown(search), now + _DISCOVERY_S
                search = in_background(partial(self._discover, self._known), "kafkastream-discovery")
            else:
                has_grown = False
            if self._is_over or now > ends_at or server.has_recovered or has_grown:
                server.end()
                is_done.wait()

    def _grown(self, search: Future[Found]) -> bool:
        """Add the new partitions that a search has found; one that failed is repeated."""
        with suppress(Exception):
            new = search.result()
            with self._lock:
                for node, offsets in new.items():
                    self._reached[node] = {**offsets, **self._reached[node]}
            return any(new.values())
        return False

    @property
    def _known(self) -> Mapping[int, frozenset[TopicPartition]]:
        return {node: frozenset(offsets) for node, offsets in self._reached.items()}

    def _take(self, tidings: Tidings) -> None:
        """Handle what a task tells; the server calls it for one after the other."""
        reports = [Report(ReportKind(kind), node, pickle.loads(payload)) for kind, node, payload in tidings.rows]
        LIVE_RUNS.wrote(self._batches.run_id, self._batches.query, reports)
        self._batches.handler.handle(reports)
        for node, offsets in tidings.reached.items():
            if tidings.is_safe:
                with self._lock:
                    self._reached[node] = {**self._reached[node], **offsets}
                self._write(node)
            self._heard(node, offsets, tidings.ends.get(node, {}))

    def _write(self, node: int) -> None:
        self._files[node].write(self._reached[node])

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error

    def _await_log(self) -> None:
        """Give Spark a moment to log what was reached before the failure, so that it is not processed again."""
        deadline = time.monotonic() + _LOGGED_S
        while time.monotonic() < deadline and not self._batches.over.is_set() and not self._is_logged:
            time.sleep(_POLL_S)

    @property
    def _is_logged(self) -> bool:
        query = self._query
        if query is None or not query.isActive:
            return True
        progress = query.lastProgress
        ends = [] if progress is None else [offsets_of_json(source["endOffset"]) for source in progress["sources"]]
        return ends == list(self.reached())
