"""Evaluates typed expressions in Python, with Flink's results, for conditions on several rows.

Supports the functions and operators of ``EVALUATED``; the planner refuses others. The test driver adds more by an
``Extension``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any, Final

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.aggregates.sql_arithmetic import Arithmetic, arithmetic
from kafkastream.sql.plan.expression import (
    Call,
    Case,
    Cast,
    ColumnRef,
    Interval,
    IntervalUnit,
    Literal,
    TypedExpression,
)
from kafkastream.sql.type_families import APPROXIMATE, NUMERIC, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["Computation", "Extension", "computation", "unless_null"]

Computation = Callable[[Sequence[Any]], Any]
"""Returns the value of an expression over the columns of a row."""
Extension = Callable[[TypedExpression], Computation | None]
"""Returns the computation of an expression that is computed in another way than here; None for the others."""

_MICROS: Final = {IntervalUnit.MILLISECOND: 1_000, IntervalUnit.DAY: 86_400_000_000}
_DIGITS: Final = Context(prec=200)
_FLOAT: Final = arithmetic(DataType.of(Kind.FLOAT))


def computation(expression: TypedExpression, extension: Extension | None = None) -> Computation:
    """Return the computation of an expression.

    Args:
        expression: The expression.
        extension: Is asked first, for the expression and for each of its parts.

    Example:
        >>> number = DataType.of(Kind.INT)
        >>> more = Call(">", (ColumnRef(0, number), ColumnRef(1, number)), DataType.of(Kind.BOOLEAN))
        >>> [computation(more)(row) for row in ((2, 1), (1, 2), (1, None))]
        [True, False, None]
    """
    own = None if extension is None else extension(expression)
    if own is not None:
        return own
    match expression:
        case ColumnRef(place=place):
            return operator.itemgetter(place)
        case Literal():
            return _constant(_literal_value(expression))
        case Interval(amount=amount, unit=unit):
            return _constant(amount * _MICROS[unit])
        case Cast(value=value, type=type_):
            return unless_null(_conversion(value.type, type_), [computation(value, extension)])
        case Case():
            return _case_computation(expression, extension)
        case Call(function=name, arguments=arguments):
            parts = [computation(argument, extension) for argument in arguments]
            if name in _DECIDED_BY:
                return _connected(parts, decided_by=_DECIDED_BY[name])
            if name in _LOGIC:
                logic = _LOGIC[name]
                return lambda row: logic([part(row) for part in parts])
            return (
                unless_null(_arithmetic_call(expression), parts)
                if name not in _COMPARING
                else _comparing_computation(expression, parts)
            )
        case _:
            raise NotImplementedError(expression)


def _constant(value: Any) -> Computation:
    return lambda _: value


def _literal_value(literal: Literal) -> Any:
    match literal.type.kind:
        case _ if literal.value is None:
            return None
        case Kind.DECIMAL:
            return Decimal(str(literal.value))
        case Kind.DOUBLE | Kind.FLOAT:
            return float(literal.value)
        case _:
            return literal.value


def unless_null(call: Callable[..., Any], parts: Sequence[Computation]) -> Computation:
    """Return the computation of a call whose result is NULL if an argument is NULL."""

    def computed(row: Sequence[Any]) -> Any:
        values = [part(row) for part in parts]
        return None if None in values else call(*values)

    return computed


def _case_computation(case: Case, extension: Extension | None) -> Computation:
    conditions = [computation(condition, extension) for condition in case.conditions]
    branches = [
        unless_null(_conversion(value.type, case.type), [computation(value, extension)])
        for value in (*case.values, case.otherwise)
    ]

    def computed(row: Sequence[Any]) -> Any:
        for condition, branch in zip(conditions, branches[:-1], strict=True):
            if condition(row) is True:
                return branch(row)
        return branches[-1](row)

    return computed


def _and(values: Sequence[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _or(values: Sequence[bool | None]) -> bool | None:
    return True if True in values else None if None in values else False


def _connected(parts: Sequence[Computation], *, decided_by: bool) -> Computation:
    """Return AND or OR, which do not compute the parts after one that decides, as in ``b <> 0 AND a / b > 1``."""

    def connected(row: Sequence[Any]) -> bool | None:
        result: bool | None = not decided_by
        for part in parts:
            value: bool | None = part(row)
            if value is decided_by:
                return value
            if value is None:
                result = None
        return result

    return connected


_DECIDED_BY: Final = {"AND": False, "$ALL": False, "OR": True}
"""Connectives, with the value of a part that decides."""
_LOGIC: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "NOT": lambda values: None if values[0] is None else not values[0],
    "IS NULL": lambda values: values[0] is None,
    "IS NOT NULL": lambda values: values[0] is not None,
    "IS TRUE": lambda values: values[0] is True,
    "IS NOT TRUE": lambda values: values[0] is not True,
    "IS FALSE": lambda values: values[0] is False,
    "IS NOT FALSE": lambda values: values[0] is not False,
    "$PARENTHESES": lambda values: values[0],
}
"""Functions of values that may be NULL."""


def _comparing_computation(call: Call, parts: Sequence[Computation]) -> Computation:
    """Return the computation of a function that compares values, or chooses one of them, after conversion to a common type."""
    chooses = call.function == "COALESCE"
    type_ = call.type if chooses else _common_type([argument.type for argument in call.arguments])
    same = [
        unless_null(_conversion(argument.type, type_), [part])
        for argument, part in zip(call.arguments, parts, strict=True)
    ]
    compare = _COMPARING[call.function]
    return lambda row: compare([part(row) for part in same])


def _comparison(call: Callable[[Any, Any], bool]) -> Callable[[Sequence[Any]], bool | None]:
    return lambda values: None if None in values else call(*values)


def _between(values: Sequence[Any]) -> bool | None:
    value, low, high = values
    return _and([_AT_LEAST([value, low]), _AT_MOST([value, high])])


_AT_LEAST: Final = _comparison(operator.ge)
_AT_MOST: Final = _comparison(operator.le)
_EQUAL: Final = _comparison(operator.eq)
_COMPARING: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "=": _EQUAL,
    "<>": _comparison(operator.ne),
    "<": _comparison(operator.lt),
    "<=": _AT_MOST,
    ">": _comparison(operator.gt),
    ">=": _AT_LEAST,
    "BETWEEN": _between,
    "IN": lambda values: _or([_EQUAL([values[0], value]) for value in values[1:]]),
    "IS DISTINCT FROM": lambda values: values[0] != values[1],
    "IS NOT DISTINCT FROM": lambda values: values[0] == values[1],
    "COALESCE": lambda values: next((value for value in values if value is not None), None),
}


def _common_type(types: Sequence[DataType]) -> DataType:
    """Return the type in which Java compares numbers; for other values, the type of the first."""
    kinds = {type_.kind for type_ in types}
    if not kinds <= NUMERIC or not kinds & APPROXIMATE:
        decimals = [type_ for type_ in types if type_.kind is Kind.DECIMAL]
        return DataType.of(Kind.DECIMAL, 38, 0) if decimals and len(kinds) > 1 else types[0]
    return DataType.of(Kind.FLOAT if kinds <= WHOLE | {Kind.FLOAT} else Kind.DOUBLE)


def _conversion(source: DataType, target: DataType) -> Callable[[Any], Any]:
    """Return the widening conversion to a type."""
    match target.kind:
        case kind if kind is source.kind:
            return _identity
        case Kind.DOUBLE:
            return float
        case Kind.FLOAT:
            return lambda value: _FLOAT.fitting(float(value))
        case Kind.DECIMAL:
            return Decimal
        case _:
            return _identity


def _identity(value: Any) -> Any:
    return value


def _arithmetic_call(call: Call) -> Callable[..., Any]:
    """Return the function of an arithmetic call; its arguments are not NULL."""
    types = [argument.type for argument in call.arguments]
    if not {argument_type.kind for argument_type in types} <= NUMERIC:
        return _TIME_ARITHMETIC[call.function]
    numbers = arithmetic(call.type)
    operands = [
        _conversion(argument_type, call.type) if call.type.kind in APPROXIMATE else _identity for argument_type in types
    ]
    function = _ARITHMETIC[call.function](numbers, call.type)
    return lambda *values: function(*(change(value) for change, value in zip(operands, values, strict=True)))


_TIME_ARITHMETIC: Final[Mapping[str, Callable[..., Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "$NEGATE": operator.neg,
}
"""Arithmetic of times and intervals, in microseconds."""


def _fit_result(
    call: Callable[[Arithmetic], Callable[..., Any]],
) -> Callable[[Arithmetic, DataType], Callable[..., Any]]:
    """Return a factory of functions whose result is fitted to the call's type."""

    def make(numbers: Arithmetic, _: DataType) -> Callable[..., Any]:
        function = call(numbers)
        return lambda *values: numbers.fitting(function(*values))

    return make


