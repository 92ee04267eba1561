"""Metadata appliers: apply schema changes to the tables of a pipeline's sink, registered by the sink's class."""

from __future__ import annotations

import sys
from typing import final

import attrs

from kafkastream.cdc.book import described
from kafkastream.cdc.changes import CreateTable, SchemaChange
from kafkastream.cdc.event_text import schema_change_text
from kafkastream.cdc.sinks import MetadataApplier, SchemaChangeRefusedError
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.simple_sinks import PrintSink, ValuesSink
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.worker.registry import Registry

__all__ = ["metadata_applier"]


class _WithoutConnection:
    """Base of metadata appliers that hold no connection."""

    def close(self) -> None:
        """Return."""


@final
@attrs.frozen
class NoTables(_WithoutConnection):
    """Applies nothing: the sink has no tables of its own."""

    def apply(self, change: SchemaChange) -> None:
        """Return."""


@final
@attrs.frozen
class KafkaTopics(_WithoutConnection):
    """Creates the topic of a new table if it does not exist; other schema changes need no action in Kafka.

    Args:
        sink: The Kafka sink, which maps tables to topics.
    """

    sink: KafkaPipelineSink

    def apply(self, change: SchemaChange) -> None:
        """Create a topic."""
        if isinstance(change, CreateTable):
            ClusterTopics(with_pem_stores(self.sink.sink.properties)).create(self.sink.topic_of(change.table))


@final
@attrs.frozen
class PrintedChanges(_WithoutConnection):
    """Prints schema changes between the row changes.

    Args:
        to_err: Whether to print to standard error instead of standard output.
    """

    to_err: bool = False

    def apply(self, change: SchemaChange) -> None:
        """Print a change."""
        print(schema_change_text(change), file=sys.stderr if self.to_err else sys.stdout, flush=True)


@final
@attrs.frozen
class RefusedChanges(_WithoutConnection):
    """Refuses all schema changes but new tables; an option of the sink for tests."""

    def apply(self, change: SchemaChange) -> None:
        """Refuse a change of a table that exists."""
        if not isinstance(change, CreateTable):
            raise SchemaChangeRefusedError(
                f"table {change.table} must not change: {described(change)}",
                where="sink values, error.on.schema.change",
            )


@Registry
def metadata_applier(sink: PipelineSink) -> MetadataApplier:
    """Return the metadata applier of a sink; the sink's engine module registers it by class."""
    return NoTables()


@metadata_applier.register
def _(sink: KafkaPipelineSink) -> MetadataApplier:
    return KafkaTopics(sink)


@metadata_applier.register
def _(sink: PrintSink) -> MetadataApplier:
    return PrintedChanges(sink.standard_error)


@metadata_applier.register
def _(sink: ValuesSink) -> MetadataApplier:
    if sink.error_on_schema_change:
        return RefusedChanges()
    return PrintedChanges() if sink.prints else NoTables()
