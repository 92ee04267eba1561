"""Reader of a job's checkpoint folder, as far as that goes without Spark: our small files, and Spark's logs."""

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
from kafkastream.spark.internals.checkpoints import COMMITS, OFFSETS, LoggedOffsets, id_file, query_of_id_file

__all__ = ["FolderReader", "OffsetRange", "QueryState", "ReadableFiles", "offset_ranges_file", "sinks_file"]

_OFFSET_RANGES: Final = ".extents.json"


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
class OffsetRange:
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
    """Progress of a query, by its checkpoint.

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
        if any(name.endswith(_OFFSET_RANGES) for name in self._files.names("")):
            raise DefinitionError(
                f"the checkpoint folder has no {JOB_FILE}: it was made by kafkastream before its formats had versions",
                where=self.path,
                now="Start the job under another name, without any state; or go on with the version that made the folder.",
            )
        return None

    def of_query(self, name: str) -> str:
        """Folder where Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def read(self, name: str) -> str | None:
        """The text of a small file in the folder; None when there is none."""
        return self._files.read_replaced(name)

    def sinks(self, name: str) -> Mapping[str, Any]:
        """Record of a query's exactly-once sinks (``SlotNames``); empty before the first start."""
        return self.kept(sinks_file(name))

    def state(self, name: str) -> QueryState | None:
        """Progress of a query; None before its first start."""
        kept = self._files.read(id_file(name))
        if kept is None:
            return None
        query = query_of_id_file(kept)
        planned, completed = self._last(name, OFFSETS), self._last(name, COMMITS)
        if planned == completed:
            return QueryState(query, completed + 1)
        logged = self._logged(name, planned)
        return QueryState(query, planned, None if logged is None else logged.started_at_ms, _by_key(logged))

    def planned_offsets(self, name: str) -> Mapping[str, str]:
        """Up to where each source was to be read last, by its key; none before the first micro-batch."""
        return self._offsets_of_last(name, OFFSETS)

    def completed_offsets(self, name: str) -> Mapping[str, str]:
        """Up to where each source has been read, by its key; none before the first completed micro-batch."""
        return self._offsets_of_last(name, COMMITS)

    def offsets_before_and_after(self, name: str, batch: int) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return where each source of a query stood before a planned micro-batch of Spark's and is to stand behind it."""
        return _by_key(self._logged(name, batch - 1)), _by_key(self._logged(name, batch))

    def sources_read(self, name: str) -> Collection[str]:
        """The keys of the sources of which a query has progress that the next start goes by."""
        finished = [key for key, offset_range in self.kept_offset_ranges(name).items() if offset_range.finished]
        return finished or self.planned_offsets(name).keys()

    def kept_offset_ranges(self, name: str) -> Mapping[str, OffsetRange]:
        """Return the offset ranges of a query's sources by their keys; none before the first start."""
        return {key: _offset_range(fields) for key, fields in self.kept(offset_ranges_file(name)).items()}

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
        if self._files.read(id_file(name)) is None:
            return {}
        return _by_key(self._logged(name, self._last(name, log)))

    def _logged(self, name: str, batch: int) -> LoggedOffsets | None:
        """Return what Spark's log of offsets tells of a micro-batch, if it has it."""
        file = f"{name}/{OFFSETS}/{batch}"
        text = self._files.read(file)
        return None if text is None else LoggedOffsets.of_text(text, f"{self.path}/{file}")

    def _last(self, name: str, log: str) -> int:
        """Return the last micro-batch in one of Spark's logs of a query; -1 before the first."""
        return max((int(file) for file in self._files.names(f"{name}/{log}") if file.isdecimal()), default=-1)

    @property
    @abstractmethod
    def _files(self) -> ReadableFiles:
        """The folder's files."""


def _by_key(logged: LoggedOffsets | None) -> Mapping[str, str]:
    """Return the offset of each source by its key: Spark's name of it, or else its number among the Kafka sources."""
    if logged is None:
        return {}
    numbers = map(str, count())
    keys = logged.sources or (CONTROL_NAME if is_control(offset) else next(numbers) for offset in logged.offsets)
    return dict(zip(keys, logged.offsets, strict=True))


def offset_ranges_file(name: str) -> str:
    """The file with what a query's sources began with."""
    return f"{name}{_OFFSET_RANGES}"


def sinks_file(name: str) -> str:
    """The file with what is known of a query's exactly-once sinks."""
    return f"{name}.sinks.json"


def _offset_range(fields: Mapping[str, Any]) -> OffsetRange:
    stops = fields["stops"]
    return OffsetRange(
        offsets_of_json(fields["starts"]), None if stops is None else offsets_of_json(stops), fields["finished"]
    )
