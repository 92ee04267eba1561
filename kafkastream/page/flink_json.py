"""Views of jobs as the JSON of Flink's REST interface.

Shapes are those of Flink 2.2: https://nightlies.apache.org/flink/flink-docs-release-2.2/docs/ops/rest_api/. Fields
without a counterpart in Spark have the value that Flink uses for nothing, since clients expect every field.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Final, TypeAlias

from kafkastream.metrics.history import Failure
from kafkastream.model.job.job_result import JobStatus
from kafkastream.page.job_state import JobFacts
from kafkastream.page.job_view import JobView, Vertex

__all__ = ["Json", "config", "exceptions", "job", "job_config", "jobs", "jobs_overview", "overview", "plan", "vertex"]

Json: TypeAlias = dict[str, object]

_VERSION: Final = f"2.2-kafkastream-{version('kafkastream')}"
_STATES: Final = (
    "CREATED",
    "SCHEDULED",
    "DEPLOYING",
    "INITIALIZING",
    "RUNNING",
    "FINISHED",
    "CANCELING",
    "CANCELED",
    "FAILED",
    "RECONCILING",
)
_VERTEX_STATUS: Final = {
    JobStatus.INITIALIZING: "CREATED",
    JobStatus.CREATED: "CREATED",
    JobStatus.RUNNING: "RUNNING",
    JobStatus.FAILING: "CANCELING",
    JobStatus.FAILED: "FAILED",
    JobStatus.CANCELLING: "CANCELING",
    JobStatus.CANCELED: "CANCELED",
    JobStatus.FINISHED: "FINISHED",
    JobStatus.RESTARTING: "SCHEDULED",
    JobStatus.SUSPENDED: "CANCELED",
    JobStatus.RECONCILING: "RECONCILING",
}
"""Status of a vertex by status of the job: all operators of a job run together in each micro-batch."""
_NO_SLOT_GROUP: Final = "0" * 32


def overview(views: Sequence[JobView], slots: int) -> Json:
    """Return ``/overview``: the driver is the only task manager, with Spark's cores as slots."""
    ended = Counter(view.status for view in views)
    running = sum(not view.status.is_terminal_state() for view in views)
    return {
        "taskmanagers": 1,
        "slots-total": slots,
        "slots-available": 0 if running else slots,
        "jobs-running": running,
        "jobs-finished": ended[JobStatus.FINISHED],
        "jobs-cancelled": ended[JobStatus.CANCELED],
        "jobs-failed": ended[JobStatus.FAILED],
        "flink-version": _VERSION,
        "flink-commit": "",
    }


def config() -> Json:
    """Return ``/config``."""
    local = time.localtime()
    return {
        "refresh-interval": 3000,
        "timezone-name": local.tm_zone,
        "timezone-offset": local.tm_gmtoff * 1000,
        "flink-version": _VERSION,
        "flink-revision": "",
        "features": {"web-submit": False, "web-cancel": True, "web-rescale": False, "web-history": False},
    }


def jobs(views: Iterable[JobView]) -> Json:
    """Return ``/jobs``."""
    return {"jobs": [{"id": view.id, "status": view.status.name} for view in views]}


def jobs_overview(views: Iterable[JobView]) -> Json:
    """Return ``/jobs/overview``."""
    return {"jobs": [_job_overview(view) for view in views]}


def _job_overview(view: JobView) -> Json:
    state = _VERTEX_STATUS[view.status].lower()
    tasks = sum(vertex_view.parallelism for vertex_view in view.vertices)
    return {
        "jid": view.id,
        "name": view.name,
        "start-time": view.began_ms,
        "end-time": view.ended_ms or -1,
        "duration": view.duration_ms,
        "state": view.status.name,
        "last-modification": max(view.reached_ms.values()),
        "tasks": {"total": tasks, **{name.lower(): tasks if name.lower() == state else 0 for name in _STATES}},
        "pending-operators": 0,
    }


def job(view: JobView) -> Json:
    """Return ``/jobs/:jobid``."""
    return {
        "jid": view.id,
        "name": view.name,
        "isStoppable": False,
        "state": view.status.name,
        "job-type": "STREAMING",
        "start-time": view.began_ms,
        "end-time": view.ended_ms or -1,
        "duration": view.duration_ms,
        "maxParallelism": -1,
        "now": view.now_ms,
        "timestamps": {status.name: view.reached_ms.get(status, 0) for status in JobStatus},
        "vertices": [_vertex_json(view, vertex_view) for vertex_view in view.vertices],
        "status-counts": _status_counts(_VERTEX_STATUS[view.status], len(view.vertices)),
        "plan": _plan_json(view),
        "pending-operators": 0,
    }


