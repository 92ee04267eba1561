"""Functions with special syntax, such as ``TRIM(LEADING 'x' FROM s)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.expression import Literal, TypedExpression
from kafkastream.sql.plan.functions.time_functions import extract, round_to

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["GRAMMAR_CALLS"]


def _extracted(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    unit, value = node.this.name.upper(), of.compile(node.expression)
    return of.located(node, lambda: extract(unit, value))


def _rounded(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """``FLOOR`` and ``CEIL``, of numbers and ``time TO unit``."""
    of.text.only(node, "this", "to")
    value, name = of.compile(node.this), "FLOOR" if isinstance(node, exp.Floor) else "CEIL"
    if not node.args.get("to"):
        return of.call(node, name, value)
    unit = node.args["to"].name.upper()
    return of.located(node, lambda: round_to(name, value, unit))


def _substring(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "start", "length")
    parts = [part for part in (node.this, node.args.get("start"), node.args.get("length")) if part]
    return of.call(node, "SUBSTRING", *map(of.compile, parts))


def _trim(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "expression", "position")
    what = of.compile(node.expression) if node.expression else Literal.text(" ")
    return of.call(node, f"TRIM {node.args.get('position') or 'BOTH'}", what, of.compile(node.this))


def _position(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "substr")
    return of.call(node, "POSITION", of.compile(node.args["substr"]), of.compile(node.this))


def _overlay(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "expression", "from_", "for_")
    parts = (node.this, node.expression, node.args["from_"], node.args.get("for_"))
    return of.call(node, "OVERLAY", *(of.compile(part) for part in parts if part))


GRAMMAR_CALLS: Final[Mapping[type[exp.Expr], Callable[[Any, Any], TypedExpression]]] = {
    exp.Extract: _extracted,
    exp.Floor: _rounded,
    exp.Ceil: _rounded,
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.StrPosition: _position,
    exp.Overlay: _overlay,
}
"""Compilers by node."""
