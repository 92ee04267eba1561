"""A source as somebody outside the package would write it, with public names only: lines of files that grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import final

import attrs

from kafkastream.common import Types
from kafkastream.common.typeinfo import TypeInformation
from kafkastream.connect import (
    Boundedness,
    Source,
    SourceElement,
    SourceReader,
    SourceSplit,
    SplitEnumerator,
)
from kafkastream.datastream.functions import RuntimeContext

__all__ = ["LineSource"]


@final
@attrs.frozen
class LineSource(Source[str]):
    """Reads the lines of all files of a directory, also those that are added while the job runs.

    A file is a split, and the offset of a line is its first byte.

    Args:
        directory: Directory that the driver and all workers share.
        is_bounded: Whether to end with the lines that are there when the job starts.
    """

    directory: str
    is_bounded: bool = False

    def get_boundedness(self) -> Boundedness:
        """Return whether the source ends."""
        return Boundedness.BOUNDED if self.is_bounded else Boundedness.CONTINUOUS_UNBOUNDED

    def get_produced_type(self) -> TypeInformation[str]:
        """Return the type of lines."""
        return Types.STRING()

    def create_enumerator(self) -> LineEnumerator:
        """Return what lists the directory."""
        return LineEnumerator(Path(self.directory))

    def create_reader(self, context: RuntimeContext) -> LineReader:
        """Return the reader of a subtask."""
        return LineReader(Path(self.directory), context)


@final
class LineEnumerator(SplitEnumerator):
    """Finds files, and the ends of their last whole lines."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def starting_offsets(self) -> Mapping[str, int]:
        """Begin all files at their first byte."""
        return {path.name: 0 for path in self._directory.iterdir()}

    def latest_offsets(self, reached: Mapping[str, int]) -> Mapping[str, int]:
        """Return the end of the last line of each file that ends in a newline."""
        return {path.name: path.read_bytes().rfind(b"\n") + 1 for path in self._directory.iterdir()}


@final
class LineReader(SourceReader[str]):
    """Reads lines from an offset on."""

    def __init__(self, directory: Path, context: RuntimeContext) -> None:
        self._directory = directory
        self._lines = context.get_metrics_group().counter("lines")

    def read(self, split: SourceSplit) -> Iterator[SourceElement[str]]:
        """Yield the lines; one that begins with a number has it as event time in ms."""
        with (self._directory / split.split_id).open("rb") as file:
            file.seek(split.start)
            offset = split.start
            while offset < split.stop:
                line = file.readline()
                text = line.decode().rstrip("\n")
                time, _, _ = text.partition(" ")
                yield SourceElement(offset, text, int(time) if time.isdigit() else None)
                self._lines.inc()
                offset += len(line)
