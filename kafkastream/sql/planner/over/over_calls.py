"""Calls of functions with OVER."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate, aggregate_of
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.casts import typed_null, widened
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.planner.over.over_frames import over_calls_in
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["compile_over_call"]

_BIGINT: Final = DataType.of(Kind.BIGINT).not_null()
_RANKINGS: Final[Mapping[str, AggregateFunction]] = {
    "ROW_NUMBER": AggregateFunction.ROW_NUMBER,
    "RANK": AggregateFunction.RANK,
    "DENSE_RANK": AggregateFunction.DENSE_RANK,
}
_ONLY_IN_GROUPS: Final = frozenset({AggregateFunction.JSON_ARRAYAGG, AggregateFunction.JSON_OBJECTAGG})
_ONLY_IN_BATCH: Final = frozenset({"LEAD", "NTILE", "PERCENT_RANK", "CUME_DIST"})


def compile_over_call(compiler: ExpressionCompiler, node: exp.Window) -> RequestedAggregate:
    """Compile the function of a call with OVER.

    Args:
        compiler: Compiler of its arguments.
        node: The call.

    Raises:
        DefinitionError: The function cannot be called with OVER, or its arguments do not fit.
        UnsupportedFeatureError: Flink gives another result than the query asks for.
    """
    text, called = compiler.text, node.this
    if isinstance(called, exp.IgnoreNulls | exp.RespectNulls):
        _refuse_null_treatment(compiler, called)
    name = called.name.upper() if isinstance(called, exp.Anonymous) else ""
    if name in _ONLY_IN_BATCH:
        raise text.error(called, f"{name} Function is not supported in stream mode.", "LAG and RANK are there.")
    if name in _RANKINGS:
        if called.expressions:
            raise text.error(called, f"Invalid number of arguments to function '{name}'.", "It takes none.")
        return RequestedAggregate(AggregateCall(function=_RANKINGS[name], type=_BIGINT), (), None, called)
    for argument in getattr(called, "expressions", ()):
        if next(over_calls_in(argument), None) is not None:
            raise text.error(
                argument, "Aggregate expressions cannot be nested", "Put the inner one into a query in FROM."
            )
    if name == "LAG":
        return _compile_lag(compiler, called)
    aggregate = None if isinstance(called, exp.Filter) else aggregate_of(compiler, called)
    if aggregate is None or aggregate.call.function in _ONLY_IN_GROUPS:
        message = f"OVER must be applied to aggregate function: {text.shown(called)}"
        raise text.error(called, message, "In place of FILTER, aggregate CASE WHEN ... THEN x END.")
    if aggregate.call.function is AggregateFunction.AVG and aggregate.call.type.kind is Kind.FLOAT:
        return attrs.evolve(aggregate, call=attrs.evolve(aggregate.call, function=AggregateFunction.AVG_OF_SUM))
    return aggregate


def _refuse_null_treatment(compiler: ExpressionCompiler, called: exp.Expr) -> NoReturn:
    """Raise the error for IGNORE NULLS and RESPECT NULLS."""
    inner = called.this
    if isinstance(inner, exp.Anonymous) and inner.name.upper() == "LAG":
        message = "Flink ignores IGNORE NULLS and RESPECT NULLS of LAG on streams."
        raise compiler.text.refused(called, message, "Leave it out, or filter the rows before.")
    message = f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{compiler.text.shown(inner)}'"
    raise compiler.text.error(called, message, "Leave it out.")


def _compile_lag(compiler: ExpressionCompiler, node: exp.Anonymous) -> RequestedAggregate:
    text, arguments = compiler.text, node.expressions
    if not 1 <= len(arguments) <= 3:
        message = f"Invalid number of arguments to function 'LAG': {len(arguments)}."
        raise text.error(node, message, "As LAG(x, 1, d).")
    value = compiler.compile(arguments[0])
    type_ = value.type.nullable()
    offset = 1
    if len(arguments) > 1:
        if not (isinstance(arguments[1], exp.Literal) and arguments[1].is_int):
            raise text.refused(arguments[1], "The offset of LAG must be written out.", "Write a whole number.")
        offset = int(arguments[1].name)
    default: TypedExpression = compiler.compile(arguments[2]) if len(arguments) > 2 else typed_null(type_)
    if {default.type.kind, type_.kind} <= TEXT:
        default = widened(default, type_)
    if default.type.nullable() != type_:
        raise text.error(
            arguments[2],
            f"Please explicitly cast default value {default.type} to {type_}.",
            f"Write CAST({text.shown(arguments[2])} AS {type_}).",
        )
    both = compiler.call(node, "ROW", value, default)
    call = AggregateCall(function=AggregateFunction.LAG, type=type_, argument_type=type_, offset=offset)
    return RequestedAggregate(call, (both,), None, node)
