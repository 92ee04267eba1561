"""Makes user-defined functions of Python functions and of instances of their base classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.type_families import INTERVALS
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.sql.user_functions import (
    AggregateFunction,
    FunctionKind,
    ImperativeAggregateFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from kafkastream.table.api.expression_function import ExpressionFunction

__all__ = ["Called", "Made", "Type", "Types", "aggregate", "scalar", "table"]

Type = DataType | str
Types = Type | Iterable[Type]
Called = Callable[..., Any] | UserDefinedFunction

_BASES: Final[dict[FunctionKind, type[UserDefinedFunction]]] = {
    FunctionKind.SCALAR: ScalarFunction,
    FunctionKind.TABLE: TableFunction,
    FunctionKind.AGGREGATE: AggregateFunction,
    FunctionKind.TABLE_AGGREGATE: TableAggregateFunction,
}
_MAKERS: Final = {
    FunctionKind.SCALAR: "udf",
    FunctionKind.TABLE: "udtf",
    FunctionKind.AGGREGATE: "udaf",
    FunctionKind.TABLE_AGGREGATE: "udtaf",
}


@attrs.frozen
class Made:
    """Arguments that all kinds of functions share, as PyFlink's.

    Args:
        kind: Kind of the function.
        input_types: Types of the arguments.
        deterministic: Whether equal arguments give equal results; by default, the result of ``is_deterministic``.
        name: Name of the function; None for the Python function's.
        func_type: ``"general"`` or ``"pandas"``.
    """

    kind: FunctionKind
    input_types: Types | None
    deterministic: bool | None
    name: str | None
    func_type: str = "general"

    def __attrs_post_init__(self) -> None:
        if self.func_type not in ("general", "pandas"):
            raise DefinitionError(f"The func_type must be one of 'general, pandas', got {self.func_type}.")

    def function(self, function: Called, result_type: Callable[[str], DataType]) -> ExpressionFunction:
        """Return the function, checked.

        Args:
            function: Function of the user.
            result_type: Returns the type of its result, for the place that errors name.
        """
        own_name = self.name or str(getattr(function, "__name__", type(function).__name__))
        where = f"{_MAKERS[self.kind]} {own_name!r}"
        _check_function(function, self.kind, where)
        own = function.is_deterministic() if isinstance(function, UserDefinedFunction) else True
        if isinstance(function, UserDefinedFunction) and self.deterministic not in (None, own):
            raise DefinitionError(f"Inconsistent deterministic: {self.deterministic} and {own}", where=where)
        return ExpressionFunction(
            function,
            own_name,
            result_type(where),
            None if self.input_types is None else _types(self.input_types, where),
            own if self.deterministic is None else self.deterministic,
            self.func_type == "pandas",
            self.kind,
        )


def scalar(of: Made, result_type: Type | None, function: Called) -> ExpressionFunction:
    """Make a scalar function.

    Raises:
        DefinitionError: ``function`` is not a function, or has no result type.
    """
    return of.function(function, lambda where: _known(result_type, where, "@udf(result_type='BIGINT')"))


def table(of: Made, result_types: Types | None, function: Called) -> ExpressionFunction:
    """Make a table function, whose result type is the ROW of its columns.

    Raises:
        DefinitionError: ``function`` is not a function, or has no result types.
    """
    return of.function(function, lambda where: _row(result_types, where))


def aggregate(
    of: Made, result_type: Type | None, accumulator_type: Type | None, function: Called
) -> ExpressionFunction:
    """Make an aggregate function, or a table aggregate function.

    Raises:
        DefinitionError: ``function`` is not a function, or has no result type, or no accumulator type.
    """
    is_pandas = of.func_type == "pandas"
    if of.kind is FunctionKind.TABLE_AGGREGATE and is_pandas:
        raise DefinitionError("The func_type must be 'general', got pandas.")
    own = function if isinstance(function, ImperativeAggregateFunction) else None
    if own is not None and accumulator_type is None and not is_pandas:
        accumulator_type = _declared(own, "get_accumulator_type", "accumulator_type='ROW<n BIGINT>'", of.kind)
    if own is not None and result_type is None:
        result_type = _declared(own, "get_result_type", "result_type='BIGINT'", of.kind)

    def result(where: str) -> DataType:
        if own is None and not is_pandas:
            raise DefinitionError(
                f"a Python function is an {of.kind.value} only with func_type='pandas'",
                where=where,
                now=f"Write a subclass of {_BASES[of.kind].__name__}.",
            )
        known = _known(result_type, where, "@udaf(result_type='BIGINT', func_type='pandas')")
        if of.kind is FunctionKind.AGGREGATE:
            return known
        return _row(known, where)

    made = of.function(function, result)
    declared = "" if accumulator_type is None else str(_type(accumulator_type, f"{_MAKERS[of.kind]} {made.name!r}"))
    return attrs.evolve(made, accumulator_type=declared)


def _declared(function: ImperativeAggregateFunction[Any, Any], method: str, argument: str, kind: FunctionKind) -> Type:
    try:
        declared: Type = getattr(function, method)()
    except RuntimeError as error:
        raise DefinitionError(
            str(error),
            where=f"{_MAKERS[kind]} {type(function).__name__!r}",
            now=f"Define {method}, or give {argument}.",
        ) from None
    return declared


def _check_function(function: object, kind: FunctionKind, where: str) -> None:
    base = _BASES[kind]
    if isinstance(function, UserDefinedFunction) and not isinstance(function, base):
        right = next((_MAKERS[other] for other, one in _BASES.items() if isinstance(function, one)), "")
        raise DefinitionError(
            f"{type(function).__name__} is not a {base.__name__}",
            where=where,
            now=f"Make it with {right}." if right else f"Let it inherit from {base.__name__}.",
        )
    if inspect.isclass(function) or not (isinstance(function, base) or callable(function)):
        raise DefinitionError(
            f"Invalid function: not a function or callable (__call__ is not defined): {type(function)}",
            where=where,
            now=f"Give a function, or an instance of a {base.__name__}.",
        )


def _types(given: Types, where: str) -> tuple[DataType, ...]:
    if isinstance(given, DataType) and given.kind is Kind.ROW:
        return tuple(field.type for field in given.fields)
    return tuple(_type(one, where) for one in ([given] if isinstance(given, DataType | str) else given))


def _row(given: Types | None, where: str) -> DataType:
    """Return the row of a table function: given as a ROW, as the type of its only column, or as those of all."""
    if given is None:
        raise DefinitionError(
            "a table function needs result types", where=where, now="Write @udtf(result_types=['STRING', 'INT'])."
        )
    if isinstance(given, DataType | str):
        only = _type(given, where)
        if only.kind is Kind.ROW:
            return only.not_null()
        given = [only]
    fields = tuple(RowField(f"f{at}", _type(one, where)) for at, one in enumerate(given))
    return DataType.of(Kind.ROW, fields=fields).not_null()


def _known(given: object, where: str, example: str) -> DataType:
    if given is None:
        raise DefinitionError("a function for SQL needs a result type", where=where, now=f"Write {example}.")
    return _type(given, where)


def _type(given: object, where: str) -> DataType:
    if isinstance(given, str):
        given = parse_type(given)
    if not isinstance(given, DataType):
        raise DefinitionError(f"{given!r} is not a type", where=where, now="Give a DataType, or SQL such as 'BIGINT'.")
    if given.kind in INTERVALS:
        raise UnsupportedFeatureError(
            f"a Python function has no values of type {given}", where=where, now="Use BIGINT, for milliseconds."
        )
    return given
