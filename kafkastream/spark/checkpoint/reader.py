"""What lies in a job's checkpoint folder, as far as it can be read without Spark: our small files, and Spark's logs."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final, Protocol, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.checkpoint.control_stream import CONTROL_NAME, is_control
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord
from kafkastream.spark.checkpoint.source_options import offsets_of_json

__all__ = ["Extent", "FolderReader", "QueryState", "ReadableFiles", "extents_file", "sinks_file"]

_EXTENTS: Final = ".extents.json"


class ReadableFiles(Protocol):
    """The files below a folder."""

    def read(self, name: str) -> str | None:
        """The text of a file; None when there is none."""

    def read_replaced(self, name: str) -> str | None:
        """The text of a file that is replaced as a whole; None when there is none."""

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder; none when there is no such folder."""


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


@attrs.frozen
class FolderReader(ABC):
    """The folder of a job, to be read."""

    path: str

    def job_record(self) -> JobRecord | None:
        """The record of the job's last start; None in a new folder.

        Raises:
            DefinitionError: It is damaged or of another format, or there is none though the folder holds progress.
        """
        text = self._files.read(JOB_FILE)
        if text is not None:
            return JobRecord.of_text(text, self.path)
        unfinished = self._files.read_replaced(JOB_FILE)
        if unfinished is not None:
            with suppress(DefinitionError):  # where a kill has left half of the first one
                return JobRecord.of_text(unfinished, self.path)
        if any(name.endswith(_EXTENTS) for name in self._files.names("")):
            raise DefinitionError(
                f"the checkpoint folder has no {JOB_FILE}: it was made by kafkastream before its formats had versions",
                where=self.path,
                now="Start the job under another name, without any state; or go on with the version that made the folder.",
            )
        return None

    def of_query(self, name: str) -> str:
        """Where Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def read(self, name: str) -> str | None:
        """The text of a small file in the folder; None when there is none."""
        return self._files.read_replaced(name)

    def sinks(self, name: str) -> Mapping[str, Any]:
        """What is kept of a query's exactly-once sinks (``SlotNames``); empty before the first start."""
        return self.kept(sinks_file(name))

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

    def offsets_before_and_after(self, name: str, batch: int) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return where each source of a query stood before a planned micro-batch of Spark's and is to stand behind it."""
        return self._logged(name, batch - 1)[1], self._logged(name, batch)[1]

    def sources_read(self, name: str) -> Collection[str]:
        """The keys of the sources of which a query has progress that the next start goes by."""
        finished = [key for key, extent in self.kept_extents(name).items() if extent.finished]
        return finished or self.planned_offsets(name).keys()

    def kept_extents(self, name: str) -> Mapping[str, Extent]:
        """The extents of a query's sources by their keys; none before the first start."""
        return {key: _extent(fields) for key, fields in self.kept(extents_file(name)).items()}

    def kept(self, file: str) -> Mapping[str, Any]:
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

    @property
    @abstractmethod
    def _files(self) -> ReadableFiles:
        """The folder's files."""


def extents_file(name: str) -> str:
    """The file with what a query's sources began with."""
    return f"{name}{_EXTENTS}"


def sinks_file(name: str) -> str:
    """The file with what is known of a query's exactly-once sinks."""
    return f"{name}.sinks.json"


def _extent(fields: Mapping[str, Any]) -> Extent:
    stops = fields["stops"]
    return Extent(
        offsets_of_json(fields["starts"]), None if stops is None else offsets_of_json(stops), fields["finished"]
    )
