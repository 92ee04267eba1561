"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.arithmetic_functions import ARITHMETIC
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    Infer,
    always_nullable,
    forms,
    like,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.written_values import whole_number
from kafkastream.sql.plan.spark_type_names import decimal_of, spark_type
from kafkastream.sql.type_families import APPROXIMATE, NUMERIC, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["NUMBERS"]

_DOUBLE: Final = DataType.of(Kind.DOUBLE)
_RETURNS_DOUBLE: Final = returns(_DOUBLE)
_NUMBERS: Final = NUMERIC | TEXT
"""Kinds that Spark casts to a number implicitly."""
_MOST: Final = 38
_MOST_INT: Final = 2**31
_MOST_ROUNDED: Final = 1100
"""Digits beyond which no DOUBLE has any."""


def _double(*templates: str, counts: tuple[int, int] = (1, 1), infer: Infer = _RETURNS_DOUBLE) -> BuiltInFunction:
    return BuiltInFunction(infer, forms(*templates), counts, takes=(_NUMBERS,))


def _absolute(arguments: Arguments) -> DataType:
    return _DOUBLE if arguments[0].type.kind in TEXT else like(0)(arguments)


def _rounded_type(type_: DataType, digits: int) -> DataType:
    """Return the type of a DECIMAL rounded to some digits after the decimal point; before it, if negative."""
    if digits >= (type_.scale or 0):
        return type_.nullable()
    whole = (type_.size or 0) - (type_.scale or 0) + 1
    if digits < 0:
        return DataType.of(Kind.DECIMAL, min(max(whole, 1 - digits), _MOST), 0)
    scale = min(type_.scale or 0, digits)
    return DataType.of(Kind.DECIMAL, min(whole + scale, _MOST), scale)


def _digits(arguments: Arguments) -> int:
    return (whole_number(arguments[1]) or 0) if len(arguments) > 1 else 0


def _written_digits(name: str) -> Callable[[Arguments], Arguments]:
    """Return the inference for ROUND and TRUNCATE: the type depends on the digits, which must be literal."""

    def checked(arguments: Arguments) -> Arguments:
        digits = whole_number(arguments[1]) if len(arguments) > 1 else 0
        if digits is None and arguments[0].type.kind in WHOLE | {Kind.DECIMAL} and arguments[1].type.kind in WHOLE:
            return arguments
        if digits is None:
            what = f"{name} takes a number of digits that is written out here."
            raise CallError.unsupported(what, f"Write it so, as in {name}(x, 2).", 1)
        if not -_MOST_INT <= digits < _MOST_INT:
            raise CallError(
                f"{name} takes a number of digits that is an INT, not {digits}.", "Write fewer.", argument=1
            )
        return arguments

    return checked


def _seeded(arguments: Arguments) -> Arguments:
    if arguments and whole_number(arguments[0]) is None:
        raise CallError.unsupported("RAND takes a seed that is written out here.", "Write a whole number.", 0)
    return arguments


def _by_digits(type_: DataType, texts: Sequence[str], template: str) -> str:
    """Return a DECIMAL or a whole number cut to computed digits, for which Spark takes written ones alone."""
    scale = type_.scale or 0 if type_.kind is Kind.DECIMAL else 0
    whole = (decimal_of(type_).size or 0) - scale
    cases = [
        f"when {{1}} = {digits} then try_cast({template.format(digits=digits)} as {spark_type(type_)})"
        for digits in range(-whole, scale)
    ]
    zero = f"cast(0 as {spark_type(type_)})"
    return bound_text(
        f"case when {{0}} is null or {{1}} is null then null when {{1}} >= {scale} then {{0}} {' '.join(cases)} else {zero} end",
        texts[:2],
    )


def _rounded(arguments: Arguments) -> DataType:
    type_ = arguments[0].type
    if type_.kind in TEXT:
        return _DOUBLE
    if type_.kind is not Kind.DECIMAL:
        return like(0)(arguments[:1])
    if len(arguments) > 1 and whole_number(arguments[1]) is None:
        return type_.nullable()
    return _rounded_type(type_, _digits(arguments))


def _rounded_text(call: Call, texts: Sequence[str]) -> str:
    type_, digits = call.arguments[0].type, _digits(call.arguments)
    if type_.kind is Kind.DECIMAL and digits >= (type_.scale or 0):
        return texts[0]
    if len(texts) > 1 and whole_number(call.arguments[1]) is None:
        return _by_digits(type_, texts, "round({{0}}, {digits})")
    if type_.kind is Kind.DECIMAL and -_MOST < digits < 0 and (type_.size or 0) - (type_.scale or 0) == _MOST:
        most = 10**_MOST - 5 * 10 ** (-digits - 1)
        return f"if(abs({texts[0]}) < {most}BD, round({texts[0]}, {digits}), null)"
    return f"round({texts[0]}, {max(-_MOST_ROUNDED, min(digits, _MOST_ROUNDED))})"


def _cut_off(arguments: Arguments) -> Arguments:
    type_ = arguments[0].type
    if type_.kind is Kind.DECIMAL:
        return _written_digits("TRUNCATE")(arguments)
    if type_.kind not in NUMERIC:
        raise CallError(f"Cannot apply 'TRUNCATE' to arguments of type 'TRUNCATE(<{type_}>)'", "CAST the argument.")
    return arguments


def _cut_type(arguments: Arguments) -> DataType:
    type_ = arguments[0].type
    return _rounded(arguments) if type_.kind is Kind.DECIMAL else like(0)(arguments)


