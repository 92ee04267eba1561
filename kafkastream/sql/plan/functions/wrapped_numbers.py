"""Spark SQL of whole numbers that wrap around when they overflow, as Java's do, where Spark's ANSI mode fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kafkastream.sql.plan.expression import Call, Literal, TypedExpression, UserCall
from kafkastream.sql.plan.functions.written_values import whole_number
from kafkastream.sql.plan.spark_type_names import spark_type
from kafkastream.sql.type_families import WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["BITS", "lowest_bits", "wrapped_text", "wraps"]

BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.BIGINT: 64}
"""Size of each type of whole numbers."""
_NEGATION: Final = "$NEGATE"
_TRIES: Final = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", _NEGATION: "try_subtract"}
_OTHERS: Final = ("/", "ABS", "ROUND")
_HALF: Final = f"{2**63}BD"


def wraps(expression: TypedExpression) -> bool:
    """Return whether an expression computes a whole number from others and may overflow."""
    return (
        isinstance(expression, Call)
        and (expression.function in _TRIES or expression.function in _OTHERS)
        and not _is_safe(expression)
        and all(one.type.kind in WHOLE for one in expression.arguments)
        and not all(_is_small(one) for one in expression.arguments)
    )


def _is_small(expression: TypedExpression) -> bool:
    """Return whether an expression is a literal so small that sums and products of several are in the range of INT."""
    return isinstance(expression, Literal) and abs(int(expression.value or 0)) < 2**15


def _is_safe(call: Call) -> bool:
    """Return whether a quotient, a rounded or a negated number is always in the range of its type."""
    given = whole_number(call.arguments[1]) if len(call.arguments) > 1 else 0
    match call.function:
        case "/":
            return given not in (None, -1)
        case "ROUND":
            return (given or 0) >= 0
        case function:
            return function == _NEGATION and isinstance(call.arguments[0], Literal)


def wrapped_text(expression: TypedExpression, text: Callable[[TypedExpression], str]) -> str:
    """Return the Spark SQL of an expression that ``wraps``.

    A BIGINT is computed by ``try_add`` and its like, and only when that is NULL by decimals, which are slower.

    Args:
        expression: The expression.
        text: Returns the Spark SQL of a part.
    """
    assert isinstance(expression, Call)
    if expression.function in _OTHERS:
        return _of_one(expression, *map(text, expression.arguments))
    if expression.type.kind is not Kind.BIGINT:
        first, *rest = map(text, expression.arguments)
        return lowest_bits(_plain(expression, [f"cast({first} as bigint)", *rest]), expression.type)
    exact = _exact(expression, text)
    return exact if _varies(expression) else f"coalesce({_tried(expression, text)}, {exact})"


def lowest_bits(value: str, type_: DataType) -> str:
    """Return the Spark SQL of the lowest bits of a number.

    Args:
        value: Spark SQL of the number: a DECIMAL for the result BIGINT, and a BIGINT for smaller ones.
        type_: Type of the result.
    """
    if type_.kind is Kind.BIGINT:
        return f"cast(pmod({value} + {_HALF}, {2**64}BD) - {_HALF} as bigint)"
    half = 2 ** (BITS[type_.kind] - 1)
    return f"cast((({value} & {2 * half - 1}L) ^ {half}L) - {half}L as {spark_type(type_)})"


def _of_one(call: Call, value: str, other: str = "0") -> str:
    """Return a quotient, an absolute value or a rounded number."""
    type_ = call.type
    wide = f"cast({value} as {'decimal(19, 0)' if type_.kind is Kind.BIGINT else 'bigint'})"
    match call.function:
        case "ABS":
            return lowest_bits(f"abs({wide})", type_)
        case "ROUND":
            return lowest_bits(f"round({wide}, {other})", type_)
        case _ if type_.kind is Kind.BIGINT:
            return f"if({other} = -1, {lowest_bits(f'(-{wide})', type_)}, ({value} div {other}))"
        case _:
            return lowest_bits(f"({wide} div {other})", type_)


def _plain(expression: TypedExpression, parts: list[str]) -> str:
    assert isinstance(expression, Call)
    return f"(-{parts[0]})" if expression.function == _NEGATION else f"({f' {expression.function} '.join(parts)})"


def _inner(expression: TypedExpression) -> bool:
    """Return whether a part of a BIGINT is computed together with the whole, so that no text occurs more than twice."""
    is_sum = isinstance(expression, Call) and expression.function in _TRIES
    return is_sum and expression.type.kind is Kind.BIGINT and wraps(expression)


def _tried(expression: TypedExpression, text: Callable[[TypedExpression], str]) -> str:
    assert isinstance(expression, Call)
    parts = [_tried(one, text) if _inner(one) else text(one) for one in expression.arguments]
    given = ["0L", *parts] if expression.function == _NEGATION else parts
    return f"{_TRIES[expression.function]}({', '.join(given)})"


def _exact(expression: TypedExpression, text: Callable[[TypedExpression], str]) -> str:
    parts = [_exact(one, text) if _inner(one) else text(one) for one in expression.parts]
    return lowest_bits(_plain(expression, [f"cast({part} as decimal(19, 0))" for part in parts]), expression.type)


def _varies(expression: TypedExpression) -> bool:
    """Return whether an expression calls a user's function that may give another value when it is called again."""
    own = isinstance(expression, UserCall) and not expression.is_deterministic
    return own or any(map(_varies, expression.parts))
