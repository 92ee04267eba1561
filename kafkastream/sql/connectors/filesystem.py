"""The connector ``filesystem``: a table in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.file_formats import BulkWriterFactory, FileContents
from kafkastream.model.connectors.file_path import local_path
from kafkastream.model.connectors.file_sink import FileSink
from kafkastream.model.connectors.file_sink_settings import BucketAssigner, DefaultRollingPolicy
from kafkastream.model.graph.graph_nodes import CollectionSource
from kafkastream.options.option import Option
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import filesystem_options
from kafkastream.sql.connectors.common_options import (
    COMMON_OPTIONS,
    SCAN_PARALLELISM,
    SINK_PARALLELISM,
    check_no_written_metadata,
)
from kafkastream.sql.connectors.key_value_fields import PartField, RecordPart
from kafkastream.sql.connectors.metadata import MetadataField, metadata_field
from kafkastream.sql.connectors.table_endpoints import RowsAtHand, TableSink, TableSource
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.files.partition_commits import PartitionCommit, PartitionTime
from kafkastream.sql.files.tables import Partitions, TableFiles
from kafkastream.sql.formats import CsvFormat, Format, JsonFormat, RawFormat, format_keys, format_of
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions
from kafkastream.sql.type_families import BYTES, CONSTRUCTED, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "FILESYSTEM",
    "FILE_FORMATS",
    "FileTableSink",
    "FileTableSource",
    "TableRowsWriter",
    "filesystem_sink",
    "filesystem_source",
]

FILESYSTEM: Final = OptionGroup(
    "filesystem",
    (
        filesystem_options.PATH,
        filesystem_options.FILE_FORMAT,
        filesystem_options.PARTITION_DEFAULT_NAME,
        *filesystem_options.READING,
        SCAN_PARALLELISM,
        *filesystem_options.WRITING,
        SINK_PARALLELISM,
    ),
    required=(filesystem_options.PATH, filesystem_options.FILE_FORMAT),
    common=COMMON_OPTIONS,
)
FILE_FORMATS: Final[Mapping[str, type[Format]]] = {
    kind.identifier: kind for kind in (CsvFormat, JsonFormat, ParquetFormat, RawFormat)
}
"""The formats of files by their identifiers."""
_FLINKS: Final = frozenset({"avro", "canal-json", "debezium-json", "maxwell-json", "orc", "ogg-json", "protobuf"})
_METADATA: Final[Mapping[str, DataType]] = FrozenMap(
    {
        "file.path": DataType.string().not_null(),
        "file.name": DataType.string().not_null(),
        "file.size": DataType.of(Kind.BIGINT).not_null(),
        "file.modification-time": DataType.of(Kind.TIMESTAMP_LTZ, 3).not_null(),
    }
)
_NO_NAMES: Final = CONSTRUCTED | BYTES


@final
@attrs.frozen(kw_only=True)
class FileTableSource(TableSource):
    """Bounded source of a table in files.

    Args:
        base_path: Directory of the table.
        part: Columns in the files, which are all but partition columns, and their format.
        partitions: Partition columns, whose values are in the names of directories.
        metadata: Metadata columns.
        parallelism: Number of subtasks that read.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.file_scan"

    base_path: str
    part: RecordPart
    partitions: Partitions
    metadata: tuple[MetadataField, ...] = ()
    parallelism: int | None = None

    @property
    def origin_text(self) -> str:
        """Return the directory."""
        return f"files in {self.base_path}"

    @property
    def graph_source(self) -> CollectionSource:
        """Return the source of the files in the directory."""
        return CollectionSource(FileContents((self.base_path,), TableFiles(self.base_path, self.partitions)))

    @property
    def rows_at_hand(self) -> RowsAtHand:
        """Return the rows of all files."""
        return RowsAtHand("filesystem", "a 'filesystem' table, without state,", needs_state=True)


@final
@attrs.frozen
class TableRowsWriter(BulkWriterFactory):
    """Writes the rows of a query to the files of a table.

    Args:
        part: Columns in the files, without partition columns, and their format.
        partitions: The partition columns.
        commit: Moment at which partitions are committed; None with each micro-batch that writes to them.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_rows"
    part: RecordPart
    partitions: Partitions
    commit: PartitionCommit | None = None


@final
@attrs.frozen(kw_only=True)
class FileTableSink(TableSink):
    """Sink of a table in files.

    Args:
        sink: File sink in the job graph.
        writer: Encoder of rows.
        parallelism: Number of subtasks that write.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_rows"
    sink: FileSink
    writer: TableRowsWriter
    parallelism: int | None = None

    @property
    def changelog(self) -> ChangelogMode:
        """Return the insert-only mode."""
        return ChangelogMode.APPEND