def _quotient(numbers: Arithmetic, type_: DataType) -> Callable[[Any, Any], Any]:
    def divided(left: Any, right: Any) -> Any:
        if right != 0:
            return numbers.divided(left, right)
        if type_.kind not in APPROXIMATE:
            raise _division_by_zero_error()
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)

    return divided


def _remainder(numbers: Arithmetic, type_: DataType) -> Callable[[Any, Any], Any]:
    def compute(left: Any, right: Any) -> Any:
        if type_.kind in APPROXIMATE:
            return math.fmod(left, right) if right != 0 and not math.isinf(left) else math.nan
        if right == 0:
            raise _division_by_zero_error()
        if isinstance(left, Decimal) or isinstance(right, Decimal):
            return numbers.fitting(_DIGITS.remainder(Decimal(left), Decimal(right)))
        remainder = abs(left) % abs(right)
        return numbers.fitting(remainder if left >= 0 else -remainder)

    return compute


def _division_by_zero_error() -> DefinitionError:
    return DefinitionError("/ by zero", now="Leave such rows out, as in CASE WHEN b <> 0 THEN a / b END.")


_ARITHMETIC: Final[Mapping[str, Callable[[Arithmetic, DataType], Callable[..., Any]]]] = {
    "+": _fit_result(lambda numbers: numbers.plus),
    "-": _fit_result(lambda numbers: numbers.minus),
    "*": _fit_result(lambda numbers: numbers.times),
    "/": _quotient,
    "%": _remainder,
    "$NEGATE": _fit_result(lambda _: operator.neg),
    "ABS": _fit_result(lambda _: abs),
}
