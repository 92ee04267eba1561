"""Checkpoint folder of a job: the progress of its queries, and the offset ranges that its sources began with."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import attrs
from pyspark.sql import SparkSession

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder_names import own_folder
from kafkastream.spark.checkpoint.reader import FolderReader, OffsetRange, QueryState, offset_ranges_file, sinks_file
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord
from kafkastream.spark.checkpoint.source_options import offsets_json
from kafkastream.spark.internals.checkpoints import (
    COMMITS,
    LOCAL_FILES,
    REPLACEABLE_LOCAL_FILES,
    STATE_FORMAT,
    source_file,
    state_folder,
    state_format_of_commit,
    state_metadata_folder,
    state_metadata_moved,
)
from kafkastream.spark.session.checkpoint_files import Files, TemporaryFiles
from kafkastream.spark.session.late_cleanup import delete_again_later

__all__ = ["CheckpointFolder", "OffsetRange", "QueryState"]


@final
@attrs.frozen
class CheckpointFolder(FolderReader):
    """Checkpoint folder of a job; a temporary one if no directory is configured."""

    session: SparkSession
    temporary: bool

    @staticmethod
    def of(session: SparkSession, settings: JobSettings) -> CheckpointFolder:
        """Return the folder of the job with these settings."""
        if settings.checkpoint_dir is not None:
            return CheckpointFolder(own_folder(settings.checkpoint_dir, settings.name), session, temporary=False)
        return CheckpointFolder(f"file://{tempfile.mkdtemp(prefix='kafkastream-')}", session, temporary=True)

    def settings(self) -> Mapping[str, str]:
        """Return the Spark settings with which queries write to the folder, unless the program has its own."""
        are_chosen = any(self.session.conf.get(key, None) for key in LOCAL_FILES)
        is_local = self._files.location("").startswith("file:")
        return LOCAL_FILES if is_local and not are_chosen else FrozenMap()

    def state_settings(self, name: str) -> Mapping[str, str]:
        """Return the Spark settings with which a query with state writes to the folder, in addition to ``settings``."""
        last_commit = self._files.read(f"{name}/{COMMITS}/{self._last(name, COMMITS)}")
        version = self.session.conf.get(STATE_FORMAT, None) or (
            "2" if last_commit is None else state_format_of_commit(last_commit)
        )
        replaces_files = version == "1" and bool(self.settings())
        return {STATE_FORMAT: version, **(REPLACEABLE_LOCAL_FILES if replaces_files else {})}

    def keep_record(self, record: JobRecord) -> None:
        """Write the record of this start."""
        self._files.replace(JOB_FILE, record.text())

    def make(self) -> None:
        """Create the folder, private if the file system has permissions: Spark unpickles files from it."""
        self._files.make_private()

    def replace(self, name: str, text: str) -> None:
        """Replace a small file in the folder atomically."""
        self._files.replace(name, text)

    def delete(self, name: str) -> None:
        """Delete a file of the folder, if it exists."""
        self._files.delete(name)

    def forget(self, name: str) -> None:
        """Delete all progress of a query."""
        for one in (name, offset_ranges_file(name), sinks_file(name), _epochs_file(name)):
            self._files.delete(one)

    def forget_source(self, name: str, key: str) -> None:
        """Delete the initial offsets that Spark keeps for a source: if the source is added again, it starts from its initial offsets."""
        self._files.delete(source_file(name, key))

    def offset_ranges(self, name: str) -> Mapping[str, OffsetRange]:
        """Return the offset ranges of a query's sources by their keys; none before the first start.

        Spark's progress of a finished bounded run is deleted: it may lie beyond the stopping offsets.
        """
        offset_ranges = self.kept_offset_ranges(name)
        if any(offset_range.finished for offset_range in offset_ranges.values()):
            self._files.delete(name)
        return offset_ranges

    def record(self, name: str, offset_ranges: Mapping[str, OffsetRange]) -> None:
        """Save the offset ranges that the sources of a query begin with, by their keys."""
        fields = {key: _fields(offset_range) for key, offset_range in offset_ranges.items()}
        self._files.replace(offset_ranges_file(name), json.dumps(fields, indent=1))

    def record_sinks(self, name: str, record: Mapping[str, Any]) -> None:
        """Save the record of a query's exactly-once sinks (``SlotNames``)."""
        self._files.replace(sinks_file(name), json.dumps(dict(record), indent=1))

    def ran_in_epochs(self, name: str) -> bool:
        """Return whether the last start of a query was in latency mode."""
        return self._files.read(_epochs_file(name)) is not None

    def record_mode(self, name: str, *, in_epochs: bool) -> None:
        """Save the mode that a query starts in."""
        if in_epochs:
            self._files.replace(_epochs_file(name), "{}")
        else:
            self._files.delete(_epochs_file(name))

    def relocate_state(self, name: str) -> None:
        """Correct the absolute paths of a query's state in Spark's metadata, if the folder was moved or copied.

        Spark saves the absolute path of each state schema and reads it at the next start.
        """
        for operator in self._files.names(state_folder(name)):
            state = f"{state_folder(name)}/{operator}"
            metadata, here = state_metadata_folder(state), self._files.location(state)
            names = {one.removesuffix("~") for one in self._files.names(metadata)}  # "~": left by a kill
            for file in (f"{metadata}/{one}" for one in names if one.isdecimal()):
                written = self._files.read_replaced(file) or ""
                correct = state_metadata_moved(written, here)
                if correct != self._files.read(file):
                    self._files.replace(file, correct)

    def clean(self) -> None:
        """Delete the folder if it is temporary, and once more after some time."""
        if self.temporary:
            shutil.rmtree(self._directory, ignore_errors=True)
            delete_again_later(self._directory)

    @property
    def _files(self) -> Files | TemporaryFiles:
        return TemporaryFiles(Path(self._directory)) if self.temporary else Files(self.session, self.path)

    @property
    def _directory(self) -> str:
        """Path of a temporary folder."""
        return self.path.removeprefix("file://")


def _epochs_file(name: str) -> str:
    """Return the file that exists if the last start of a query was in latency mode."""
    return f"{name}.epochs.json"


def _fields(offset_range: OffsetRange) -> dict[str, Any]:
    stops = None if offset_range.stops is None else offsets_json(offset_range.stops)
    return {"starts": offsets_json(offset_range.starts), "stops": stops, "finished": offset_range.finished}
