"""Writes changes of rows to PostgreSQL, in a task on a worker, each transaction exactly once."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, final

from kafkastream.cdc.changes import Change
from kafkastream.cdc.folding import AppendedRows, FoldedChanges
from kafkastream.cdc.sinks import SinkError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.postgres.client import Connection, connect, is_refusal, is_transient, sink_error
from kafkastream.postgres.progress import ProgressTable
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.statements import TableStatements
from kafkastream.spec.subscription import TopicPartition

__all__ = ["PostgresWriter"]

T = TypeVar("T")

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


@final
class PostgresWriter:
    """Writes changes of rows in transactions, whose marker rows tell which records they hold.

    Changes of tables with a primary key are folded and merged by the key; rows of other tables are appended. A deadlock
    or a lost connection is answered by repeating the transaction, as long as all of it is still in memory, which are
    ``flush_rows`` changes.

    Args:
        settings: The database.
        schemas: The tables' schemas, as they are in the database now.
    """

    def __init__(self, settings: PostgresSettings, schemas: Mapping[TableId, TableSchema]) -> None:
        self._settings = settings
        self._schemas = schemas
        self._name = f"kafkastream-{uuid.uuid4().hex}"
        self._progress: ProgressTable | None = None
        self._connection: Connection | None = None
        self._statements: dict[TableId, TableStatements] = {}
        self._pending: dict[TableId, FoldedChanges | AppendedRows] = {}
        self._pending_count = 0
        self._sent_before = False
        self._partitions: frozenset[TopicPartition] = frozenset()
        self._has_failed = False
        self._staging_number = 0

    def begin(self, job: str, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Begin a transaction and lock out earlier attempts that write for these partitions; their sessions end.

        Returns:
            The offset behind the last written record of each partition that has one; the caller skips those below.

        Raises:
            SinkError: The database does not answer.
        """
        self.abort()
        progress = self._progress = ProgressTable(self._settings, job, self._name)
        reached = self._repeated(lambda: progress.enter(self._connected(), partitions))
        self._partitions = frozenset(partitions)
        return reached or {}

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
            self._pending_count += 1
            if self._pending_count >= self._settings.flush_rows:
                self._flush()
                table = None

    def commit(self, reached: Mapping[TopicPartition, int]) -> None:
        """Commit what was written since ``begin``, together with the offsets behind the last records.

        Raises:
            SupersededError: A later attempt has begun for one of the partitions.
            SinkError: The database refuses a value, or does not answer and part of the transaction is lost.
        """
        self._check_open()
        self._repeated(lambda: self._send_and_mark(reached), reached)
        self._forget()

    def abort(self) -> None:
        """Drop what was written since ``begin``."""
        self._forget()
        self._partitions = frozenset()
        self._roll_back()

    def close(self) -> None:
        """Abort an open transaction and close the connection."""
        self._forget()
        self._disconnect()

    def _adder(self, table: TableId) -> Callable[[Change], None]:
        """Return what takes the changes of a table."""
        pending = self._pending.get(table)
        if pending is None:
            schema = self._schemas[table]
            pending = self._pending[table] = FoldedChanges(schema) if schema.primary_key else AppendedRows()
        return pending.add

    def _flush(self) -> None:
        self._repeated(self._send)
        self._pending, self._pending_count = {}, 0
        self._sent_before = True

    def _send_and_mark(self, reached: Mapping[TopicPartition, int]) -> None:
        self._send()
        assert self._progress is not None, "commit comes after begin"
        connection = self._connected()
        if reached:
            self._progress.move(connection, reached)
        connection.commit()
        for statements in self._statements.values():
            statements.committed()

    def _send(self) -> None:
        for table in sorted(self._pending, key=self._settings.target):  # one order for all tasks, against deadlocks
            try:
                self._send_table(table)
            except Exception as error:
                if is_transient(error):
                    raise
                raise self._refused(table, error) from error

    def _send_table(self, table: TableId) -> None:
        if table not in self._statements:
            target, number = self._settings.target(table), self._staging_number
            self._staging_number += 1
            self._statements[table] = TableStatements(self._connected(), target, self._schemas[table], number)
        pending = self._pending[table]
        if isinstance(pending, FoldedChanges):
            self._statements[table].merge(pending)
        else:
            self._statements[table].append(pending)

    def _repeated(self, work: Callable[[], T], reached: Mapping[TopicPartition, int] | None = None) -> T | None:
        """Do some work of the transaction, again after a failure that passes, if the whole transaction is in memory."""
        for repeat in itertools.count():
            try:
                return work()
            except Exception as error:
                self._roll_back()
                is_last = self._sent_before or repeat == self._settings.max_retries
                self._has_failed = is_last or not is_transient(error)
                if self._has_failed:
                    raise self._told(error) from error
            time.sleep(min(_FIRST_PAUSE_S * 4**repeat, _LONGEST_PAUSE_S))
            if self._has_committed(reached or {}):
                break
        return None

    def _has_committed(self, reached: Mapping[TopicPartition, int]) -> bool:
        """Whether the transaction is there, though the database's answer was lost; fails if another one is."""
        if not self._progress or not self._partitions:
            return False
        try:
            found = self._progress.reached(self._connected(), self._partitions)
        except Exception as error:
            self._has_failed = True
            raise self._told(error) from error
        return bool(reached) and reached.items() <= found.items()

    def _check_open(self) -> None:
        if not self._partitions or self._has_failed:
            raise SinkError(
                "no transaction is open" if not self._has_failed else "the transaction has failed",
                where=self._settings.address,
                now="Call begin before write and commit.",
            )

    def _told(self, error: Exception) -> Exception:
        return sink_error(error, self._settings) if is_transient(error) else error

    def _refused(self, table: TableId, error: Exception) -> Exception:
        """Return an error in the user's words; as it is if it is none of the database's."""
        statements = self._statements.get(table)
        found = statements and statements.refused_text(self._pending[table])
        if found:
            character, column = found
            return SinkError(
                f"a text has the character U+{ord(character):04X}, which PostgreSQL does not take",
                where=f"{self._settings.address}, table {table}, column {column!r}",
                now="Replace it in a transform rule.",
            )
        if is_refusal(error):
            return sink_error(error, self._settings, str(table), self._schemas[table].names)
        return error

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._statements = {}
            self._connection = connect(self._settings, self._name)
        return self._connection

    def _roll_back(self) -> None:
        """End an open transaction, and with it the staging tables that were made in it; else end the connection."""
        connection = self._connection
        if connection is None or connection.info.transaction_status == 0:  # PQTRANS_IDLE
            return
        self._statements = {}
        try:
            connection.rollback()
        except Exception:  # noqa: BLE001  # a connection in doubt is no longer used, whatever is wrong with it
            self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection, self._statements = self._connection, None, {}
        if connection is not None:
            connection.close()

    def _forget(self) -> None:
        self._pending, self._pending_count, self._sent_before, self._has_failed = {}, 0, False, False


def _no_table(change: Change) -> None:
    raise AssertionError
