"""Part files of a micro-batch: their names, and their publication by the driver when all tasks have ended.

A task writes to hidden files, whose names begin with a dot, and reports them; the driver renames them before Spark
commits the micro-batch. A repeated micro-batch has the same number, so its files replace those of the first attempt;
other files that the first attempt has left are deleted at the first commit of a run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, final

import attrs

from kafkastream.errors import StorageError
from kafkastream.model.connectors.file_sink import FileSink
from kafkastream.model.connectors.sink_writer import Committer

__all__ = ["PartCommitter", "PartNames", "WrittenParts", "translated_file_errors"]

_DIGITS: Final = 16
_PART: Final = re.compile(rf"-([0-9a-f]{{{_DIGITS}}}-([0-9a-f]{{{_DIGITS}}}))-[0-9a-f]{{{_DIGITS}}}-\d+")
_SHARED: Final = "Give a directory that the driver and all workers share, and may write to."


@final
@attrs.frozen
class PartNames:
    """Names of a task's part files.

    Args:
        writer: Digest that identifies the sink of a job, as long as its checkpoint exists.
        batch: Digits of the micro-batch's number.
        origin: Digest of the origin of the task's elements.

    Example:
        >>> names = PartNames.of("5d2f", "words", 7, "source-orders-0", is_partition=True)
        >>> names.name("part", 0, ".txt")
        'part-6cea5d96b54475c0-0000000000000007-27c63342ed1098e3-0.txt'
    """

    writer: str
    batch: str
    origin: str

    @staticmethod
    def of(slots: str, sink: str, batch: int, origin: str, *, is_partition: bool) -> PartNames:
        """Return the names of a task's files.

        Args:
            slots: Common part of the names of the query's slots, unique to it.
            sink: Identity of the sink among the job's sinks.
            batch: Number of the micro-batch.
            origin: Origin of the task's elements.
            is_partition: Whether the origin is a partition of a topic; pieces of collections are counted separately.
        """
        return PartNames(_digest(f"{slots}/{sink}/{is_partition}"), f"{batch:0{_DIGITS}x}", _digest(origin))

    @property
    def whole_batch(self) -> str:
        """Return the common part of the file names of the micro-batch."""
        return f"{self.writer}-{self.batch}"

    def name(self, prefix: str, number: int, suffix: str) -> str:
        """Name a part."""
        return f"{prefix}-{self.whole_batch}-{self.origin}-{number}{suffix}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]


@final
@attrs.frozen
class WrittenParts:
    """Part files that a task has written for a sink.

    Args:
        names: Names of its files.
        parts: Final path of each file, with its hidden path until the micro-batch is complete.
        completed: Directories to which the sink's success file is added.
    """

    names: PartNames
    parts: Mapping[Path, Path]
    completed: frozenset[Path] = frozenset()


@final
@attrs.frozen
class PartCommitter(Committer[WrittenParts]):
    """Publishes the part files of complete micro-batches, in one run of a part of a job."""

    sink: FileSink
    _cleaned: set[str] = attrs.field(factory=set, init=False)

    def commit(self, committables: Sequence[WrittenParts], checkpoint_id: int) -> None:
        """Rename the files of a micro-batch to their final names, which contain its number.

        Raises:
            StorageError: The directory cannot be written to, or the driver does not see the workers' files.
        """
        parts = {path: hidden for task in committables for path, hidden in task.parts.items()}
        with translated_file_errors(self.sink.base_path):
            self._clean(committables, {*parts, *parts.values()})
            for path, hidden in parts.items():
                hidden.replace(path)
            completed = {folder for task in committables for folder in task.completed if folder.is_dir()}
            if self.sink.success_file is not None:
                for folder in completed:
                    (folder / self.sink.success_file).touch()
            for folder in {path.parent for path in parts} | completed:
                _flush(folder)

    def _clean(self, written: Iterable[WrittenParts], kept: set[Path]) -> None:
        """Delete files of earlier attempts: hidden ones, and those of this micro-batch."""
        begun = {task.names.writer: task.names.whole_batch for task in written}
        writers = begun.keys() - self._cleaned
        for path in _left(self.sink.base_path, {begun[writer] for writer in writers}, writers):
            if path not in kept:
                path.unlink()
        self._cleaned.update(writers)


def _left(base_path: str, batches: set[str], writers: set[str]) -> Iterator[Path]:
    """Return the hidden files of writers, and all files of micro-batches."""
    if not writers:
        return
    for folder, _, names in os.walk(base_path):
        for name in names:
            part = _PART.search(name)
            if part is None:
                continue
            is_hidden = name.startswith(".") and part[1].partition("-")[0] in writers
            if is_hidden or part[1] in batches:
                yield Path(folder, name)


def _flush(folder: Path) -> None:
    """Flush the directory, so that a power failure does not undo the renaming."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def translated_file_errors(base_path: str) -> Iterator[None]:
    """Translate errors of the file system within a ``with`` block.

    Raises:
        StorageError: The file system has failed.
    """
    try:
        yield
    except OSError as error:
        what = f"cannot write files: {error.strerror or error}"
        raise StorageError(what, where=error.filename or base_path, now=_SHARED) from None
