"""Accumulators of user-defined aggregate functions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.call_errors import call_failed, said
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.table.aggregates.accumulator import Accumulator
from kafkastream.operators.table.aggregates.user_values import Convert, reader, writer
from kafkastream.sql.function_values import NO_VALUE, not_of_type
from kafkastream.sql.plan.operations import AggregateCall
from kafkastream.sql.plan.user_aggregate import UserAggregate
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import FunctionContext, ImperativeAggregateFunction, UserDefinedFunction

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["user_accumulator"]

Arguments = tuple[Any, ...]
_DTYPES: Final = {
    Kind.TINYINT: "int8",
    Kind.SMALLINT: "int16",
    Kind.INT: "int32",
    Kind.BIGINT: "int64",
    Kind.BOOLEAN: "bool",
}
"""Types of pandas for columns without NULL."""
_FLOATS: Final = {Kind.FLOAT: "float32", Kind.DOUBLE: "float64"}


class _OpenedFunction(Function):
    """Opens a user-defined function with the operator that calls it.

    Args:
        name: Name of the function.
        function: The function.
    """

    def __init__(self, name: str, function: UserDefinedFunction) -> None:
        self._name = name
        self._function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the function, and check that its accumulators can be pickled.

        Raises:
            UserFunctionError: ``open`` or ``create_accumulator`` raised.
            DefinitionError: State cannot hold the accumulator.
        """
        context = FunctionContext(runtime_context.job_parameters, runtime_context.get_metrics_group())
        self._call_method("open", context)
        if isinstance(self._function, ImperativeAggregateFunction):
            _check_picklable(self._name, self._call_method("create_accumulator"))

    def _call_method(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._function, method)(*arguments)
        except BaseException as error:
            raise call_failed(self._name, (), error, method) from error


@final
class _ClosedFunction(_OpenedFunction):
    """Also closes a user-defined function that overrides ``close``."""

    def close(self) -> None:
        """Close the function."""
        self._call_method("close")


def _check_picklable(name: str, accumulator: Any) -> None:
    try:
        pickle.dumps(accumulator)
    except Exception as error:
        raise DefinitionError(
            f"state cannot keep the accumulator of function {name!r}: {said(error)}",
            now="Let create_accumulator return a Row, a list or a dict of plain values, or a ListView or MapView.",
        ) from error


@final
class _FunctionCalls:
    """Calls the methods of a user's aggregate function, with values converted to the function's types.

    Args:
        user: The function with its arguments.

    Attributes:
        function: Instance of this call's own.
        opened: Opens it with the operator.
    """

    def __init__(self, user: UserAggregate) -> None:
        self.name = user.name
        self.function: Any = copy.copy(user.function.function)
        self._readers: Sequence[Convert] = [reader(kind, user.zone) for kind in user.argument_types]
        self.opened: Function | None = None
        if isinstance(self.function, UserDefinedFunction):
            closes = self.function._closes
            self.opened = (_ClosedFunction if closes else _OpenedFunction)(user.name, self.function)

    def arguments(self, values: Arguments) -> list[Any]:
        """Return the arguments of a call for the values of a row."""
        return [read(value) for read, value in zip(self._readers, values, strict=True)]

    def call(self, method: str, accumulator: Any, *arguments: Any) -> Any:
        """Call a method with an accumulator.

        Raises:
            UserFunctionError: The method raised.
        """
        try:
            return getattr(self.function, method)(accumulator, *arguments)
        except BaseException as error:
            raise call_failed(self.name, arguments, error, method) from error

    def new(self) -> Any:
        """Return an empty accumulator."""
        try:
            return self.function.create_accumulator()
        except BaseException as error:
            raise call_failed(self.name, (), error, "create_accumulator") from error

    def add(self, accumulator: Any, values: Arguments, sign: int) -> None:
        """Add the values of a row to an accumulator, or take them back."""
        self.call("accumulate" if sign > 0 else "retract", accumulator, *self.arguments(values))


@final
class _GeneralAccumulator(Accumulator):
    """Accumulator of an ``AggregateFunction``."""

    takes_null = True

    def __init__(self, calls: _FunctionCalls, type_: DataType) -> None:
        self._calls = calls
        self.function = calls.opened
        self._type = type_
        self._write = writer(type_)

    def new(self) -> Any:
        return self._calls.new()

    def add(self, accumulator: Any, value: Arguments, sign: int) -> Any:
        self._calls.add(accumulator, value, sign)
        return accumulator

    def merge(self, accumulator: Any, partial: Any) -> Any:
        self._calls.call("merge", accumulator, [partial])
        return accumulator

    def result(self, accumulator: Any) -> Any:
        return _convert_result(self._calls.name, self._calls.call("get_value", accumulator), self._type, self._write)


@final
class _VectorizedAccumulator(Accumulator):
    """Accumulator of a function of ``pandas.Series``: the arguments of all rows."""

    takes_null = True

    def __init__(self, calls: _FunctionCalls, user: UserAggregate, type_: DataType) -> None:
        self._calls = calls
        self.function = calls.opened
        self._types = user.argument_types
        self._type = type_
        self._write = writer(type_)

    def new(self) -> list[Arguments]:
        return []

    def add(self, accumulator: list[Arguments], value: Arguments, sign: int) -> list[Arguments]:
        if sign > 0:
            accumulator.append(value)
        else:
            accumulator.remove(value)
        return accumulator

    def merge(self, accumulator: list[Arguments], partial: list[Arguments]) -> list[Arguments]:
        accumulator.extend(partial)
        return accumulator

    def result(self, accumulator: list[Arguments]) -> Any:
        columns = zip(*map(self._calls.arguments, accumulator), strict=True) if accumulator else [()] * len(self._types)
        series = [_to_series(list(column), kind) for column, kind in zip(columns, self._types, strict=True)]
        try:
            result = _series_function(self._calls.function)(*series)
        except BaseException as error:
            raise call_failed(self._calls.name, (), error) from error
        return _convert_result(self._calls.name, None if _is_missing(result) else result, self._type, self._write)


def _series_function(function: Any) -> Callable[..., Any]:
    """Return the call of a vectorized function, which may be an ``AggregateFunction``."""
    if not isinstance(function, ImperativeAggregateFunction):
        vectorized: Callable[..., Any] = function
        return vectorized

    def result(*series: Any) -> Any:
        accumulator = function.create_accumulator()
        function.accumulate(accumulator, *series)
        return function.get_value(accumulator)  # type: ignore[attr-defined] # only one that has it is an aggregate

    return result


def _to_series(values: list[Any], kind: DataType) -> pd.Series[Any]:
    import pandas as pd

    dtype = _FLOATS.get(kind.kind) or (None if None in values else _DTYPES.get(kind.kind))
    return pd.Series(values, dtype=dtype)


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _convert_result(name: str, result: Any, type_: DataType, write: Convert) -> Any:
    try:
        return write(result)
    except NO_VALUE:
        raise not_of_type(name, result, type_) from None


def user_accumulator(call: AggregateCall, _: bool) -> Accumulator:
    """Return the accumulator of a user-defined function's call."""
    assert call.user is not None
    calls = _FunctionCalls(call.user)
    if call.user.function.is_pandas:
        return _VectorizedAccumulator(calls, call.user, call.type)
    return _GeneralAccumulator(calls, call.type)
