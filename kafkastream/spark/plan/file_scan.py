"""Files as the rows of a table: lines by the formats of Kafka messages, Parquet by Arrow."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, final

import attrs
import pyarrow as pa
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kafkastream.spark.internals.python import arrow_schema_of, map_in_arrow
from kafkastream.spark.plan.source_rows import ScanPlace, source_rows
from kafkastream.spark.plan.table_scan import bad_record, read_messages, table_columns
from kafkastream.spark.sql.files.file_contents import opened_bytes, opened_text, told_of_reading
from kafkastream.spark.sql.files.parquet_files import columns_of_parquet
from kafkastream.spark.sql.formats.message_format import reader_of
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.formats.value_texts import of_text
from kafkastream.spark.sql.rows.element_columns import arrow_schema
from kafkastream.sql.connectors import FileTableSource
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.connectors.metadata import MetadataField
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.files.tables import TableFile
from kafkastream.sql.formats import CsvFormat
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.type_families import TIMES
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["files_scanned"]

_VALUE: Final = "value"
_ROW: Final = "row"
_PER_BATCH: Final = 10_000
_DESCRIBED: Final = (
    StructField("source", IntegerType()),
    StructField("path", StringType()),
    StructField("size", LongType()),
    StructField("modified", LongType()),
)
"""Metadata of a file that its rows carry."""


def files_scanned(
    files: DataFrame, definition: TableDefinition, source: FileTableSource, needed: Collection[str]
) -> DataFrame:
    """Read the rows of a table.

    Args:
        files: Files, pickled, in a column ``value``; with the number of the table's node in ``source``.
        definition: The table.
        source: The table's source.
        needed: Physical columns that the query reads; the others may be NULL.

    Returns:
        ``__source``; and the columns of the table without computed ones, ``c0``, ``c1`` and so on.

    Raises:
        UnsupportedFeatureError: The format cannot be read, or cannot hold a column.
    """
    width = len(source.partitions.fields)
    described = [*_DESCRIBED, *(StructField(_partition(place), StringType()) for place in range(width))]
    if isinstance(source.part.format, ParquetFormat):
        rows, physical = _columns(files, source.part, described, needed)
    else:
        rows, physical = _lines(files, source.part, described, needed)
    for place, field in enumerate(source.partitions.fields):
        index = next(i for i, column in enumerate(definition.schema.physical) if column.name == field.name)
        physical[index] = _partition_value(place, field)
    metadata = {field.column: _metadata(field) for field in source.metadata}
    from_ = functions.col("source").alias("__source")
    return rows.select(from_, *table_columns(definition, physical, metadata))


@source_rows.register
def _rows(source: FileTableSource, place: ScanPlace) -> DataFrame:
    return files_scanned(place.files(), place.definition, source, place.needed())


def _partition(place: int) -> str:
    return f"partition{place}"


def _lines(
    files: DataFrame, part: RecordPart, described: list[StructField], needed: Collection[str]
) -> tuple[DataFrame, dict[int, Column]]:
    """Return the rows of files of lines, each line read as a Kafka message; columns by position."""
    schema = StructType([*described, StructField("line", LongType()), StructField(_VALUE, BinaryType())])
    lines = map_in_arrow(files, partial(_read_files, _Lines(part, arrow_schema_of(schema, timezone=None))), schema)
    read = part.pruned(needed)
    rows = read_messages(lines, reader_of(read), (_VALUE, "parsed", _ROW), _failure)
    return rows, {field.index: functions.col(f"{_ROW}{place}") for place, field in enumerate(read.fields)}


def _columns(
    files: DataFrame, part: RecordPart, described: list[StructField], needed: Collection[str]
) -> tuple[DataFrame, dict[int, Column]]:
    """Return the rows of Parquet files."""
    assert isinstance(part.format, ParquetFormat)
    fields = [field for field in part.fields if field.column in needed]
    own = DataType.of(Kind.ROW, fields=tuple(RowField(field.column, field.type) for field in fields))
    names = [f"column{place}" for place in range(len(fields))]
    found = [StructField(name, spark_type(field.type)) for name, field in zip(names, fields, strict=True)]
    schema = StructType([*described, *found])
    columns = _Columns(arrow_schema(own), arrow_schema_of(schema), part.format.utc_timezone)
    rows = map_in_arrow(files, partial(_read_files, columns), schema)
    return rows, {field.index: functions.col(name) for name, field in zip(names, fields, strict=True)}


def _failure(problem: Column) -> Column:
    """Return an expression that fails the query with the position of a line."""
    return bad_record(problem, file="path", line="line")


def _partition_value(place: int, field: RowField) -> Column:
    """Return the partition value in a directory's name; as in Flink, DATE and TIME may be a number of days or ms."""
    text = functions.col(_partition(place))
    if field.type.kind is Kind.DATE:
        value = functions.coalesce(of_text(text, field.type), functions.date_from_unix_date(text.try_cast("int")))
    elif field.type.kind is Kind.TIME:
        value = functions.coalesce(of_text(text, field.type), functions.time_from_millis(text.try_cast("bigint")))
    elif field.type.kind in TIMES:
        value = functions.replace(text, functions.lit("T"), functions.lit(" ")).try_cast("timestamp_ntz")
        if field.type.kind is Kind.TIMESTAMP_LTZ:
            epoch = functions.expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'")
            value = functions.timestamp_micros(functions.timestamp_diff("MICROSECOND", epoch, value))
    else:
        value = of_text(text, field.type)
    problem = functions.concat(
        functions.lit(f"partition column {field.name!r} is {field.type}, and its directory says "), text
    )
    value = functions.coalesce(value, functions.when(text.isNotNull(), bad_record(problem, file="path")))
    return value.cast(spark_type(field.type))


