"""Base of the methods of ``Expression``: each returns an expression of a greater tree."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.table.api.expression_tree import (
    Aggregate,
    ColumnNode,
    ExpressionNode,
    Form,
    Strength,
    call_form,
    infix,
)
from kafkastream.table.api.literals import literal_of

__all__ = ["TreeMethods", "given", "node_of"]


class TreeMethods:
    """Expression as a tree.

    Args:
        node: Root of the tree.
    """

    def __init__(self, node: ExpressionNode | str) -> None:
        self._node = ColumnNode(node) if isinstance(node, str) else node

    def _of(self, node: ExpressionNode) -> Self:
        return type(self)(node)

    def _call(self, name: str, *arguments: Any) -> Self:
        """Return the call of a built-in function with the expression as its first argument."""
        return self._of(call_form(name, self._node, *given(*arguments)))

    def _form(self, form: str, *arguments: Any) -> Self:
        return self._of(Form(form, (self._node, *given(*arguments))))

    def _compared(self, form: str, *arguments: Any) -> Self:
        """Return a comparison: its operands are not comparisons themselves."""
        parts = (self._node, *given(*arguments))
        return self._of(Form(form, parts, Strength.COMPARISON, (Strength.SUM,) * len(parts)))

    def _infix(self, symbol: str, other: Any, strength: Strength) -> Self:
        return self._of(infix(symbol, self._node, node_of(other), strength))

    def _aggregate(self, name: str, *arguments: Any) -> Self:
        return self._of(Aggregate(name, (self._node, *given(*arguments))))


def node_of(value: Any) -> ExpressionNode:
    """Return the tree of an expression, or the literal of a value.

    Raises:
        DefinitionError: Flink derives no type from the value.
    """
    return value._node if isinstance(value, TreeMethods) else literal_of(value)


def given(*values: Any) -> tuple[ExpressionNode, ...]:
    """Return the trees of arguments that are not None."""
    return tuple(node_of(value) for value in values if value is not None)
