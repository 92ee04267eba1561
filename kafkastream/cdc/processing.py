"""Processing of changes between a pipeline's source and its sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, final

import attrs

from kafkastream.cdc.book import SchemaBook, known_schemas
from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.fitting import row_fitting
from kafkastream.cdc.reader import ReadSettings
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.settings import PipelineFunction, SchemaChangeBehavior
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.writing.records import TableRecords

__all__ = ["ChangeProcessing", "ChangesAsTheyAre", "KafkaOutput", "Output", "Write", "writes_of"]

Write = Callable[[Change], Any]
"""Function from a change to an element for the sink."""


class Output(Protocol):
    """Form in which a sink takes changes."""

    def of_table(self, table: TableId, schema: TableSchema) -> Write:
        """Return the function from a table's changes to the sink's elements.

        Args:
            table: Sink table, which the changes already name.
            schema: Schema of the sink table, which the rows already have.
        """


@final
@attrs.frozen
class ChangesAsTheyAre:
    """Changes themselves, for sinks of tables."""

    def of_table(self, table: TableId, schema: TableSchema) -> Write:
        """Return the identity function."""
        return lambda change: change


@final
@attrs.frozen
class KafkaOutput:
    """Kafka records, as configured for the sink."""

    sink: KafkaPipelineSink

    def of_table(self, table: TableId, schema: TableSchema) -> Write:
        """Return the function from a table's changes to Kafka records."""
        return TableRecords(table, schema, self.sink).record


@final
@attrs.frozen(kw_only=True)
class ChangeProcessing:
    """Processing of records between source and sink.

    Args:
        reading: Settings of the reader.
        rules: Transforms and routes.
        sink: Sink.
        output: Form in which the sink takes changes.
        behavior: Schema change behavior.
        time_zone: Time zone of expressions.
        functions: User-defined functions that expressions may call.
        initial: Schemas declared by the user.
        most_prefetched: Number of newest records of each partition from which initial schemas are inferred.
        most_skipped: Number of records that may be skipped before the job fails; None for no limit.
    """

    reading: ReadSettings
    rules: PipelineRules
    sink: PipelineSink
    output: Output
    behavior: SchemaChangeBehavior = SchemaChangeBehavior.LENIENT
    time_zone: str = "UTC"
    functions: tuple[PipelineFunction, ...] = ()
    initial: Mapping[TableId, TableSchema] = attrs.field(factory=dict)
    most_prefetched: int = 50
    most_skipped: int | None = None

    def known(self, book: SchemaBook) -> list[tuple[TableId, TableSchema]]:
        """Return the schemas of source tables that are known at a start with this book.

        Raises:
            DefinitionError: A table is declared with another primary key than the kept one.
        """
        return known_schemas(book, self.initial, self.reading.metadata)


def writes_of(processing: ChangeProcessing, book: SchemaBook, table: TableId) -> tuple[Write, ...]:
    """Return a function from a source table's changes to the sink's elements, for each table that it is written to.

    Args:
        processing: Processing of the pipeline.
        book: Schemas of all tables.
        table: Source table.
    """
    targets = (target for target in processing.rules.targets(table) if target in book.sinks)
    writes = tuple(_write(processing, book, table, target) for target in targets)
    return tuple(map(_softly, writes)) if processing.rules.deletes_softly(table) else writes


def _softly(write: Write) -> Write:
    """Return a function that writes a delete as an insert of the deleted row."""

    def written(change: Change) -> Any:
        if change.operation is Operation.DELETE:
            change = Change(change.table, Operation.INSERT, None, change.before)
        return write(change)

    return written


def _write(processing: ChangeProcessing, book: SchemaBook, table: TableId, target: TableId) -> Write:
    schema = book.sinks[target]
    write = processing.output.of_table(target, schema)
    fit = row_fitting(book.sources[table], schema)
    if fit is None:
        return write if table == target else lambda change: write(change._replace(table=target))

    def fitted(change: Change) -> Any:
        before = None if change.before is None else fit(change.before)
        after = None if change.after is None else fit(change.after)
        return write(Change(target, change.operation, before, after))

    return fitted
