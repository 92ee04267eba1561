"""Where the queries of a job keep their progress, and what a source began with, which a restart goes by."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, final

import attrs
from pyspark.sql import SparkSession

from kafkastream.errors import DefinitionError
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord
from kafkastream.spark.control import CONTROL_NAME, is_control
from kafkastream.spark.files import Files
from kafkastream.spark.source import offsets_json, offsets_of_json
from kafkastream.spec.job import JobSettings
from kafkastream.spec.subscription import TopicPartition
from kafkastream.spec.values import FrozenMap

__all__ = ["CheckpointFolder", "Extent", "QueryState", "slug"]

log = logging.getLogger("kafkastream")

_EXTENTS: Final = ".extents.json"


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
        planned: Up to where that run was about to read, as each source has it, by the source's key.
    """

    query: str
    batch: int
    planned_at_ms: int | None = None
    planned: Mapping[str, str] = FrozenMap()

    def partitions(self, source: str) -> frozenset[TopicPartition]:
        """The partitions of a Kafka source that that run was about to read, by the source's key."""
        return frozenset(offsets_of_json(self.planned.get(source)))


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
            path = f"{settings.checkpoint_dir.rstrip('/')}/{_own_slug(settings.name)}"
            return CheckpointFolder(session, path, temporary=False)
        log.info("job %r has no checkpoint directory: nothing survives its end", settings.name)
        return CheckpointFolder(session, Path(tempfile.mkdtemp(prefix="kafkastream-")).as_uri(), temporary=True)

    def job_record(self) -> JobRecord | None:
        """The record of the job's last start; None in a new folder.

        Raises:
            DefinitionError: It is damaged or of another format, or there is none though the folder holds progress.
        """
        text = self._files.read_replaced(JOB_FILE)
        if text is not None:
            return JobRecord.of_text(text, self.path)
        if any(name.endswith(_EXTENTS) for name in self._files.names("")):
            raise DefinitionError(
                f"the checkpoint folder has no {JOB_FILE}: it was made by kafkastream before its formats had versions",
                where=self.path,
                now="Start the job under another name, without any state; or go on with the version that made the folder.",
            )
        return None

    def keep_record(self, record: JobRecord) -> None:
        """Write the record of this start."""
        self._files.replace(JOB_FILE, record.text())

    def make(self) -> None:
        """Create the folder, for its owner alone where the file system can: what Spark reads here are pickles, too."""
        self._files.make_private()

    def read(self, name: str) -> str | None:
        """The text of a small file in the folder; None when there is none."""
        return self._files.read_replaced(name)

    def replace(self, name: str, text: str) -> None:
        """Write a small file in the folder as a whole."""
        self._files.replace(name, text)

    def delete(self, name: str) -> None:
        """Remove a file of the folder, if it is there."""
        self._files.delete(name)

    def forget(self, name: str) -> None:
        """Remove all that a query has kept."""
        for one in (name, _extents_file(name), _sinks_file(name)):
            self._files.delete(one)

    def forget_source(self, name: str, key: str) -> None:
        """Remove what Spark keeps of a source's beginning: if it ever comes back, it begins anew."""
        self._files.delete(f"{name}/sources/{key}")

    def of_query(self, name: str) -> str:
        """Where Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def extents(self, name: str) -> Mapping[str, Extent]:
        """The extents of a query's sources by their keys; none before the first start.

        What Spark keeps of a finished run is removed: it may have passed over records behind the stops.
        """
        extents = self._extents(name)
        if any(extent.finished for extent in extents.values()):
            self._files.delete(name)
        return extents

    def record(self, name: str, extents: Mapping[str, Extent]) -> None:
        """Keep what the sources of a query begin with, by their keys."""
        fields = {key: _fields(extent) for key, extent in extents.items()}
        self._files.replace(_extents_file(name), json.dumps(fields, indent=1))

    def prefixes(self, name: str) -> Mapping[str, str]:
        """The transactional id prefixes of a query's exactly-once sinks, by the sinks' identities."""
        return self._kept(_sinks_file(name))

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
        about, offsets = self._logged(name, planned)
        return QueryState(query, planned, int(json.loads(about)["batchTimestampMs"]), offsets)

    def planned_offsets(self, name: str) -> Mapping[str, str]:
        """Up to where each source was to be read last, by its key; none before the first micro-batch."""
        return self._offsets_of_last(name, "offsets")

    def completed_offsets(self, name: str) -> Mapping[str, str]:
        """Up to where each source has been read, by its key; none before the first completed micro-batch."""
        return self._offsets_of_last(name, "commits")

    def sources_read(self, name: str) -> Collection[str]:
        """The keys of the sources of which a query has progress that the next start goes by."""
        finished = [key for key, extent in self._extents(name).items() if extent.finished]
        return finished or self.planned_offsets(name).keys()

    def _extents(self, name: str) -> Mapping[str, Extent]:
        return {key: _extent(fields) for key, fields in self._kept(_extents_file(name)).items()}

    def _kept(self, file: str) -> Mapping[str, Any]:
        """The content of one of our files; nothing before it was first written.

        Raises:
            DefinitionError: The file is damaged.
        """
        text = self._files.read(file)
        try:
            if text is None:  # a kill came before the first one was whole, or between the old one and the new one
                with suppress(ValueError):
                    return dict(json.loads(self._files.read_replaced(file) or "{}"))
                return {}
            return dict(json.loads(text))
        except ValueError as error:
            raise DefinitionError(
                f"{file} of the checkpoint folder is damaged: {error}",
                where=self.path,
                now="Restore the folder from a copy, or start the job under another name, without any state.",
            ) from None

    def _offsets_of_last(self, name: str, log: str) -> Mapping[str, str]:
        if self._files.read(f"{name}/metadata") is None:
            return {}
        return self._logged(name, self._last(f"{name}/{log}"))[1]

    def _logged(self, name: str, batch: int) -> tuple[str, Mapping[str, str]]:
        """What Spark's log of offsets tells of a micro-batch, and the offset of each source by its name.

        After a line of metadata, version 2 of the log has a line ``name:offset`` for each source
        (https://issues.apache.org/jira/browse/SPARK-54423), and version 1 has the offsets in the order of the plan.
        """
        text = self._files.read(f"{name}/offsets/{batch}")
        if text is None:
            return "", {}
        log_version, about, *lines = text.split("\n")
        if log_version == "v1":
            numbers = map(str, count())
            return about, {CONTROL_NAME if is_control(line) else next(numbers): line for line in lines}
        return about, {key: offset for key, _, offset in (line.partition(":") for line in lines)}

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
    return f"{name}{_EXTENTS}"


def _sinks_file(name: str) -> str:
    return f"{name}.sinks.json"


def _own_slug(name: str) -> str:
    """The name of a job as a folder that no other name has: "job 1" and "job/1" differ.

    Example:
        >>> _own_slug("orders"), _own_slug("job 1"), _own_slug("job/1")
        ('orders', 'job-1-f0f4bbb7', 'job-1-ebeb05ed')
    """
    text = slug(name)
    return text if text == name else f"{text}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def slug(name: str) -> str:
    """A name as a part of a path."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "job"


def _fields(extent: Extent) -> dict[str, Any]:
    stops = None if extent.stops is None else offsets_json(extent.stops)
    return {"starts": offsets_json(extent.starts), "stops": stops, "finished": extent.finished}


def _extent(fields: Mapping[str, Any]) -> Extent:
    stops = fields["stops"]
    return Extent(
        offsets_of_json(fields["starts"]), None if stops is None else offsets_of_json(stops), fields["finished"]
    )
