"""Where the queries of a job keep their progress, and what a source began with, which a restart goes by."""

from __future__ import annotations

import json
import logging
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

import attrs
from pyspark.sql import SparkSession

from kafkastream.spark.source import offsets_json, offsets_of_json
from kafkastream.spec.job import JobSettings
from kafkastream.spec.subscription import TopicPartition

__all__ = ["CheckpointFolder", "Extent", "slug"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class Extent:
    """From where to where a source reads: what Flink keeps in the splits of its checkpoints.

    Args:
        starts: The first offset of each partition that was there at the first start.
        stops: The first offset not to read, of each of them; None when the source does not stop.
        finished: Whether this is where a bounded run has ended; the next begins here, with stops of its own.
    """

    starts: Mapping[TopicPartition, int]
    stops: Mapping[TopicPartition, int] | None = None
    finished: bool = False


@final
@attrs.frozen
class CheckpointFolder:
    """The folder of a job; one that ends with the job when no directory was given."""

    session: SparkSession
    path: str
    temporary: bool

    @staticmethod
    def of(session: SparkSession, settings: JobSettings) -> CheckpointFolder:
        """The folder of the job with these settings."""
        if settings.checkpoint_dir is not None:
            path = f"{settings.checkpoint_dir.rstrip('/')}/{slug(settings.name)}"
            return CheckpointFolder(session, path, temporary=False)
        log.info("job %r has no checkpoint directory: nothing survives a restart", settings.name)
        return CheckpointFolder(session, Path(tempfile.mkdtemp(prefix="kafkastream-")).as_uri(), temporary=True)

    def of_query(self, name: str) -> str:
        """Where Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def extents(self, name: str) -> Sequence[Extent]:
        """What the sources of a query began with, in their order; nothing before the first start.

        What Spark keeps of a finished run is removed: it may have passed over records behind the stops.
        """
        if self.temporary:
            return ()
        path = self._file(name)
        system = self._system(path)
        # Where a kill came between delete and rename, only the second is there; it may be half-written otherwise.
        for candidate in (path, path.suffix("~")):
            if system.exists(candidate):
                extents = _extents(self._read(system, candidate))
                if any(extent.finished for extent in extents):
                    system.delete(self._path(self.of_query(name)), True)
                return extents
        return ()

    def record(self, name: str, extents: Sequence[Extent]) -> None:
        """Keep what the sources of a query begin with."""
        if self.temporary:
            return
        path = self._file(name)
        system, unfinished = self._system(path), path.suffix("~")
        stream = system.create(unfinished, True)
        try:
            stream.write(json.dumps([_fields(extent) for extent in extents], indent=1).encode())
        finally:
            stream.close()
        system.delete(path, False)
        if not system.rename(unfinished, path):
            raise OSError(f"cannot write {path}")

    def clean(self) -> None:
        """Remove what nobody will read again."""
        if self.temporary:
            shutil.rmtree(self.path.removeprefix("file://"), ignore_errors=True)

    @property
    def _jvm(self) -> Any:
        return self.session.sparkContext._jvm

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _file(self, name: str) -> Any:
        return self._path(f"{self.path}/{name}.extents.json")

    def _read(self, system: Any, path: Any) -> str:
        stream = system.open(path)
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
        finally:
            stream.close()

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self.session.sparkContext._jsc.hadoopConfiguration())


def slug(name: str) -> str:
    """A name as a part of a path."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "job"


def _fields(extent: Extent) -> dict[str, Any]:
    stops = None if extent.stops is None else offsets_json(extent.stops)
    return {"starts": offsets_json(extent.starts), "stops": stops, "finished": extent.finished}


def _extents(text: str) -> Sequence[Extent]:
    try:
        return [_extent(fields) for fields in json.loads(text)]
    except ValueError:
        return ()


def _extent(fields: Mapping[str, Any]) -> Extent:
    stops = fields["stops"]
    return Extent(
        offsets_of_json(fields["starts"]), None if stops is None else offsets_of_json(stops), fields["finished"]
    )
