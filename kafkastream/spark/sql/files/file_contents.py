"""Contents of files, listed on the driver and read by a task."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, final

import pyarrow as pa

from kafkastream.errors import DefinitionError, StorageError, UnsupportedFeatureError
from kafkastream.model.common.row import Row
from kafkastream.model.connectors.file_formats import FileContents, FileFormat, TextLineFormat
from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.sql.files.csv_file_format import CsvReaderFormat
from kafkastream.sql.files.tables import TableFile, TableFiles

__all__ = [
    "CONTENTS_SCHEMA",
    "contents_reader",
    "file_elements",
    "files_of",
    "opened_bytes",
    "opened_text",
    "read_file",
    "told_of_reading",
]

CONTENTS_SCHEMA: Final = "source int, value binary"
_PER_BATCH: Final = 10_000
_HIDDEN: Final = (".", "_")
_JAVAS: Final = "kafkastream.java"
_SURROGATE: Final = 3


def files_of(contents: FileContents) -> Sequence[Path]:
    """List the files to read, ordered by name, without hidden files and directories.

    Raises:
        DefinitionError: A path does not exist.
        UnsupportedFeatureError: The compression of a file is not supported.
        StorageError: A directory cannot be read.
    """
    files = [file for path in contents.paths for file in _below(Path(path))]
    for file in files:
        if file.suffix in _UNREADABLE:
            raise UnsupportedFeatureError(
                f"files that end with {file.suffix} cannot be read", where=str(file), now="Decompress it, or use .gz."
            )
    return files


def _below(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise DefinitionError(
            "there is no such file or directory", where=str(path), now="Check that it is on a disk of this machine."
        )
    if path.name.startswith(_HIDDEN):
        return
    if not path.is_dir():
        yield path
        return
    with told_of_reading(path):
        inside = sorted(path.iterdir())
    for one in inside:
        yield from _below(one)


def contents_reader(
    node: int, contents: FileContents
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for ``mapInArrow`` that yields all elements, pickled, with the source's node."""
    return partial(_rows, node, files_of(contents), contents.format)


def _rows(
    node: int, files: Sequence[Path], format_: FileFormat, asked: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for _ in asked:
        elements = _elements(files, format_)
        while some := list(islice(elements, _PER_BATCH)):
            values = pa.array(map(pickle.dumps, some), pa.binary())
            yield pa.RecordBatch.from_arrays([pa.array([node] * len(some), pa.int32()), values], ["source", "value"])


def file_elements(contents: FileContents) -> Iterator[Any]:
    """Read all elements on the driver; errors as of ``files_of``."""
    return _elements(files_of(contents), contents.format)


def _elements(files: Iterable[Path], format_: FileFormat) -> Iterator[Any]:
    for file in files:
        with told_of_reading(file):
            yield from read_file(format_, file)


@Registry
def read_file(format_: FileFormat, file: Path) -> Iterator[Any]:
    """Return the elements of a file, by the reader that the format's ``engine_module`` registers for its class.

    Raises:
        DefinitionError: No reader is registered.
    """
    raise unregistered("file format", type(format_), "a reader with @read_file.register")


@read_file.register
def _(format_: TextLineFormat, file: Path) -> Iterator[str]:
    with opened_text(file, format_.charset_name) as text:
        for line in text:
            yield line.removesuffix("\n")


@read_file.register
def _(format_: CsvReaderFormat, file: Path) -> Iterator[Row]:
    schema = format_.schema
    read = schema.reading.reader()
    with opened_text(file, "UTF-8", newline="") as text:
        records = schema.dialect.records(text)
        if schema.has_header:
            header = next(records, None)
            if header is not None and schema.is_strict:
                _check_header(schema.dialect.columns(header), schema.names, file)
        for record in islice(records, int(schema.skips_first), None):
            yield _csv_row(read, record, file)


def _csv_row(read: Callable[[bytes], Row | None], record: str, file: Path) -> Row:
    try:
        row = read(record.encode())
    except ValueError as error:
        raise StorageError(f"a row of CSV cannot be read: {error}", where=f"{file}: {record[:200]!r}") from None
    assert row is not None
    return row


def _check_header(found: Sequence[str], names: Sequence[str], file: Path) -> None:
    if [name.strip() for name in found] != list(names):
        raise StorageError(
            f"the header is {', '.join(found)}, and the columns are {', '.join(names)}",
            where=str(file),
            now="Give the schema the header's columns, or leave set_strict_headers out.",
        )


@read_file.register
def _(format_: TableFiles, file: Path) -> Iterator[TableFile]:
    found = format_.file(file)
    if found is not None:
        yield found


def opened_bytes(file: Path) -> IO[bytes]:
    """Open a file, which is decompressed by the end of its name."""
    stream: IO[bytes] = _OPENERS.get(file.suffix, Path.open)(file, "rb")
    return stream


@contextmanager
def opened_text(file: Path, charset: str, newline: str | None = None) -> Iterator[io.TextIOWrapper]:
    """Open a file, which is decompressed by the end of its name, as text.

    Args:
        file: The file.
        charset: Java's name of the charset.
        newline: Argument ``newline`` of ``open``.
    """
    with (
        opened_bytes(file) as stream,
        io.TextIOWrapper(stream, _codec(charset, stream), errors=_JAVAS, newline=newline) as text,
    ):
        yield text


def _codec(charset: str, stream: IO[bytes]) -> str:
    """Return Python's name of a charset; without a byte order mark, UTF-16 and UTF-32 are big-endian, as in Java."""
    name = codecs.lookup(charset).name
    if name not in _MARKS:
        return name
    has_mark = stream.read(4).startswith(_MARKS[name])
    stream.seek(0)
    return name if has_mark else f"{name}-be"


@final
class _Inflated(io.RawIOBase):
    """A file in zlib's form, decompressed as it is read: a few kB may become some GB.

    Args:
        file: The file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._inflate = zlib.decompressobj()

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True, for the beginning only."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the beginning."""
        if offset or whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only to the beginning")
        self._inflate = zlib.decompressobj()
        return self._file.seek(0)

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; 0 at the end."""
        data = b""
        while not data and not self._inflate.eof:
            source = self._inflate.unconsumed_tail or self._file.read(len(buffer))
            data = self._inflate.decompress(source, len(buffer))
            if not source and not data and not self._inflate.eof:
                raise EOFError("the file ends before its compressed data")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def _inflated(file: Path, _: str) -> IO[bytes]:
    return io.BufferedReader(_Inflated(file))


_OPENERS: Final[Mapping[str, Callable[[Path, Any], Any]]] = {
    ".gz": gzip.open,
    ".gzip": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".deflate": _inflated,
}
_UNREADABLE: Final = frozenset({".zst"})
_MARKS: Final = {
    "utf-16": (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE),
    "utf-32": (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE),
}


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Replace invalid bytes by U+FFFD as Java does: half of a surrogate pair by one, where Python takes three."""
    assert isinstance(error, UnicodeDecodeError)
    found = error.object[error.start : error.start + _SURROGATE]
    is_surrogate = error.encoding == "utf-8" and len(found) == _SURROGATE and b"\xed\xa0" <= found[:2] <= b"\xed\xbf"
    return "\ufffd", error.start + _SURROGATE if is_surrogate else error.end


codecs.register_error(_JAVAS, _replaced)


@contextmanager
def told_of_reading(path: Path) -> Iterator[None]:
    """Translate errors of the file system and of decompression within a ``with`` block."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot read {path}: {reason}", now="Check that all workers can read it.") from None
