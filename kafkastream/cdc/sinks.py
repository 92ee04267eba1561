"""Protocol of a sink of tables: the driver applies schema changes, the workers write row changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kafkastream.cdc.changes import Change, SchemaChange
from kafkastream.errors import JobError
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["ChangeWriter", "MetadataApplier", "SchemaChangeRefusedError", "SinkError", "SupersededError"]


class SinkError(JobError):
    """Failure of the sink's system to write changes."""

    code = "sink-failed"


class SupersededError(SinkError):
    """Commit that must not happen, since a later attempt of the task has taken over."""

    code = "superseded"


class SchemaChangeRefusedError(JobError):
    """Schema change that the sink cannot apply; ``schema.change.behavior`` decides what happens."""

    code = "schema-change-refused"


class MetadataApplier(Protocol):
    """Applies schema changes to a sink, on the driver (Flink CDC's term)."""

    def apply(self, change: SchemaChange) -> None:
        """Apply a change idempotently.

        Raises:
            SchemaChangeRefusedError: The sink does not support the change.
            SinkError: The sink does not respond.
        """
        ...

    def close(self) -> None:
        """Release connections."""
        ...


class ChangeWriter(Protocol):
    """Writes row changes to a sink, in a task on a worker: ``begin``, ``write`` any number of times, ``commit``."""

    def begin(self, job: str, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Begin a transaction, and fence earlier attempts that write for these partitions.

        Args:
            job: Permanent id of the job, unchanged by restarts.
            partitions: Partitions whose records become changes.

        Returns:
            Offset after the last record written by an earlier transaction, for partitions that have one.
        """
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes in order."""
        ...

    def commit(self, reached: Mapping[TopicPartition, int]) -> None:
        """Commit everything written since ``begin``, atomically with the next offsets.

        Args:
            reached: Offsets after the last records, by partition.

        Raises:
            SupersededError: A later attempt has begun for one of the partitions.
        """
        ...

    def abort(self) -> None:
        """Discard everything written since ``begin``."""
        ...

    def close(self) -> None:
        """Abort an open transaction and release connections."""
        ...
