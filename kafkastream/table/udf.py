"""Functions of the user's for SQL, at PyFlink's path."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn, overload

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type
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
    """A function that SQL may call; without ``f``, a decorator.

    Same as PyFlink's. Arguments are ``bool``, ``int``, ``float``, ``Decimal``, ``str``, ``bytes``, ``date``, ``time``,
    ``datetime``, ``list``, ``dict`` and ``Row``, with None for NULL; so are results.
    Differs from PyFlink: a TIMESTAMP_LTZ is the right instant in every time zone; a result that its type does not hold
    fails the job, and never wraps around.

    Args:
        f: A function, or a ``ScalarFunction``.
        input_types: The types of its arguments; others are cast if that loses nothing, and refused if not. Any, if not given.
        result_type: The type of its result, as a ``DataType`` or as SQL.
        deterministic: Whether the same arguments always give the same result; true, or what ``is_deterministic`` says.
        name: What it is called; the function's own name if not given.
        func_type: ``"general"``, or ``"pandas"`` for a function that takes and returns a ``pandas.Series`` of many rows.

    Raises:
        DefinitionError: It is no function, or has no result type.

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
        raise _refused(f"{type(function).__name__} is no ScalarFunction")
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
        raise DefinitionError(f"{given!r} is no type", where=where, now="Give a DataType, or SQL such as 'BIGINT'.")
    if given.kind in (Kind.INTERVAL_YEAR_MONTH, Kind.INTERVAL_DAY_SECOND):
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
    """Refused: a ``udf`` that returns an ARRAY, and UNNEST, give several rows.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udtf")


def udaf(*_: object, **__: object) -> NoReturn:
    """Refused, also for pandas: there are built-in aggregates, and ``AggregateFunction`` of streams.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udaf")


def udtaf(*_: object, **__: object) -> NoReturn:
    """Refused, as ``udaf`` is.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise _refused("udtaf")


class _Refused(UserDefinedFunction):
    def __init_subclass__(cls) -> None:
        if cls.__module__ != __name__:
            raise _refused(f"{cls.__mro__[1].__name__} {cls.__name__!r}")


class TableFunction(_Refused):
    """Refused: subclasses raise ``UnsupportedFeatureError``."""


class AggregateFunction(_Refused):
    """Refused: subclasses raise ``UnsupportedFeatureError``."""


class TableAggregateFunction(_Refused):
    """Refused: subclasses raise ``UnsupportedFeatureError``."""
