"""A stream of what only the driver knows: how far event time has come, and the wall clock.

Its offset is its content, so Spark keeps both in its log of offsets, and a micro-batch that is run again sees the same.
Another process of Spark's plans it, on the driver's machine, and looks into a file for what there is.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

__all__ = ["CONTROL", "CONTROL_SCHEMA", "ControlFile", "control_frame"]

CONTROL = -1
"""What stands in place of a source's node in the rows of this stream."""

_FORMAT = "kafkastream-control"
_FILE = "file"
CONTROL_SCHEMA = "source int, value binary"


@final
@attrs.frozen
class ControlFile:
    """What the stream is to have next, for the process that plans it."""

    path: Path

    @staticmethod
    def temporary() -> ControlFile:
        """A new one, in a directory of its own."""
        return ControlFile(Path(tempfile.mkdtemp(prefix="kafkastream-control-")) / "next.json")

    def write(self, content: Mapping[str, Any]) -> None:
        """Let the stream have this next, instead of what it has not had yet."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(content))
        new.replace(self.path)

    def remove(self) -> None:
        """No more is needed of it."""
        self.path.unlink(missing_ok=True)
        self.path.parent.rmdir()


def control_frame(session: SparkSession, file: ControlFile) -> DataFrame:
    """The stream of a file's contents: one row with the newest whenever there is something new."""
    session.dataSource.register(_ControlSource)
    return session.readStream.format(_FORMAT).option(_FILE, str(file.path)).load()


@final
class _ControlSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return _FORMAT

    def schema(self) -> str:
        return CONTROL_SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return _ControlReader(Path(self.options[_FILE]))


@final
class _ControlPartition(InputPartition):
    def __init__(self, content: str) -> None:
        self.content = content


@final
class _ControlReader(DataSourceStreamReader):
    def __init__(self, path: Path) -> None:
        self._path = path

    def initialOffset(self) -> dict[str, Any]:
        return {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._path.read_text())
        return content

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return [] if start == end else [_ControlPartition(json.dumps(end))]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, bytes]]:
        assert isinstance(partition, _ControlPartition)
        yield CONTROL, partition.content.encode()

    def commit(self, end: dict[str, Any]) -> None:
        pass
