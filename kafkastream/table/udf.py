"""User-defined functions for SQL, at PyFlink's path."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn, overload

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.type_families import INTERVALS
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import FunctionContext, ScalarFunction, UserDefinedFunction, UserFunction

__all__ = [
    "AggregateFunction",
    "FunctionContext",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunction",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]

_Type = DataType | str
_Types = _Type | Iterable[_Type]
_Called = Callable[..., Any] | ScalarFunction


@overload
def udf(
    f: _Called,
    input_types: _Types | None = None,
    result_type: _Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> UserFunction: ...


@overload
def udf(
    f: None = None,
    input_types: _Types | None = None,
    result_type: _Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Callable[[_Called], UserFunction]: ...


def udf(
    f: _Called | None = None,
    input_types: _Types | None = None,
    result_type: _Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> UserFunction | Callable[[_Called], UserFunction]:
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
        DefinitionError: ``f`` is no function, or has no result type.

    Example:
        >>> @udf(result_type="BIGINT")
        ... def twice(number):
        ...     return None if number is None else 2 * number
        >>> twice.name, str(twice.result_type)
        ('twice', 'BIGINT')
    """
    if func_type not in ("general", "pandas"):
        raise DefinitionError(f"The func_type must be one of 'general, pandas', got {func_type}.")
    made = partial(_made, input_types, result_type, deterministic, name, is_pandas=func_type == "pandas")
    return made if f is None else made(f)


def _made(
    input_types: _Types | None,
    result_type: _Type | None,
    deterministic: bool | None,
    name: str | None,
    function: _Called,
    *,
    is_pandas: bool,
) -> UserFunction:
    own_name = name or str(getattr(function, "__name__", type(function).__name__))
    where = f"udf {own_name!r}"
    _check_function(function, where)
    if result_type is None:
        raise DefinitionError(
            "a function for SQL needs a result type", where=where, now="Write @udf(result_type='BIGINT')."
        )
    own = function.is_deterministic() if isinstance(function, ScalarFunction) else True
    if isinstance(function, ScalarFunction) and deterministic not in (None, own):
        raise DefinitionError(f"Inconsistent deterministic: {deterministic} and {own}", where=where)
    return UserFunction(
        function,
        own_name,
        _type(result_type, where),
        None if input_types is None else _types(input_types, where),
        own if deterministic is None else deterministic,
        is_pandas,
    )


def _check_function(function: object, where: str) -> None:
    if isinstance(function, UserDefinedFunction) and not isinstance(function, ScalarFunction):
        raise _refused(f"{type(function).__name__} is not a ScalarFunction")
    if inspect.isclass(function) or not (isinstance(function, ScalarFunction) or callable(function)):
        raise DefinitionError(
            f"Invalid function: not a function or callable (__call__ is not defined): {type(function)}",
            where=where,
            now="Give a function, or an instance of a ScalarFunction.",
        )


def _types(given: _Types, where: str) -> tuple[DataType, ...]:
    if isinstance(given, DataType) and given.kind is Kind.ROW:
        return tuple(field.type for field in given.fields)
    return tuple(_type(one, where) for one in ([given] if isinstance(given, DataType | str) else given))


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


def _refused(what: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"{what}: only scalar functions of the user's can be called in SQL",
        now="Return an ARRAY from a udf and join UNNEST of it; aggregate with built-in functions, or with a keyed stream.",
    )


def udtf(*_: object, **__: object) -> NoReturn:
    """Not supported: return an ARRAY from a ``udf`` and UNNEST it to get several rows.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udtf")


def udaf(*_: object, **__: object) -> NoReturn:
    """Not supported: use built-in aggregates in SQL, or an ``AggregateFunction`` on a keyed stream.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udaf")


def udtaf(*_: object, **__: object) -> NoReturn:
    """Not supported: use built-in aggregates in SQL, or a ``KeyedProcessFunction`` on a keyed stream.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udtaf")


class _Refused(UserDefinedFunction):
    def __init_subclass__(cls) -> None:
        if cls.__module__ != __name__:
            raise _refused(f"{cls.__mro__[1].__name__} {cls.__name__!r}")


class TableFunction(_Refused):
    """Not supported: creating a subclass raises ``UnsupportedFeatureError``."""


class AggregateFunction(_Refused):
    """Not supported: creating a subclass raises ``UnsupportedFeatureError``."""


class TableAggregateFunction(_Refused):
    """Not supported: creating a subclass raises ``UnsupportedFeatureError``."""
