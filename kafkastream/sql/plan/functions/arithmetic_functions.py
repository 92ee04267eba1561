"""Arithmetic of numbers, times and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from kafkastream.sql.plan.expression import Call, Interval, IntervalUnit, TypedExpression
from kafkastream.sql.plan.functions.built_in import Arguments, BuiltInFunction, CallError, forms, like
from kafkastream.sql.plan.functions.type_rules import (
    as_decimals,
    decimal_product,
    decimal_quotient,
    decimal_rest,
    decimal_sum,
    wider_numbers,
)
from kafkastream.sql.plan.functions.written_values import in_utc
from kafkastream.sql.plan.spark_type_names import decimal_of, spark_type
from kafkastream.sql.type_families import APPROXIMATE, INTERVALS, NUMERIC, STAMPS, TIMES, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["ARITHMETIC", "misapplied"]

_DECIMALS: Final[Mapping[str, Callable[[DataType, DataType], DataType]]] = {
    "+": decimal_sum,
    "-": decimal_sum,
    "*": decimal_product,
    "/": decimal_quotient,
    "%": decimal_rest,
}
_TRIES: Final = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}
_MOST_DIGITS: Final = 38
_DAY_MS: Final = 86_400_000


def misapplied(sign: str, arguments: Arguments) -> CallError:
    """Return the error about operands that do not fit an operator."""
    types = f" {sign} ".join(f"<{one.type}>" for one in arguments)
    return CallError(f"Cannot apply '{sign}' to arguments of type '{types}'", "CAST one of them.")


def _operands(sign: str, arguments: Arguments) -> Arguments:
    kinds = {one.type.kind for one in arguments}
    if sign == "%" and kinds & APPROXIMATE:
        raise misapplied(sign, arguments)
    if kinds <= NUMERIC:
        is_whole_rest = sign == "%" and not any(decimal_of(one.type).scale for one in arguments)
        return arguments if is_whole_rest else as_decimals(arguments)
    if not _fit(sign, [one.type.kind for one in arguments]):
        raise misapplied(sign, arguments)
    return arguments


def _fit(sign: str, kinds: Sequence[Kind]) -> bool:
    """Return whether an operator accepts operands of these kinds, not all of them numbers."""
    intervals = [kind for kind in kinds if kind in INTERVALS]
    others = [kind for kind in kinds if kind not in INTERVALS]
    if intervals and sign in "+-":
        return len(set(intervals)) == 1 and set(others) <= TIMES and (sign == "+" or kinds[-1] in intervals)
    is_scaled = sign == "*" or (sign == "/" and kinds[0] in INTERVALS)
    return is_scaled and len(intervals) == 1 and set(others) <= NUMERIC


def _arithmetic(sign: str) -> BuiltInFunction:
    def inferred(arguments: Arguments) -> DataType:
        left, right = (one.type for one in arguments)
        nullable = left.is_nullable or right.is_nullable or (sign in "/%" and left.kind not in INTERVALS)
        found = _result(sign, left, right)
        return found.nullable() if nullable else found.not_null()

    def written(call: Call, texts: Sequence[str]) -> str:
        types = [one.type for one in call.arguments]
        if {one.kind for one in types} <= NUMERIC:
            if call.type.kind is Kind.FLOAT and {one.kind for one in types} != {Kind.FLOAT}:
                texts = [f"cast({text} as float)" for text in texts]
                types = [DataType.of(Kind.FLOAT)] * 2
            if sign == "/":
                return _divided(types, *texts, overflows=_may_overflow(call))
            if sign == "%":
                return _modulo(types, *texts)
            if _may_overflow(call):
                return f"{_TRIES[sign]}({texts[0]}, {texts[1]})"
        return _moved(call, sign, *texts) or f"({texts[0]} {sign} {texts[1]})"

    return BuiltInFunction(inferred, written, (2, 2), prepare=partial(_operands, sign))


def _may_overflow(call: Call) -> bool:
    """Return whether a result may have more digits than a DECIMAL, for which Flink gives NULL."""
    return call.type.kind is Kind.DECIMAL and call.type.size == _MOST_DIGITS


def _result(sign: str, left: DataType, right: DataType) -> DataType:
    kinds = {left.kind, right.kind}
    if kinds & INTERVALS or kinds <= TIMES:
        return _time_result(left, right)
    if kinds <= WHOLE:
        return right if sign == "%" else wider_numbers((left, right))
    if kinds & APPROXIMATE:
        return DataType.of(Kind.DOUBLE) if sign == "%" else _approximate(left, right)
    return _DECIMALS[sign](left, right)


def _approximate(left: DataType, right: DataType) -> DataType:
    """Return the type of arithmetic with a FLOAT or a DOUBLE: the first of these two, and DOUBLE with a DECIMAL."""
    kinds = [one.kind for one in (left, right) if one.kind in APPROXIMATE]
    return DataType.of(Kind.DOUBLE if Kind.DECIMAL in (left.kind, right.kind) else kinds[0])


def _time_result(left: DataType, right: DataType) -> DataType:
    """Return the result type of times and intervals: a TIMESTAMP keeps its precision; two intervals give one."""
    for one in (left, right):
        if one.kind in STAMPS:
            return one
    times = [one for one in (left, right) if one.kind in TIMES]
    if times:
        return DataType.of(times[0].kind)
    return left if left.kind in INTERVALS else right


def _moved(call: Call, sign: str, left: str, right: str) -> str | None:
    """Return a DATE plus whole days of an interval, or a TIME that wraps at midnight; None for other operands."""
    first, second = call.arguments
    interval = first if first.type.kind in INTERVALS else second
    time, added = (left, right) if interval is second else (right, left)
    if interval.type.kind is Kind.INTERVAL_YEAR_MONTH:
        return in_utc(time, f"{{0}} {sign} {added}") if call.type.kind is Kind.TIMESTAMP_LTZ else None
    if interval.type.kind is not Kind.INTERVAL_DAY_SECOND:
        return None
    if call.type.kind is Kind.DATE and not _is_days(interval):
        return f"date_add({time}, {sign}cast(extract(DAY FROM {added}) as int))"
    if call.type.kind is Kind.TIMESTAMP_LTZ and not _is_within_day(interval):
        return in_utc(time, f"{{0}} {sign} {added}")
    if call.type.kind is Kind.TIME:
        clock = f"make_dt_interval(0, hour({time}), minute({time}), extract(SECOND FROM {time}))"
        moved = f"timestamp_ntz'1970-01-01 00:00:00' + {clock} {sign} {added}"
        return f"cast(date_format({moved}, 'HH:mm:ss.SSSSSS') as time(6))"
    return None


def _is_within_day(interval: TypedExpression) -> bool:
    return (
        isinstance(interval, Interval) and interval.unit is IntervalUnit.MILLISECOND and abs(interval.amount) < _DAY_MS
    )


def _is_days(interval: TypedExpression) -> bool:
    return isinstance(interval, Interval) and interval.unit is IntervalUnit.DAY


def _divided(types: Sequence[DataType], left: str, right: str, *, overflows: bool) -> str:
    kinds = {one.kind for one in types}
    if kinds <= WHOLE:
        return f"cast(({left} div {right}) as {spark_type(wider_numbers(types))})"
    if kinds & APPROXIMATE:
        without = f"if({left} = 0 or isnan({left}), double('NaN'), sign({left}) * double('Infinity'))"
        divided = f"case when {right} = 0 then {without} else {left} / {right} end"
        return f"cast({divided} as {'double' if kinds != {Kind.FLOAT} else 'float'})"
    divided = f"({left} / {right})"
    return f"if({right} = 0, {divided}, try_divide({left}, {right}))" if overflows else divided


def _modulo(types: Sequence[DataType], left: str, right: str) -> str:
    """Return a remainder; that of whole numbers has the divisor's type."""
    kinds = {one.kind for one in types}
    if kinds & APPROXIMATE:
        return f"if({right} = 0, double('NaN'), {left} % {right})"
    rest = f"({left} % {right})"
    return (
        rest if decimal_of(types[0]).scale or decimal_of(types[1]).scale else f"cast({rest} as {spark_type(types[1])})"
    )


def _negated() -> BuiltInFunction:
    def prepared(arguments: Arguments) -> Arguments:
        type_ = arguments[0].type
        if type_.kind not in NUMERIC | INTERVALS:
            raise CallError(f"Cannot apply '-' to arguments of type '- <{type_}>'", "CAST it.")
        return arguments

    def running(call: Call, texts: Sequence[str]) -> str:
        """Spark's minus fails for a DECIMAL of 38 nines."""
        return f"({texts[0]} * -1)" if _may_overflow(call) else f"(-{texts[0]})"

    return BuiltInFunction(like(0), forms("(-{0})"), (1, 1), prepare=prepared, runs=running)


ARITHMETIC: Final[Mapping[str, BuiltInFunction]] = {
    **{sign: _arithmetic(sign) for sign in _DECIMALS},
    "$NEGATE": _negated(),
}
"""Operators by sign."""
