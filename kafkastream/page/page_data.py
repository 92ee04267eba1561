"""Data of the page: a document with everything that the page of a job shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from kafkastream.metrics.shown_text import number_text
from kafkastream.metrics.values import DistributionValue, MeterValue, MetricValue
from kafkastream.page.flink_metrics import commit_ms
from kafkastream.page.graph_layout import Position, graph_layout_of
from kafkastream.page.job_view import JobView

__all__ = ["job_document", "jobs_document"]

_CONVERTED_FIELDS = frozenset({"batches", "health", "metrics", "reached_ms", "samples"})


def jobs_document(views: Iterable[JobView]) -> dict[str, Any]:
    """Return the list of jobs, the newest first."""
    newest = sorted(views, key=lambda view: view.began_ms, reverse=True)
    return {"jobs": [_job_summary(view) for view in newest]}


def _job_summary(view: JobView) -> dict[str, Any]:
    return {
        "id": view.id,
        "name": view.name,
        "flow": view.flow,
        "status": view.status.name,
        "began_ms": view.began_ms,
        "duration_ms": view.duration_ms,
        "records": view.records,
        "per_second": view.per_second,
        "lag": view.lag,
        "restarts": view.restarts,
    }


def job_document(view: JobView) -> dict[str, Any]:
    """Return a job with the layout of its graph; numbers stay numbers, and the page formats them."""
    fields = attrs.asdict(view, filter=lambda attribute, _: attribute.name not in _CONVERTED_FIELDS)
    return {
        **fields,
        "status": view.status.name,
        "health": {"level": view.health.level.value, "text": view.health.text},
        "is_over": view.status.is_terminal_state(),
        "duration_ms": view.duration_ms,
        "layout": _layout_json(view),
        "batches": [
            {**attrs.asdict(batch, recurse=False), "phases_ms": dict(batch.phases_ms), "commit_ms": commit_ms(batch)}
            for batch in view.batches
        ],
        "samples": [attrs.astuple(sample) for sample in view.samples],
        "metrics": [
            [metric.operator, metric.subtask, metric.path, metric.kind.value, _metric_value(metric.value)]
            for metric in view.metrics
        ],
    }


def _metric_value(value: MetricValue) -> str | float:
    match value:
        case MeterValue(count=count, rate=rate):
            return f"{number_text(rate, ',.1f')}/s ({number_text(count, ',')})"
        case DistributionValue(count=count):
            mean = number_text(value.mean, ",.1f")
            least, most = number_text(value.min, ",g"), number_text(value.max, ",g")
            return f"{mean} (n={number_text(count, ',')}, {least} … {most})"
        case bool():
            return str(value).lower()
        case _:
            return value


def _layout_json(view: JobView) -> dict[str, Any]:
    ids = {vertex.id: vertex.node for vertex in view.vertices}
    inputs: dict[int, list[int]] = {vertex.node: [] for vertex in view.vertices}
    strategies = {}
    for edge in view.edges:
        inputs[ids[edge.end]].append(ids[edge.start])
        strategies[ids[edge.start], ids[edge.end]] = edge.ship_strategy
    layout = graph_layout_of(inputs)
    return {
        "columns": layout.columns,
        "rows": layout.rows,
        "nodes": {str(node): _position_json(position) for node, position in layout.nodes.items()},
        "edges": [
            {
                "start": edge.start,
                "end": edge.end,
                "ship_strategy": strategies[edge.start, edge.end],
                "places": [_position_json(position) for position in edge.positions],
            }
            for edge in layout.edges
        ],
    }


def _position_json(position: Position) -> list[float]:
    return [position.column, position.row]