def _metadata(field: MetadataField) -> Column:
    return as_type(_told(field.column.key), field.type, field.column.type)


def _told(key: str) -> Column:
    """Return the column with a file's metadata."""
    match key:
        case "file.path":
            return functions.col("path")
        case "file.name":
            return functions.regexp_extract("path", "[^/]*$", 0)
        case "file.size":
            return functions.col("size")
        case _:
            return functions.timestamp_millis(functions.col("modified"))


_Contents = Callable[[TableFile, int], Iterator[pa.RecordBatch]]


def _read_files(contents: _Contents, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the contents of each file; a function for ``mapInArrow``."""
    for batch in batches:
        for source, value in zip(batch["source"].to_pylist(), batch[_VALUE].to_pylist(), strict=True):
            file: TableFile = pickle.loads(value)
            with told_of_reading(Path(file.path)):
                yield from contents(file, source)


def _described(file: TableFile, source: int, rows: int, schema: pa.Schema) -> list[pa.Array]:
    told = (source, file.path, file.size, file.modified_ms, *file.partition)
    fields = list(schema)[: len(told)]
    return [pa.repeat(pa.scalar(one, field.type), rows) for one, field in zip(told, fields, strict=True)]


@final
@attrs.frozen
class _Lines:
    part: RecordPart
    schema: pa.Schema

    def __call__(self, file: TableFile, source: int) -> Iterator[pa.RecordBatch]:
        """Yield the lines of a file, without line ends, and their numbers."""
        lines, begin = self._of(Path(file.path)), 0
        while some := list(islice(lines, _PER_BATCH)):
            numbers = pa.array(range(begin + 1, begin + len(some) + 1), pa.int64())
            told = _described(file, source, len(some), self.schema)
            yield pa.RecordBatch.from_arrays([*told, numbers, pa.array(some, pa.binary())], schema=self.schema)
            begin += len(some)

    def _of(self, file: Path) -> Iterator[bytes]:
        if isinstance(self.part.format, CsvFormat):
            # Jackson reads an empty line as one empty column, the message reader as nothing.
            dialect = self.part.format.dialect
            empty = (dialect.quote or "") * 2
            with opened_text(file, "UTF-8", newline="") as text:
                for record in dialect.records(text):
                    yield (record or empty).encode()
        else:
            with opened_bytes(file) as stream:
                for line in stream:
                    yield line.removesuffix(b"\n").removesuffix(b"\r")


@final
@attrs.frozen
class _Columns:
    own: pa.Schema
    schema: pa.Schema
    is_utc: bool

    def __call__(self, file: TableFile, source: int) -> Iterator[pa.RecordBatch]:
        """Yield the columns of a file."""
        for batch in columns_of_parquet(Path(file.path), self.own, is_utc=self.is_utc):
            told = _described(file, source, batch.num_rows, self.schema)
            yield pa.RecordBatch.from_arrays([*told, *batch.columns], schema=self.schema)
