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

from kafkastream.spark.control import is_control
from kafkastream.spark.files import Files
from kafkastream.spark.source import offsets_json, offsets_of_json
from kafkastream.spec.job import JobSettings
from kafkastream.spec.subscription import TopicPartition

__all__ = ["CheckpointFolder", "Extent", "QueryState", "slug"]

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
class QueryState:
    """Where a query stands, by its checkpoint.

    Args:
        query: Its id, which it keeps over restarts.
        batch: The next micro-batch.
        planned_at_ms: When that was begun by an earlier run, which did not complete it; None when it was not.
        sources: Up to where that run was about to read, as each Kafka source has it.
    """

    query: str
    batch: int
    planned_at_ms: int | None = None
    sources: Sequence[str] = ()

    def partitions(self, source: int) -> frozenset[TopicPartition]:
        """What that run was about to read of a Kafka source, by its place in the plan."""
        return frozenset(offsets_of_json(self.sources[source])) if source < len(self.sources) else frozenset()


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
        log.info("job %r has no checkpoint directory: nothing survives its end", settings.name)
        return CheckpointFolder(session, Path(tempfile.mkdtemp(prefix="kafkastream-")).as_uri(), temporary=True)

    def of_query(self, name: str) -> str:
        """Where Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def extents(self, name: str) -> Sequence[Extent]:
        """What the sources of a query began with, in their order; nothing before the first start.

        What Spark keeps of a finished run is removed: it may have passed over records behind the stops.
        """
        text = self._files.read_replaced(_extents_file(name))
        extents = () if text is None else _extents(text)
        if any(extent.finished for extent in extents):
            self._files.delete(name)
        return extents

    def record(self, name: str, extents: Sequence[Extent]) -> None:
        """Keep what the sources of a query begin with."""
        self._files.replace(_extents_file(name), json.dumps([_fields(extent) for extent in extents], indent=1))

    def prefixes(self, name: str) -> Mapping[str, str]:
        """The transactional id prefixes of a query's exactly-once sinks, by the sinks' identities."""
        return dict(json.loads(self._files.read_replaced(_sinks_file(name)) or "{}"))

    def record_prefixes(self, name: str, prefixes: Mapping[str, str]) -> None:
        """Keep the transactional id prefixes of a query."""
        self._files.replace(_sinks_file(name), json.dumps(dict(prefixes), indent=1))

    def state(self, name: str) -> QueryState | None:
        """Where a query stands; None before its first start."""
        metadata = self._files.read(f"{name}/metadata")
        if metadata is None:
            return None
        query = str(json.loads(metadata)["id"])
        planned, completed = self._last(f"{name}/offsets"), self._last(f"{name}/commits")
        if planned == completed:
            return QueryState(query, completed + 1)
        _, about, *sources = self._offsets(name, planned)
        sources = [offset for offset in sources if not is_control(offset)]
        return QueryState(query, planned, int(json.loads(about)["batchTimestampMs"]), sources)

    def planned_offsets(self, name: str) -> Sequence[str]:
        """Up to where each source of a query was to be read last, as it has it; none before the first micro-batch."""
        return self._offsets_of_last(name, "offsets")

    def completed_offsets(self, name: str) -> Sequence[str]:
        """Up to where each source of a query has been read; none before the first micro-batch that was completed."""
        return self._offsets_of_last(name, "commits")

    def _offsets_of_last(self, name: str, log: str) -> Sequence[str]:
        if self._files.read(f"{name}/metadata") is None:
            return ()
        _, _, *sources = self._offsets(name, self._last(f"{name}/{log}")) or ("", "")
        return sources

    def _offsets(self, name: str, batch: int) -> Sequence[str]:
        """The lines of Spark's log of offsets about a micro-batch."""
        return (self._files.read(f"{name}/offsets/{batch}") or "").splitlines()

    def _last(self, log: str) -> int:
        """The last micro-batch in one of Spark's logs; -1 before the first."""
        return max((int(name) for name in self._files.names(log) if name.isdecimal()), default=-1)

    def clean(self) -> None:
        """Remove what nobody will read again."""
        if self.temporary:
            shutil.rmtree(self.path.removeprefix("file://"), ignore_errors=True)

    @property
    def _files(self) -> Files:
        return Files(self.session, self.path)


def _extents_file(name: str) -> str:
    return f"{name}.extents.json"


def _sinks_file(name: str) -> str:
    return f"{name}.sinks.json"


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
