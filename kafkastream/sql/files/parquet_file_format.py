"""Parquet files of rows, as Flink's ``parquet`` format writes and reads them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.types import RowTypeInfo
from kafkastream.model.connectors.file_formats import BulkFormat, BulkWriterFactory
from kafkastream.model.job.configuration import Configuration
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, bytes_of_memory, enum_member
from kafkastream.sql.formats.format import Format
from kafkastream.sql.settings import options_of, read_settings, setting
from kafkastream.sql.type_families import INTERVALS
from kafkastream.sql.type_information import row_type_info
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "ParquetBulkWriters",
    "ParquetColumnarRowInputFormat",
    "ParquetCompression",
    "ParquetFormat",
    "ParquetTimeUnit",
    "ParquetWriterFactory",
    "RowDataBulkWriterFactory",
]


class ParquetCompression(enum.Enum):
    """Compression of pages."""

    UNCOMPRESSED = "none"
    SNAPPY = "snappy"
    GZIP = "gzip"
    BROTLI = "brotli"
    LZ4 = "lz4"
    ZSTD = "zstd"


class ParquetTimeUnit(enum.Enum):
    """Unit of timestamps of 64 bits."""

    NANOS = "nanos"
    MICROS = "micros"
    MILLIS = "millis"


UTC_TIMEZONE: Final = Option[bool](
    key="utc-timezone",
    parse=boolean,
    default=False,
    doc="Whether a TIMESTAMP is written and read as a time in UTC; otherwise in this machine's time zone.",
)
TIME_UNIT: Final = Option[ParquetTimeUnit](
    key="timestamp.time.unit",
    parse=enum_member(ParquetTimeUnit),
    default=ParquetTimeUnit.MICROS,
    doc="Unit of timestamps with `write.int64.timestamp`: `nanos`, `micros` or `millis`.",
)
INT64: Final = Option[bool](
    key="write.int64.timestamp",
    parse=boolean,
    default=False,
    doc="Whether timestamps are 64-bit integers; otherwise the older INT96.",
)
COMPRESSION: Final = Option[ParquetCompression](
    key="compression",
    parse=enum_member(ParquetCompression),
    default=ParquetCompression.SNAPPY,
    doc="Compression of pages: `SNAPPY`, `GZIP`, `ZSTD`, `LZ4`, `BROTLI` or `UNCOMPRESSED`.",
)
BLOCK_SIZE: Final = Option[int](
    key="block.size",
    parse=bytes_of_memory,
    default=128 * 1024 * 1024,
    doc="Size of a row group in memory, in bytes.",
)


@final
@attrs.frozen(kw_only=True)
class ParquetFormat(Format):
    """Options of Parquet files, whose columns are found by name."""

    identifier: ClassVar[str] = "parquet"
    utc_timezone: bool = setting(UTC_TIMEZONE)
    time_unit: ParquetTimeUnit = setting(TIME_UNIT)
    int64_timestamps: bool = setting(INT64)
    compression: ParquetCompression = setting(COMPRESSION)
    block_size: int = setting(BLOCK_SIZE)

    @staticmethod
    def of(configuration: Configuration | None, utc_timezone: bool) -> ParquetFormat:
        """Read the options ``parquet.*`` of a Hadoop configuration.

        Raises:
            UnsupportedFeatureError: An option is not supported.
            DefinitionError: A value is invalid.
        """
        given = {} if configuration is None else configuration.to_dict()
        known = {f"parquet.{option.key}": option for option in options_of(ParquetFormat)}
        for key in given:
            if key.startswith("parquet.") and key not in known:
                raise UnsupportedFeatureError(
                    f"Parquet files are written without {key!r}",
                    where="hadoop_config",
                    now=f"Known: {', '.join(known)}.",
                )

        def read(option: Option[Any]) -> Any:
            text = given.get(f"parquet.{option.key}")
            try:
                return option.default if text is None else option.parse(text)
            except ValueError as error:
                raise DefinitionError(
                    f"{text!r} is not a value of 'parquet.{option.key}': {error}", where="hadoop_config"
                ) from None

        return attrs.evolve(ParquetFormat(**read_settings(ParquetFormat, read)), utc_timezone=utc_timezone)

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Return the reason why files cannot hold these columns; None if they can."""
        kinds = [(field.name, field.type) for field in fields]
        found = next((one for one in kinds if one[1].kind in INTERVALS), None)
        return None if found is None else f"Unsupported type: {found[1]}, of column {found[0]!r}"


