"""Values of typed expressions in Python, with Flink's results: for conditions that take values of several rows.

Supported are the functions and operators of ``EVALUATED``; the planner refuses others. The test driver adds more by an
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
            return _constant(_written(expression))
        case Interval(amount=amount, unit=unit):
            return _constant(amount * _MICROS[unit])
        case Cast(value=value, type=type_):
            return unless_null(_conversion(value.type, type_), [computation(value, extension)])
        case Case():
            return _case(expression, extension)
        case Call(function=name, arguments=arguments):
            parts = [computation(one, extension) for one in arguments]
            if name in _LOGIC:
                logic = _LOGIC[name]
                return lambda row: logic([part(row) for part in parts])
            return unless_null(_calls(expression), parts) if name not in _COMPARED else _compared(expression, parts)
        case _:
            raise NotImplementedError(expression)


def _constant(value: Any) -> Computation:
    return lambda _: value


def _written(literal: Literal) -> Any:
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
    """Return the computation of a call that is NULL if an argument is."""

    def computed(row: Sequence[Any]) -> Any:
        values = [part(row) for part in parts]
        return None if None in values else call(*values)

    return computed


def _case(case: Case, extension: Extension | None) -> Computation:
    conditions = [computation(one, extension) for one in case.conditions]
    branches = [
        unless_null(_conversion(one.type, case.type), [computation(one, extension)])
        for one in (*case.values, case.otherwise)
    ]

    def computed(row: Sequence[Any]) -> Any:
        for condition, branch in zip(conditions, branches[:-1], strict=True):
            if condition(row) is True:
                return branch(row)
        return branches[-1](row)

    return computed


def _both(values: Sequence[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _either(values: Sequence[bool | None]) -> bool | None:
    return True if True in values else None if None in values else False


_LOGIC: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "AND": _both,
    "$ALL": _both,
    "OR": _either,
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


def _compared(call: Call, parts: Sequence[Computation]) -> Computation:
    """Return the computation of a function that compares values, or chooses one, when they have one type."""
    chooses = call.function == "COALESCE"
    type_ = call.type if chooses else _common([one.type for one in call.arguments])
    same = [unless_null(_conversion(one.type, type_), [part]) for one, part in zip(call.arguments, parts, strict=True)]
    compared = _COMPARED[call.function]
    return lambda row: compared([part(row) for part in same])


def _comparison(call: Callable[[Any, Any], bool]) -> Callable[[Sequence[Any]], bool | None]:
    return lambda values: None if None in values else call(*values)


def _between(values: Sequence[Any]) -> bool | None:
    value, low, high = values
    return _both([_LEAST([value, low]), _MOST([value, high])])


_LEAST: Final = _comparison(operator.ge)
_MOST: Final = _comparison(operator.le)
_EQUAL: Final = _comparison(operator.eq)
_COMPARED: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "=": _EQUAL,
    "<>": _comparison(operator.ne),
    "<": _comparison(operator.lt),
    "<=": _MOST,
    ">": _comparison(operator.gt),
    ">=": _LEAST,
    "BETWEEN": _between,
    "IN": lambda values: _either([_EQUAL([values[0], one]) for one in values[1:]]),
    "IS DISTINCT FROM": lambda values: values[0] != values[1],
    "IS NOT DISTINCT FROM": lambda values: values[0] == values[1],
    "COALESCE": lambda values: next((one for one in values if one is not None), None),
}


def _common(types: Sequence[DataType]) -> DataType:
    """Return the type in which Java compares numbers; for others, the first."""
    kinds = {one.kind for one in types}
    if not kinds <= NUMERIC or not kinds & APPROXIMATE:
        decimals = [one for one in types if one.kind is Kind.DECIMAL]
        return DataType.of(Kind.DECIMAL, 38, 0) if decimals and len(kinds) > 1 else types[0]
    return DataType.of(Kind.FLOAT if kinds <= WHOLE | {Kind.FLOAT} else Kind.DOUBLE)


def _conversion(source: DataType, target: DataType) -> Callable[[Any], Any]:
    """Return the conversion of a value to another type, of which it is a value, or which is wider."""
    match target.kind:
        case kind if kind is source.kind:
            return _same
        case Kind.DOUBLE:
            return float
        case Kind.FLOAT:
            return lambda value: _FLOAT.fitting(float(value))
        case Kind.DECIMAL:
            return Decimal
        case _:
            return _same


def _same(value: Any) -> Any:
    return value


def _calls(call: Call) -> Callable[..., Any]:
    """Return the function of a call with values that are not NULL."""
    types = [one.type for one in call.arguments]
    if not {one.kind for one in types} <= NUMERIC:
        return _MOVES[call.function]
    numbers = arithmetic(call.type)
    operands = [_conversion(one, call.type) if call.type.kind in APPROXIMATE else _same for one in types]
    function = _ARITHMETIC[call.function](numbers, call.type)
    return lambda *values: function(*(change(one) for change, one in zip(operands, values, strict=True)))


_MOVES: Final[Mapping[str, Callable[..., Any]]] = {"+": operator.add, "-": operator.sub, "$NEGATE": operator.neg}
"""Arithmetic of times and intervals, in microseconds."""


def _fitting(call: Callable[[Arithmetic], Callable[..., Any]]) -> Callable[[Arithmetic, DataType], Callable[..., Any]]:
    """Return the maker of a function whose result is made to fit its type."""

    def made(numbers: Arithmetic, _: DataType) -> Callable[..., Any]:
        function = call(numbers)
        return lambda *values: numbers.fitting(function(*values))

    return made


def _quotient(numbers: Arithmetic, type_: DataType) -> Callable[[Any, Any], Any]:
    def divided(one: Any, other: Any) -> Any:
        if other != 0:
            return numbers.divided(one, other)
        if type_.kind not in APPROXIMATE:
            raise _by_zero()
        return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, other)

    return divided


def _remainder(numbers: Arithmetic, type_: DataType) -> Callable[[Any, Any], Any]:
    def rest(one: Any, other: Any) -> Any:
        if type_.kind in APPROXIMATE:
            return math.fmod(one, other) if other != 0 and not math.isinf(one) else math.nan
        if other == 0:
            raise _by_zero()
        if isinstance(one, Decimal) or isinstance(other, Decimal):
            return numbers.fitting(_DIGITS.remainder(Decimal(one), Decimal(other)))
        found = abs(one) % abs(other)
        return numbers.fitting(found if one >= 0 else -found)

    return rest


def _by_zero() -> DefinitionError:
    return DefinitionError("/ by zero", now="Leave such rows out, as in CASE WHEN b <> 0 THEN a / b END.")


_ARITHMETIC: Final[Mapping[str, Callable[[Arithmetic, DataType], Callable[..., Any]]]] = {
    "+": _fitting(lambda numbers: numbers.plus),
    "-": _fitting(lambda numbers: numbers.minus),
    "*": _fitting(lambda numbers: numbers.times),
    "/": _quotient,
    "%": _remainder,
    "$NEGATE": _fitting(lambda _: operator.neg),
    "ABS": _fitting(lambda _: abs),
}
