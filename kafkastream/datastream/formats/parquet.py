"""Parquet readers and writers, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.job.configuration import Configuration
from kafkastream.sql.files.parquet_file_format import ParquetBulkWriters, ParquetColumnarRowInputFormat

__all__ = [
    "AvroParquetReaders",
    "AvroParquetWriters",
    "Configuration",
    "ParquetBulkWriters",
    "ParquetColumnarRowInputFormat",
]


class AvroParquetReaders(StandIn, instead="ParquetColumnarRowInputFormat reads Parquet files as rows."):
    """Readers of Avro records from Parquet files."""


class AvroParquetWriters(StandIn, instead="ParquetBulkWriters.for_row_type writes rows to Parquet files."):
    """Writers of Avro records to Parquet files."""
