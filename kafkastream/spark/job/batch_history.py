"""Completed micro-batches of a query, read from Spark's reports of its progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kafkastream.metrics.history import CompletedBatch
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.spark.checkpoint.control_stream import without_control
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.plan.source_frames import SourceInput

__all__ = ["micro_batches"]

_WHOLE: Final = "triggerExecution"
_RAN: Final = "addBatch"
"""Phases that Spark reports: the whole micro-batch, and the phase that only those have that did run.

https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/runtime/MicroBatchExecution.scala
"""


def micro_batches(
    part: str, inputs: Sequence[SourceInput], reports: Iterable[Mapping[str, Any]]
) -> tuple[CompletedBatch, ...]:
    """Return the micro-batches in reports of progress; Spark also reports when it waits.

    Args:
        part: Name of the query.
        inputs: Kafka sources of the query, in the order of the plan.
        reports: Reports of progress.
    """
    return tuple(_micro_batch(part, inputs, one) for one in reports if _RAN in one["durationMs"])


def _micro_batch(part: str, inputs: Sequence[SourceInput], report: Mapping[str, Any]) -> CompletedBatch:
    of_kafka = zip(inputs, without_control(report["sources"]), strict=False)
    read = [_read_and_left(one, source) for one, source in of_kafka]
    states = report["stateOperators"]
    phases = {name: int(spent) for name, spent in report["durationMs"].items()}
    return CompletedBatch(
        part=part,
        number=report["batchId"],
        began_ms=round(datetime.fromisoformat(report["timestamp"].replace("Z", "+00:00")).timestamp() * 1000),
        duration_ms=phases.pop(_WHOLE, sum(phases.values())),
        phases_ms=FrozenMap(phases),
        rows=sum(rows for rows, _ in read),
        state_bytes=sum(_size(state) for state in states),
        state_commit_ms=sum(state["commitTimeMs"] for state in states),
        lag=sum(left for _, left in read) if read else None,
    )


def _read_and_left(one: SourceInput, source: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of records that were read and that wait, counted by offsets."""
    start, end = (offsets_of_json(source[key]) for key in ("startOffset", "endOffset"))
    reached = one.processed(end)
    begun = one.processed(start)
    rows = sum(max(offset - begun.get(p, one.offset_range.starts.get(p, 0)), 0) for p, offset in reached.items())
    return rows, sum(one.pending(reached, source["latestOffset"]).values())


def _size(state: Mapping[str, Any]) -> int:
    """Return the size of a state: that of RocksDB's files, or of the memory for a state elsewhere."""
    return int(state["customMetrics"].get("rocksdbSstFileSize", 0)) or int(state["memoryUsedBytes"])
