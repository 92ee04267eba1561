"""A query with keyed operators: chains, stateful stages, and the stream that tells them how far time has come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from threading import Lock
from typing import Any, Final, final

from pyspark.sql import DataFrame, SparkSession

from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.graph_nodes import CONTROL_NODE
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.checkpoint.control_stream import CONTROL_SCHEMA, ControlFile, control_frame
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.exchange.buckets import bucket_labels
from kafkastream.spark.exchange.shuffle_messages import MESSAGE_SCHEMA
from kafkastream.spark.exchange.stateful_stage import LevelPlan, StatefulStage
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.plan.source_frames import KafkaInput, collection_frames, collection_rows, collections_of
from kafkastream.spark.plan.watermark_alignment import align
from kafkastream.spark.plan.watermark_service import WatermarkService
from kafkastream.spark.session.session import frame_of
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["KeyedQuery", "Stages", "in_levels", "labels_of", "staged"]

Stages = Callable[[Mapping[int, DataFrame], DataFrame], DataFrame]
_STATE_STORE: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_CHANGELOG: Final = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"


def labels_of(layout: Layout | None) -> tuple[int, ...]:
    """Return the labels of the buckets that keys are sorted into; none where no operator has keys."""
    return () if layout is None else bucket_labels(layout.buckets)


def in_levels(plan: TaskPlan, levels: Sequence[LevelPlan]) -> Stages:
    """The stages of a query whose elements all go through every level.

    Args:
        plan: What the chains of its sources do.
        levels: What the stateful stages do, in their order.
    """

    def stages(records: Mapping[int, DataFrame], control: DataFrame) -> DataFrame:
        both = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [*records.values(), control])
        return staged([both.mapInArrow(plan.messages(levels[0].labels), MESSAGE_SCHEMA)], levels)

    return stages


def staged(messages: Sequence[DataFrame], levels: Sequence[LevelPlan]) -> DataFrame:
    """Run messages through stateful stages (``transformWithStateInPandas``), one after the other."""
    frame = reduce(DataFrame.union, messages)
    for level in levels:
        frame = frame.groupBy("bucket").transformWithStateInPandas(
            StatefulStage(level), MESSAGE_SCHEMA, "Append", "None"
        )
    return frame


@final
class KeyedQuery:
    """The stateful side of a query: what it runs, and its time.

    Args:
        session: Where it runs.
        graph: The connected part of the job.
        parallelism: The number of subtasks.
        stages: What comes out of the last stateful stage, for the records of each source by its node, and the stream that
            tells of time.
        labels: Of the buckets that the keys are sorted into.
        layout: Where the operators' state is.

    Attributes:
        time: How far event time has come.
    """

    def __init__(
        self,
        session: SparkSession,
        graph: JobGraph,
        parallelism: int,
        stages: Stages,
        labels: Sequence[int],
        layout: Layout,
    ) -> None:
        self._session = session
        self._graph = graph
        self._stages = stages
        self._layout = layout
        self._buckets = len(labels)
        self.time = WatermarkService(graph, parallelism, buckets=self._buckets)
        self._file: ControlFile | None = None
        self._timers: dict[tuple[int, int], int | None] = {}
        self._told: Mapping[str, Any] = {}
        self._is_at_work = False
        self._asks = True  # for the timers that the operators have from before; and the layout is to be kept
        self._unaligned: Sequence[int] = ()
        self._lock = Lock()  # micro-batches tell of time in a thread of Spark's, and the job looks in one of its own

    def restore(self, content: Mapping[str, Any]) -> None:
        """Begin with what an earlier run was told last."""
        self.time.restore(content)
        self.time.has_read_collections = True  # they come with the first content
        self._told = content

    def static_frame(self) -> DataFrame:
        """Batch frame of the last stateful stage, where all sources are collections: after them time ends."""
        self._tell()
        self.time.has_read_collections = True
        told = {**self._told, "last": self.time.watermarks()}
        _ = self._session.streams  # with which comes the coordinator of state stores, that a batch needs, too
        collections = collection_frames(self._session, self._graph)
        marks = frame_of(self._session, [(CONTROL_NODE, json.dumps(told).encode())], CONTROL_SCHEMA)
        return self._stages(collections, marks)

    def frame(self, records: Mapping[int, DataFrame], *, is_named: bool) -> DataFrame:
        """Streaming frame of the last stateful stage, for records of Kafka and for the collections before them."""
        if self._file is None:
            collections = [collection_rows(node, one.elements) for node, one in collections_of(self._graph)]
            self._file = ControlFile.temporary(collections)
        self._tell()
        self._file.write(self._told)
        return self._stages(records, control_frame(self._session, self._file, is_named=is_named))

    def settings(self) -> Mapping[str, str]:
        """Settings of Spark while the query begins; it keeps them for itself."""
        return {
            "spark.sql.shuffle.partitions": str(self._buckets),
            "spark.sql.streaming.stateStore.providerClass": _STATE_STORE,
            # Without it each micro-batch copies RocksDB's MANIFEST, which grows with each: docs/reliability.md.
            _CHANGELOG: self._session.conf.get(_CHANGELOG, "true") or "true",
        }

    def begin(self, inputs: Sequence[KafkaInput]) -> None:
        """The sources read these partitions."""
        for one in inputs:
            self.time.add_splits(one.node.id, one.offset_range.starts)
        self._unaligned = [one.node.id for one in inputs] if self.time.is_aligned else ()

    @contextmanager
    def micro_batch(self, query_id: str) -> Iterator[None]:
        """A micro-batch runs: what has come since it began does not count yet, least of all as a sign of idleness."""
        if self._unaligned:
            align(self._session, query_id, self._unaligned, self.time.align)
            self._unaligned = ()
        self.time.mark_polled()
        self._is_at_work = True
        try:
            yield
        finally:
            self._is_at_work = False

    def take(self, reports: Iterable[Report]) -> None:
        """Take in what the tasks of a micro-batch have reported about time."""
        with self._lock:
            self.time.has_read_collections = True
            for report in reports:
                if report.kind is ReportKind.TIMES:
                    seen, idle = report.content
                    self.time.observe({report.node: seen}, idle)
                elif report.kind is ReportKind.TIMERS:
                    subtask, due = report.content
                    self._timers[report.node, subtask] = due
            self._tell()

    def reached(self, inputs: Sequence[KafkaInput], offsets: Sequence[Mapping[TopicPartition, int]]) -> None:
        """The sources have been read so far."""
        with self._lock:
            if not self._is_at_work:
                self.time.mark_polled()
            for one, reached in zip(inputs, offsets, strict=True):
                self.time.add_splits(one.node.id, reached)
                stops = one.offset_range.stops or {}
                self.time.finished(one.node.id, [p for p, stop in stops.items() if reached.get(p, 0) >= stop])
                if one.has_stopped(reached):
                    self.time.ended(one.node.id)
            self._tell()

    def _tell(self) -> None:
        """Let the operators know of time, if there is something new."""
        now = wall_clock_ms()
        is_due = self._asks or any(
            self._told.get("now", -1) < due <= now for due in self._timers.values() if due is not None
        )
        watermarks = self.time.watermarks()
        before = self._told.get("watermarks", {})
        if is_due or any(watermark > before.get(node, MIN_WATERMARK) for node, watermark in watermarks.items()):
            self._told = {"watermarks": watermarks, "now": now, **self._layout.content(), **self.time.content()}
            self._asks = False
            if self._file is not None:
                self._file.write(self._told)

    def has_heard(self, offset: str | None) -> bool:
        """Whether the operators have been told all there is to tell, when the control stream has come so far."""
        return bool(offset) and json.loads(str(offset)) == self._told

    def close(self) -> None:
        """No more is needed of it."""
        if self._file is not None:
            self._file.remove()
            self._file = None
