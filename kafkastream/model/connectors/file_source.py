"""A source of the contents of files, with Flink's settings."""

from __future__ import annotations

from typing import Any, NoReturn, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Source
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.time import Duration
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.file_formats import BulkFormat, FileContents, FileFormat, StreamFormat
from kafkastream.model.connectors.file_path import local_path

__all__ = ["FileEnumeratorProvider", "FileSource", "FileSourceBuilder", "FileSplitAssignerProvider"]


@final
@attrs.frozen
class FileEnumeratorProvider:
    """Ways to find files: below directories, too, and without those whose names begin with a dot or an underscore."""

    _j_file_enumerator_provider = Refused()

    @staticmethod
    def default_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Find files; differs from Flink: none is split."""
        return FileEnumeratorProvider()

    defaultSplittableFileEnumerator = default_splittable_file_enumerator

    @staticmethod
    def default_non_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Find files."""
        return FileEnumeratorProvider()

    defaultNonSplittableFileEnumerator = default_non_splittable_file_enumerator


@final
@attrs.frozen
class FileSplitAssignerProvider:
    """Assignment of files to readers; here one task reads all files."""

    _j_file_split_assigner = Refused()

    @staticmethod
    def locality_aware_split_assigner() -> FileSplitAssignerProvider:
        """Assign files to near readers; differs from Flink: it has no effect."""
        return FileSplitAssignerProvider()

    localityAwareSplitAssigner = locality_aware_split_assigner


@final
@checked_methods
@attrs.frozen
class FileSource(Source):
    """Reads the elements of files, and ends; for ``env.from_source``.

    As in Flink, directories are searched recursively without hidden files, and files of a ``StreamFormat`` are
    decompressed by their suffix: ``.gz``, ``.gzip``, ``.bz2``, ``.xz`` and ``.deflate``.
    Differs from Flink: one task reads all files, in the order of their names.

    Example:
        >>> source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/data/in").build()
        >>> source.contents.paths
        ('/data/in',)
    """

    contents: FileContents

    @property
    def elements(self) -> FileContents:
        """The contents of the files."""
        return self.contents

    @staticmethod
    def for_record_stream_format(stream_format: StreamFormat, *paths: str) -> FileSourceBuilder:
        """Begin to build a source that reads files element by element.

        Args:
            stream_format: Format of the files: ``StreamFormat.text_line_format`` or ``CsvReaderFormat``.
            *paths: Files and directories, as paths or ``file:`` URLs, that the driver and all workers share.

        Raises:
            UnsupportedFeatureError: A path is of another file system.
            DefinitionError: There is no path.
        """
        return _builder(stream_format, paths, "FileSource.for_record_stream_format")

    forRecordStreamFormat = for_record_stream_format

    @staticmethod
    def for_bulk_file_format(bulk_format: BulkFormat, *paths: str) -> FileSourceBuilder:
        """Begin to build a source that reads files in batches of elements.

        Args:
            bulk_format: Format of the files: ``ParquetColumnarRowInputFormat``.
            *paths: As with ``for_record_stream_format``, and so are errors.
        """
        return _builder(bulk_format, paths, "FileSource.for_bulk_file_format")

    forBulkFileFormat = for_bulk_file_format

    def get_produced_type(self) -> TypeInformation[Any]:
        """Return the type of the elements."""
        return self.contents.format.produced_type

    getProducedType = get_produced_type


def _builder(format_: FileFormat, paths: tuple[str, ...], where: str) -> FileSourceBuilder:
    if not paths:
        raise DefinitionError("there is no path", where=where)
    return FileSourceBuilder(FileSource(FileContents(tuple(local_path(path, where) for path in paths), format_)))


@final
@checked_methods
class FileSourceBuilder:
    """Builds a ``FileSource``."""

    def __init__(self, source: FileSource) -> None:
        self._source = source

    def monitor_continuously(self, discovery_interval: Duration) -> NoReturn:
        """Refused: a source of files ends.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "a source of files reads the files that exist when the job starts, and ends",
            where=f"monitor_continuously({discovery_interval})",
            now="Leave it out; write unbounded data to a topic, and read that with KafkaSource.",
        )

    monitorContinuously = monitor_continuously

    def process_static_file_set(self) -> Self:
        """Read the files that exist when the job starts, and end; the default."""
        return self

    processStaticFileSet = process_static_file_set

    def set_file_enumerator(self, file_enumerator: FileEnumeratorProvider) -> Self:
        """Set how files are found; both ways find the same.

        Args:
            file_enumerator: A way from ``FileEnumeratorProvider``.
        """
        return self

    setFileEnumerator = set_file_enumerator

    def set_split_assigner(self, split_assigner: FileSplitAssignerProvider) -> Self:
        """Accept an assignment of files to readers, without effect; differs from Flink: one task reads all files."""
        return self

    setSplitAssigner = set_split_assigner

    def build(self) -> FileSource:
        """Make the source."""
        return self._source