class RowDataBulkWriterFactory(BulkWriterFactory):
    """Writes rows to a file in batches."""

    __slots__ = ()

    def get_row_type(self) -> DataType:
        """Return the type of the rows."""
        raise NotImplementedError

    getRowType = get_row_type


@final
@attrs.frozen
class ParquetWriterFactory(RowDataBulkWriterFactory):
    """Writes rows to Parquet files; made by ``ParquetBulkWriters``.

    Args:
        row_type: The type of the rows.
        format: Options of the files.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.part_formats"
    row_type: DataType
    format: ParquetFormat = attrs.field(factory=ParquetFormat)

    def get_row_type(self) -> DataType:
        """Return the type of the rows."""
        return self.row_type

    getRowType = get_row_type


@final
@checked_methods
class ParquetBulkWriters:
    """Write rows to Parquet files; for ``FileSink.for_bulk_format``.

    Example:
        >>> from kafkastream.table import DataTypes
        >>> row = DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT())])
        >>> str(ParquetBulkWriters.for_row_type(row, utc_timestamp=True).get_row_type())
        'ROW<`id` BIGINT>'
    """

    @staticmethod
    def for_row_type(
        row_type: DataType, hadoop_config: Configuration | None = None, utc_timestamp: bool = False
    ) -> RowDataBulkWriterFactory:
        """Write rows of a type.

        Args:
            row_type: ``DataTypes.ROW([…])``.
            hadoop_config: Options ``parquet.compression``, ``parquet.block.size``, ``parquet.write.int64.timestamp``
                and ``parquet.timestamp.time.unit``; keys that do not begin with ``parquet.`` have no effect.
            utc_timestamp: Whether to write TIMESTAMP in UTC; otherwise in the machine's time zone.

        Raises:
            DefinitionError: The type is not a ROW, or an option has an invalid value.
            UnsupportedFeatureError: An option ``parquet.*`` is not supported.
        """
        _check_row(row_type, "ParquetBulkWriters.for_row_type")
        return ParquetWriterFactory(row_type, ParquetFormat.of(hadoop_config, utc_timestamp))

    forRowType = for_row_type


@final
@checked_methods
class ParquetColumnarRowInputFormat(BulkFormat):
    """Reads rows of Parquet files by column names; for ``FileSource.for_bulk_file_format``.

    As in Flink, a column that a file lacks is None.

    Args:
        row_type: Columns to read: ``DataTypes.ROW([…])``.
        hadoop_config: Has no effect.
        batch_size: Number of rows that are read at once.
        is_utc_timestamp: Whether timestamps are in UTC; otherwise in the machine's time zone.
        is_case_sensitive: Whether column names are case-sensitive.

    Raises:
        DefinitionError: It is not a ROW type.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.parquet_contents"

    def __init__(
        self,
        row_type: DataType,
        hadoop_config: Configuration | None = None,
        batch_size: int = 2048,
        is_utc_timestamp: bool = False,
        is_case_sensitive: bool = True,
    ) -> None:
        _check_row(row_type, "ParquetColumnarRowInputFormat")
        self.row_type = row_type
        self.batch_size = batch_size
        self.is_utc_timestamp = is_utc_timestamp
        self.is_case_sensitive = is_case_sensitive

    @property
    def produced_type(self) -> RowTypeInfo:
        """The type of the rows."""
        return row_type_info((field.name, field.type) for field in self.row_type.fields)


def _check_row(row_type: DataType, where: str) -> None:
    if row_type.kind is not Kind.ROW:
        raise DefinitionError(f"{row_type} is not a ROW type", where=where, now="Give it DataTypes.ROW([…]).")
    problem = ParquetFormat().problem_with(row_type.fields)
    if problem is not None:
        raise DefinitionError(problem, where=where)
