"""Rows of a query as part files of a table, in the directories of their partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, Any, Final, final, overload

import attrs
import numpy as np
import pyarrow as pa
from pyarrow import compute
from pyspark.sql import Column, DataFrame, functions

from kafkastream.model.common.row import RowKind
from kafkastream.model.common.types import TypeInformation
from kafkastream.spark.sql.files.parquet_files import ParquetWriter
from kafkastream.spark.sql.files.part_formats import Chunk, ColumnPart, LinePart, Part, PartFormat, part_format
from kafkastream.spark.sql.formats.message_format import message_of
from kafkastream.spark.sql.rows.element_columns import arrow_schema
from kafkastream.spark.sql.rows.row_elements import RowsDecoder
from kafkastream.spark.sql.rows.sink_rows import TableWriter, table_writer, taken
from kafkastream.spark.sql.rows.wire_values import KIND
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.sql.connectors import FileTableSink
from kafkastream.sql.connectors.filesystem import TableRowsWriter
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.files.tables import Partitions
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.table import TableDefinition

__all__ = ["ArrowRows", "FileRows", "file_rows"]

_LINE: Final = "out_line"


def _data(width: int) -> list[str]:
    return [f"out_column{place}" for place in range(width)]


def _partition(width: int) -> list[str]:
    return [f"out_partition{place}" for place in range(width)]


def file_rows(rows: DataFrame, definition: TableDefinition, sink: FileTableSink) -> DataFrame:
    """Return rows in the form of files: lines, or columns, with the columns of the partition.

    Args:
        rows: Rows with hidden columns, whose names begin with ``__``, and the physical columns, ``c0`` and so on.
        definition: The table.
        sink: The table's sink.

    Raises:
        UnsupportedFeatureError: The format cannot be written, or cannot hold a column.
    """
    part, partitions = sink.writer.part, sink.writer.partitions
    columns = {column.name: functions.col(f"c{place}") for place, column in enumerate(definition.schema.physical)}
    hidden = [functions.col(name) for name in rows.columns if name.startswith("__")]
    values = [columns[field.column] for field in part.fields]
    if isinstance(part.format, ParquetFormat):
        data = [value.alias(name) for value, name in zip(values, _data(len(values)), strict=True)]
    else:
        data = [message_of(part, values, None).alias(_LINE)]
    names = _partition(len(partitions.fields))
    keys = [columns[field.name].alias(name) for field, name in zip(partitions.fields, names, strict=True)]
    return rows.select(*hidden, *data, *keys)


@final
class ArrowRows(Sequence[Any]):
    """Rows that stay Arrow columns on their way to a sink.

    Args:
        rows: The columns.
    """

    def __init__(self, rows: pa.RecordBatch) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows.num_rows

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> ArrowRows: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            begin, end, _ = index.indices(len(self))
            return ArrowRows(self.rows.slice(begin, end - begin))
        return self.rows.slice(index, 1).to_pylist()[0]

    def __contains__(self, value: object) -> bool:
        return value is not None and super().__contains__(value)


@final
@attrs.frozen
class FileRows(RowsDecoder):
    """Decoder of rows for the files of a table."""

    writer: TableRowsWriter

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the rows, as columns."""
        is_parquet = isinstance(self.writer.part.format, ParquetFormat)
        data = _data(len(self.writer.part.fields)) if is_parquet else [_LINE]
        kind = [KIND] if self.writer.commit is not None else []
        rows = arrow.select([*kind, *data, *_partition(len(self.writer.partitions.fields))])
        return Batch(ArrowRows(rows), [None] * arrow.num_rows, range(arrow.num_rows))


class _TableParts(PartFormat):
    def __init__(self, writer: TableRowsWriter) -> None:
        self._partitions = writer.partitions
        self._is_told = writer.commit is not None

    def completed(self, values: Sequence[Any]) -> Iterable[str] | None:
        """Return the directories of the partitions that ``PartitionCommitOperator`` has found complete."""
        assert isinstance(values, ArrowRows)
        if not self._is_told:
            return None
        ends = values.rows.filter(compute.equal(values.rows[KIND], RowKind.DELETE.value))
        return [folder for folder, _ in _folders(ends, self._partitions)]

    def chunks(self, values: Sequence[Any]) -> Iterable[tuple[str | None, Chunk]]:
        """Group rows by the directory of their partition."""
        assert isinstance(values, ArrowRows)
        rows, width = values.rows, len(self._partitions.fields)
        if not width:
            return [("", self._chunk(rows))]
        if self._is_told:
            rows = rows.filter(compute.invert(compute.equal(rows[KIND], RowKind.DELETE.value)))
        data = rows.select([name for name in rows.schema.names[:-width] if name != KIND])
        return [(folder, self._chunk(data.take(places))) for folder, places in _folders(rows, self._partitions)]

    def _chunk(self, rows: pa.RecordBatch) -> Chunk:
        raise NotImplementedError


def _folders(rows: pa.RecordBatch, partitions: Partitions) -> Iterable[tuple[str, pa.Array]]:
    """Yield the directories of partitions, each with its rows."""
    names = []
    for place, column in enumerate(_partition(len(partitions.fields))):
        coded = compute.dictionary_encode(rows[column], null_encoding="encode")
        known = pa.array([partitions.folder(place, value) for value in coded.dictionary.to_pylist()], pa.string())
        names.append(known.take(coded.indices))
    folders = compute.dictionary_encode(compute.binary_join_element_wise(*names, "/"))
    codes = folders.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(folders.dictionary) + 1))
    for number, folder in enumerate(folders.dictionary.to_pylist()):
        yield folder, pa.array(order[ends[number] : ends[number + 1]])


@final
class _LineParts(_TableParts):
    def _chunk(self, rows: pa.RecordBatch) -> Chunk:
        lines = rows[_LINE].to_pylist()
        if None in lines:
            raise ElementError(lines.index(None)) from ValueError("there is no line of NULL; Flink fails, too")
        return [line + b"\n" for line in lines]

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin a part file of lines."""
        return LinePart(stream)


@final
class _ColumnParts(_TableParts):
    def __init__(self, writer: TableRowsWriter, format_: ParquetFormat) -> None:
        super().__init__(writer)
        self._format = format_
        self._schema = arrow_schema(writer.part.row_type)

    def _chunk(self, rows: pa.RecordBatch) -> Chunk:
        arrays = [array.cast(field.type) for array, field in zip(rows.columns, self._schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin a part file of columns."""
        return ColumnPart(ParquetWriter(stream, self._schema, self._format))


@part_format.register
def _(writer: TableRowsWriter, element_type: TypeInformation[Any] | None) -> PartFormat:
    format_ = writer.part.format
    return _ColumnParts(writer, format_) if isinstance(format_, ParquetFormat) else _LineParts(writer)


@final
@attrs.frozen
class _Files(TableWriter):
    sink: FileTableSink

    def rows(self, rows: DataFrame, table: TableDefinition, *, drops_nulls: bool, present: Column | None) -> DataFrame:
        """Return lines or columns, with the columns of the partition."""
        rows = taken(rows, table, is_upsert=False, drops_nulls=drops_nulls, present=present)
        return file_rows(rows, table, self.sink)

    def decoder(self, query: QueryNode) -> Decoder:
        """Return the decoder that keeps rows as columns."""
        return FileRows(self.sink.writer)


@table_writer.register
def _(sink: FileTableSink) -> TableWriter:
    return _Files(sink)
