"""Execution plan: the job graph as Flink's JSON, with the watermark strategies that Flink leaves out."""

from __future__ import annotations

import json
from typing import Any

from typing_extensions import assert_never

from kafkastream.model.common.stream_functions import function_name
from kafkastream.model.common.watermark_strategy import (
    BoundedOutOfOrderness,
    CustomWatermarks,
    NoWatermarks,
    WatermarkStrategy,
)
from kafkastream.model.graph.job_graph import JobGraph, KeyedInput, KeyedNode, Node, OperatorNode, SourceNode

__all__ = ["execution_plan", "ship_strategies"]


def execution_plan(graph: JobGraph, parallelism: int) -> str:
    """Return the plan as Flink's ``getExecutionPlan`` prints it, with the watermark strategy of each node that has one.

    Args:
        graph: The job.
        parallelism: Parallelism of the nodes that set none.
    """
    return json.dumps({"nodes": [_node(node, parallelism) for node in graph.nodes]}, indent=2)


def _node(node: Node, parallelism: int) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": node.id,
        "type": node.label,
        "pact": node.pact,
        "contents": node.description or node.label,
        "parallelism": node.parallelism or parallelism,
    }
    if node.inputs:
        shown["predecessors"] = [
            {"id": taken, "ship_strategy": strategy, "side": "second"} for taken, strategy in ship_strategies(node)
        ]
    match node:
        case SourceNode(watermarks=WatermarkStrategy(generation=NoWatermarks())):
            pass
        case SourceNode(watermarks=strategy):
            shown["watermarks"] = _watermarks(strategy, "partition")
        case OperatorNode(function=WatermarkStrategy() as strategy):
            shown["watermarks"] = _watermarks(strategy, "subtask")
        case _:
            pass
    return shown


def ship_strategies(node: Node) -> list[tuple[int, str]]:
    """Return the id of each input node, and Flink's word for how its elements come."""
    return [(taken.node, _ship_strategy(taken)) for taken in _inputs(node)]


def _inputs(node: Node) -> tuple[KeyedInput, ...]:
    return node.keyed if isinstance(node, KeyedNode) else tuple(KeyedInput(node=taken) for taken in node.inputs)


def _ship_strategy(taken: KeyedInput) -> str:
    if taken.is_broadcast:
        return "BROADCAST"
    return "FORWARD" if taken.selector is None else "HASH"


def _watermarks(strategy: WatermarkStrategy[Any], made_by: str) -> dict[str, str]:
    """Return the description of a watermark strategy."""
    shown = {"strategy": _generation(strategy.generation), "made": f"per {made_by}"}
    if strategy.idle_timeout is not None:
        shown["idle_timeout"] = f"{strategy.idle_timeout.to_millis()} ms"
    if strategy.alignment is not None:
        shown["alignment_group"] = strategy.alignment.group
        shown["max_drift"] = f"{strategy.alignment.max_drift.to_millis()} ms"
        shown["update_interval"] = f"{strategy.alignment.update_interval.to_millis()} ms"
    return shown


def _generation(generation: NoWatermarks | BoundedOutOfOrderness | CustomWatermarks) -> str:
    match generation:
        case NoWatermarks():
            return "none before the end"
        case BoundedOutOfOrderness(bound=bound):
            return f"bounded out of orderness {bound.to_millis()} ms"
        case CustomWatermarks(supplier=supplier):
            return f"generator {function_name(supplier)}"
        case never:
            assert_never(never)
