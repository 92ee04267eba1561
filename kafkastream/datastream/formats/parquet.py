"""Parquet files, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.configuration import Configuration
from kafkastream.spec.stand_in import FILES, StandIn

__all__ = [
    "AvroParquetReaders",
    "AvroParquetWriters",
    "Configuration",
    "ParquetBulkWriters",
    "ParquetColumnarRowInputFormat",
]


class AvroParquetReaders(StandIn, instead=FILES):
    """Read Parquet files as Avro records."""


class AvroParquetWriters(StandIn, instead=FILES):
    """Write Avro records to Parquet files."""


class ParquetColumnarRowInputFormat(StandIn, instead=FILES):
    """Reads columns of Parquet files."""


class ParquetBulkWriters(StandIn, instead=FILES):
    """Write Parquet files."""
