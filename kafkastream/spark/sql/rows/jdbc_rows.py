"""Rows of a query into a table of a PostgreSQL database, on a worker; the table is looked up when the job starts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.common.row import RowKind
from kafkastream.postgres.declared import find_declared
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.jdbc_writer import JdbcOperator
from kafkastream.sql.connectors import JdbcTableSink

__all__ = ["changes_of"]

_WRITTEN: Final = {RowKind.INSERT: Operation.INSERT, RowKind.UPDATE_AFTER: Operation.UPDATE}


@sink_operator.register
def _(sink: JdbcTableSink, place: SinkPlace) -> SinkOperator:
    settings = PostgresSettings.of_jdbc(sink.connection, sink.execution)
    table = find_declared(settings, sink.table_name, TableSchema.of(sink.columns, sink.primary_key))
    writer = partial(PostgresWriter, settings, {table.id: table.schema})
    return JdbcOperator(place.name, place.identity, writer, partial(changes_of, table.id))


def changes_of(table: TableId, values: Sequence[tuple[RowKind, Any]]) -> list[Change]:
    """Return the changes of a table that rows with their kinds are, among which there are no old rows of updates."""
    return [
        Change(table, Operation.DELETE, row, None)
        if kind is RowKind.DELETE
        else Change(table, _WRITTEN[kind], None, row)
        for kind, row in values
    ]
