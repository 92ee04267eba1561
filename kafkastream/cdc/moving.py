"""Change of a pipeline's sink between runs: creation of the tables in the new one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import attrs

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.changes import CreateTable
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.table_rules import PipelineRules

__all__ = ["moved"]


def moved(
    book: SchemaBook, sink: PipelineSink, rules: PipelineRules, apply: Callable[[CreateTable], None]
) -> SchemaBook:
    """Create the tables of a schema book in a sink, if the book was kept for another one.

    Args:
        book: Schema book.
        sink: Sink of this run.
        rules: Transforms and routes.
        apply: Creates a table unless the sink has it.

    Raises:
        JobError: The sink refuses a table.
    """
    place = hashlib.sha256(repr(sink).encode()).hexdigest()  # repr masks passwords, which may change
    if book.sink == place:
        return book
    for table in dict.fromkeys(target for source in book.sources for target in rules.targets(source)):
        if table in book.sinks and rules.sends(change := CreateTable(table, book.sinks[table])):
            apply(change)
    return attrs.evolve(book, sink=place)
