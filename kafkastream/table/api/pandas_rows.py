"""DataFrames of pandas as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    import pandas

__all__ = ["pandas_rows"]

_WHERE: Final = "from_pandas"
_DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 6}


def pandas_rows(
    frame: pandas.DataFrame, schema: DataType | Sequence[str] | Sequence[DataType] | None
) -> tuple[list[tuple[Any, ...]], DataType]:
    """Return the rows of a DataFrame and their ROW type, as PyFlink derives it; NaN is NULL.

    Args:
        frame: DataFrame; its index is left out.
        schema: ROW type, names of the columns, or their types; None for those of the DataFrame.

    Raises:
        DefinitionError: It is not a DataFrame, or the columns do not match.
        UnsupportedFeatureError: SQL has no type for a column.
    """
    import pandas as pd
    import pyarrow

    pa: Any = pyarrow
    if not isinstance(frame, pd.DataFrame):
        raise DefinitionError(f"Unsupported type, expected pandas.DataFrame, got {type(frame)}", where=_WHERE)
    found = pa.Table.from_pandas(frame, preserve_index=False)
    arrays = [column.cast(pa.timestamp("us", column.type.tz)) if _is_fine(column.type) else column for column in found]
    rows = list(zip(*(array.to_pylist() for array in arrays), strict=True))
    return rows, _row(found.schema, schema)


def _is_fine(kind: Any) -> bool:
    return str(kind).startswith("timestamp[ns")


def _row(found: Any, schema: DataType | Sequence[str] | Sequence[DataType] | None) -> DataType:
    if isinstance(schema, DataType):
        return schema
    names, types = list(found.names), None
    if schema is not None:
        if len(schema) != len(names):
            raise DefinitionError(f"{len(schema)} columns are given for {len(names)}", where=_WHERE, now="Give each.")
        given = list(schema)
        types = [one for one in given if isinstance(one, DataType)] or None
        names = names if types else [str(one) for one in given]
    types = types or [_type(field.name, field.type) for field in found]
    return DataType.of(Kind.ROW, fields=tuple(map(RowField, names, types)))


def _type(name: str, kind: Any) -> DataType:
    import pyarrow as pa

    if pa.types.is_list(kind):
        return DataType.of(Kind.ARRAY, parts=(_type(name, kind.value_type),))
    if pa.types.is_struct(kind):
        fields = tuple(RowField(one.name, _type(name, one.type)) for one in kind)
        return DataType.of(Kind.ROW, fields=fields)
    for is_kind, made in _TYPES.items():
        if getattr(pa.types, is_kind)(kind):
            return made(kind)
    raise UnsupportedFeatureError(
        f"SQL has no type for column {name!r}, whose type is {kind}", where=_WHERE, now="Convert it, or give its type."
    )


_TYPES: Final[Mapping[str, Callable[[Any], DataType]]] = {
    "is_boolean": lambda _: DataType.of(Kind.BOOLEAN),
    "is_int8": lambda _: DataType.of(Kind.TINYINT),
    "is_int16": lambda _: DataType.of(Kind.SMALLINT),
    "is_int32": lambda _: DataType.of(Kind.INT),
    "is_int64": lambda _: DataType.of(Kind.BIGINT),
    "is_float32": lambda _: DataType.of(Kind.FLOAT),
    "is_float64": lambda _: DataType.of(Kind.DOUBLE),
    "is_string": lambda _: DataType.string(),
    "is_large_string": lambda _: DataType.string(),
    "is_binary": lambda _: DataType.bytes_(),
    "is_date32": lambda _: DataType.of(Kind.DATE),
    "is_time": lambda kind: DataType.of(Kind.TIME, _DIGITS[kind.unit]),
    "is_timestamp": lambda kind: DataType.of(Kind.TIMESTAMP_LTZ if kind.tz else Kind.TIMESTAMP, _DIGITS[kind.unit]),
    "is_decimal128": lambda kind: DataType.of(Kind.DECIMAL, kind.precision, kind.scale),
}
