"""User-defined functions that take a whole row of a table, as ``Table.map`` calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

import attrs

from kafkastream.model.common.mutable_values import detached
from kafkastream.model.common.row import Row
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import (
    AggregateFunction,
    FunctionContext,
    FunctionKind,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    UserFunction,
)

__all__ = ["EmittedRows", "as_aggregate", "taking_columns"]


@final
@attrs.frozen
class RowMaker:
    """Makes a row, or a DataFrame for functions of pandas, of the values of columns.

    Args:
        names: Names of the columns.
        is_pandas: Whether the values are ``pandas.Series``.
    """

    names: tuple[str, ...]
    is_pandas: bool

    def __call__(self, *values: Any) -> Any:
        """Return the row."""
        if self.is_pandas:
            import pandas as pd

            return pd.DataFrame(dict(zip(self.names, values, strict=True)))
        return Row(**dict(zip(self.names, values, strict=True)))


@final
@attrs.frozen
class OfRows:
    """Python function that is called with a row.

    Args:
        function: Function of the user.
        row: Makes its argument.
    """

    function: Callable[[Any], Any]
    row: RowMaker

    def __call__(self, *values: Any) -> Any:
        """Call the function."""
        return self.function(self.row(*values))


class _Wrapping(UserDefinedFunction):
    """Function with another one inside, which it opens and closes."""

    def __init__(self, function: Any, row: Callable[..., Any]) -> None:
        self.function = function
        self.row = row

    def open(self, function_context: FunctionContext) -> None:
        """Open the function inside."""
        self.function.open(function_context)

    def close(self) -> None:
        """Close the function inside."""
        self.function.close()

    @property
    def _closes(self) -> bool:
        return bool(self.function._closes)

    def is_deterministic(self) -> bool:
        """Return whether the wrapped function is deterministic."""
        return bool(self.function.is_deterministic())


@final
class ScalarOfRows(_Wrapping, ScalarFunction):
    """Scalar function that is called with a row."""

    def eval(self, *args: Any) -> Any:
        """Call the function."""
        return self.function.eval(self.row(*args))


@final
class TableOfRows(_Wrapping, TableFunction):
    """Table function that is called with a row."""

    def eval(self, *args: Any) -> Any:
        """Call the function."""
        return self.function.eval(self.row(*args))


class _Accumulating(_Wrapping, AggregateFunction):
    """Aggregate function with another one inside."""

    def create_accumulator(self) -> Any:
        """Return the accumulator of a group without rows."""
        return self.function.create_accumulator()

    def accumulate(self, accumulator: Any, *args: Any) -> None:
        """Add a row."""
        self.function.accumulate(accumulator, *self._arguments(args))

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Take back a row."""
        self.function.retract(accumulator, *self._arguments(args))

    def merge(self, accumulator: Any, accumulators: Iterable[Any]) -> None:
        """Add the rows of other accumulators."""
        self.function.merge(accumulator, accumulators)

    def get_value(self, accumulator: Any) -> Any:
        """Return the result of a group."""
        return self.function.get_value(accumulator)

    def _implements(self, method: str) -> bool:
        return bool(self.function._implements(method))

    def _arguments(self, values: Sequence[Any]) -> Sequence[Any]:
        return values if self.row is None else [self.row(*values)]


@final
class AggregateOfRows(_Accumulating):
    """Aggregate function that is called with rows."""


@final
class EmittedRows(_Accumulating):
    """Table aggregate function as an aggregate: the array of the rows that it emits."""

    def get_value(self, accumulator: Any) -> list[Row]:
        """Return the rows of a group."""
        rows = self.function.emit_value(accumulator) or ()
        return [  # copies, since the function may emit one row again and again
            detached(row if isinstance(row, Row) else Row(*(row if isinstance(row, tuple) else (row,)))) for row in rows
        ]


def taking_columns(function: UserFunction, names: Sequence[str]) -> UserFunction:
    """Return a function with an argument for each column, which calls one that takes a row.

    Args:
        function: Function of a row.
        names: Names of the columns.
    """
    row, inner = RowMaker(tuple(names), function.is_pandas), function.function
    made: Any
    match inner:
        case ScalarFunction():
            made = ScalarOfRows(inner, row)
        case TableFunction():
            made = TableOfRows(inner, row)
        case AggregateFunction():
            made = AggregateOfRows(inner, row)
        case TableAggregateFunction():
            made = EmittedRows(inner, row)
        case _:
            made = OfRows(inner, row)  # type: ignore[arg-type]  # a Python function
    return attrs.evolve(function, function=made, input_types=None)


def as_aggregate(function: UserFunction) -> UserFunction:
    """Return a table aggregate function as an aggregate, whose result is an array of rows.

    Args:
        function: Table aggregate function, which may be wrapped by ``taking_columns`` already.
    """
    inner: Any = function.function
    made = inner if isinstance(inner, EmittedRows) else EmittedRows(inner, None)  # type: ignore[arg-type]  # no rows
    rows = DataType.of(Kind.ARRAY, parts=(function.result_type,))
    return attrs.evolve(function, function=made, result_type=rows, kind=FunctionKind.AGGREGATE)
