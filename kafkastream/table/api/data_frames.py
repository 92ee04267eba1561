"""Rows of a table as a DataFrame of pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from kafkastream.model.common.row import Row, RowKind
from kafkastream.sql.types import DataType, Kind
from kafkastream.table.table_schema import TableSchema

if TYPE_CHECKING:
    import pandas

__all__ = ["data_frame"]

_WHOLE: Final = {Kind.TINYINT: "int8", Kind.SMALLINT: "int16", Kind.INT: "int32", Kind.BIGINT: "int64"}
_ADDED: Final = frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER})


def data_frame(rows: Iterable[Row], schema: TableSchema, zone: str) -> pandas.DataFrame:
    """Return rows as a DataFrame, with the types that PyFlink gives its columns.

    Args:
        rows: Changes; a deleted row is left out.
        schema: Columns.
        zone: Time zone of the session.
    """
    import pandas as pd

    kept: list[list[Any]] = []
    for row in rows:
        values = list(row)
        if row.get_row_kind() in _ADDED:
            kept.append(values)
        else:
            del kept[len(kept) - 1 - kept[::-1].index(values)]
    columns = {
        name: _series([row[at] for row in kept], kind, zone)
        for at, (name, kind) in enumerate(zip(schema.get_field_names(), schema.get_field_data_types(), strict=True))
    }
    return pd.DataFrame(columns)


def _series(values: list[Any], type_: DataType, zone: str) -> Any:
    import pandas as pd

    return _SERIES.get(type_.kind, _objects)(pd, values, type_, zone)


def _objects(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(values, dtype="object")


def _wholes(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(values, dtype="float64" if None in values else _WHOLE[type_.kind])


def _doubles(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(values, dtype="float32" if type_.kind is Kind.FLOAT else "float64")


def _booleans(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(values, dtype="object" if None in values else "bool")


def _times(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(pd.to_datetime(values), dtype="datetime64[ns]")


def _instants(pd: Any, values: list[Any], type_: DataType, zone: str) -> Any:
    return pd.Series(pd.to_datetime(values, utc=True)).dt.tz_convert(zone)


_SERIES: Final[Mapping[Kind, Callable[[Any, list[Any], DataType, str], Any]]] = {
    **dict.fromkeys(_WHOLE, _wholes),
    Kind.FLOAT: _doubles,
    Kind.DOUBLE: _doubles,
    Kind.BOOLEAN: _booleans,
    Kind.TIMESTAMP: _times,
    Kind.TIMESTAMP_LTZ: _instants,
}