def _cut(call: Call, texts: Sequence[str]) -> str:
    """Return TRUNCATE; numbers of DOUBLE by the digits that are shown, as in Flink, and whole from 2^53 on."""
    type_, value, places = call.arguments[0].type, texts[0], (texts[1:] or ["0"])[0]
    if type_.kind is Kind.DECIMAL and len(texts) > 1 and whole_number(call.arguments[1]) is None:
        return _by_digits(type_, texts, "if({{0}} >= 0, floor({{0}}, {digits}), ceil({{0}}, {digits}))")
    if type_.kind is Kind.DECIMAL and _digits(call.arguments) >= (type_.scale or 0):
        return value
    if type_.kind is Kind.DECIMAL:
        return f"if({value} >= 0, floor({value}, {places}), ceil({value}, {places}))"
    if type_.kind in WHOLE:
        unit = f"cast(power(10, least(greatest(-({places}), 0), 18)) as bigint)"
        return f"cast({value} - {value} % {unit} as {spark_type(type_)})"
    shown = "cast({0} as string)" if type_.kind is Kind.FLOAT else "{0}"
    unit = "cast(concat('1e', cast(-({1}) as string)) as decimal(38, 18))"
    exact = f"cast({shown} as decimal(38, 18))"
    cut = f"cast({exact} - {exact} % {unit} as {spark_type(type_)})"
    return bound_text(f"if(abs({{0}}) >= 9.0E15D or {{1}} > 17, {{0}}, {cut})", [value, places])


def _sign(call: Call, texts: Sequence[str]) -> str:
    return f"cast(sign({texts[0]}) as {spark_type(call.arguments[0].type)})"


def _logarithm(name: str) -> BuiltInFunction:
    below = "when {0} = 0 then double('-Infinity') when {0} < 0 then double('NaN')"
    return _double(f"case {below} else {name}({{0}}) end", infer=always_nullable(_DOUBLE))


def _log(_: Call, texts: Sequence[str]) -> str:
    """Return LOG: the natural logarithm, or that of the second argument to the base of the first."""
    below = "when {0} = 0 then double('-Infinity') when {0} < 0 then double('NaN')"
    logarithms = [f"case {below} else ln({{0}}) end".format(f"cast({text} as double)") for text in texts]
    if len(logarithms) == 1:
        return logarithms[0]
    infinite = "if({1} = 0 or isnan({1}), double('NaN'), sign({1}) * double('Infinity'))"
    return bound_text(f"case when {{0}} = 0 then {infinite} else {{1}} / {{0}} end", logarithms)


def _whole(name: str) -> BuiltInFunction:
    """Return FLOOR or CEIL of a number; those of a time are ``FLOOR TO`` and ``CEIL TO``."""

    def inferred(arguments: Arguments) -> DataType:
        type_ = arguments[0].type
        if type_.kind is Kind.DECIMAL:
            return attrs.evolve(type_, scale=0)
        return DataType.of(Kind.BIGINT) if type_.kind in TEXT else type_

    def written(call: Call, texts: Sequence[str]) -> str:
        kind, value = call.arguments[0].type.kind, texts[0]
        if kind in WHOLE:
            return value
        if kind in APPROXIMATE:
            return f"if(abs({value}) < 9.0E15D, cast({name}({value}) as {kind.value.lower()}), {value})"
        return f"cast({name}({value}) as {spark_type(call.type)})" if kind is Kind.DECIMAL else f"{name}({value})"

    return BuiltInFunction(inferred, written, (1, 1), takes=(_NUMBERS,))


NUMBERS: Final[Mapping[str, BuiltInFunction]] = {
    "ABS": BuiltInFunction(_absolute, forms("abs({0})"), (1, 1), takes=(_NUMBERS,)),
    **{
        name: _double(f"{name.lower()}({{0}})", infer=always_nullable(_DOUBLE))
        for name in (
            *("SQRT", "EXP", "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH"),
            *("DEGREES", "RADIANS"),
        )
    },
    "ATAN2": _double("atan2({0}, {1})", counts=(2, 2)),
    "POWER": _double("power({0}, {1})", counts=(2, 2)),
    **{name: _logarithm(name.lower()) for name in ("LN", "LOG10", "LOG2")},
    "LOG": BuiltInFunction(_RETURNS_DOUBLE, _log, (1, 2), takes=(NUMERIC,)),
    "MOD": ARITHMETIC["%"],
    "ROUND": BuiltInFunction(
        _rounded,
        _rounded_text,
        (1, 2),
        takes=(_NUMBERS, tuple(Kind)),
        prepare=_written_digits("ROUND"),
    ),
    "TRUNCATE": BuiltInFunction(_cut_type, _cut, (1, 2), prepare=_cut_off),
    "SIGN": BuiltInFunction(like(0), _sign, (1, 1), takes=(_NUMBERS,)),
    "PI": BuiltInFunction(never_null(_DOUBLE), forms("pi()"), (0, 0)),
    "E": BuiltInFunction(never_null(_DOUBLE), forms("e()"), (0, 0)),
    "RAND": BuiltInFunction(never_null(_DOUBLE), forms("rand()", "rand({0})"), (0, 1), takes=(WHOLE,), prepare=_seeded),
    "RAND_INTEGER": BuiltInFunction(
        returns(DataType.of(Kind.INT)),
        forms("cast(floor(rand() * {0}) as int)", "cast(floor(rand({0}) * {1}) as int)"),
        (1, 2),
        takes=(WHOLE,),
        prepare=lambda given: [*_seeded(given[:-1]), given[-1]],
    ),
    "FLOOR": _whole("floor"),
    "CEIL": _whole("ceil"),
}
"""Functions by name."""
