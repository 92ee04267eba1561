"""The protocol of a sink of tables: the driver applies changes of schemas, the workers write changes of rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kafkastream.cdc.changes import Change, SchemaChange
from kafkastream.errors import JobError
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["ChangeWriter", "MetadataApplier", "SchemaChangeRefusedError", "SinkError", "SupersededError"]


class SinkError(JobError):
    """The sink's system could not write changes."""

    code = "sink-failed"


class SupersededError(SinkError):
    """A later attempt of the same task has taken over, so that this one must not commit."""

    code = "superseded"


class SchemaChangeRefusedError(JobError):
    """The sink cannot apply a change of a schema; ``schema.change.behavior`` says what becomes of it."""

    code = "schema-change-refused"


class MetadataApplier(Protocol):
    """Applies changes of schemas to a sink, on the driver (Flink CDC's term)."""

    def apply(self, change: SchemaChange) -> None:
        """Apply a change; a repeated one changes nothing.

        Raises:
            SchemaChangeRefusedError: The sink cannot take the change.
            SinkError: The sink does not answer.
        """
        ...

    def close(self) -> None:
        """Release connections."""
        ...


class ChangeWriter(Protocol):
    """Writes changes of rows to a sink, in a task on a worker: ``begin``, ``write`` any number of times, ``commit``."""

    def begin(self, job: str, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Begin a transaction and lock out earlier attempts that write for these partitions.

        Args:
            job: The job's lasting identity, the same after a restart.
            partitions: The partitions whose records become changes.

        Returns:
            The offset behind the last record that a transaction before has written, for the partitions that have one.
        """
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes in their order."""
        ...

    def commit(self, reached: Mapping[TopicPartition, int]) -> None:
        """Make what was written since ``begin`` visible, together with the offsets behind the last records.

        Raises:
            SupersededError: A later attempt has begun for one of the partitions.
        """
        ...

    def abort(self) -> None:
        """Drop what was written since ``begin``."""
        ...

    def close(self) -> None:
        """Abort an open transaction and release connections."""
        ...
