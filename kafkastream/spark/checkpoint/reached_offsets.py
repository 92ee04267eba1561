"""Offsets that epochs have reached, as a streaming source without rows: Spark logs them as it logs those of Kafka.

Epochs run ahead of Spark's log. A source for each Kafka source, under the same name, has as its latest offset what the
driver has written to a file, in the form of Spark's Kafka source. So the log of offsets, the progress of the query and
the next start know how far records have been processed, in the words that they know from micro-batches.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.checkpoint.source_options import offsets_json

__all__ = ["ReachedFile", "ReachedReader", "reached_frame"]

_FORMAT: Final = "kafkastream-reached"
_FILE: Final = "file"
_SCHEMA: Final = "nothing int"


@final
@attrs.frozen
class ReachedFile:
    """File with the offsets that a source's epochs have reached, read by the process that plans the stream."""

    path: Path

    @staticmethod
    def temporary() -> ReachedFile:
        """Create a file in a new temporary directory."""
        return ReachedFile(Path(tempfile.mkdtemp(prefix="kafkastream-reached-")) / "reached.json")

    def write(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Set the offsets."""
        new = self.path.with_suffix(".new")
        new.write_text(offsets_json(offsets))
        new.replace(self.path)

    def remove(self) -> None:
        """Delete the directory."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def reached_frame(session: SparkSession, file: ReachedFile, name: str | None) -> DataFrame:
    """Return the stream without rows whose offsets are those of a file.

    Args:
        session: Spark session of the job.
        file: The file.
        name: Name of the source in Spark; None if its place identifies it.
    """
    session.dataSource.register(_ReachedSource)
    reader = session.readStream.format(_FORMAT)
    return (reader if name is None else reader.name(name)).option(_FILE, str(file.path)).load()


@final
class _ReachedSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return _FORMAT

    def schema(self) -> str:
        return _SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return ReachedReader(ReachedFile(Path(self.options[_FILE])))


@final
class ReachedReader(DataSourceStreamReader):
    """Spark's streaming data source reader of a ``ReachedFile``."""

    def __init__(self, file: ReachedFile) -> None:
        self._file = file

    def initialOffset(self) -> dict[str, Any]:
        """The empty offset, before any record."""
        return {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the offsets in the file."""
        reached: dict[str, Any] = json.loads(self._file.path.read_text())
        return reached

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return no partition: the records have been processed."""
        return []

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Return no rows."""
        return iter(())

    def commit(self, end: dict[str, Any]) -> None:
        """Do nothing: no data is retained."""