def filesystem_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> FileTableSource:
    """Return the source of a table of the connector ``filesystem``.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other or the columns.
        UnsupportedFeatureError: An option is not supported.
    """
    options = _checked(definition, environ)
    _read_all(options, filesystem_options.READING)
    return FileTableSource(
        base_path=_path(options),
        part=_part(options),
        partitions=_partitions(options),
        metadata=tuple(
            metadata_field(options, column, _METADATA, "FileSystemTableSource") for column in definition.schema.metadata
        ),
        parallelism=options.get(SCAN_PARALLELISM),
    )


def filesystem_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> FileTableSink:
    """Return the sink of a table of the connector ``filesystem``; errors as of ``filesystem_source``."""
    options = _checked(definition, environ)
    _read_all(options, filesystem_options.WRITING)
    check_no_written_metadata(options)
    partitions = _partitions(options)
    has_success = bool(partitions.fields) and options.get(filesystem_options.COMMIT_POLICY) is not None
    writer = TableRowsWriter(_part(options), partitions, _commit(options, partitions) if has_success else None)
    sink = FileSink(
        base_path=_path(options),
        encoder=writer,
        rolling_policy=DefaultRollingPolicy(options.get(filesystem_options.FILE_SIZE)),
        bucket_assigner=BucketAssigner.base_path_bucket_assigner(),
        success_file=options.get(filesystem_options.SUCCESS_FILE) if has_success else None,
    )
    return FileTableSink(sink=sink, writer=writer, parallelism=options.get(SINK_PARALLELISM))


def _checked(definition: TableDefinition, environ: Mapping[str, str] | None) -> TableOptions:
    options = TableOptions.of(definition, environ)
    named_by = filesystem_options.FILE_FORMAT.key
    identifier = options.values.get(named_by)
    if identifier in _FLINKS:
        raise UnsupportedFeatureError(
            f"files of the format {identifier!r} are neither read nor written by SQL",
            where=options.where(named_by),
            now=f"Use {', '.join(sorted(FILE_FORMATS))}.",
        )
    keys = () if identifier is None else format_keys(named_by, options, ("",), FILE_FORMATS)
    FILESYSTEM.check(options, list(keys))
    return options


def _read_all(options: TableOptions, given: Iterable[Option[Any]]) -> None:
    """Read all options, so that unsupported values are refused even if nothing else uses them."""
    for option in given:
        options.get(option)


def _path(options: TableOptions) -> str:
    path = options.get(filesystem_options.PATH)
    assert path is not None
    return local_path(path, options.where(filesystem_options.PATH.key))


def _partitions(options: TableOptions) -> Partitions:
    types = {column.name: column.type for column in options.definition.schema.physical}
    fields = tuple(RowField(name, types[name]) for name in options.definition.partitioned_by)
    for field in fields:
        if field.type.kind in _NO_NAMES:
            raise options.column_refusal(f"a partition column cannot be of type {field.type}", field.name)
    return Partitions(fields, options.get(filesystem_options.PARTITION_DEFAULT_NAME))


def _commit(options: TableOptions, partitions: Partitions) -> PartitionCommit | None:
    """Return the moment at which partitions are committed; None with each micro-batch that writes to them.

    Raises:
        UnsupportedFeatureError: The time of a partition is read from a column that is neither text nor a whole number.
    """
    delay_ms = options.get(filesystem_options.COMMIT_DELAY)
    if options.get(filesystem_options.COMMIT_TRIGGER) is filesystem_options.CommitTrigger.PROCESS_TIME:
        return PartitionCommit(delay_ms=delay_ms, time=None) if delay_ms else None
    time = PartitionTime(
        columns=tuple(partitions.names),
        pattern=options.get(filesystem_options.TIME_PATTERN),
        formatter=options.get(filesystem_options.TIME_FORMATTER),
        zone=options.get(filesystem_options.WATERMARK_ZONE),
        default_name=partitions.default_name,
    )
    for field in partitions.fields:
        if field.name in time.read and field.type.kind not in TEXT | WHOLE:
            raise UnsupportedFeatureError(
                f"the time of a partition from a column of type {field.type}",
                where=options.where(filesystem_options.COMMIT_TRIGGER.key),
                now=f"Declare column '{field.name}' as STRING, and write the time as DATE_FORMAT(ts, 'yyyy-MM-dd').",
            )
    return PartitionCommit(delay_ms=delay_ms, time=time)


def _part(options: TableOptions) -> RecordPart:
    named_by = filesystem_options.FILE_FORMAT.key
    format_ = format_of(named_by, options, ("",), FILE_FORMATS)
    part = RecordPart(format_, tuple(_fields(options.definition)))
    problem = format_.problem_with(part.row_type.fields)
    if problem is not None:
        raise options.refusal(problem, named_by)
    return part


def _fields(definition: TableDefinition) -> Iterator[PartField]:
    for place, column in enumerate(definition.schema.physical):
        if column.name not in definition.partitioned_by:
            yield PartField(place, column.name, column.name, column.type)
