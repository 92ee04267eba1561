"""A source of the lines of files, with Flink's settings."""

from __future__ import annotations

from typing import NoReturn, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.arguments import checked_methods
from kafkastream.spec.endpoints import Source
from kafkastream.spec.file_path import local_path
from kafkastream.spec.formats.charsets import check_charset
from kafkastream.spec.nodes import FileLines
from kafkastream.spec.stand_in import Refused
from kafkastream.spec.time import Duration
from kafkastream.spec.types import TypeInformation, Types

__all__ = ["FileEnumeratorProvider", "FileSource", "FileSourceBuilder", "FileSplitAssignerProvider", "StreamFormat"]


@final
@checked_methods
@attrs.frozen
class StreamFormat:
    """How the text of files is read.

    Example:
        >>> StreamFormat.text_line_format().charset_name
        'UTF-8'
    """

    charset_name: str

    _j_stream_format = Refused()

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> StreamFormat:
        r"""Read lines, which end with ``\n``, ``\r`` or both.

        Args:
            charset_name: By one of Java's names; in place of bytes that are not valid in it comes U+FFFD.

        Raises:
            DefinitionError: There is no such charset.
        """
        check_charset(charset_name, "StreamFormat.text_line_format")
        return StreamFormat(charset_name)

    textLineFormat = text_line_format


@final
@attrs.frozen
class FileEnumeratorProvider:
    """How files are found: below directories, too, and without those whose names begin with a dot or an underscore."""

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
    """Who reads which file: here one task reads all."""

    _j_file_split_assigner = Refused()

    @staticmethod
    def locality_aware_split_assigner() -> FileSplitAssignerProvider:
        """Have each read the files that are near; differs from Flink: it has no effect."""
        return FileSplitAssignerProvider()

    localityAwareSplitAssigner = locality_aware_split_assigner


@final
@checked_methods
@attrs.frozen
class FileSource(Source):
    """Reads the lines of files, and ends; for ``env.from_source``.

    Same as in Flink: files are found below directories, too, hidden ones are left out, and compressed ones are read by
    the ends of their names: ``.gz``, ``.gzip``, ``.bz2``, ``.xz`` and ``.deflate``.
    Differs from Flink: one task reads all files, in the order of their names.

    Example:
        >>> source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/data/in").build()
        >>> source.lines.paths
        ('/data/in',)
    """

    lines: FileLines

    @staticmethod
    def for_record_stream_format(stream_format: StreamFormat, *paths: str) -> FileSourceBuilder:
        """Begin to build a source of lines.

        Args:
            stream_format: How text is read.
            *paths: Files and directories, as paths or ``file:`` URLs, that the driver and all workers share.

        Raises:
            UnsupportedFeatureError: A path is of another file system.
            DefinitionError: There is no path.
        """
        where = "FileSource.for_record_stream_format"
        if not paths:
            raise DefinitionError("there is no path", where=where)
        found = tuple(local_path(path, where) for path in paths)
        return FileSourceBuilder(FileSource(FileLines(found, stream_format.charset_name)))

    forRecordStreamFormat = for_record_stream_format

    @staticmethod
    def for_bulk_file_format(bulk_format: object, *paths: str) -> NoReturn:
        """Refused: files are read line by line.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "there are no files of a bulk format",
            where=f"FileSource.for_bulk_file_format({type(bulk_format).__name__}, {', '.join(paths)})",
            now="Read lines: FileSource.for_record_stream_format; Parquet files: spark.read.parquet(path).",
        )

    forBulkFileFormat = for_bulk_file_format

    def get_produced_type(self) -> TypeInformation[str]:
        """Return ``Types.STRING()``."""
        return Types.STRING()

    getProducedType = get_produced_type


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
            "a source of files reads those that are there when the job starts, and ends",
            where=f"monitor_continuously({discovery_interval})",
            now="Leave it out; what comes without an end: have it written to a topic, and read that with KafkaSource.",
        )

    monitorContinuously = monitor_continuously

    def process_static_file_set(self) -> Self:
        """Read the files that are there when the job starts, and end; the default."""
        return self

    processStaticFileSet = process_static_file_set

    def set_file_enumerator(self, file_enumerator: FileEnumeratorProvider) -> Self:
        """Set how files are found; both ways find the same."""
        return self

    setFileEnumerator = set_file_enumerator

    def set_split_assigner(self, split_assigner: FileSplitAssignerProvider) -> Self:
        """Set who reads which file; differs from Flink: it has no effect."""
        return self

    setSplitAssigner = set_split_assigner

    def build(self) -> FileSource:
        """Make the source."""
        return self._source
