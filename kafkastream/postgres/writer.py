"""Writes changes of rows to PostgreSQL, in a task on a worker, each transaction exactly once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import final

from kafkastream.cdc.changes import Change
from kafkastream.cdc.folding import AppendedRows, FoldedChanges
from kafkastream.cdc.sinks import SinkError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.postgres.client import is_refusal, is_transient, sink_error
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.statements import TableStatements
from kafkastream.postgres.transactions import TransactionWriter

__all__ = ["PostgresWriter"]


@final
class PostgresWriter(TransactionWriter):
    """Writes changes of rows: folded and merged by the primary key if the table has one, else appended.

    Implements ``cdc.sinks.ChangeWriter``. Reuse a writer by ``begin`` after ``commit`` or ``abort``: staging tables
    last as long as its connection.

    Args:
        settings: The database.
        schemas: Schemas of the tables, as they are in the database now.
    """

    def __init__(self, settings: PostgresSettings, schemas: Mapping[TableId, TableSchema]) -> None:
        super().__init__(settings)
        self._schemas = schemas
        self._statements: dict[TableId, TableStatements] = {}
        self._pending: dict[TableId, FoldedChanges | AppendedRows] = {}
        self._staging_number = 0

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes in their order.

        Raises:
            SinkError: The database refuses a value, or a table without primary key gets an UPDATE or a DELETE.
        """
        self._check_open()
        table: TableId | None = None
        add: Callable[[Change], None] = _no_table
        for change in changes:
            if change.table is not table:  # mostly a run of changes of one table
                table = change.table
                add = self._adder(table)
            add(change)
            if self._count_change():
                table = None

    def _adder(self, table: TableId) -> Callable[[Change], None]:
        """Return a function that collects the changes of a table."""
        pending = self._pending.get(table)
        if pending is None:
            schema = self._schemas[table]
            pending = self._pending[table] = FoldedChanges(schema) if schema.primary_key else AppendedRows()
        return pending.add

    def _send(self) -> None:
        for table in sorted(
            self._pending, key=self._settings.target
        ):  # the same order in all tasks, so that they do not deadlock
            try:
                self._send_table(table)
            except Exception as error:
                if is_transient(error):
                    raise
                raise self._translate_table_error(table, error) from error

    def _send_table(self, table: TableId) -> None:
        if table not in self._statements:
            target, number = self._settings.target(table), self._staging_number
            self._staging_number += 1
            self._statements[table] = TableStatements(self._open_connection(), target, self._schemas[table], number)
        pending = self._pending[table]
        if isinstance(pending, FoldedChanges):
            self._statements[table].merge(pending)
        else:
            self._statements[table].append(pending)

    def _translate_table_error(self, table: TableId, error: Exception) -> Exception:
        """Translate an error of the database for the user; return other errors unchanged."""
        statements = self._statements.get(table)
        refused = statements and statements.find_refused_character(self._pending[table])
        if refused:
            character, column = refused
            return SinkError(
                f"a text has the character U+{ord(character):04X}, which PostgreSQL does not accept",
                where=f"{self._settings.address}, table {table}, column {column!r}",
                now="Replace it before it is written, by a transform rule or in the query.",
            )
        if is_refusal(error):
            return sink_error(error, self._settings, str(table), self._schemas[table].names)
        return error

    def _drop_pending(self) -> None:
        self._pending = {}

    def _on_commit(self) -> None:
        for statements in self._statements.values():
            statements.on_commit()

    def _on_transaction_lost(self) -> None:
        self._statements = {}


def _no_table(change: Change) -> None:
    raise AssertionError
