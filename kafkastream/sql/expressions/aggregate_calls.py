"""Calls of aggregate functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.aggregate_types import aggregate_type
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.types import DataType, Kind

__all__ = ["RequestedAggregate", "aggregate_of", "calls_in"]


@final
@attrs.frozen
class RequestedAggregate:
    """Aggregate that a query requests.

    Args:
        call: Call without positions of its columns.
        argument: Argument; None for ``COUNT(*)``.
        filter: Condition of FILTER; None for all rows.
    """

    call: AggregateCall
    argument: TypedExpression | None
    filter: TypedExpression | None


def _name(node: exp.Expr | None) -> str:
    return node.name.upper() if isinstance(node, exp.Anonymous) else ""


def calls_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """Return the aggregates in an expression, with their FILTER; without those of OVER and subqueries."""
    if isinstance(node, exp.Window | exp.Query):
        return
    if isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup) or _name(node) in AGGREGATES:
        yield node
        return
    for child in node.iter_expressions():
        yield from calls_in(child)


def aggregate_of(of: ExpressionCompiler, node: exp.Expr) -> RequestedAggregate | None:
    """Compile an aggregate; None if the node is not one.

    Raises:
        DefinitionError: The arguments do not fit.
        UnsupportedFeatureError: Flink has the aggregate, and this package does not.
    """
    text = of.text
    filtered: TypedExpression | None = None
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
        raise text.refused(node, f"{text.shown(node)} is not supported.", "Write it with FILTER (WHERE x IS NOT NULL).")
    if isinstance(node, exp.Filter):
        filtered = of.compile(node.expression.this)
        if filtered.type.kind is not Kind.BOOLEAN:
            raise text.error(node.expression, "FILTER must be a condition", "Write FILTER (WHERE ...).")
        node = node.this
        if _name(node) not in AGGREGATES:
            raise text.error(node, "FILTER must not be used with a function that is no aggregate", "Leave it out.")
    if _name(node) not in AGGREGATES or not isinstance(node, exp.Anonymous):
        return None
    text.only(node, "this", "expressions")
    return attrs.evolve(_wanted(of, node), filter=filtered)


def _wanted(of: ExpressionCompiler, node: exp.Anonymous) -> RequestedAggregate:
    text, function = of.text, AGGREGATES[_name(node)]
    arguments = list(node.expressions)
    is_distinct = bool(arguments) and isinstance(arguments[0], exp.Distinct)
    if is_distinct:
        arguments = [*arguments[0].expressions, *arguments[1:]]
    separator = ","
    if function is AggregateFunction.LISTAGG and len(arguments) == 2:
        if not arguments[1].is_string:
            raise text.refused(arguments[1], "The separator of LISTAGG must be written out.", "Write a text.")
        separator = arguments.pop().name
    if function is AggregateFunction.COUNT and len(arguments) == 1 and isinstance(arguments[0], exp.Star):
        call = AggregateCall(function=function, type=DataType.of(Kind.BIGINT).not_null())
        return RequestedAggregate(call, None, None)
    if len(arguments) != 1:
        what = f"Invalid number of arguments to function '{_name(node)}': {len(arguments)}."
        now = "Count ROW(a, b) or a text of them." if function is AggregateFunction.COUNT else ""
        raise text.error(node, what, now)
    if isinstance(arguments[0], exp.Order | exp.Limit):
        raise text.refused(node, f"ORDER BY in {_name(node)} is not supported.", "Leave it out.")
    argument = of.compile(arguments[0])
    source = argument.type
    call = AggregateCall(
        function=function,
        type=of.located(node, lambda: aggregate_type(function, source, _name(node))),
        argument_type=source,
        distinct=is_distinct and function not in (AggregateFunction.MIN, AggregateFunction.MAX),
        separator=separator,
    )
    return RequestedAggregate(call, argument, None)
