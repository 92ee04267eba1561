"""Transactions that write each record exactly once: they commit a marker of the offsets with the rows."""

from __future__ import annotations

import itertools
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from kafkastream.cdc.sinks import SinkError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.client import Connection, connect, is_refusal, is_transient, sink_error
from kafkastream.postgres.progress import ProgressTable
from kafkastream.postgres.settings import PostgresSettings

__all__ = ["TransactionWriter"]

T = TypeVar("T")

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


class TransactionWriter(ABC):
    """Writes in transactions, each with marker rows of the offsets that it reaches.

    A transaction is repeated after a deadlock or a lost connection, as long as all its rows are still in memory.

    Args:
        settings: The database.
    """

    def __init__(self, settings: PostgresSettings) -> None:
        self._settings = settings
        self._name = f"kafkastream-{uuid.uuid4().hex}"
        self._progress: ProgressTable | None = None
        self._connection: Connection | None = None
        self._pending_count = 0
        self._has_sent = False
        self._partitions: frozenset[TopicPartition] = frozenset()
        self._is_open = False
        self._has_failed = False

    def begin(self, job: str, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Begin a transaction, and fence off earlier attempts that write these partitions: their sessions are terminated.

        Args:
            job: Identity of the job in the marker table.
            partitions: Partitions of the source; empty for rows without source offsets.

        Returns:
            The offset after the last written record, for each partition with a marker; the caller skips records below.

        Raises:
            SinkError: The database does not answer, or does not let the user keep the marker table.
        """
        self.abort()
        progress = self._progress = ProgressTable(self._settings, job, self._name)
        reached = self._enter_progress(progress, partitions) if partitions else None
        self._partitions = frozenset(partitions)
        self._is_open = True
        return reached or {}

    def _enter_progress(
        self, progress: ProgressTable, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, int] | None:
        try:
            return self._retry(lambda: progress.enter(self._open_connection(), partitions))
        except Exception as error:
            if not is_refusal(error):
                raise
            translated = sink_error(error, self._settings, progress.name)
            raise SinkError(translated.what, where=translated.where, now=progress.advice) from error

    def commit(self, reached: Mapping[TopicPartition, int]) -> None:
        """Commit the writes since ``begin``, together with the markers.

        Args:
            reached: Offset after the last written record of each partition.

        Raises:
            SupersededError: A later attempt has begun for one of the partitions.
            SinkError: The database refuses a value, or does not answer and part of the transaction is lost.
        """
        self._check_open()
        self._retry(lambda: self._send_and_mark(reached), reached)
        self._forget()

    def abort(self) -> None:
        """Roll back the writes since ``begin``."""
        self._forget()
        self._is_open, self._partitions = False, frozenset()
        self._roll_back()

    def close(self) -> None:
        """Abort an open transaction and close the connection."""
        self._forget()
        self._disconnect()

    @abstractmethod
    def _send(self) -> None:
        """Send pending changes in the open transaction; may be called again after a failure."""

    @abstractmethod
    def _drop_pending(self) -> None:
        """Clear the pending writes."""

    def _on_commit(self) -> None:
        """Called after a commit."""

    def _on_transaction_lost(self) -> None:
        """Called after a rollback, or when the connection changes."""

    def _count_change(self) -> bool:
        """Count a pending change; return whether the pending changes were sent because of it."""
        self._pending_count += 1
        if self._pending_count < self._settings.flush_rows:
            return False
        self._flush()
        return True

    def _flush(self) -> None:
        self._retry(self._send)
        self._drop_pending()
        self._pending_count = 0
        self._has_sent = True

    def _send_and_mark(self, reached: Mapping[TopicPartition, int]) -> None:
        self._send()
        assert self._progress is not None, "commit comes after begin"
        connection = self._open_connection()
        if reached:
            self._progress.move(connection, reached)
        connection.commit()
        self._on_commit()

    def _retry(self, work: Callable[[], T], reached: Mapping[TopicPartition, int] | None = None) -> T | None:
        """Run a part of the transaction; repeat it after a transient failure, if all its rows are still in memory."""
        for repeat in itertools.count():
            try:
                return work()
            except Exception as error:
                self._roll_back()
                is_last = self._has_sent or repeat == self._settings.max_retries
                self._has_failed = is_last or not is_transient(error)
                if self._has_failed:
                    raise self._translate_error(error) from error
            time.sleep(min(_FIRST_PAUSE_S * 4**repeat, _LONGEST_PAUSE_S))
            if self._has_committed(reached or {}):
                break
        return None

    def _has_committed(self, reached: Mapping[TopicPartition, int]) -> bool:
        """Return whether the transaction was committed, though the database's answer was lost; fail if another one was."""
        if not self._progress or not self._partitions:
            return False
        try:
            committed = self._progress.reached(self._open_connection(), self._partitions)
        except Exception as error:
            self._has_failed = True
            raise self._translate_error(error) from error
        return bool(reached) and reached.items() <= committed.items()

    def _check_open(self) -> None:
        if not self._is_open or self._has_failed:
            raise SinkError(
                "no transaction is open" if not self._has_failed else "the transaction has failed",
                where=self._settings.address,
                now="Call begin before write and commit.",
            )

    def _translate_error(self, error: Exception) -> Exception:
        return sink_error(error, self._settings) if is_transient(error) else error

    def _open_connection(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._on_transaction_lost()
            self._connection = connect(self._settings, self._name)
        return self._connection

    def _roll_back(self) -> None:
        """Roll back an open transaction, and with it its staging tables; if that fails, close the connection."""
        connection = self._connection
        if connection is None or connection.info.transaction_status == 0:  # PQTRANS_IDLE
            return
        self._on_transaction_lost()
        try:
            connection.rollback()
        except Exception:  # noqa: BLE001  # a connection in doubt is no longer used, whatever is wrong with it
            self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        self._on_transaction_lost()
        if connection is not None:
            connection.close()

    def _forget(self) -> None:
        self._drop_pending()
        self._pending_count, self._has_sent, self._has_failed = 0, False, False
