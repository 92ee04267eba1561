"""Calls of user-defined functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.casts import converted, null_of
from kafkastream.sql.plan.expression import TypedExpression, UserCall, is_null
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["user_call"]

_INTERVALS: Final = frozenset({Kind.INTERVAL_YEAR_MONTH, Kind.INTERVAL_DAY_SECOND})


def user_call(of: ExpressionCompiler, node: exp.Expr, named: NamedFunction) -> UserCall:
    """Call a user-defined function, with arguments cast to its input types where nothing is lost.

    Raises:
        DefinitionError: It takes other arguments.
        UnsupportedFeatureError: An argument has a type that no Python function gets.
    """
    arguments = [of.compile(argument) for argument in node.expressions]
    expected = named.function.input_types
    if expected is not None and len(expected) != len(arguments):
        raise _mismatch(of, node, named, f"{len(expected)} arguments are expected, and {len(arguments)} given")
    given = tuple(
        _argument(of, node, named, argument, None if expected is None else expected[at])
        for at, argument in enumerate(arguments)
    )
    function = named.function
    return UserCall(named.name, named.spark_name, given, function.result_type.nullable(), function.is_deterministic)


def _argument(
    of: ExpressionCompiler, node: exp.Expr, named: NamedFunction, argument: TypedExpression, expected: DataType | None
) -> TypedExpression:
    if is_null(argument):
        return null_of(expected or DataType.string())
    type_ = argument.type
    if type_.kind in _INTERVALS:
        what = f"An argument of {named.name} is {type_}, which no Python function gets."
        raise of.text.refused(node, what, "Give it the two times, or a number from TIMESTAMPDIFF.")
    if expected is None or type_.nullable() == expected.nullable():
        return argument
    if not implicitly_castable(type_, expected):
        raise _mismatch(of, node, named, f"{type_} is no {expected}")
    return of.located(node, lambda: converted(argument, expected))


def _mismatch(of: ExpressionCompiler, node: exp.Expr, named: NamedFunction, why: str) -> Exception:
    types = ", ".join(map(str, named.function.input_types or ()))
    return of.text.error(
        node, f"Invalid function call: {why}. Supported signatures are: {named.name}({types})", "CAST the arguments."
    )
