"""Operators of Flink SQL as calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.expression import Literal, TypedExpression

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["OPERATOR_EXPRESSIONS"]


def _binary(name: str) -> Callable[[Any, Any], TypedExpression]:
    return lambda of, node: of.call(node, name, of.compile(node.this), of.compile(node.expression))


def _unary(name: str) -> Callable[[Any, Any], TypedExpression]:
    return lambda of, node: of.call(node, name, of.compile(node.this))


def _between(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "low", "high")
    return of.call(node, "BETWEEN", *map(of.compile, (node.this, node.args["low"], node.args["high"])))


def _in(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    if node.args.get("query"):
        return of.compile(node.args["query"])
    of.text.only(node, "this", "expressions")
    if not node.expressions:
        raise of.text.error(node, "IN () has no values.", "Write the values into the parentheses.")
    return of.call(node, "IN", *map(of.compile, (node.this, *node.expressions)))


def _is(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    found = node.expression
    if not isinstance(found, exp.Null | exp.Boolean):
        raise of.text.refused(node, f"{of.text.shown(node)} is not supported.", "Write IS NULL, IS TRUE or IS FALSE.")
    word = "NULL" if isinstance(found, exp.Null) else "TRUE" if found.this else "FALSE"
    return of.call(node, f"IS NOT {word}" if node.args.get("negate") else f"IS {word}", of.compile(node.this))


def _like(of: ExpressionCompiler, node: exp.Expr, *escape: TypedExpression) -> TypedExpression:
    name = "NOT LIKE" if node.args.get("negate") else "LIKE"
    return of.call(node, name, of.compile(node.this), of.compile(node.expression), *escape)


def _escaped(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    if not isinstance(node.this, exp.Like) or not node.expression.is_string or len(node.expression.name) != 1:
        raise of.text.error(node, "ESCAPE takes one character, behind LIKE.", "")
    return _like(of, node.this, Literal.text(node.expression.name))


def _similar(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    parts = (node.this, node.expression)
    return of.call(node, "SIMILAR TO", *map(of.compile, parts), nodes=parts)


OPERATOR_EXPRESSIONS: Final[Mapping[type[exp.Expr], Callable[[Any, Any], TypedExpression]]] = {
    exp.Add: _binary("+"),
    exp.Sub: _binary("-"),
    exp.Mul: _binary("*"),
    exp.Div: _binary("/"),
    exp.Mod: _binary("%"),
    exp.EQ: _binary("="),
    exp.NEQ: _binary("<>"),
    exp.GT: _binary(">"),
    exp.GTE: _binary(">="),
    exp.LT: _binary("<"),
    exp.LTE: _binary("<="),
    exp.NullSafeEQ: _binary("IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: _binary("IS DISTINCT FROM"),
    exp.And: _binary("AND"),
    exp.Or: _binary("OR"),
    exp.DPipe: _binary("||"),
    exp.Not: _unary("NOT"),
    exp.Neg: _unary("$NEGATE"),
    exp.Paren: _unary("$PARENTHESES"),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Like: _like,
    exp.Escape: _escaped,
    exp.SimilarTo: _similar,
}
"""Compilers by node."""
