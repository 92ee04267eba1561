"""Operators between which Flink serializes elements: there a declared type takes effect.

PyFlink chains neighbouring Python operators, which hand objects to each other unchanged; only elements that leave such
a chain are written by the serializer of their declared type. The rules are those of PyFlink's
``PythonOperatorChainingOptimizer`` (Flink 2.2), observed in ``tests/differential/values/shapes.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.projection import Projection
from kafkastream.model.common.types import TypeInformation, TypeKind
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.graph.graph_nodes import (
    KeyedNode,
    Node,
    OperatorKind,
    OperatorNode,
    PrintSink,
    SideOutputNode,
    SinkNode,
)
from kafkastream.model.graph.slot_placement import ChainingStrategy, Placement

if TYPE_CHECKING:
    from kafkastream.model.graph.job_graph import JobGraph

__all__ = ["Serialization"]

_KEYED_IN_JAVA: Final = frozenset({OperatorKind.BROADCAST_PROCESS, OperatorKind.INTERVAL_JOIN})


@final
@attrs.frozen
class Serialization:
    """Effect of Flink's serializers on the elements of a graph.

    Args:
        objects: Nodes whose elements reach the next operator without being serialized.
        types: Type that the elements of a node are coerced to where they leave it, by the node's id.
    """

    objects: frozenset[int] = frozenset()
    types: Mapping[int, TypeInformation[Any]] = FrozenMap()

    @staticmethod
    def of(graph: JobGraph, parallelism: int = 1, *, chains: bool = True) -> Serialization:
        """Determine the serialization of a job.

        Args:
            graph: The job.
            parallelism: Parallelism of operators that set none.
            chains: Whether the job's settings let operators be chained.
        """
        objects = frozenset(_chained(graph, parallelism)) if chains else frozenset()
        typed = {node.id: type_info for node in graph.nodes if (type_info := _type_behind(node, objects)) is not None}
        return Serialization(objects, FrozenMap(typed))


def _type_behind(node: Node, objects: frozenset[int]) -> TypeInformation[Any] | None:
    if node.id in objects:
        return None
    if isinstance(node, SideOutputNode):
        return node.tag.type_info
    if isinstance(node, OperatorNode):
        gives_own = node.kind not in {OperatorKind.FILTER, OperatorKind.TIMESTAMPS}
        return node.output_type if gives_own or not objects.isdisjoint(node.inputs) else None
    is_own = isinstance(node, KeyedNode) and node.kind is not OperatorKind.FILTER
    return node.output_type if is_own else None


def _chained(graph: JobGraph, parallelism: int) -> Iterator[int]:
    """Yield the nodes whose only consumer runs in the same Python process."""
    for node in graph.nodes:
        consumers = graph.consumers(node.id)
        if len(consumers) == 1 and _leads(node) and _follows(consumers[0], node, parallelism):
            yield node.id


def _leads(node: Node) -> bool:
    """Return whether a Python operator may follow ``node`` in the same chain."""
    placement = node.placement
    if placement.strategy is ChainingStrategy.NEVER or placement.is_redistributed:
        return False
    if isinstance(node, KeyedNode):
        return node.kind not in _KEYED_IN_JAVA
    return _is_function(node)


def _follows(node: Node, before: Node, parallelism: int) -> bool:
    """Return whether the operator of ``node`` is chained to the one of ``before``."""
    if isinstance(node, KeyedNode):  # its key selector does, wherever the operator itself runs
        return all(keyed.selector is not None for keyed in node.keyed if keyed.node == before.id)
    if isinstance(node, SinkNode) and isinstance(node.sink, KafkaSink) and node.sink.dead_letter_topic is not None:
        return True  # an element of another type is a dead letter, which Flink does not have
    if isinstance(node, SinkNode):  # print writes rows in Python, in a map of its own
        is_row = node.output_type is not None and node.output_type.kind is TypeKind.ROW
        same_parallelism = (before.parallelism or parallelism) == parallelism
        return (
            isinstance(node.sink, PrintSink)
            and is_row
            and same_parallelism
            and _same_place(Placement(), before.placement)
        )
    if not _is_function(node) and not _assigns_timestamps(node):
        return False
    same_parallelism = (node.parallelism or parallelism) == (before.parallelism or parallelism)
    return same_parallelism and _same_place(node.placement, before.placement)


def _same_place(placement: Placement, before: Placement) -> bool:
    same = (placement.slot_sharing_group, placement.max_parallelism)
    return placement.strategy is ChainingStrategy.ALWAYS and same == (before.slot_sharing_group, before.max_parallelism)


def _is_function(node: Node) -> bool:
    return (
        isinstance(node, OperatorNode)
        and node.kind is not OperatorKind.TIMESTAMPS
        and not isinstance(node.function, Projection)
    )


def _assigns_timestamps(node: Node) -> bool:
    """Return whether PyFlink calls a timestamp assigner, which is a Python operator; watermarks after it are Java's."""
    function = node.function if isinstance(node, OperatorNode) else None
    return isinstance(function, WatermarkStrategy) and function.timestamp_assigner is not None
