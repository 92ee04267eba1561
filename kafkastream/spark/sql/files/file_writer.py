"""Writes elements to part files, on a worker."""

from __future__ import annotations

import datetime
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, final

import attrs
from pyspark import TaskContext

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.file_sink import FileSink
from kafkastream.model.connectors.sink_writer import CommitterInitContext
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.sql.files.part_formats import Chunk, Part, PartFormat, part_format
from kafkastream.spark.worker.batch_context import BatchContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_committer, sink_operator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.part_files import PartCommitter, PartNames, WrittenParts, translated_file_errors
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["FileOperator"]


@attrs.define(eq=False)
class _Bucket:
    """Part files of a task in one directory.

    Attributes:
        parts: Path of each part file, with the hidden path that it has been written to.
    """

    folder: Path
    sink: FileSink
    names: PartNames
    format: PartFormat
    parts: dict[Path, Path] = attrs.field(factory=dict, init=False)
    _stream: IO[bytes] | None = attrs.field(default=None, init=False)
    _part: Part | None = attrs.field(default=None, init=False)

    def write(self, chunk: Chunk) -> None:
        """Write a chunk; a part file that has become too large ends before the next entry."""
        most, begin = self.sink.rolling_policy.most_bytes, 0
        while begin < len(chunk):
            if self._part is not None and most is not None and self._part.size > most:
                self.end_part()
            self._part = self._part or self._begun()
            begin += self._part.write(chunk, begin, most)

    def end_part(self) -> None:
        """End the open part file, if any, and flush it to disk."""
        if self._stream is not None and self._part is not None:
            self._part.end()
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self.close()

    def close(self) -> None:
        """Close the open part file without ending it."""
        if self._stream is not None:
            self._stream.close()
            self._stream = self._part = None

    def _begun(self) -> Part:
        config = self.sink.output_file_config
        name = self.names.name(config.part_prefix, len(self.parts), config.part_suffix)
        hidden = self.folder / f".{name}.inprogress.{uuid.uuid4().hex}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._stream = hidden.open("wb")
        self.parts[self.folder / name] = hidden
        return self.format.begin(self._stream)


@final
@attrs.define(eq=False)
class FileOperator(SinkOperator):
    """Writes a task's elements to hidden files, which the driver renames when the micro-batch is complete.

    Args:
        node: The sink's node.
        sink: The sink as the user defined it.
        identity: The sink's identity among the job's sinks.
        element_type: The type of the elements, if it is declared.
    """

    node: int
    sink: FileSink
    identity: str
    element_type: TypeInformation[Any] | None
    _format: PartFormat | None = attrs.field(default=None, init=False)
    _task: TaskScope = attrs.field(default=TaskScope(""), init=False)
    _names: PartNames | None = attrs.field(default=None, init=False)
    _buckets: dict[str, _Bucket] = attrs.field(factory=dict, init=False)
    _completed: frozenset[str] | None = attrs.field(default=None, init=False)

    def begin(self, task: TaskScope) -> None:
        """Note the origin of the task's elements."""
        batch = BatchContext.of_task() or BatchContext()
        spark = TaskContext.get()
        # Several tasks may have elements of one origin, unless it is a partition of a topic.
        origin = task.origin if task.split or spark is None else f"{task.origin}/{spark.partitionId()}"
        self._names = PartNames.of(batch.slots, self.identity, batch.batch, origin, is_partition=bool(task.split))
        self._buckets, self._completed = {}, None

    def open(self, context: RuntimeContext) -> None:
        """Look up the format of the files."""
        self._format = part_format(self.sink.encoder, self.element_type)

    def write(self, batch: Batch) -> None:
        """Write elements."""
        assert self._format is not None
        chunks, completed = self._format.chunks(batch.values), self._format.completed(batch.values)
        if completed is not None:
            self._completed = (self._completed or frozenset()).union(completed)
        with translated_file_errors(self.sink.base_path):
            for folder, chunk in chunks:
                self._bucket(folder).write(chunk)

    def finish(self) -> Iterator[Report]:
        """End all part files, and report them to the driver."""
        assert self._names is not None
        with translated_file_errors(self.sink.base_path):
            for bucket in self._buckets.values():
                bucket.end_part()
        parts = {path: hidden for bucket in self._buckets.values() for path, hidden in bucket.parts.items()}
        completed = self._buckets.keys() if self._completed is None else self._completed
        folders = frozenset(Path(self.sink.base_path, folder) for folder in completed)
        yield Report(ReportKind.COMMITTABLES, self.node, [WrittenParts(self._names, parts, folders)])

    def abandon(self) -> None:
        """Delete the part files."""
        with translated_file_errors(self.sink.base_path):
            for bucket in self._buckets.values():
                bucket.close()
                for hidden in bucket.parts.values():
                    hidden.unlink()
        self._buckets = {}

    def _bucket(self, name: str | None) -> _Bucket:
        assert self._names is not None
        assert self._format is not None
        if name is None:
            name = self.sink.bucket_assigner.bucket(datetime.datetime.now(datetime.timezone.utc))
        if name not in self._buckets:
            folder = Path(self.sink.base_path, name)
            self._buckets[name] = _Bucket(folder, self.sink, self._names, self._format)
        return self._buckets[name]


@sink_operator.register
def _(sink: FileSink, place: SinkPlace) -> SinkOperator:
    return FileOperator(place.name, place.node, sink, place.identity, place.element_type)


@sink_committer.register
def _(sink: FileSink, context: CommitterInitContext) -> PartCommitter:
    return PartCommitter(sink)
