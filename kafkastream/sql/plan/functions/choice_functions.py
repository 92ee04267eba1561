"""Functions that choose one of their arguments, such as COALESCE, and CASE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, Case, Cast, CastMode, TypedExpression, is_null
from kafkastream.sql.plan.functions.built_in import Arguments, BuiltInFunction, CallError, forms, like
from kafkastream.sql.plan.functions.null_arguments import TYPED_NULL
from kafkastream.sql.plan.functions.type_rules import check_ordered, comparable, widest, with_common_type
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["CHOICES", "case"]

_MANY: Final = 255


def _first_known(arguments: Arguments) -> DataType:
    """Return the type of COALESCE: NULL only if all arguments are."""
    type_ = widest(arguments)
    return type_ if all(one.type.is_nullable for one in arguments) else type_.not_null()


def _branches(arguments: Arguments) -> Arguments:
    condition, first, second = arguments
    if first.type.kind is second.type.kind and first.type.kind in STAMPS:  # of the first precision, as in Flink
        second = Cast(second, first.type.nullable(), CastMode.CAST)
    return [condition, *with_common_type([first, second])]


def _branch_type(arguments: Arguments) -> DataType:
    return widest(arguments[1:])


def _extreme(name: str) -> BuiltInFunction:
    """Return GREATEST or LEAST: NULL if an argument is, as in Flink; Spark ignores NULLs, and takes no single value."""

    def written(_: Call, texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return texts[0]
        missing = " or ".join(f"{text} is null" for text in texts)
        return f"if({missing}, null, {name}({', '.join(texts)}))"

    def inferred(arguments: Arguments) -> DataType:
        return widest(arguments).nullable()

    return BuiltInFunction(inferred, written, (1, _MANY), prepare=_ordered)


def _ordered(arguments: Arguments) -> Arguments:
    check_ordered(arguments)
    return with_common_type(arguments)


def case(conditions: Arguments, values: Arguments, otherwise: TypedExpression) -> Case:
    """``CASE WHEN ... THEN ... ELSE ... END``.

    Args:
        conditions: Conditions, in order.
        values: One value for each condition.
        otherwise: Value if no condition holds.

    Raises:
        CallError: A condition is not BOOLEAN, or the values have no common type, or no type at all.
    """
    wrong = next((one for one in conditions if one.type.kind is not Kind.BOOLEAN and not is_null(one)), None)
    if wrong is not None:
        raise CallError(f"CASE WHEN takes a condition, not {wrong.type}.", "Compare it with something.")
    if all(map(is_null, (*values, otherwise))):
        what = "ELSE clause or at least one THEN clause must be non-NULL"
        raise CallError(what, TYPED_NULL)
    every = with_common_type([*values, otherwise])
    known = [Cast(one, DataType.of(Kind.BOOLEAN)) if is_null(one) else one for one in conditions]
    return Case(tuple(known), tuple(every[:-1]), every[-1], widest(every))


CHOICES: Final[Mapping[str, BuiltInFunction]] = {
    "COALESCE": BuiltInFunction(_first_known, forms("coalesce({*})"), (1, _MANY), prepare=with_common_type),
    "IFNULL": BuiltInFunction(_first_known, forms("coalesce({*})"), (2, 2), prepare=with_common_type),
    "NULLIF": BuiltInFunction(like(0, nullable=True), forms("nullif({*})"), (2, 2), prepare=comparable),
    "IF": BuiltInFunction(
        _branch_type, forms("if({*})"), (3, 3), ((Kind.BOOLEAN,), tuple(Kind), tuple(Kind)), prepare=_branches
    ),
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
}
"""Functions by name."""
