"""Operators of Flink SQL as calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.expression import Literal, TypedExpression
from kafkastream.sql.type_families import INTERVALS, TIMES

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["OPERATOR_EXPRESSIONS"]


def _binary(name: str) -> Callable[[Any, Any], TypedExpression]:
    return lambda of, node: of.call(node, name, of.compile(node.this), of.compile(node.expression))


def _unary(name: str) -> Callable[[Any, Any], TypedExpression]:
    return lambda of, node: of.call(node, name, of.compile(node.this))


def _between(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    of.text.only(node, "this", "low", "high", "symmetric")
    value, low, high = map(of.compile, (node.this, node.args["low"], node.args["high"]))
    found = of.call(node, "BETWEEN", value, low, high)
    if not node.args.get("symmetric"):
        return found
    return of.call(node, "OR", found, of.call(node, "BETWEEN", value, high, low))


def _overlaps(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """``(start, end) OVERLAPS (start, length)``: periods that touch overlap; a period may be written backwards."""
    (first, last), (other_first, other_last) = (_period(of, node, part) for part in (node.this, node.expression))
    if first.type.kind is not other_first.type.kind:
        what = f"OVERLAPS compares periods of one type, not of {first.type} and {other_first.type}."
        raise of.text.error(node, what, "CAST one of them.")
    begins = of.call(node, ">=", last, other_first)
    return of.call(node, "AND", begins, of.call(node, ">=", other_last, first))


def _period(of: ExpressionCompiler, node: exp.Expr, part: exp.Expr) -> tuple[TypedExpression, TypedExpression]:
    if not isinstance(part, exp.Tuple) or len(part.expressions) != 2:
        raise of.text.error(node, "OVERLAPS takes two periods.", "Write (start, end) OVERLAPS (start, end).")
    start, end = map(of.compile, part.expressions)
    if end.type.kind in INTERVALS:
        end = of.call(node, "+", start, end)
    if start.type.kind not in TIMES or end.type.kind is not start.type.kind:
        what = f"OVERLAPS takes periods of two times of one type, not ({start.type}, {end.type})."
        raise of.text.error(part, what, "CAST one of them.")
    return of.call(node, "LEAST", start, end), of.call(node, "GREATEST", start, end)


def _in(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    if node.args.get("query"):
        return of.compile(node.args["query"])
    of.text.only(node, "this", "expressions")
    if not node.expressions:
        raise of.text.error(node, "IN () has no values.", "Write the values into the parentheses.")
    return of.call(node, "IN", *map(of.compile, (node.this, *node.expressions)))


def _is(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    found = node.expression
    if isinstance(found, exp.JSON):
        return of.call(node, f"IS JSON {found.this or 'VALUE'}", of.compile(node.this))
    if not isinstance(found, exp.Null | exp.Boolean):
        raise of.text.refused(node, f"{of.text.shown(node)} is not supported.", "Write IS NULL, IS TRUE or IS FALSE.")
    word = "NULL" if isinstance(found, exp.Null) else "TRUE" if found.this else "FALSE"
    return of.call(node, f"IS NOT {word}" if node.args.get("negate") else f"IS {word}", of.compile(node.this))


def _like(of: ExpressionCompiler, node: exp.Expr, *escape: TypedExpression) -> TypedExpression:
    name = "NOT LIKE" if node.args.get("negate") else "LIKE"
    return of.call(node, name, of.compile(node.this), of.compile(node.expression), *escape)


def _escaped(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    if not isinstance(node.this, exp.Like | exp.SimilarTo) or not _is_letter(node.expression):
        raise of.text.error(node, "ESCAPE takes one character, after LIKE or SIMILAR TO.", "")
    escape = Literal.text(node.expression.name)
    return (_like if isinstance(node.this, exp.Like) else _similar)(of, node.this, escape)


def _is_letter(node: exp.Expr) -> bool:
    return node.is_string and len(node.name) == 1


def _similar(of: ExpressionCompiler, node: exp.Expr, *escape: TypedExpression) -> TypedExpression:
    parts = (node.this, node.expression)
    return of.call(node, "SIMILAR TO", *map(of.compile, parts), *escape, nodes=parts)


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
    exp.Overlaps: _overlaps,
}
"""Compilers by node."""
