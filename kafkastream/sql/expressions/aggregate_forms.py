"""Aggregates with arguments of their own: ``PERCENTILE``, ``JSON_ARRAYAGG`` and ``JSON_OBJECTAGG``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from kafkastream.sql.plan.casts import cast
from kafkastream.sql.plan.expression import Call, Cast, Literal, TypedExpression, is_null
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.json_constructors import is_json
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.type_families import NUMERIC, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["FORMS", "Form"]

Form = Callable[["ExpressionCompiler", exp.Anonymous, Sequence[exp.Expr]], tuple[AggregateCall, TypedExpression]]
"""Compiles a call with its arguments: the call without positions, and the column that it takes."""
_STRING: Final = DataType.string()
_DOUBLE: Final = DataType.of(Kind.DOUBLE)
_NULLS: Final[Mapping[str, str]] = {"JSON_OBJECTAGG": "NULL", "JSON_ARRAYAGG": "ABSENT"}
"""Clause ON NULL where none is written."""


def _array(
    of: ExpressionCompiler, node: exp.Anonymous, given: Sequence[exp.Expr]
) -> tuple[AggregateCall, TypedExpression]:
    _check_count(of, node, given, 1)
    value = _json(of, node, given[0])
    call = AggregateCall(function=AggregateFunction.JSON_ARRAYAGG, type=_STRING.not_null(), argument_type=value.type)
    return call, value


def _object(
    of: ExpressionCompiler, node: exp.Anonymous, given: Sequence[exp.Expr]
) -> tuple[AggregateCall, TypedExpression]:
    _check_count(of, node, given, 2)
    key = of.compile(given[0])
    if key.type.kind not in TEXT:
        raise of.text.error(given[0], f"A key of JSON_OBJECTAGG must be a text, not {key.type}.", "CAST it to STRING.")
    member = of.call(node, "ROW", key, _json(of, node, given[1]))
    call = AggregateCall(function=AggregateFunction.JSON_OBJECTAGG, type=_STRING.not_null(), argument_type=member.type)
    return call, member


def _json(of: ExpressionCompiler, node: exp.Anonymous, value: exp.Expr) -> TypedExpression:
    """Compile a value as JSON; NULL is ``null`` or stays NULL, by the clause."""
    compiled = of.compile(value)
    text = compiled if is_json(compiled) else of.call(node, "JSON_STRING", compiled, nodes=[value])
    clause = node.meta.get("nulls", _NULLS[node.name.upper()])
    return of.call(node, "COALESCE", text, Literal.text("null")) if clause == "NULL" else text


def _percentile(
    of: ExpressionCompiler, node: exp.Anonymous, given: Sequence[exp.Expr]
) -> tuple[AggregateCall, TypedExpression]:
    """Compile ``PERCENTILE(value, percentage [, frequency])``, which takes rows of a value and a frequency."""
    _check_count(of, node, given, 2, 3)
    value, percentage, *more = map(of.compile, given)
    frequency = more[0] if more else Literal.whole(1)
    percentages = of.located(node, lambda: _percentages(percentage), given)
    if value.type.kind not in NUMERIC or not (frequency.type.kind in WHOLE or is_null(frequency)):
        types = ", ".join(f"<{one.type}>" for one in (value, percentage, *more))
        raise of.text.error(node, f"Cannot apply 'PERCENTILE' to arguments of type 'PERCENTILE({types})'", "")
    is_array = percentage.type.kind is Kind.ARRAY
    numbers = [
        of.located(node, lambda: cast(value, _DOUBLE)),
        of.located(node, lambda: cast(frequency, DataType.of(Kind.BIGINT))),
    ]
    pair = of.call(node, "ROW", *numbers)
    call = AggregateCall(
        function=AggregateFunction.PERCENTILE,
        type=DataType.of(Kind.ARRAY, parts=(_DOUBLE,)) if is_array else _DOUBLE,
        argument_type=pair.type,
        percentages=percentages,
    )
    return call, pair


def _percentages(written: TypedExpression) -> tuple[float, ...]:
    """Return the percentages that are written out, as one number or an array of them."""
    parts = written.arguments if isinstance(written, Call) and written.type.kind is Kind.ARRAY else (written,)
    found = tuple(map(_number, parts))
    for one in found:
        if not 0 <= one <= 1:
            what = f"Percentage of PERCENTILE should be between [0.0, 1.0], but was '{one}'."
            raise CallError(what, "Write a share, such as 0.5.", argument=1)
    return found


def _number(written: TypedExpression) -> float:
    match written:
        case Literal(value=int() | str() as value) if written.type.kind in NUMERIC:
            return float(value)
        case Cast(value=inner, type=type_) if type_.kind in NUMERIC:
            return _number(inner)
        case _:
            raise CallError(
                "Percentages of PERCENTILE must be written out.", "Write a number or ARRAY[...].", argument=1
            )


def _check_count(of: ExpressionCompiler, node: exp.Anonymous, given: Sequence[exp.Expr], *counts: int) -> None:
    if len(given) not in counts:
        raise of.text.error(node, f"Invalid number of arguments to function '{node.name.upper()}': {len(given)}.", "")


FORMS: Final[Mapping[AggregateFunction, Form]] = {
    AggregateFunction.JSON_ARRAYAGG: _array,
    AggregateFunction.JSON_OBJECTAGG: _object,
    AggregateFunction.PERCENTILE: _percentile,
}
