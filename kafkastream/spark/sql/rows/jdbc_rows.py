"""Rows of a query for a table of a PostgreSQL database; the table's columns are looked up when the job starts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, final

import attrs
from pyspark.sql import Column, DataFrame

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.common.row import RowKind
from kafkastream.postgres.declared import find_declared
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.spark.sql.rows.changed_rows import ChangedRows
from kafkastream.spark.sql.rows.sink_rows import TableWriter, table_writer, taken
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.jdbc_writer import JdbcOperator
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import JdbcTableSink
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.table import TableDefinition

__all__ = ["changes_of"]

_WRITTEN: Final = {RowKind.INSERT: Operation.INSERT, RowKind.UPDATE_AFTER: Operation.UPDATE}


@sink_operator.register
def _(sink: JdbcTableSink, place: SinkPlace) -> SinkOperator:
    settings = PostgresSettings.of_jdbc(sink.connection, sink.execution)
    table = find_declared(settings, sink.table_name, TableSchema.of(sink.columns, sink.primary_key))
    writer = partial(PostgresWriter, settings, {table.id: table.schema})
    return JdbcOperator(place.name, place.identity, writer, partial(changes_of, table.id))


def changes_of(table: TableId, values: Sequence[tuple[RowKind, Any]]) -> list[Change]:
    """Convert rows with their kinds, without UPDATE_BEFORE, to changes of a table."""
    return [
        Change(table, Operation.DELETE, row, None)
        if kind is RowKind.DELETE
        else Change(table, _WRITTEN[kind], None, row)
        for kind, row in values
    ]


@final
@attrs.frozen
class _Changes(TableWriter):
    sink: JdbcTableSink

    def rows(self, rows: DataFrame, table: TableDefinition, *, drops_nulls: bool, present: Column | None) -> DataFrame:
        """Return the rows without UPDATE_BEFORE, which a primary key makes redundant."""
        is_upsert = self.sink.changelog is ChangelogMode.UPSERT
        return taken(rows, table, is_upsert=is_upsert, drops_nulls=drops_nulls, present=present)

    def decoder(self, query: QueryNode) -> Decoder:
        """Return the decoder of rows to changes."""
        return ChangedRows(tuple(type_ for _, type_ in self.sink.columns))


@table_writer.register
def _(sink: JdbcTableSink) -> TableWriter:
    return _Changes(sink)
