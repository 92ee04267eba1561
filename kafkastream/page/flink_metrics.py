"""Metrics, watermarks and checkpoints of a job as the JSON of Flink's REST interface."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from kafkastream.metrics.history import CompletedBatch
from kafkastream.page.flink_json import Json
from kafkastream.page.job_view import JobView, Vertex, metric_text

__all__ = ["checkpoints", "job_metrics", "metric_list", "vertex_metrics", "watermarks"]

_REPLACED_CHARACTERS: Final = re.compile(r"[ :.,]")
_TASK_METRICS: Final = frozenset({"numBytesIn", "numRecordsIn", "numRecordsOut"})
_COMMIT_PHASES: Final = ("walCommit", "commitOffsets", "commitBatch")
"""Phases of a micro-batch in which Spark writes its checkpoint."""
_PERCENTILES: Final = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9}


def metric_list(metrics: Mapping[str, str], wanted: str | None) -> list[Json]:
    """Return the names of all metrics, or the values of the requested ones.

    Args:
        metrics: Values by name.
        wanted: Names, separated by ``,``; None for a list of all names.

    Example:
        >>> metric_list({"0.numRecordsIn": "3"}, None), metric_list({"0.numRecordsIn": "3"}, "0.numRecordsIn,unknown")
        ([{'id': '0.numRecordsIn'}], [{'id': '0.numRecordsIn', 'value': '3'}])
    """
    if wanted is None:
        return [{"id": name} for name in metrics]
    return [{"id": name, "value": metrics[name]} for name in dict.fromkeys(wanted.split(",")) if name in metrics]


def vertex_metrics(view: JobView, vertex: Vertex) -> dict[str, str]:
    """Return the metrics of a vertex by Flink's names, such as ``0.numRecordsIn`` and ``0.Source__orders.pendingRecords``.

    In Flink a vertex is a chain of operators and has counts of its own. Here it is a single operator, so its counts are
    returned under both names.
    """
    metrics: dict[str, str] = {}
    operator = _REPLACED_CHARACTERS.sub("_", vertex.operator)
    for metric in view.metrics_of(vertex):
        value = metric_text(metric.value)
        metrics[f"{metric.subtask}.{operator}.{metric.path}"] = value
        if metric.path.removesuffix("PerSecond") in _TASK_METRICS:
            metrics[f"{metric.subtask}.{metric.path}"] = value
    for subtask, watermark in _watermarks(vertex):
        metrics[f"{subtask}.{operator}.currentOutputWatermark"] = watermark
    return metrics


def watermarks(view: JobView, vertex: Vertex) -> list[Json]:
    """Return ``/jobs/:jobid/vertices/:vertexid/watermarks``: the lowest watermark of the inputs, for each subtask."""
    starts = [edge.start for edge in view.edges if edge.end == vertex.id]
    inputs = [input_vertex.watermark_ms for input_vertex in view.vertices if input_vertex.id in starts]
    reported = [watermark for watermark in inputs if watermark is not None]
    if not reported or len(reported) < len(inputs):
        return []
    return [
        {"id": f"{subtask}.currentInputWatermark", "value": str(min(reported))} for subtask in range(vertex.parallelism)
    ]


def _watermarks(vertex: Vertex) -> Iterator[tuple[int, str]]:
    if vertex.watermark_ms is not None:
        yield from ((subtask, str(vertex.watermark_ms)) for subtask in range(vertex.parallelism))


def job_metrics(view: JobView) -> dict[str, str]:
    """Return the metrics of the job itself by Flink's names."""
    job_values = {metric.path: metric_text(metric.value) for metric in view.metrics if not metric.operator}
    last = view.batches[-1] if view.batches else None
    return {
        **job_values,
        "uptime": str(view.duration_ms if view.status.name == "RUNNING" else 0),
        "totalNumberOfCheckpoints": str(view.completed),
        "numberOfCompletedCheckpoints": str(view.completed),
        "numberOfFailedCheckpoints": "0",
        "numberOfInProgressCheckpoints": "0",
        "lastCompletedCheckpointId": str(-1 if last is None else last.number),
        "lastCheckpointDuration": str(-1 if last is None else commit_ms(last)),
        "lastCheckpointSize": str(-1 if last is None else last.state_bytes),
        "lastCheckpointFullSize": str(-1 if last is None else last.state_bytes),
        "lastCheckpointCompletedTimestamp": str(-1 if last is None else _ended_ms(last)),
    }


def commit_ms(batch: CompletedBatch) -> int:
    """Return the time in ms that a micro-batch took to write its checkpoint, without the state, which tasks commit."""
    return sum(batch.phases_ms.get(phase, 0) for phase in _COMMIT_PHASES)


def _ended_ms(batch: CompletedBatch) -> int:
    return batch.began_ms + batch.duration_ms


def checkpoints(view: JobView, most: int = 10) -> Json:
    """Return ``/jobs/:jobid/checkpoints``: each completed micro-batch is a checkpoint.

    Args:
        view: Job.
        most: Maximum length of the history.
    """
    newest = view.batches[::-1]
    none = dict.fromkeys(("alignment_buffered", "processed_data", "persisted_data"), _summary([]))
    return {
        "counts": {"restored": 0, "total": view.completed, "in_progress": 0, "completed": view.completed, "failed": 0},
        "summary": {
            "checkpointed_size": _summary_of(view.batches, lambda batch: batch.state_bytes),
            "state_size": _summary_of(view.batches, lambda batch: batch.state_bytes),
            "end_to_end_duration": _summary_of(view.batches, commit_ms),
            **none,
        },
        "latest": {
            "completed": _checkpoint(view, newest[0]) if newest else None,
            "savepoint": None,
            "failed": None,
            "restored": None,
        },
        "history": [_checkpoint(view, batch) for batch in newest[:most]],
    }


def _checkpoint(view: JobView, batch: CompletedBatch) -> Json:
    subtasks = sum(vertice.parallelism for vertice in view.vertices)
    return {
        "className": "completed",
        "id": batch.number,
        "status": "COMPLETED",
        "is_savepoint": False,
        "savepointFormat": None,
        "trigger_timestamp": batch.began_ms,
        "latest_ack_timestamp": _ended_ms(batch),
        "checkpointed_size": batch.state_bytes,
        "state_size": batch.state_bytes,
        "end_to_end_duration": commit_ms(batch),
        "alignment_buffered": 0,
        "processed_data": 0,
        "persisted_data": 0,
        "num_subtasks": subtasks,
        "num_acknowledged_subtasks": subtasks,
        "checkpoint_type": "CHECKPOINT",
        "tasks": {},
        "external_path": view.checkpoint_dir or "<checkpoint-not-externally-addressable>",
        "discarded": False,
    }


def _summary_of(batches: Sequence[CompletedBatch], number: Callable[[CompletedBatch], int]) -> Json:
    return _summary([number(batch) for batch in batches])


def _summary(numbers: Iterable[int]) -> Json:
    ordered = sorted(numbers)
    if not ordered:
        return {"min": 0, "max": 0, "avg": 0, **dict.fromkeys(_PERCENTILES, "NaN")}
    return {
        "min": ordered[0],
        "max": ordered[-1],
        "avg": round(statistics.fmean(ordered)),
        **{name: float(ordered[_percentile_index(share, len(ordered))]) for name, share in _PERCENTILES.items()},
    }


def _percentile_index(share: float, count: int) -> int:
    return min(int(share / 100 * count), count - 1)
