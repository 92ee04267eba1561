"""The control stream: brings watermarks, the wall clock and the elements of collections from the driver to the tasks.

Its offset is its content. So Spark's log of offsets keeps both, and a repeated micro-batch gets the same watermarks.
The elements of collections come with the first offset, so the log shows whether they have been read. Spark plans the
stream in a Python process of its own on the driver's machine, which reads the content from a file.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, final

import attrs
import pyarrow as pa
from pyarrow import ipc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from kafkastream.model.graph.node_ids import CONTROL_NODE
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME, LAYOUT

__all__ = [
    "CONTROL_SCHEMA",
    "ControlFile",
    "ControlReader",
    "control_frame",
    "is_control",
    "without_control",
]

_FORMAT = "kafkastream-control"
_FILE = "file"
_ROWS = ".arrow"
CONTROL_SCHEMA = "source int, value binary"
_COMPRESSED = ipc.IpcWriteOptions(compression="zstd")
_ROWS_AT_ONCE = 10_000


@final
@attrs.frozen
class ControlFile:
    """File with the next content of the control stream, read by the process that plans the stream."""

    path: Path

    @staticmethod
    def temporary(collections: Iterable[pa.Table] = ()) -> ControlFile:
        """Create a file in a new temporary directory, with the rows of collections next to it."""
        folder = Path(tempfile.mkdtemp(prefix="kafkastream-control-"))
        for number, rows in enumerate(collections):
            with ipc.new_stream(str(folder / f"{number}{_ROWS}"), rows.schema, options=_COMPRESSED) as stream:
                stream.write_table(rows, _ROWS_AT_ONCE)
        return ControlFile(folder / "next.json")

    def collections(self) -> Iterator[bytes]:
        """The rows of each collection as Arrow IPC streams."""
        return (path.read_bytes() for path in sorted(self.path.parent.glob(f"*{_ROWS}")))

    def write(self, content: Mapping[str, Any]) -> None:
        """Set the next content; it replaces one that Spark has not planned yet."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(content))
        new.replace(self.path)

    def remove(self) -> None:
        """Delete the directory."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def control_frame(session: SparkSession, file: ControlFile, *, is_named: bool) -> DataFrame:
    """Return the stream of a file's contents, of which a micro-batch gets the newest one in one row."""
    session.dataSource.register(_ControlSource)
    reader = session.readStream.format(_FORMAT)
    return (reader.name(CONTROL_NAME) if is_named else reader).option(_FILE, str(file.path)).load()


def without_control(reports: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the reports of a query's other sources, from those of its progress.

    Example:
        >>> without_control([{"endOffset": '{"topic": {"0": 7}}'}, {"endOffset": '{"layout of state": {}}'}])
        [{'endOffset': '{"topic": {"0": 7}}'}]
    """
    return [report for report in reports if not is_control(report["endOffset"])]


def is_control(offset: str | None) -> bool:
    """Return whether an offset belongs to the control stream.

    Example:
        >>> is_control('{"layout of state": {}}'), is_control('{"topic": {"0": 7}}'), is_control("7")
        (True, False, False)
    """
    content = json.loads("null" if offset in (None, "", "-") else str(offset))
    return isinstance(content, dict) and LAYOUT in content


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
    """Spark's streaming data source reader of a ``ControlFile``."""

    def __init__(self, file: ControlFile) -> None:
        self._file = file

    def initialOffset(self) -> dict[str, Any]:
        """The empty offset, before any content."""
        return {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the newest content as the offset."""
        content: dict[str, Any] = json.loads(self._file.path.read_text())
        return content

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return a partition with the new content, if any; the first one comes with the collections."""
        if start == end:
            return []
        collections = () if start else map(_CollectionPartition, self._file.collections())
        return [_ControlPartition(json.dumps(end)), *collections]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, bytes]] | Iterator[pa.RecordBatch]:
        """Return the rows of a content or of a collection."""
        if isinstance(partition, _CollectionPartition):
            return iter(ipc.open_stream(partition.rows))
        assert isinstance(partition, _ControlPartition)
        return iter([(CONTROL_NODE, partition.content.encode())])

    def commit(self, end: dict[str, Any]) -> None:
        """Do nothing: no data is retained."""
