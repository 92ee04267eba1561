"""Decodes rows of a query to changes of a database table."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, final

import attrs
import msgspec
import pyarrow as pa
from pyarrow import compute, types

from kafkastream.cdc.rows import row_class
from kafkastream.cdc.tables import Column
from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.rows.row_elements import RowsDecoder
from kafkastream.spark.sql.rows.wire_values import column_names, kinds_of
from kafkastream.spark.worker.batches import Batch
from kafkastream.sql.types import DataType

__all__ = ["ChangedRows", "database_values"]

_DIGITS: Final = 6
_KINDS: Final = tuple(RowKind)


@final
@attrs.frozen
class ChangedRows(RowsDecoder):
    """Decodes rows to pairs of a ``RowKind`` and a ``cdc.changes.Row``.

    Args:
        types: The types of the columns.
    """

    types: tuple[DataType, ...]

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return a pair for each row."""
        names = column_names(len(self.types))
        columns = [database_values(arrow[name], type_) for name, type_ in zip(names, self.types, strict=True)]
        rows = map(_class_of(len(names)), *columns)
        values = list(zip(map(_KINDS.__getitem__, kinds_of(arrow)), rows, strict=True))
        return Batch(values, [None] * len(values), range(len(values)))


def database_values(column: pa.Array, type_: DataType) -> list[Any]:
    """Return the values of a column for a database: times and FLOAT as text, others unchanged.

    Fractions of a second beyond the type's precision are truncated, as in Flink's casts.

    Example:
        >>> from kafkastream.sql.types import Kind
        >>> database_values(pa.array([1_500_000, None], pa.timestamp("us")), DataType.of(Kind.TIMESTAMP, 0))
        ['1970-01-01 00:00:01', None]
        >>> database_values(pa.array([0.1], pa.float32()), DataType.of(Kind.FLOAT))
        ['0.1']
    """
    if types.is_list(column.type):
        parts = iter(database_values(compute.list_flatten(column), type_.parts[0]))
        lengths = compute.list_value_length(column).to_pylist()
        return [None if length is None else list(islice(parts, length)) for length in lengths]
    if types.is_timestamp(column.type) or types.is_time64(column.type):
        column = _cut(column, min(type_.size or 0, _DIGITS))
    elif types.is_date32(column.type) or types.is_float32(column.type):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values


def _cut(times: pa.Array, digits: int) -> pa.Array:
    """Return times as text with so many digits of a second, timestamps in UTC."""
    whole = pa.time64("us") if types.is_time64(times.type) else pa.timestamp("us")
    texts = times.cast(whole).cast(pa.string())
    if digits == _DIGITS:
        return texts
    return compute.utf8_slice_codeunits(texts, 0, stop=digits - _DIGITS - (digits == 0))


def _class_of(width: int) -> type[msgspec.Struct]:
    return row_class(tuple(Column(name, DataType.string()) for name in column_names(width)))
