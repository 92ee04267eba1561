"""Calls of functions with OVER."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate, aggregate_of
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.casts import typed_null, widened
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.planner.over.over_frames import windows_in
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["over_call"]

_BIGINT: Final = DataType.of(Kind.BIGINT).not_null()
_NUMBERS: Final[Mapping[str, AggregateFunction]] = {
    "ROW_NUMBER": AggregateFunction.ROW_NUMBER,
    "RANK": AggregateFunction.RANK,
    "DENSE_RANK": AggregateFunction.DENSE_RANK,
}
_OF_GROUPS: Final = frozenset({AggregateFunction.JSON_ARRAYAGG, AggregateFunction.JSON_OBJECTAGG})
_OF_BATCHES: Final = frozenset({"LEAD", "NTILE", "PERCENT_RANK", "CUME_DIST"})


def over_call(of: ExpressionCompiler, node: exp.Window) -> RequestedAggregate:
    """Compile the function of a call with OVER.

    Args:
        of: Compiler of its arguments.
        node: The call.

    Raises:
        DefinitionError: The function cannot be called with OVER, or its arguments do not fit.
        UnsupportedFeatureError: Flink gives another result than the query asks for.
    """
    text, called = of.text, node.this
    if isinstance(called, exp.IgnoreNulls | exp.RespectNulls):
        return _with_nulls(of, called)
    name = called.name.upper() if isinstance(called, exp.Anonymous) else ""
    if name in _OF_BATCHES:
        raise text.error(called, f"{name} Function is not supported in stream mode.", "LAG and RANK are there.")
    if name in _NUMBERS:
        if called.expressions:
            raise text.error(called, f"Invalid number of arguments to function '{name}'.", "It takes none.")
        return RequestedAggregate(AggregateCall(function=_NUMBERS[name], type=_BIGINT), (), None, called)
    for one in getattr(called, "expressions", ()):
        if next(windows_in(one), None) is not None:
            raise text.error(one, "Aggregate expressions cannot be nested", "Put the inner one into a query in FROM.")
    if name == "LAG":
        return _lag(of, called)
    found = None if isinstance(called, exp.Filter) else aggregate_of(of, called)
    if found is None or found.call.function in _OF_GROUPS:
        what = f"OVER must be applied to aggregate function: {text.shown(called)}"
        raise text.error(called, what, "In place of FILTER, aggregate CASE WHEN ... THEN x END.")
    if found.call.function is AggregateFunction.AVG and found.call.type.kind is Kind.FLOAT:
        return attrs.evolve(found, call=attrs.evolve(found.call, function=AggregateFunction.AVG_OF_SUM))
    return found


def _with_nulls(of: ExpressionCompiler, called: exp.Expr) -> RequestedAggregate:
    inner = called.this
    if isinstance(inner, exp.Anonymous) and inner.name.upper() == "LAG":
        what = "Flink ignores IGNORE NULLS and RESPECT NULLS of LAG on streams."
        raise of.text.refused(called, what, "Leave it out, or filter the rows before.")
    what = f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{of.text.shown(inner)}'"
    raise of.text.error(called, what, "Leave it out.")


def _lag(of: ExpressionCompiler, node: exp.Anonymous) -> RequestedAggregate:
    text, arguments = of.text, node.expressions
    if not 1 <= len(arguments) <= 3:
        what = f"Invalid number of arguments to function 'LAG': {len(arguments)}."
        raise text.error(node, what, "As LAG(x, 1, d).")
    value = of.compile(arguments[0])
    type_ = value.type.nullable()
    offset = 1
    if len(arguments) > 1:
        if not (isinstance(arguments[1], exp.Literal) and arguments[1].is_int):
            raise text.refused(arguments[1], "The offset of LAG must be written out.", "Write a whole number.")
        offset = int(arguments[1].name)
    default: TypedExpression = of.compile(arguments[2]) if len(arguments) > 2 else typed_null(type_)
    if {default.type.kind, type_.kind} <= TEXT:
        default = widened(default, type_)
    if default.type.nullable() != type_:
        raise text.error(
            arguments[2],
            f"Please explicitly cast default value {default.type} to {type_}.",
            f"Write CAST({text.shown(arguments[2])} AS {type_}).",
        )
    both = of.call(node, "ROW", value, default)
    call = AggregateCall(function=AggregateFunction.LAG, type=type_, argument_type=type_, offset=offset)
    return RequestedAggregate(call, (both,), None, node)
