"""Changes of tables in the sinks of pipelines, registered by the sinks' classes."""

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
    """Applies changes without a connection that is kept."""

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
    """Creates the topic of a new table, where the brokers do not have it; other changes need nothing.

    Args:
        sink: The sink, which knows the topics.
    """

    sink: KafkaPipelineSink

    def apply(self, change: SchemaChange) -> None:
        """Create a topic."""
        if isinstance(change, CreateTable):
            ClusterTopics(with_pem_stores(self.sink.sink.properties)).create(self.sink.topic_of(change.table))


@final
@attrs.frozen
class PrintedChanges(_WithoutConnection):
    """Prints schema changes between the changes of rows.

    Args:
        to_err: Whether to standard error.
    """

    to_err: bool = False

    def apply(self, change: SchemaChange) -> None:
        """Print a change."""
        print(schema_change_text(change), file=sys.stderr if self.to_err else sys.stdout, flush=True)


@final
@attrs.frozen
class RefusedChanges(_WithoutConnection):
    """Refuses schema changes, but for new tables, as a sink for tests is told to."""

    def apply(self, change: SchemaChange) -> None:
        """Refuse a change of a table that exists."""
        if not isinstance(change, CreateTable):
            raise SchemaChangeRefusedError(
                f"table {change.table} is not to change: {described(change)}",
                where="sink values, error.on.schema.change",
            )


@Registry
def metadata_applier(sink: PipelineSink) -> MetadataApplier:
    """Return what changes a sink's tables; a module that knows a class of sinks registers its own."""
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
