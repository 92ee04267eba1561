"""Calls a user-defined function on columns: for each row, with a value or rows as its result, or on pandas objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import types

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.mutable_values import detached
from kafkastream.model.common.value_printing import shown
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.sql.functions.python_values import user_values
from kafkastream.spark.worker.failures import call_failed
from kafkastream.sql.function_values import NO_VALUE, not_of_type, result_rows, written
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["column_by_rows", "of_series", "of_tables"]

_MICROS: Final = 6


def column_by_rows(
    name: str, call: Callable[..., Any], columns: Sequence[pa.Array], rows: int, kind: DataType, arrow: pa.DataType
) -> pa.Array:
    """Return the results of a function that is called for each row.

    Raises:
        UserFunctionError: The function raised, or a result is not of its type.

    Example:
        >>> numbers, letters = pa.array([1, 2]), pa.array(["a", None])
        >>> column_by_rows(
        ...     "f", lambda n, s: n * (s or "-"), [numbers, letters], 2, DataType.string(), pa.string()
        ... ).to_pylist()
        ['a', '--']
    """
    results = _each(name, call, columns, rows)
    write, values = written(kind), []
    for result in results:
        try:
            values.append(write(result))
        except NO_VALUE:
            raise not_of_type(name, result, kind) from None
    return _array(name, values, kind, arrow)


def of_tables(
    name: str, call: Callable[..., Any], columns: Sequence[pa.Array], rows: int, kind: DataType, arrow: pa.DataType
) -> pa.Array:
    """Return the rows of a table function that is called for each row, as lists.

    Raises:
        UserFunctionError: The function raised, or one of its rows is not of its type.

    Example:
        >>> from kafkastream.sql.types import RowField
        >>> row = DataType.of(Kind.ROW, fields=(RowField("f0", DataType.string()),))
        >>> arrow = pa.list_(pa.struct([("f0", pa.string())]))
        >>> of_tables(
        ...     "f", str.split, [pa.array(["a b", ""])], 2, DataType.of(Kind.ARRAY, parts=(row,)), arrow
        ... ).to_pylist()
        [[{'f0': 'a'}, {'f0': 'b'}], []]
    """
    (row_type,) = kind.parts
    write, values = written(row_type), []
    for several in _each(name, lambda *given: list(map(detached, result_rows(call(*given)))), columns, rows):
        written_rows = []
        for result in several:
            try:
                written_rows.append(write(result))
            except NO_VALUE:
                raise not_of_type(name, result, row_type) from None
        values.append(written_rows)
    return _array(name, values, kind, arrow)


def _array(name: str, values: list[Any], kind: DataType, arrow: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, arrow)
    except NO_VALUE as error:  # such as NaT, or NULL as the key of a map
        raise UserFunctionError(f"function {name!r} returned values that are not of type {kind}: {error}") from None


def _each(name: str, call: Callable[..., Any], columns: Sequence[pa.Array], rows: int) -> list[Any]:
    """Return the result of a call for each row.

    Raises:
        UserFunctionError: The function raised.
    """
    results = []
    given_to_each = zip(*map(user_values, columns), strict=True) if columns else repeat((), rows)
    for given in NOTE.watched(given_to_each):
        try:
            results.append(detached(call(*given)))
        except BaseException as error:  # noqa: BLE001 - whatever the user's function raises, also sys.exit
            raise call_failed(name, given, error) from None
    return results


def of_series(
    name: str, call: Callable[..., Any], columns: Sequence[pa.Array], rows: int, kind: DataType, arrow: pa.DataType
) -> pa.Array:
    """Return the results of a vectorized function: a ``Series`` for each column, a ``DataFrame`` for a column of rows.

    Raises:
        UserFunctionError: The function raised, or its result is not a ``Series`` of as many values of its type.

    Example:
        >>> of_series("f", lambda n: n + 1, [pa.array([1, 2])], 2, DataType.of(Kind.BIGINT), pa.int64()).to_pylist()
        [2, 3]
    """
    import pandas as pd

    try:
        result = call(*map(_series, columns))
    except BaseException as error:  # noqa: BLE001 - whatever the user's function raises, also sys.exit
        raise call_failed(name, (), error) from None
    if not isinstance(result, pd.Series | pd.DataFrame) or len(result) != rows:
        what = f"{len(result)} rows" if isinstance(result, pd.Series | pd.DataFrame) else shown(result)
        raise UserFunctionError(f"function {name!r} returned {what}", now=f"Return a pandas.Series of {rows} values.")
    try:
        return _column(result, kind, arrow)
    except (NotImplementedError, *NO_VALUE) as error:
        raise UserFunctionError(f"function {name!r} returned values that are not of type {kind}: {error}") from None


def _series(column: pa.Array) -> pd.Series[Any] | pd.DataFrame:
    import pandas as pd

    if not types.is_struct(column.type):
        return column.to_pandas(date_as_object=True)
    parts = [
        part.to_pandas(date_as_object=True).rename(field.name)
        for part, field in zip(column.flatten(), column.type, strict=True)
    ]
    return pd.concat(parts, axis=1)


def _column(result: pd.Series[Any] | pd.DataFrame, kind: DataType, arrow: pa.DataType) -> pa.Array:
    import pandas as pd

    if isinstance(result, pd.DataFrame):
        parts = [
            _column(result[name], field.type, part.type)
            for name, field, part in zip(result.columns, kind.fields, arrow, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, [field.name for field in kind.fields])
    if result.dtype == object:
        write = written(kind)
        return pa.array([None if _is_missing(one) else write(one) for one in result], arrow)
    if isinstance(result.dtype, pd.DatetimeTZDtype) or result.dtype.kind == "M":
        result = _stamps(result, kind)
    return pa.Array.from_pandas(result, mask=result.isnull(), type=arrow)


def _stamps(result: pd.Series[Any], kind: DataType) -> pd.Series[Any]:
    """Return timestamps with the precision of their type; TIMESTAMP drops a time zone."""
    import pandas as pd

    if kind.kind is Kind.TIMESTAMP:
        result = result.dt.tz_localize(None)
    elif isinstance(result.dtype, pd.DatetimeTZDtype):
        result = result.dt.tz_convert("UTC")  # UTC, in which no hour occurs twice
    floored: pd.Series[Any] = result.dt.floor(f"{10 ** max(_MICROS - (kind.size or 0), 0)}us")
    return floored


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # the parts of an array may be
