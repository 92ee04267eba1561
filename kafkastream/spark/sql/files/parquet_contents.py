"""Rows of Parquet files, for sources of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kafkastream.model.common.row import Row, named_rows
from kafkastream.spark.sql.files.file_contents import read_file
from kafkastream.spark.sql.files.parquet_files import columns_of_parquet
from kafkastream.spark.sql.functions.python_values import user_values
from kafkastream.spark.sql.rows.element_columns import arrow_schema
from kafkastream.sql.files.parquet_file_format import ParquetColumnarRowInputFormat

__all__: list[str] = []


@read_file.register
def _(format_: ParquetColumnarRowInputFormat, file: Path) -> Iterator[Row]:
    batches = columns_of_parquet(
        file,
        arrow_schema(format_.row_type),
        is_utc=format_.is_utc_timestamp,
        is_case_sensitive=format_.is_case_sensitive,
        batch_size=format_.batch_size,
    )
    names = [field.name for field in format_.row_type.fields]
    for batch in batches:
        values = [user_values(column, instants=True) for column in batch.columns]
        yield from named_rows(names, map(list, zip(*values, strict=True)))
