"""User-defined functions for SQL, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, overload

from kafkastream.metrics import MetricGroup
from kafkastream.sql.user_functions import (
    AggregateFunction,
    FunctionContext,
    FunctionKind,
    ImperativeAggregateFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from kafkastream.table.api.expression_function import ExpressionFunction
from kafkastream.table.expression import Expression
from kafkastream.table.function_making import Called, Made, Type, Types, aggregate, scalar, table
from kafkastream.table.udf_wrappers import (
    DelegatingPandasAggregateFunction,
    DelegatingScalarFunction,
    DelegationTableFunction,
    PandasAggregateFunctionWrapper,
    UserDefinedAggregateFunctionWrapper,
    UserDefinedFunctionWrapper,
    UserDefinedScalarFunctionWrapper,
    UserDefinedTableFunctionWrapper,
)

__all__ = [
    "ACC",
    "AggregateFunction",
    "DelegatingPandasAggregateFunction",
    "DelegatingScalarFunction",
    "DelegationTableFunction",
    "Expression",
    "FunctionContext",
    "ImperativeAggregateFunction",
    "MetricGroup",
    "PandasAggregateFunctionWrapper",
    "ScalarFunction",
    "T",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedAggregateFunctionWrapper",
    "UserDefinedFunction",
    "UserDefinedFunctionWrapper",
    "UserDefinedScalarFunctionWrapper",
    "UserDefinedTableFunctionWrapper",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]

T = TypeVar("T")
ACC = TypeVar("ACC")


@overload
def udf(
    f: Called,
    input_types: Types | None = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction: ...


@overload
def udf(
    f: None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Callable[[Called], ExpressionFunction]: ...


def udf(
    f: Called | None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction | Callable[[Called], ExpressionFunction]:
    """Make a scalar function for SQL out of a Python function; without ``f``, a decorator.

    Arguments and results are ``bool``, ``int``, ``float``, ``Decimal``, ``str``, ``bytes``, ``date``, ``time``,
    ``datetime``, ``list``, ``dict`` and ``Row``, with None for NULL.
    Differs from PyFlink: a TIMESTAMP_LTZ is the right instant in every time zone; a result that does not fit its type
    fails the job instead of wrapping around.

    Args:
        f: Function, or ``ScalarFunction``.
        input_types: Types of the arguments. Other types are cast if nothing is lost, and refused otherwise; by default,
            any type is passed on.
        result_type: Type of the result, as ``DataType`` or SQL text.
        deterministic: Whether equal arguments give equal results; by default, what ``is_deterministic`` returns, or
            true.
        name: Name of the function; by default, the Python function's.
        func_type: ``"general"``, or ``"pandas"`` for a function that takes and returns ``pandas.Series`` of many rows.

    Raises:
        DefinitionError: ``f`` is not a function, or has no result type.

    Example:
        >>> @udf(result_type="BIGINT")
        ... def twice(number):
        ...     return None if number is None else 2 * number
        >>> twice.name, str(twice.result_type)
        ('twice', 'BIGINT')
    """
    made = partial(scalar, Made(FunctionKind.SCALAR, input_types, deterministic, name, func_type), result_type)
    return made if f is None else made(f)


@overload
def udtf(
    f: Called,
    input_types: Types | None = None,
    result_types: Types | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> ExpressionFunction: ...


@overload
def udtf(
    f: None = None,
    input_types: Types | None = None,
    result_types: Types | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Callable[[Called], ExpressionFunction]: ...


def udtf(
    f: Called | None = None,
    input_types: Types | None = None,
    result_types: Types | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> ExpressionFunction | Callable[[Called], ExpressionFunction]:
    """Make a table function for SQL, which gives any number of rows per call; without ``f``, a decorator.

    Args:
        f: Function or ``TableFunction`` that yields or returns rows: ``tuple`` or ``Row``, or the value of an only column.
        input_types: As of ``udf``.
        result_types: Types of the columns; or a ROW; or the type of the only column.
        deterministic: As of ``udf``.
        name: Name of the function; by default, the Python function's.

    Raises:
        DefinitionError: ``f`` is not a function, or has no result types.

    Example:
        >>> @udtf(result_types=["STRING", "INT"])
        ... def words(text):
        ...     for word in text.split():
        ...         yield word, len(word)
        >>> words.name, str(words.result_type)
        ('words', 'ROW<`f0` STRING, `f1` INT> NOT NULL')
    """
    made = partial(table, Made(FunctionKind.TABLE, input_types, deterministic, name), result_types)
    return made if f is None else made(f)


@overload
def udaf(
    f: Called,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction: ...


@overload
def udaf(
    f: None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Callable[[Called], ExpressionFunction]: ...


def udaf(
    f: Called | None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction | Callable[[Called], ExpressionFunction]:
    """Make an aggregate function for SQL; without ``f``, a decorator.

    Args:
        f: ``AggregateFunction``; or a Python function with ``func_type="pandas"``.
        input_types: As of ``udf``.
        result_type: Type of the result; by default, what ``get_result_type`` returns.
        accumulator_type: Type of the accumulator; by default, what ``get_accumulator_type`` returns.
        deterministic: As of ``udf``.
        name: Name of the function; by default, that of the class.
        func_type: ``"general"``, or ``"pandas"`` for a function of a window that takes a ``pandas.Series`` for each
            argument, with all rows of the window.

    Raises:
        DefinitionError: ``f`` is not an aggregate function, or a type is missing.

    Example:
        >>> @udaf(result_type="DOUBLE", func_type="pandas")
        ... def middle(values):
        ...     return values.median()
        >>> middle.name, middle.is_pandas
        ('middle', True)
    """
    made = partial(
        aggregate,
        Made(FunctionKind.AGGREGATE, input_types, deterministic, name, func_type),
        result_type,
        accumulator_type,
    )
    return made if f is None else made(f)


@overload
def udtaf(
    f: Called,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction: ...


@overload
def udtaf(
    f: None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Callable[[Called], ExpressionFunction]: ...


def udtaf(
    f: Called | None = None,
    input_types: Types | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> ExpressionFunction | Callable[[Called], ExpressionFunction]:
    """Make a table aggregate function; without ``f``, a decorator.

    Args:
        f: ``TableAggregateFunction``.
        input_types: As of ``udf``.
        result_type: ROW of the columns, or the type of the only one; by default, what ``get_result_type`` returns.
        accumulator_type: As of ``udaf``.
        deterministic: As of ``udf``.
        name: Name of the function; by default, that of the class.
        func_type: ``"general"``.

    Raises:
        DefinitionError: ``f`` is not a table aggregate function, or a type is missing.
    """
    made = partial(
        aggregate,
        Made(FunctionKind.TABLE_AGGREGATE, input_types, deterministic, name, func_type),
        result_type,
        accumulator_type,
    )
    return made if f is None else made(f)
