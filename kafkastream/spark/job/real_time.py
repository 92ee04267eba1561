"""Queries of SQL in Spark's real-time mode: which ones it runs, with how many slots, and its trigger."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from pyspark import SparkContext
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.model.graph.job_graph import JobGraph, KeyedNode
from kafkastream.model.job.job_result import LatencySettings
from kafkastream.spark.internals.jvm import task_slots
from kafkastream.spark.job.latency_slots import LATENCY_SLOTS
from kafkastream.spark.plan.passthrough import native_refusal, needs_python
from kafkastream.spark.plan.source_frames import MAX_OFFSETS, SourceInput
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, source_of
from kafkastream.sql.plan.branches import origins
from kafkastream.sql.plan.expression import calls_user
from kafkastream.sql.plan.query_node import QueryNode, Target
from kafkastream.sql.plan.relations import Relation, Scan, computations

__all__ = ["in_real_time", "real_time_refusal", "take_slots"]

log = logging.getLogger("kafkastream")

_LEAST_MS: Final = 5000
"""Shortest micro-batch of the mode, by default: ``spark.sql.streaming.realTimeMode.minBatchDuration``."""

_LIMITS: Final = frozenset({MAX_OFFSETS, "minOffsetsPerTrigger"})
"""Options of Spark's Kafka source for the size of micro-batches; with them, the mode reads nothing."""


def real_time_refusal(part: JobGraph) -> str | None:
    """Return why Spark's real-time mode does not run a part of a job that has queries; None if it does.

    The mode runs operators without state and without Python only:
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/runtime/RealTimeModeAllowlist.scala
    """
    keyed = next((node for node in part.nodes if isinstance(node, KeyedNode)), None)
    if keyed is not None:
        return f"operator {keyed.name!r} of its query has state"
    queries = [node for node in part.nodes if isinstance(node, QueryNode)]
    if [sink.input for sink in part.sinks] != [query.id for query in queries]:
        return "its query is part of a stream"
    query = queries[0]
    return _refusal_of_sources(query.relation) or _refusal_of_target(query.target) or _refusal_of_calls(query.relation)


def _refusal_of_sources(relation: Relation) -> str | None:
    read = []
    for origin in origins(relation):
        source = source_of(origin.table) if isinstance(origin, Scan) else None
        if not isinstance(origin, Scan) or not isinstance(source, KafkaTableSource):
            return "its query does not only read topics"
        name = origin.table.name[-1]
        if source.is_bounded:
            return f"table {name!r} is bounded"
        if not _LIMITS.isdisjoint(source.source.spark_options):
            return f"table {name!r} has a limit for the records of a micro-batch"
        if source in read:
            return f"its query reads table {name!r} more than once"
        if needs_python(source):
            return f"the format of table {name!r} is read in Python"
        read.append(source)
    return None


def _refusal_of_target(target: Target) -> str | None:
    refusal = native_refusal(target)
    if refusal is None and isinstance(target.sink, KafkaTableSink) and needs_python(target.sink):
        return f"the format of table {target.name!r} is written in Python"
    return refusal


def _refusal_of_calls(relation: Relation) -> str | None:
    return "its query calls functions in Python" if any(map(calls_user, computations(relation))) else None


def take_slots(spark: SparkContext, job: str, place: tuple[str, str], inputs: Sequence[SourceInput], left: int) -> bool:
    """Take a slot of Spark's for each partition of a query, until the job ends; return whether there are enough.

    Without a slot, a partition would wait until others end their micro-batch.

    Args:
        spark: Spark.
        job: Name of the job.
        place: The job's run, and the name of its part.
        inputs: Kafka sources of the query.
        left: Number of slots to leave to other parts of the job.
    """
    LATENCY_SLOTS.give_back(*place)
    names = ", ".join(repr(one.node.name) for one in inputs)
    needed, slots = sum(len(one.offset_range.starts) for one in inputs), task_slots(spark)
    used = LATENCY_SLOTS.taken + left
    if needed > slots - used:
        log.warning(
            "job %r: the part of source %s runs in micro-batches, since Spark's real-time mode needs a slot for each of "
            "%d partitions, and of %d slots %d are free; give Spark more cores, for example spark.master local[%d]",
            *(job, names, needed, slots, max(slots - used, 0), needed + used),
        )
        return False
    LATENCY_SLOTS.take(*place, needed)
    log.info("job %r: the part of source %s runs in Spark's real-time mode", job, names)
    return True


def in_real_time(writer: DataStreamWriter, latency: LatencySettings) -> DataStreamWriter:
    """Return the writer of a query in real-time mode, whose micro-batches end with a checkpoint each."""
    interval_ms = max(latency.checkpoint_ms, _LEAST_MS)
    return writer.outputMode("update").trigger(realTime=f"{interval_ms} milliseconds")  # type: ignore[call-overload,no-any-return]  # its overloads lack it
