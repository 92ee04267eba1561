"""Java's implicit conversions: whole numbers become floating-point numbers where the declared type asks for it."""

from __future__ import annotations

import ast

from kafkastream.port.java_nodes import Type
from kafkastream.port.java_types import is_floating, is_whole
from kafkastream.port.python_trees import call, constant
from kafkastream.port.translation import Value

__all__ = ["convert"]


def convert(value: Value, kind: Type) -> ast.expr:
    """Convert a value to a declared type: whole numbers become floating-point numbers."""
    if is_floating(kind) and is_whole(value.type):
        number = _integer_literal(value.code)
        if number is not None:
            return constant(float(number))
        return call("float", value.code)
    return value.code


def _integer_literal(tree: ast.expr) -> int | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub) and isinstance(tree.operand, ast.Constant):
        return -int(str(tree.operand.value))
    return int(tree.value) if isinstance(tree, ast.Constant) and isinstance(tree.value, int) else None
