"""Checkpoint folders of jobs, read without Spark for ``kafkastream checkpoint``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import final

import attrs
from pyarrow import fs

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.owner import OWNER_FILE, OwnerRecord
from kafkastream.spark.checkpoint.reader import FolderReader, ReadableFiles
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord, PartRecord
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.checkpoint.state_layout import Layout

__all__ = ["StoredJob", "StoredQuery", "StoredSource", "stored_folder", "stored_jobs"]


@final
@attrs.frozen
class StoredSource:
    """A source of a query.

    Args:
        name: Name of the source, with its uid if it has one.
        reads: Topics, pattern or partitions that it reads.
        offsets: Next offset of each partition.
    """

    name: str
    reads: str
    offsets: Mapping[TopicPartition, int]


@final
@attrs.frozen(kw_only=True)
class StoredQuery:
    """A query of a job.

    Args:
        folder: Its folder.
        next_batch: Number of the next micro-batch; None if a bounded run has ended, or none has begun.
        is_unfinished: Whether that micro-batch has been planned and will be repeated.
        sources: Its sources.
        watermarks: Watermark of each operator with state, in ms.
        operators: Dependencies of the state of each operator.
    """

    folder: str
    next_batch: int | None
    is_unfinished: bool
    sources: Sequence[StoredSource]
    watermarks: Mapping[str, int]
    operators: Mapping[str, str]


@final
@attrs.frozen
class StoredJob:
    """Content of a job's checkpoint folder.

    Args:
        folder: The folder.
        record: Record of the job's last start.
        owner: Process that runs the job, if any.
        queries: Its queries.
    """

    folder: str
    record: JobRecord
    owner: OwnerRecord | None
    queries: Sequence[StoredQuery]


def stored_jobs(place: str) -> Sequence[StoredJob]:
    """Return the jobs in a checkpoint directory, or the one job of a job's own folder.

    Args:
        place: A path, or a URL of a file system that pyarrow supports: ``file:``, ``hdfs:``, ``s3:``, ``gs:``.

    Raises:
        DefinitionError: There is no such folder, or no job in it.
    """
    files = _files_at(place)
    root = files.root
    if files.read(JOB_FILE) is not None:
        return [_job(files, root)]
    folders = [name for name in sorted(files.names("")) if files.read(f"{name}/{JOB_FILE}") is not None]
    if not folders:
        raise DefinitionError(
            "no job has a checkpoint here",
            where=place,
            now="Name the checkpoint directory of a job, or its folder there.",
        )
    return [_job(_ArrowFiles(files.system, f"{root}/{name}"), f"{root}/{name}") for name in folders]


def stored_folder(path: str) -> FolderReader:
    """Return the reader of one job's folder, which need not exist yet.

    Raises:
        DefinitionError: pyarrow does not support the file system, or cannot reach it.
    """
    return _StoredFolder(path, _files_at(path))


def _files_at(place: str) -> _ArrowFiles:
    try:
        return _ArrowFiles(
            *fs.FileSystem.from_uri(place if "://" in place or place.startswith("file:") else _uri(place))
        )
    except (ValueError, OSError) as error:
        raise DefinitionError(
            f"{place} cannot be read: {error}", now="Give a path, or a URL such as file:///data."
        ) from None


def _uri(path: str) -> str:
    return Path(path).absolute().as_uri()


def _job(files: _ArrowFiles, folder: str) -> StoredJob:
    reader = _StoredFolder(folder, files)
    record = reader.job_record()
    assert record is not None
    return StoredJob(
        folder, record, OwnerRecord.of_text(files.read(OWNER_FILE)), [_query(reader, part) for part in record.parts]
    )


def _query(reader: _StoredFolder, part: PartRecord) -> StoredQuery:
    finished = {key: one.starts for key, one in reader.kept_offset_ranges(part.folder).items() if one.finished}
    state = None if finished else reader.state(part.folder)
    completed = {} if finished else reader.completed_offsets(part.folder)
    sources = [
        StoredSource(
            repr(source.name) if source.uid is None else f"{source.name!r}, uid {source.uid!r}",
            source.reads or "a collection",
            finished.get(source.key) or (offsets_of_json(completed.get(source.key)) if source.reads else {}),
        )
        for source in part.sources
    ]
    told = json.loads(completed[CONTROL_NAME]) if CONTROL_NAME in completed else {}
    layout = Layout.of_offsets(completed)
    return StoredQuery(
        folder=part.folder,
        next_batch=None if state is None else state.batch,
        is_unfinished=state is not None and state.planned_at_ms is not None,
        sources=sources,
        watermarks=told.get("watermarks", {}),
        operators={
            identity: part.operators.get(identity, "")
            for identity in sorted(frozenset() if layout is None else layout.operator_ids)
        },
    )


@final
@attrs.frozen
class _StoredFolder(FolderReader):
    files: ReadableFiles

    @property
    def _files(self) -> ReadableFiles:
        return self.files


@final
@attrs.frozen
class _ArrowFiles:
    """Files of a pyarrow file system (``ReadableFiles``)."""

    system: fs.FileSystem
    root: str

    def read(self, name: str) -> str | None:
        path = f"{self.root}/{name}"
        if self.system.get_file_info(path).type is not fs.FileType.File:
            return None
        with self.system.open_input_stream(path) as stream:
            return bytes(stream.read()).decode()

    def read_replaced(self, name: str) -> str | None:
        text = self.read(name)
        return self.read(f"{name}~") if text is None else text

    def names(self, folder: str) -> list[str]:
        path = f"{self.root}/{folder}".rstrip("/")
        return list(self._names(path)) if self.system.get_file_info(path).type is fs.FileType.Directory else []

    def _names(self, path: str) -> Iterator[str]:
        return (PurePosixPath(info.path).name for info in self.system.get_file_info(fs.FileSelector(path)))
