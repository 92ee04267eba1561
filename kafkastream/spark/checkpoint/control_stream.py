"""A stream of what only the driver knows: how far event time has come, the wall clock, and the elements of collections.

Its offset is its content, so Spark keeps both in its log of offsets, and a micro-batch that is run again sees the same.
The elements come with the first content of all, so the log knows that they have come.
Another process of Spark's plans it, on the driver's machine, and looks into files for what there is.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, final

import attrs
import pyarrow as pa
from pyarrow import ipc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from kafkastream.model.graph.graph_nodes import CONTROL_NODE

__all__ = [
    "CONTROL_NAME",
    "CONTROL_SCHEMA",
    "LAYOUT",
    "ControlFile",
    "ControlReader",
    "control_frame",
    "is_control",
]

CONTROL_NAME: Final = "kafkastream_control"
"""The stream's name in Spark's log of offsets, where every source of a query has one."""

LAYOUT: Final = "layout of state"
"""What every content has, and no offset of Kafka's, whose keys are names of topics."""
_FORMAT = "kafkastream-control"
_FILE = "file"
_ROWS = ".arrow"
CONTROL_SCHEMA = "source int, value binary"
_COMPRESSED = ipc.IpcWriteOptions(compression="zstd")
_ROWS_AT_ONCE = 10_000


@final
@attrs.frozen
class ControlFile:
    """Next content of the control stream, for the process that plans it."""

    path: Path

    @staticmethod
    def temporary(collections: Iterable[pa.Table] = ()) -> ControlFile:
        """A new one, in a directory of its own, with the rows of collections beside it."""
        folder = Path(tempfile.mkdtemp(prefix="kafkastream-control-"))
        for number, rows in enumerate(collections):
            with ipc.new_stream(str(folder / f"{number}{_ROWS}"), rows.schema, options=_COMPRESSED) as stream:
                stream.write_table(rows, _ROWS_AT_ONCE)
        return ControlFile(folder / "next.json")

    def collections(self) -> Iterator[bytes]:
        """The rows of each collection, as a stream of Arrow's."""
        return (path.read_bytes() for path in sorted(self.path.parent.glob(f"*{_ROWS}")))

    def write(self, content: Mapping[str, Any]) -> None:
        """Let the stream have this next, instead of what it has not had yet."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(content))
        new.replace(self.path)

    def remove(self) -> None:
        """No more is needed of it."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def control_frame(session: SparkSession, file: ControlFile, *, is_named: bool) -> DataFrame:
    """The stream of a file's contents: one row with the newest whenever there is something new."""
    session.dataSource.register(_ControlSource)
    reader = session.readStream.format(_FORMAT)
    return (reader.name(CONTROL_NAME) if is_named else reader).option(_FILE, str(file.path)).load()


def is_control(offset: str | None) -> bool:
    """Whether the offset of a source is a content of this stream.

    Example:
        >>> is_control('{"layout of state": {}}'), is_control('{"topic": {"0": 7}}')
        (True, False)
    """
    return LAYOUT in (json.loads("null" if offset in (None, "", "-") else str(offset)) or {})


@final
class _ControlSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return _FORMAT

    def schema(self) -> str:
        return CONTROL_SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return ControlReader(ControlFile(Path(self.options[_FILE])))


@final
class _ControlPartition(InputPartition):
    def __init__(self, content: str) -> None:
        self.content = content


@final
class _CollectionPartition(InputPartition):
    def __init__(self, rows: bytes) -> None:
        self.rows = rows


@final
class ControlReader(DataSourceStreamReader):
    """Streaming data source reader of a file's contents, which Spark asks for offsets."""

    def __init__(self, file: ControlFile) -> None:
        self._file = file

    def initialOffset(self) -> dict[str, Any]:
        """Offset at which nothing has been told."""
        return {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """The newest content."""
        content: dict[str, Any] = json.loads(self._file.path.read_text())
        return content

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """A content, if it is new, with the collections if it is the first."""
        if start == end:
            return []
        collections = () if start else map(_CollectionPartition, self._file.collections())
        return [_ControlPartition(json.dumps(end)), *collections]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, bytes]] | Iterator[pa.RecordBatch]:
        """The rows of a content, or of a collection."""
        if isinstance(partition, _CollectionPartition):
            return iter(ipc.open_stream(partition.rows))
        assert isinstance(partition, _ControlPartition)
        return iter([(CONTROL_NODE, partition.content.encode())])

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is to be kept or removed."""
