"""Reader of a job's checkpoint folder that needs no Spark: our small files, and Spark's logs."""

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
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.control_stream import is_control
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.internals.checkpoints import COMMITS, OFFSETS, LoggedOffsets, id_file, query_of_id_file

__all__ = ["FolderReader", "OffsetRange", "QueryState", "ReadableFiles", "offset_ranges_file", "sinks_file"]

_OFFSET_RANGES: Final = ".extents.json"


class ReadableFiles(Protocol):
    """The files below a folder."""

    def read(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""

    def read_replaced(self, name: str) -> str | None:
        """Return the text of a file that is replaced atomically; None if it does not exist."""

    def names(self, folder: str) -> Sequence[str]:
        """Return the names in a folder; none if it does not exist."""


@final
@attrs.frozen
class OffsetRange:
    """Starting and stopping offsets of a source, which Flink keeps in the splits of its checkpoints.

    Args:
        starts: First offset to read, for each partition that existed at the first start.
        stops: First offset not to read, for each of these partitions; None if the source is unbounded.
        finished: Whether a bounded run has ended here; the next run begins here, with new stopping offsets.
    """

    starts: Mapping[TopicPartition, int]
    stops: Mapping[TopicPartition, int] | None = None
    finished: bool = False


@final
@attrs.frozen
class QueryState:
    """Progress of a query in its checkpoint.

    Args:
        query: Spark's id of the query, the same after a restart.
        batch: Number of the next micro-batch.
        planned_at_ms: Time at which an earlier run planned that micro-batch without completing it; None if it did not.
        planned: Planned end offset of each source as Spark's JSON, by the source's key.
    """

    query: str
    batch: int
    planned_at_ms: int | None = None
    planned: Mapping[str, str] = FrozenMap()

    def partitions(self, source: str) -> frozenset[TopicPartition]:
        """Return the partitions of a Kafka source in the planned micro-batch, by the source's key."""
        return frozenset(offsets_of_json(self.planned.get(source)))


@attrs.frozen
class FolderReader(ABC):
    """Reads the checkpoint folder of a job."""

    path: str

    def job_record(self) -> JobRecord | None:
        """Return the record of the job's last start; None in a new folder.

        Raises:
            DefinitionError: The record is damaged, has another format, or is missing in a folder that holds progress.
        """
        text = self._files.read(JOB_FILE)
        if text is not None:
            return JobRecord.of_text(text, self.path)
        unfinished = self._files.read_replaced(JOB_FILE)
        if unfinished is not None:
            with suppress(DefinitionError):  # a killed process has left half of the first one
                return JobRecord.of_text(unfinished, self.path)
        if any(name.endswith(_OFFSET_RANGES) for name in self._files.names("")):
            raise DefinitionError(
                f"the checkpoint folder has no {JOB_FILE}: it was written by kafkastream before formats had versions",
                where=self.path,
                now="Start the job under another name, without any state; or continue with the version that wrote the folder.",
            )
        return None

    def of_query(self, name: str) -> str:
        """Return the folder in which Spark keeps the progress of a query."""
        return f"{self.path}/{name}"

    def read(self, name: str) -> str | None:
        """Return the text of a small file in the folder; None if it does not exist."""
        return self._files.read_replaced(name)

    def sinks(self, name: str) -> Mapping[str, Any]:
        """Return the record of a query's exactly-once sinks (``SlotNames``); empty before the first start."""
        return self.kept(sinks_file(name))

    def state(self, name: str) -> QueryState | None:
        """Return the progress of a query; None before its first start."""
        kept = self._files.read(id_file(name))
        if kept is None:
            return None
        query = query_of_id_file(kept)
        planned, completed = self._last(name, OFFSETS), self._last(name, COMMITS)
        if planned == completed:
            return QueryState(query, completed + 1)
        logged = self._logged(name, planned)
        return QueryState(query, planned, None if logged is None else logged.started_at_ms, _by_key(logged))

    def state_in_epochs(self, name: str) -> QueryState | None:
        """Return the progress of a query in latency mode; None before its first start.

        Epochs run ahead of the log: whatever was logged last, records behind it may have been written.
        """
        state = self.state(name)
        logged = None if state is None else self._logged(name, self._last(name, OFFSETS))
        if state is None or logged is None:
            return state
        return attrs.evolve(state, planned_at_ms=logged.started_at_ms, planned=_by_key(logged))

    def planned_offsets(self, name: str) -> Mapping[str, str]:
        """Return the end offset of each source in the last planned micro-batch, by key; none before the first one."""
        return self._offsets_of_last(name, OFFSETS)

    def completed_offsets(self, name: str) -> Mapping[str, str]:
        """Return the end offset of each source in the last completed micro-batch, by key; none before the first one."""
        return self._offsets_of_last(name, COMMITS)

    def offsets_before_and_after(self, name: str, batch: int) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the offsets of each source before and after a planned micro-batch."""
        return _by_key(self._logged(name, batch - 1)), _by_key(self._logged(name, batch))

    def sources_read(self, name: str) -> Collection[str]:
        """Return the keys of the sources whose progress the next start of a query continues from."""
        finished = [key for key, offset_range in self.kept_offset_ranges(name).items() if offset_range.finished]
        return finished or self.planned_offsets(name).keys()

    def kept_offset_ranges(self, name: str) -> Mapping[str, OffsetRange]:
        """Return the offset ranges of a query's sources by their keys; none before the first start."""
        return {key: _offset_range(fields) for key, fields in self.kept(offset_ranges_file(name)).items()}

    def kept(self, file: str) -> Mapping[str, Any]:
        """Return the content of one of our JSON files; empty before it is first written.

        Raises:
            DefinitionError: The file is damaged.
        """
        text = self._files.read(file)
        try:
            if text is None:  # killed before the first one was complete, or between the old one and the new one
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
        """Return the entry of a micro-batch in Spark's log of offsets, if there is one."""
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
    """Return the offset of each source by its key: its name in Spark, or else its number among the Kafka sources."""
    if logged is None:
        return {}
    numbers = map(str, count())
    keys = logged.sources or (CONTROL_NAME if is_control(offset) else next(numbers) for offset in logged.offsets)
    return dict(zip(keys, logged.offsets, strict=True))


def offset_ranges_file(name: str) -> str:
    """Return the file with the offset ranges of a query's sources."""
    return f"{name}{_OFFSET_RANGES}"


def sinks_file(name: str) -> str:
    """Return the file with the record of a query's exactly-once sinks."""
    return f"{name}.sinks.json"


def _offset_range(fields: Mapping[str, Any]) -> OffsetRange:
    stops = fields["stops"]
    return OffsetRange(
        offsets_of_json(fields["starts"]), None if stops is None else offsets_of_json(stops), fields["finished"]
    )
