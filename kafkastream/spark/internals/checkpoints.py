"""Files that Spark keeps of a query below its checkpoint location: ids, logs of offsets and commits, state's metadata.

The classes that read and write them are in
https://github.com/apache/spark/tree/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/checkpointing.
Imports nothing of Spark: ``kafkastream checkpoint`` reads folders without it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, final

import attrs

from kafkastream.errors import DefinitionError

__all__ = [
    "COMMITS",
    "LOCAL_FILES",
    "OFFSETS",
    "REPLACEABLE_LOCAL_FILES",
    "STATE_FORMAT",
    "LoggedOffsets",
    "id_file",
    "query_of_id_file",
    "source_file",
    "state_folder",
    "state_format_of_commit",
    "state_metadata_folder",
    "state_metadata_moved",
]

_FILE_MANAGER: Final = "spark.sql.streaming.checkpointFileManagerClass"
_FILE_MANAGERS: Final = "org.apache.spark.sql.execution.streaming.checkpointing"

LOCAL_FILES: Final[Mapping[str, str]] = {_FILE_MANAGER: f"{_FILE_MANAGERS}.FileSystemBasedCheckpointFileManager"}
"""Settings of a query by which it writes these files quickly on a local disk.

By default, Spark renames files by Hadoop's ``FileContext``, which runs the program ``readlink`` eight times for each file
on a local disk; ``FileSystem`` does not. But it replaces no file: where one exists already, Spark leaves the new one under
its temporary name, without an error. So no file may be written twice: see ``STATE_FORMAT``.
https://github.com/apache/hadoop/blob/rel/release-3.5.0/hadoop-common-project/hadoop-common/src/main/java/org/apache/hadoop/fs/RawLocalFileSystem.java
"""
REPLACEABLE_LOCAL_FILES: Final[Mapping[str, str]] = {
    _FILE_MANAGER: f"{_FILE_MANAGERS}.FileContextBasedCheckpointFileManager"
}
"""Settings of a query that may write these files twice on a local disk: Spark's default."""
STATE_FORMAT: Final = "spark.sql.streaming.stateStore.checkpointFormatVersion"
"""Setting: version of the files of state.

1, Spark's default: a repeated micro-batch overwrites the files of the failed attempt; if that attempt uploads a snapshot late,
it stays. 2: each attempt has files of its own, and the log of commits has the names of those that count. Spark cannot go on
with 2 in a checkpoint that began with 1. https://issues.apache.org/jira/browse/SPARK-49411
"""
OFFSETS: Final = "offsets"
"""Folder of the log with a file for each planned micro-batch."""
COMMITS: Final = "commits"
"""Folder of the log with a file for each completed micro-batch."""
_SCHEMA_PATH: Final = re.compile(r'"[^"]*/state/[^/"]+/(_stateSchema/[^"]*)"')


@final
@attrs.frozen
class LoggedOffsets:
    """A planned micro-batch in the log of offsets.

    Args:
        started_at_ms: When it was planned.
        offsets: Offset of each source as the source writes it, in the order of the plan.
        sources: Name of each source; None where the log has no names.
    """

    started_at_ms: int
    offsets: tuple[str, ...]
    sources: tuple[str, ...] | None = None

    @staticmethod
    def of_text(text: str, where: str) -> LoggedOffsets:
        r"""Read a file of the log.

        After a line of metadata, version 2 has a line ``name:offset`` for each source
        (https://issues.apache.org/jira/browse/SPARK-54423), and version 1 has the offsets in the order of the plan.

        Args:
            text: Content of the file.
            where: The file, for errors.

        Raises:
            DefinitionError: The log has another version.

        Example:
            >>> LoggedOffsets.of_text('v2\n{"batchTimestampMs":7}\norders:{"t":{"0":3}}', "here")
            LoggedOffsets(started_at_ms=7, offsets=('{"t":{"0":3}}',), sources=('orders',))
        """
        version, metadata, *lines = text.split("\n")
        if version not in ("v1", "v2"):
            raise DefinitionError(
                f"Spark's log of offsets has version {version}, and this version of kafkastream reads v1 and v2",
                where=where,
                now="Start the job with the version of Spark that wrote the folder and with a version of kafkastream that supports it.",
            )
        started_at_ms = int(json.loads(metadata)["batchTimestampMs"])
        if version == "v1":
            return LoggedOffsets(started_at_ms, tuple(lines))
        named = [line.partition(":") for line in lines]
        return LoggedOffsets(started_at_ms, tuple(offset for *_, offset in named), tuple(name for name, *_ in named))


def state_format_of_commit(commit: str) -> str:
    r"""Return the version of the files of state (``STATE_FORMAT``) with which a micro-batch was committed.

    Args:
        commit: Entry of the log of commits.

    Example:
        >>> state_format_of_commit('v1\n{"nextBatchWatermarkMs":0}')
        '1'
    """
    return commit.partition("\n")[0].removeprefix("v")


def id_file(query: str) -> str:
    """Return the file with a query's lasting id, by the query's folder."""
    return f"{query}/metadata"


def query_of_id_file(text: str) -> str:
    """Return the id in an ``id_file``."""
    return str(json.loads(text)["id"])


def source_file(query: str, name: str) -> str:
    """Return where Spark keeps with which offset a source began, by the query's folder and the source's name."""
    return f"{query}/sources/{name}"


def state_folder(query: str) -> str:
    """Return the folder with a folder for each operator with state, by the query's folder."""
    return f"{query}/state"


def state_metadata_folder(state: str) -> str:
    """Return the folder with the metadata of an operator's state, by the operator's folder."""
    return f"{state}/_metadata/v2"


def state_metadata_moved(metadata: str, state: str) -> str:
    """Return the metadata of an operator whose folder lies at ``state`` now: Spark keeps absolute paths of schemas.

    Example:
        >>> state_metadata_moved(
        ...     '{"stateSchemaFilePaths":["file:/old/q/state/0/_stateSchema/default/0_x"]}', "file:/new/q/state/0"
        ... )
        '{"stateSchemaFilePaths":["file:/new/q/state/0/_stateSchema/default/0_x"]}'
    """
    return _SCHEMA_PATH.sub(lambda found: f'"{state}/{found[1]}"', metadata)
