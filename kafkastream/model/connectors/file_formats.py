"""Formats of files: base classes of readers and writers, and lines of text."""

from __future__ import annotations

from typing import Any, ClassVar, final

import attrs

from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats.charsets import check_charset

__all__ = ["BulkFormat", "BulkWriterFactory", "FileContents", "FileFormat", "StreamFormat", "TextLineFormat"]


class FileFormat:
    """Base class of formats that read the elements of a file.

    Attributes:
        engine_module: Name of the module that registers the reader with ``@read_file.register``.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    @property
    def produced_type(self) -> TypeInformation[Any]:
        """The type of the elements."""
        raise NotImplementedError


@checked_methods
class StreamFormat(FileFormat):
    """Reads a file element by element.

    Example:
        >>> StreamFormat.text_line_format()
        TextLineFormat(charset_name='UTF-8')
    """

    __slots__ = ()

    _j_stream_format = Refused()

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> StreamFormat:
        r"""Read lines, which end with ``\n``, ``\r`` or both.

        Args:
            charset_name: Java's name of the charset; invalid bytes are replaced by U+FFFD.

        Raises:
            DefinitionError: There is no such charset.
        """
        check_charset(charset_name, "StreamFormat.text_line_format")
        return TextLineFormat(charset_name)

    textLineFormat = text_line_format


@final
@attrs.frozen
class TextLineFormat(StreamFormat):
    """Reads lines.

    Args:
        charset_name: Java's name of the charset.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_contents"
    charset_name: str = "UTF-8"

    @property
    def produced_type(self) -> TypeInformation[str]:
        """``Types.STRING()``."""
        return Types.STRING()


class BulkFormat(FileFormat):
    """Reads a file in batches of elements."""

    __slots__ = ()

    _j_bulk_format = Refused()


class BulkWriterFactory:
    """Base class of formats that write a file as a whole: the argument of ``FileSink.for_bulk_format``.

    Attributes:
        engine_module: Name of the module that registers the writer with ``@part_format.register``.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    get_java_object = Refused()


@final
@attrs.frozen
class FileContents:
    """Elements of files.

    Args:
        paths: Absolute paths of files and directories.
        format: Format of the files.
    """

    paths: tuple[str, ...]
    format: FileFormat
