"""``FileSource``, and how the lines of files are found and read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kafkastream.common import Duration, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import (
    FileEnumeratorProvider,
    FileSource,
    FileSplitAssignerProvider,
    StreamFormat,
)
from kafkastream.errors import ArgumentError, DefinitionError, StorageError, UnsupportedFeatureError
from kafkastream.model.connectors.file_formats import FileContents, TextLineFormat
from kafkastream.spark.sql.files.file_contents import contents_reader, file_elements, files_of, opened_bytes

TEXT = StreamFormat.text_line_format()


def lines(*paths: Path, charset: str = "UTF-8") -> list[str]:
    return list(file_elements(FileContents(tuple(map(str, paths)), TextLineFormat(charset))))


def test_source_keeps_what_it_is_told() -> None:
    builder = FileSource.for_record_stream_format(StreamFormat.text_line_format("ASCII"), "/a", "file:///b")
    builder.set_file_enumerator(FileEnumeratorProvider.default_splittable_file_enumerator())
    builder.set_file_enumerator(FileEnumeratorProvider.default_non_splittable_file_enumerator())
    builder.set_split_assigner(FileSplitAssignerProvider.locality_aware_split_assigner())
    source = builder.process_static_file_set().build()
    assert source.contents == FileContents(("/a", "/b"), TextLineFormat("ASCII"))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").print()
    assert "Source: lines" in env.get_execution_plan()


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no path": (lambda: FileSource.for_record_stream_format(TEXT), DefinitionError, "no path"),
    "object store": (
        lambda: FileSource.for_record_stream_format(TEXT, "s3://a"),
        UnsupportedFeatureError,
        "s3://",
    ),
    "charset": (lambda: StreamFormat.text_line_format("UTF-7.5"), DefinitionError, "UTF-7.5"),
    "bulk": (lambda: FileSource.for_bulk_file_format(None, "/a"), ArgumentError, "must be a BulkFormat"),  # type: ignore[arg-type]  # what this is about
    "endless": (
        lambda: FileSource.for_record_stream_format(TEXT, "/a").monitor_continuously(Duration.of_seconds(1)),
        UnsupportedFeatureError,
        "and ends",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_at_the_call(name: str) -> None:
    call, error, told = REFUSED[name]
    with pytest.raises(error, match=told):
        call()


def test_files_are_found_as_in_flink(tmp_path: Path) -> None:
    for name in ["b.txt", "a/x.txt", "a/_x.txt", ".c/x.txt", "_d/x.txt", ".e", "f"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = files_of(FileContents((str(tmp_path), str(tmp_path / ".e")), TextLineFormat()))
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a/x.txt", "b.txt", "f"]
    with pytest.raises(DefinitionError, match="no such file or directory"):
        lines(tmp_path / "nowhere")
    (tmp_path / "g.zst").touch()
    with pytest.raises(UnsupportedFeatureError, match=r"end with \.zst"):
        lines(tmp_path)


@pytest.mark.parametrize(
    ("data", "charset", "wanted"),
    [
        (b"x1\rx2\r\nx3\n\nx4", "UTF-8", ["x1", "x2", "x3", "", "x4"]),
        (b"", "UTF-8", []),
        (b"a\n", "UTF-8", ["a"]),
        (b"a\xe2\x82\nb\xf0\x9f\x98\nc\xed\xa0\x80d\n", "UTF-8", ["a\ufffd", "b\ufffd", "c\ufffdd"]),
        (b"\xff\xfeabc\n\xc3\xa9\n", "UTF-8", ["\ufffd\ufffdabc", "é"]),
        ("a\x85b\u2028c\x0bd\n".encode(), "UTF-8", ["a\x85b\u2028c\x0bd"]),
        (b"\xe9\n", "ISO-8859-1", ["é"]),
        ("a\nb".encode("utf-16-le"), "UTF-16", ["愀\u0a00戀"]),
        ("a\nb".encode("utf-16"), "UTF-16", ["a", "b"]),
        ("a\nb".encode("utf-16-be"), "UTF-16BE", ["a", "b"]),
    ],
)
def test_lines_are_javas(tmp_path: Path, data: bytes, charset: str, wanted: list[str]) -> None:
    (tmp_path / "file").write_bytes(data)
    assert lines(tmp_path, charset=charset) == wanted


def test_compressed_files_are_read_by_their_names(tmp_path: Path) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "1.gz": gzip.compress,
        "2.gzip": gzip.compress,
        "3.bz2": bz2.compress,
        "4.xz": lzma.compress,
        "5.deflate": zlib.compress,
    }
    for name, packed in pack.items():
        (tmp_path / name).write_bytes(packed(f"{name}\nend\n".encode()))
    assert lines(tmp_path) == [line for name in pack for line in (name, "end")]
    (tmp_path / "6.gz").write_bytes(b"plain")
    with pytest.raises(StorageError, match=r"cannot read .*6\.gz: Not a gzipped file"):
        lines(tmp_path)


def test_a_deflated_file_is_decompressed_as_it_is_read(tmp_path: Path) -> None:
    """200 kB that become 200 MB take no 200 MB of memory."""
    deflate = zlib.compressobj()
    with (tmp_path / "bomb.deflate").open("wb") as file:
        for _ in range(200):
            file.write(deflate.compress(b"0" * 2**20))
        file.write(deflate.flush())
    assert (tmp_path / "bomb.deflate").stat().st_size < 2**18
    tracemalloc.start()
    with opened_bytes(tmp_path / "bomb.deflate") as stream:
        assert stream.read(2**20) == b"0" * 2**20
        stream.seek(0)
        assert stream.read(3) == b"000"
    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()
    (tmp_path / "bomb.deflate").write_bytes(zlib.compress(b"line\n" * 100)[:-6])
    with pytest.raises(StorageError, match=r"cannot read .*bomb\.deflate"):
        lines(tmp_path)


def test_reader_gives_a_row_for_each_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("".join(f"{number}\n" for number in range(25_000)))
    read = contents_reader(7, FileContents((str(tmp_path),), TextLineFormat()))
    batches = list(read([pa.RecordBatch.from_arrays([pa.array([0])], ["id"])]))
    assert [pickle.loads(value) for one in batches for value in one["value"].to_pylist()] == [
        str(number) for number in range(25_000)
    ]
    assert {node for one in batches for node in one["source"].to_pylist()} == {7}
