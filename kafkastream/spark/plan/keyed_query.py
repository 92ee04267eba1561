"""A query with keyed operators: chains, stateful stages, and the control stream with their watermarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from threading import Lock
from typing import Any, Final, final

from pyspark.sql import DataFrame, SparkSession

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.graph.node_ids import CONTROL_NODE
from kafkastream.spark.checkpoint.control_stream import CONTROL_SCHEMA, ControlFile, control_frame
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.exchange.buckets import bucket_labels
from kafkastream.spark.exchange.shuffle_messages import MESSAGE_SCHEMA
from kafkastream.spark.exchange.stateful_stage import LevelPlan, StatefulStage
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.python import map_in_arrow, record_limits_of
from kafkastream.spark.plan.collection_rows import collection_rows
from kafkastream.spark.plan.source_frames import SourceInput, collection_frames, collections_of
from kafkastream.spark.plan.watermark_alignment import align
from kafkastream.spark.plan.watermark_service import WatermarkService
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["KeyedQuery", "Stages", "in_levels", "labels_of", "staged"]

Stages = Callable[[Mapping[int, DataFrame], DataFrame], DataFrame]
_STATE_STORE: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_UNLESS_SET: Final = FrozenMap(
    {
        # Without it each micro-batch copies RocksDB's MANIFEST, which keeps growing: docs/reliability.md.
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        # With it Spark reads each row before it writes it; a row is a page of keys, so the number tells little.
        "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    }
)
"""Settings that differ from Spark's defaults, unless the user's session has them."""


def labels_of(layout: Layout | None) -> tuple[int, ...]:
    """Return the labels of the buckets of keys; none if no operator has keys."""
    return () if layout is None else bucket_labels(layout.buckets)


def in_levels(plan: TaskPlan, levels: Sequence[LevelPlan]) -> Stages:
    """Return the stages of a query in which all elements go through every level.

    Args:
        plan: Plan of the source tasks.
        levels: Plans of the stateful stages, in order.
    """

    def stages(records: Mapping[int, DataFrame], control: DataFrame) -> DataFrame:
        both = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [*records.values(), control])
        return staged([map_in_arrow(both, plan.messages(levels[0].labels), MESSAGE_SCHEMA)], levels)

    return stages


def staged(messages: Sequence[DataFrame], levels: Sequence[LevelPlan]) -> DataFrame:
    """Return messages after stateful stages (``transformWithStateInPandas``), one after the other."""
    frame = reduce(DataFrame.union, messages)
    limits = record_limits_of(frame.sparkSession)
    for level in levels:
        frame = frame.groupBy("bucket").transformWithStateInPandas(
            StatefulStage(level, limits), MESSAGE_SCHEMA, "Append", "None"
        )
    return frame


@final
class KeyedQuery:
    """Stateful side of a query: its stages and its watermarks.

    Args:
        session: Spark session of the job.
        graph: The connected part of the job.
        parallelism: The number of subtasks.
        stages: Function from the records of each source, by node, and the control stream to the output of the last
            stateful stage.
        labels: Labels of the buckets of keys.
        layout: Layout of the operators' state.

    Attributes:
        time: Watermarks of the query.
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
        self._asks = True  # for timers in restored state; and the layout must get into the checkpoint
        self._unaligned: Sequence[int] = ()
        self._lock = Lock()  # micro-batches report watermarks in a thread of Spark, the job reads them in its own

    def restore(self, content: Mapping[str, Any]) -> None:
        """Restore from the last content of the control stream."""
        self.time.restore(content)
        self.time.has_read_collections = True  # they came with the first content
        self._told = content

    def static_frame(self) -> DataFrame:
        """Return the batch DataFrame of the last stateful stage, if all sources are collections."""
        self._tell()
        self.time.has_read_collections = True
        told = {**self._told, "last": self.time.watermarks()}
        _ = self._session.streams  # it starts the coordinator of state stores, which a batch needs as well
        collections = collection_frames(self._session, self._graph)
        marks = local_frame(self._session, [(CONTROL_NODE, json.dumps(told).encode())], CONTROL_SCHEMA)
        return self._stages(collections, marks)

    def frame(self, records: Mapping[int, DataFrame], *, is_named: bool) -> DataFrame:
        """Return the streaming DataFrame of the last stateful stage, for collections and then Kafka records."""
        if self._file is None:
            collections = [collection_rows(node, one.elements) for node, one in collections_of(self._graph)]
            self._file = ControlFile.temporary(collections)
        self._tell()
        self._file.write(self._told)
        return self._stages(records, control_frame(self._session, self._file, is_named=is_named))

    def settings(self) -> Mapping[str, str]:
        """Return the Spark settings during the start of the query, which keeps them."""
        return {
            "spark.sql.shuffle.partitions": str(self._buckets),
            "spark.sql.streaming.stateStore.providerClass": _STATE_STORE,
            **{key: self._session.conf.get(key, value) or value for key, value in _UNLESS_SET.items()},
        }

    def begin(self, inputs: Sequence[SourceInput]) -> None:
        """Register the partitions that the sources read."""
        for one in inputs:
            self.time.add_splits(one.node.id, one.offset_range.starts)
        self._unaligned = [one.node.id for one in inputs] if self.time.is_aligned else ()

    @contextmanager
    def micro_batch(self, query_id: str) -> Iterator[None]:
        """Run a micro-batch: records that arrive after its begin do not count yet, in particular not for idleness."""
        if self._unaligned:
            align(self._session, query_id, self._unaligned, self.time.align)
            self._unaligned = ()
        with self._lock:
            self.time.mark_polled()
        self._is_at_work = True
        try:
            yield
        finally:
            self._is_at_work = False

    def take(self, reports: Iterable[Report]) -> None:
        """Update the watermarks by the reports of a micro-batch's tasks."""
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

    def reached(self, inputs: Sequence[SourceInput], offsets: Sequence[Mapping[TopicPartition, int]]) -> None:
        """Note the offsets that the sources have reached."""
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
        """Write new watermarks, if any, to the control stream."""
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
        """Return whether the operators have processed the latest watermarks, as the control stream's offset shows."""
        return bool(offset) and json.loads(str(offset)) == self._told

    def close(self) -> None:
        """Delete the control stream's file."""
        if self._file is not None:
            self._file.remove()
            self._file = None
