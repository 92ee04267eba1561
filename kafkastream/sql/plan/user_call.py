"""Calls of user-defined functions."""

from __future__ import annotations

from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.casts import cast, typed_null
from kafkastream.sql.plan.expression import TypedExpression, UserCall, is_null
from kafkastream.sql.plan.functions.built_in import Arguments, CallError
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.type_families import INTERVALS
from kafkastream.sql.types import DataType

__all__ = ["user_arguments", "user_call"]


def user_call(named: NamedFunction, arguments: Arguments) -> UserCall:
    """Call a scalar function, or a table function for the ARRAY of its rows.

    Args:
        named: Function.
        arguments: Arguments.

    Raises:
        CallError: The arguments do not fit, or have a type that Python functions do not support.
    """
    function = named.function
    given = user_arguments(named, arguments)
    return UserCall(named.name, named.spark_name, given, function.call_type, function.is_deterministic)


def user_arguments(named: NamedFunction, arguments: Arguments) -> tuple[TypedExpression, ...]:
    """Return the arguments of a user-defined function, cast implicitly to its input types; raises as ``user_call``."""
    expected = named.function.input_types
    if expected is not None and len(expected) != len(arguments):
        raise _mismatch(named, f"{len(expected)} arguments are expected, and {len(arguments)} given")
    return tuple(
        _converted(named, argument, None if expected is None else expected[at]) for at, argument in enumerate(arguments)
    )


def _converted(named: NamedFunction, argument: TypedExpression, expected: DataType | None) -> TypedExpression:
    if is_null(argument):
        return typed_null(expected or DataType.string())
    type_ = argument.type
    if type_.kind in INTERVALS:
        what = f"An argument of {named.name} is {type_}, which no Python function gets."
        raise CallError.unsupported(what, "Give it the two times, or a number from TIMESTAMPDIFF.")
    if expected is None or type_.nullable() == expected.nullable():
        return argument
    if not implicitly_castable(type_, expected):
        raise _mismatch(named, f"{type_} is not {expected}")
    return cast(argument, expected)


def _mismatch(named: NamedFunction, why: str) -> CallError:
    types = ", ".join(map(str, named.function.input_types or ()))
    what = f"Invalid function call: {why}. Supported signatures are: {named.name}({types})"
    return CallError(what, "CAST the arguments.")
