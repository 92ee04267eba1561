"""The lines of files, found on the driver and read by a task."""

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
from typing import IO, Any, Final

import pyarrow as pa

from kafkastream.errors import DefinitionError, StorageError, UnsupportedFeatureError
from kafkastream.spec.nodes import FileLines

__all__ = ["LINES_SCHEMA", "files_of", "lines_of", "lines_reader"]

LINES_SCHEMA: Final = "source int, value binary"
_PER_BATCH: Final = 10_000
_HIDDEN: Final = (".", "_")
_JAVAS: Final = "kafkastream.java"
_SURROGATE: Final = 3


def files_of(lines: FileLines) -> Sequence[Path]:
    """Find the files to read, in the order of their names; hidden ones are left out, and what is in hidden directories.

    Raises:
        DefinitionError: A path does not exist.
        UnsupportedFeatureError: A file is compressed in a way that cannot be read.
        StorageError: A directory cannot be read.
    """
    files = [file for path in lines.paths for file in _below(Path(path))]
    for file in files:
        if file.suffix in _UNREADABLE:
            raise UnsupportedFeatureError(
                f"files that end with {file.suffix} cannot be read", where=str(file), now="Decompress it, or use .gz."
            )
    return files


def _below(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise DefinitionError(
            "there is no such file or directory", where=f"FileSource: {path}", now="Is it on this machine's disks?"
        )
    if path.name.startswith(_HIDDEN):
        return
    if not path.is_dir():
        yield path
        return
    with _told(path):
        inside = sorted(path.iterdir())
    for one in inside:
        yield from _below(one)


def lines_reader(node: int, lines: FileLines) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what ``mapInArrow`` wants: any one row in, a row for each line out, pickled, with the node of the source."""
    return partial(_rows, node, files_of(lines), lines.charset)


def _rows(node: int, files: Sequence[Path], charset: str, asked: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in asked:
        lines = _lines(files, charset)
        while some := list(islice(lines, _PER_BATCH)):
            values = pa.array(map(pickle.dumps, some), pa.binary())
            yield pa.RecordBatch.from_arrays([pa.array([node] * len(some), pa.int32()), values], ["source", "value"])


def lines_of(lines: FileLines) -> Iterator[str]:
    """Read all lines here; errors as of ``files_of``."""
    return _lines(files_of(lines), lines.charset)


def _lines(files: Iterable[Path], charset: str) -> Iterator[str]:
    for file in files:
        with (
            _told(file),
            _OPENERS.get(file.suffix, Path.open)(file, "rb") as stream,
            io.TextIOWrapper(stream, _codec(charset, stream), errors=_JAVAS, newline=None) as text,
        ):
            for line in text:
                yield line.removesuffix("\n")


def _codec(charset: str, stream: IO[bytes]) -> str:
    """Name Python's codec: without a byte order mark, Java takes the highest byte for the first."""
    name = codecs.lookup(charset).name
    if name not in _MARKS:
        return name
    has_mark = stream.read(4).startswith(_MARKS[name])
    stream.seek(0)
    return name if has_mark else f"{name}-be"


def _inflated(file: Path, _: str) -> IO[bytes]:
    return io.BytesIO(zlib.decompress(file.read_bytes()))


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
    """Put U+FFFD in the place of bytes that are not valid, one for half of a surrogate pair, where Python puts three."""
    assert isinstance(error, UnicodeDecodeError)
    found = error.object[error.start : error.start + _SURROGATE]
    is_surrogate = error.encoding == "utf-8" and len(found) == _SURROGATE and b"\xed\xa0" <= found[:2] <= b"\xed\xbf"
    return "\ufffd", error.start + _SURROGATE if is_surrogate else error.end


codecs.register_error(_JAVAS, _replaced)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell errors of the file system, and of compression, in the user's words."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot read {path}: {reason}", now="Can all workers read it?") from None
