"""The operator of a node of the job graph."""

from __future__ import annotations

from kafkastream.keyed.operators import KeyedOperator, process_operator
from kafkastream.keyed.windows import WindowOperator
from kafkastream.spec.graph import KeyedNode
from kafkastream.spec.window_operation import WindowOperation

__all__ = ["keyed_operator"]


def keyed_operator(node: KeyedNode) -> KeyedOperator:
    """What a keyed node does in one subtask."""
    if isinstance(node.function, WindowOperation):
        return WindowOperator(node.function)
    return process_operator(node.kind, node.function)
