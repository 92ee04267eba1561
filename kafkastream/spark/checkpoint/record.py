"""Record of a job in its checkpoint folder, which a program is compared with when it starts again.

``job.json`` holds sources and stateful operators by their uids (or names), the expressions that feed the operators as
text, and the version of the format. Nothing in it is a hash of an order or of an internal ``repr``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

import attrs
import msgspec

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.spark.checkpoint.folder_names import is_plain_folder

__all__ = ["FORMAT", "JOB_FILE", "JobRecord", "PartRecord", "SourceRecord"]

FORMAT: Final = 3
"""Version of all files that a job keeps in its folder; raised when an older version cannot read them.

1: values of state as they are. 2: large values of state are compressed. 3: each attempt of a micro-batch has state files of
its own, in a checkpoint that began so.
"""
_READ: Final = frozenset({1, 2, FORMAT})
JOB_FILE: Final = "job.json"


@final
@attrs.frozen(kw_only=True)
class SourceRecord:
    """A source of a query.

    Args:
        key: Name of the source in Spark's log of offsets; it never changes.
        name: Name in the program.
        uid: Uid in the program, if any.
        reads: The topics, pattern or partitions that it reads; empty for a collection.
    """

    key: str
    name: str
    uid: str | None = None
    reads: str = ""


@final
@attrs.frozen(kw_only=True)
class PartRecord:
    """A connected part of the job, which runs as one Spark query.

    Args:
        folder: Folder of the query below the job's.
        sources: Sources of the query.
        sinks: The names of its sinks.
        operators: Dependencies of the state of each keyed operator, by the operator's identity.
        is_named: Whether the sources have their keys as names in Spark; otherwise their order identifies them.
    """

    folder: str
    sources: tuple[SourceRecord, ...]
    sinks: tuple[str, ...] = ()
    operators: Mapping[str, str] = FrozenMap()
    is_named: bool = True


@final
@attrs.frozen(kw_only=True)
class JobRecord:
    """A job as of its last start.

    Args:
        job: The exact name of the job.
        program: File name of the program, if the job has no name of its own.
        parts: Its queries.
        versions: Versions of this package and of Spark that wrote the record.
        format: Version of the folder's format.
    """

    job: str
    program: str | None = None
    parts: tuple[PartRecord, ...] = ()
    versions: Mapping[str, str] = FrozenMap()
    format: int = FORMAT

    def text(self) -> str:
        """Return the record as JSON.

        Example:
            >>> JobRecord.of_text(JobRecord(job="orders").text(), "here") == JobRecord(job="orders")
            True
        """
        plain = attrs.asdict(self, value_serializer=lambda _, __, value: _plain(value))
        return msgspec.json.format(msgspec.json.encode(plain), indent=1).decode()

    @staticmethod
    def of_text(text: str, where: str) -> JobRecord:
        """Parse a record.

        Args:
            text: The content of ``job.json``.
            where: Folder, for error messages.

        Raises:
            DefinitionError: The text is damaged or has a newer version.
        """
        try:
            version = msgspec.json.decode(text, type=_Header).format
        except msgspec.DecodeError as error:
            raise _damaged(where, error) from None
        if version not in _READ:
            raise DefinitionError(
                f"the checkpoint folder has format {version}, and this version of kafkastream reads up to {FORMAT}",
                where=where,
                now="Start the job with the version of kafkastream that wrote the folder "
                "(`kafkastream checkpoint` shows it), or under another job name, without any state.",
            )
        try:
            record = msgspec.json.decode(text, type=JobRecord)
        except msgspec.DecodeError as error:
            raise _damaged(where, error) from None
        for part in record.parts:
            if not is_plain_folder(part.folder):  # earlier versions took the name of a source as it was
                raise _damaged(where, f"the folder {part.folder!r} of a query lies outside")
        return record


class _Header(msgspec.Struct):
    """Fields that every version of the record has."""

    format: int


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, FrozenMap) else value


def _damaged(where: str, error: Exception | str) -> DefinitionError:
    return DefinitionError(
        f"{JOB_FILE} of the checkpoint folder cannot be read: {error}",
        where=where,
        now="Restore the folder from a copy, or start the job under another name, without any state.",
    )