def _status_counts(state: str, count: int) -> dict[str, int]:
    return {name: count if name == state else 0 for name in _STATES}


def _vertex_json(view: JobView, vertex: Vertex) -> Json:
    return {
        "id": vertex.id,
        "slotSharingGroupId": _NO_SLOT_GROUP,
        "name": vertex.name,
        "maxParallelism": -1,
        "parallelism": vertex.parallelism,
        "status": _VERTEX_STATUS[view.status],
        **_times(view),
        "tasks": _status_counts(_VERTEX_STATUS[view.status], vertex.parallelism),
        "metrics": _io_metrics(vertex.records_in, vertex.records_out),
    }


def _times(view: JobView) -> Json:
    return {"start-time": view.began_ms, "end-time": view.ended_ms or -1, "duration": view.duration_ms}


def _io_metrics(records_in: int | None, records_out: int | None) -> Json:
    return {
        "read-bytes": 0,
        "read-bytes-complete": False,
        "write-bytes": 0,
        "write-bytes-complete": False,
        "read-records": records_in or 0,
        "read-records-complete": records_in is not None,
        "write-records": records_out or 0,
        "write-records-complete": records_out is not None,
        "accumulated-backpressured-time": 0,
        "accumulated-idle-time": 0,
        "accumulated-busy-time": 0.0,
    }


def plan(view: JobView) -> Json:
    """Return ``/jobs/:jobid/plan``."""
    return {"plan": _plan_json(view)}


def _plan_json(view: JobView) -> Json:
    return {
        "jid": view.id,
        "name": view.name,
        "type": "STREAMING",
        "nodes": [_plan_node(view, v) for v in view.vertices],
    }


def _plan_node(view: JobView, vertex: Vertex) -> Json:
    inputs = [
        {"id": edge.start, "num": number, "exchange": "pipelined_bounded", "ship_strategy": edge.ship_strategy}
        for number, edge in enumerate(edge for edge in view.edges if edge.end == vertex.id)
    ]
    return {
        "id": vertex.id,
        "operator": "",
        "parallelism": vertex.parallelism,
        "operator_strategy": "",
        "description": vertex.description,
        "optimizer_properties": {},
        **({"inputs": inputs} if inputs else {}),
    }


def vertex(view: JobView, shown: Vertex) -> Json:
    """Return ``/jobs/:jobid/vertices/:vertexid``."""
    return {
        "id": shown.id,
        "name": shown.name,
        "parallelism": shown.parallelism,
        "maxParallelism": -1,
        "now": view.now_ms,
        "subtasks": [_subtask_json(view, shown, number) for number in range(shown.parallelism)],
        "aggregated": {"metrics": {}, "status-duration": {}},
    }


def _subtask_json(view: JobView, vertex: Vertex, number: int) -> Json:
    counts = {
        metric.path: metric.value
        for metric in view.metrics_of(vertex)
        if metric.subtask == number and isinstance(metric.value, int)
    }
    return {
        "subtask": number,
        "status": _VERTEX_STATUS[view.status],
        "attempt": view.restarts,
        "endpoint": "",
        **_times(view),
        "metrics": _io_metrics(counts.get("numRecordsIn"), counts.get("numRecordsOut")),
        "taskmanager-id": "driver",
        "status-duration": {},
        "start_time": view.began_ms,
    }


def exceptions(view: JobView, most: int = 20) -> Json:
    """Return ``/jobs/:jobid/exceptions``, the newest first.

    Args:
        view: Job.
        most: Maximum number of exceptions.
    """
    newest = view.failures[::-1]
    return {
        "exceptionHistory": {
            "entries": [_exception_entry(failure) for failure in newest[:most]],
            "truncated": len(newest) > most,
        }
    }


def _exception_entry(failure: Failure) -> Json:
    return {
        "exceptionName": failure.name,
        "stacktrace": failure.text,
        "timestamp": failure.at_ms,
        "failureLabels": {"code": failure.code},
        "taskName": None,
        "endpoint": None,
        "taskManagerId": None,
        "concurrentExceptions": [],
    }


def job_config(view: JobView, facts: JobFacts) -> Json:
    """Return ``/jobs/:jobid/config``, with secrets masked."""
    return {
        "jid": view.id,
        "name": view.name,
        "execution-config": {
            "restart-strategy": facts.settings.restarts.get_description(),
            "job-parallelism": facts.parallelism,
            "object-reuse-mode": False,
            "user-config": {setting.key: setting.value for setting in view.settings if setting.of == "job parameters"},
        },
    }
