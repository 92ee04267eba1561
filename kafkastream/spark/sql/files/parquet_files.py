"""Parquet files by Arrow, compatible with Flink's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final, final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute, types

from kafkastream.errors import StorageError, UnsupportedFeatureError
from kafkastream.model.common.time import machine_time_zone
from kafkastream.sql.files.parquet_file_format import ParquetFormat, ParquetTimeUnit

__all__ = ["ParquetWriter", "columns_of_parquet"]

_MICROS: Final = pa.timestamp("us")
_UNITS: Final = {ParquetTimeUnit.NANOS: "ns", ParquetTimeUnit.MICROS: "us", ParquetTimeUnit.MILLIS: "ms"}
_UTC: Final = "Set 'parquet.utc-timezone' = 'true' (utc_timestamp=True), or run the job with TZ=UTC."
_WHOLE: Final = {
    pa.int8(): "int32",
    pa.int16(): "int32",
    pa.int32(): "int32",
    pa.date32(): "int32",
    pa.time32("ms"): "int32",
    pa.uint8(): "int32",
    pa.uint16(): "int32",
    pa.int64(): "int64",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "binary",
    pa.large_string(): "binary",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
}


@final
class ParquetWriter:
    """Writes columns to a Parquet file.

    Differs from Flink: nested timestamps can only be written in UTC.

    Args:
        stream: Output stream of the file.
        schema: Arrow schema of the columns. format_: Options of the format.

    Raises:
        UnsupportedFeatureError: A nested timestamp would be written in the machine's time zone, which is not UTC.
    """

    def __init__(self, stream: IO[bytes], schema: pa.Schema, format_: ParquetFormat) -> None:
        self._format = format_
        self._zone = _zone(schema, is_utc=format_.utc_timezone)
        self._schema = pa.schema([field.with_type(_stored(field.type, format_)) for field in schema])
        self._stream = stream
        self._pending: list[pa.RecordBatch] = []
        self._bytes = 0
        self._writer = pq.ParquetWriter(
            stream,
            self._schema,
            compression=format_.compression.value,
            use_deprecated_int96_timestamps=not format_.int64_timestamps,
            coerce_timestamps=_UNITS[format_.time_unit] if format_.int64_timestamps else None,
            allow_truncated_timestamps=True,
            store_schema=False,
        )

    @property
    def size(self) -> int:
        """Number of bytes, including those buffered in memory."""
        return self._stream.tell() + self._bytes

    def write(self, rows: pa.RecordBatch) -> None:
        """Write rows; they are buffered until there are enough for a row group."""
        arrays = [
            _to_store(array, field.type, self._zone) for array, field in zip(rows.columns, self._schema, strict=True)
        ]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._pending.append(batch)
        self._bytes += batch.nbytes
        if self._bytes >= self._format.block_size:
            self._write_group()

    def close(self) -> None:
        """Write the buffered rows and the footer."""
        self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        if self._pending:
            table = pa.Table.from_batches(self._pending)
            self._writer.write_table(table, row_group_size=table.num_rows)
            self._pending, self._bytes = [], 0


def columns_of_parquet(
    file: Path, schema: pa.Schema, *, is_utc: bool, is_case_sensitive: bool = True, batch_size: int = 65_536
) -> Iterator[pa.RecordBatch]:
    """Read columns of a Parquet file by name; a missing column is NULL.

    Args:
        file: The file.
        schema: The columns.
        is_utc: Whether timestamps are in UTC; otherwise in the machine's time zone.
        is_case_sensitive: Whether column names are case-sensitive.
        batch_size: Number of rows to read at once.

    Raises:
        StorageError: The file is not a Parquet file, or a column has another type.
    """
    zone = _zone(schema, is_utc=is_utc)
    try:
        with pq.ParquetFile(file, coerce_int96_timestamp_unit="us") as parquet:
            found = _found(parquet.schema_arrow.names, schema.names, is_case_sensitive)
            for batch in parquet.iter_batches(batch_size, columns=[name for name in found if name is not None]):
                yield pa.RecordBatch.from_arrays(
                    [
                        pa.nulls(batch.num_rows, field.type)
                        if name is None
                        else _of_store(batch[name], field, zone, file)
                        for field, name in zip(schema, found, strict=True)
                    ],
                    schema=schema,
                )
    except pa.ArrowInvalid as error:
        raise StorageError(f"cannot read {file}: {error}", now="Check that it is a Parquet file.") from None


def _found(own: Sequence[str], wanted: Sequence[str], is_case_sensitive: bool) -> list[str | None]:
    """Return the file's names of the columns."""
    if is_case_sensitive:
        return [name if name in own else None for name in wanted]
    folded = {name.lower(): name for name in reversed(own)}
    return [folded.get(name.lower()) for name in wanted]


def _zone(schema: pa.Schema, *, is_utc: bool) -> str | None:
    """Return the time zone in which timestamps are written; None for UTC."""
    zone = None if is_utc else machine_time_zone()
    if zone in (None, "UTC", "Etc/UTC", "Z"):
        return None
    nested = [field.name for field in schema if types.is_nested(field.type) and "timestamp" in str(field.type)]
    if nested:
        raise UnsupportedFeatureError(
            f"timestamps within column {nested[0]!r} by the clock of {zone}", where="Parquet files", now=_UTC
        )
    return zone


def _stored(kind: pa.DataType, format_: ParquetFormat) -> pa.DataType:
    """Return Flink's physical type of a column: TIME in ms; timestamps as INT96 have no zone."""
    if types.is_time(kind):
        return pa.time32("ms")
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz if format_.int64_timestamps else None)
    if types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_stored(kind.value_type, format_)))
    if types.is_map(kind):
        return pa.map_(_stored(kind.key_type, format_), _stored(kind.item_type, format_))
    if types.is_struct(kind):
        return pa.struct([field.with_type(_stored(field.type, format_)) for field in kind])
    return kind


def _to_store(array: pa.Array, kind: pa.DataType, zone: str | None) -> pa.Array:
    if zone is not None and types.is_timestamp(array.type):
        local = compute.assume_timezone(array.cast(_MICROS), zone, ambiguous="earliest", nonexistent="latest")
        array = local.cast(pa.int64()).cast(_MICROS)
    return array if array.type == kind else array.cast(kind, safe=False)


def _of_store(array: pa.Array, field: pa.Field, zone: str | None, file: Path) -> pa.Array:
    """Return a column of the file cast to its declared type."""
    own, kind = array.type, field.type
    if types.is_timestamp(own) and types.is_timestamp(kind):
        instants = array.cast(pa.timestamp(own.unit)).cast(_MICROS, safe=False)
        if zone is not None:
            instants = compute.local_timestamp(instants.cast(pa.int64()).cast(pa.timestamp("us", zone)))
        return instants.cast(kind)
    if types.is_time(own) and types.is_time(kind):
        return array.cast(kind)
    is_same = own == kind or (own in _WHOLE and _WHOLE[own] == _WHOLE.get(kind))
    both_decimal = types.is_decimal(own) and types.is_decimal(kind)
    both_nested = types.is_nested(own) and types.is_nested(kind)
    if not (is_same or both_decimal or both_nested):
        raise StorageError(
            f"cannot read {file}: column {field.name!r} is {own}, not {kind}", now="Declare it with the file's type."
        )
    return array.cast(kind, safe=both_decimal or both_nested)
