"""Elements into lines of part files, on a worker."""

from __future__ import annotations

import datetime
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, final

import attrs

from kafkastream.spark.batch_context import BatchContext
from kafkastream.spark.batches import Batch, each
from kafkastream.spark.operators import TaskScope
from kafkastream.spark.part_files import PartNames, WrittenParts, told
from kafkastream.spark.reports import Report, ReportKind
from kafkastream.spark.sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spec.file_sink import FileSink
from kafkastream.spec.formats.charsets import encoded
from kafkastream.spec.printing import flink_string
from kafkastream.spec.types import TypeInformation

__all__ = ["FileOperator"]


@attrs.define(eq=False)
class _Bucket:
    """The parts of a task in one directory.

    Attributes:
        parts: The path of each part, with the hidden path that it has been written to.
    """

    folder: Path
    sink: FileSink
    names: PartNames
    parts: dict[Path, Path] = attrs.field(factory=dict, init=False)
    _stream: IO[bytes] | None = attrs.field(default=None, init=False)
    _size: int = attrs.field(default=0, init=False)

    def write(self, lines: Sequence[bytes]) -> None:
        """Write lines; a part that has become too large ends before the next line."""
        most = self.sink.rolling_policy.most_bytes
        if most is None or self._size + sum(map(len, lines)) <= most:
            self._append(b"".join(lines))
            return
        for line in lines:
            if self._size > most:
                self.end_part()
            self._append(line)

    def end_part(self) -> None:
        """Close the open part, if there is one; what it holds is on the disk then."""
        if self._stream is not None:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self.close()

    def close(self) -> None:
        """Close the open part as it is."""
        if self._stream is not None:
            self._stream.close()
            self._stream, self._size = None, 0

    def _append(self, data: bytes) -> None:
        if self._stream is None:
            self._stream = self._opened()
        self._stream.write(data)
        self._size += len(data)

    def _opened(self) -> IO[bytes]:
        config = self.sink.output_file_config
        name = self.names.name(config.part_prefix, len(self.parts), config.part_suffix)
        hidden = self.folder / f".{name}.inprogress.{uuid.uuid4().hex}"
        self.folder.mkdir(parents=True, exist_ok=True)
        stream = hidden.open("wb")
        self.parts[self.folder / name] = hidden
        return stream


@final
@attrs.define(eq=False)
class FileOperator(SinkOperator):
    """Writes a task's elements to hidden files, which the driver gives their names.

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
    _task: TaskScope = attrs.field(default=TaskScope(""), init=False)
    _names: PartNames | None = attrs.field(default=None, init=False)
    _buckets: dict[str, _Bucket] = attrs.field(factory=dict, init=False)

    def begin(self, task: TaskScope) -> None:
        """Know where the task's elements come from."""
        batch = BatchContext.of_task() or BatchContext()
        self._names = PartNames.of(batch.slots, self.identity, batch.batch, task.origin, is_partition=bool(task.split))
        self._buckets = {}

    def write(self, batch: Batch) -> None:
        """Write a line for each element."""
        lines = each(self._line, batch.values)
        with told(self.sink.base_path):
            self._bucket().write(lines)

    def finish(self) -> Iterator[Report]:
        """End all parts, and tell the driver."""
        assert self._names is not None
        with told(self.sink.base_path):
            for bucket in self._buckets.values():
                bucket.end_part()
        parts = {path: hidden for bucket in self._buckets.values() for path, hidden in bucket.parts.items()}
        yield Report(ReportKind.FILES, self.node, WrittenParts(self._names, parts))

    def abandon(self) -> None:
        """Delete what has been written."""
        with told(self.sink.base_path):
            for bucket in self._buckets.values():
                bucket.close()
                for hidden in bucket.parts.values():
                    hidden.unlink()
        self._buckets = {}

    def _bucket(self) -> _Bucket:
        assert self._names is not None
        name = self.sink.bucket_assigner.bucket(datetime.datetime.now(datetime.timezone.utc))
        if name not in self._buckets:
            self._buckets[name] = _Bucket(Path(self.sink.base_path, name), self.sink, self._names)
        return self._buckets[name]

    def _line(self, value: Any) -> bytes:
        if value is None:
            raise ValueError("there is no text of None; Flink's encoder fails, too")
        charset = self.sink.encoder.charset_name
        return encoded(flink_string(value, self.element_type), charset) + b"\n"


@sink_operator.register
def _(sink: FileSink, place: SinkPlace) -> SinkOperator:
    return FileOperator(place.name, place.node, sink, place.identity, place.element_type)
