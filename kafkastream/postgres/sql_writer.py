"""Writer that executes a user's statement for each row, as Flink's ``JdbcSink`` does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, final

from kafkastream.cdc.sinks import SinkError
from kafkastream.postgres.client import is_refusal, sink_error
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.transactions import TransactionWriter

__all__ = ["SqlWriter", "with_placeholders"]

_PARTS: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\?\?|\?|%""", re.DOTALL)
_PARAMETER: Final = {"?": "%s", "??": "?", "%": "%%"}


def with_placeholders(statement: str) -> tuple[str, int]:
    """Return a statement with JDBC's placeholders replaced by psycopg's, and their number.

    Example:
        >>> with_placeholders("INSERT INTO t VALUES (?, '?', 10 % ?)")
        ("INSERT INTO t VALUES (%s, '?', 10 %% %s)", 2)
    """
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        count += match.group() == "?"
        return _PARAMETER.get(match.group()) or match.group().replace("%", "%%")

    return _PARTS.sub(replace, statement), count


@final
class SqlWriter(TransactionWriter):
    """Executes a statement for each row, in batches, within transactions that contain each record exactly once.

    Args:
        settings: The database.
        statement: The statement, with ``?`` for the values of a row.
        batch_size: Number of rows that are sent at once.
    """

    def __init__(self, settings: PostgresSettings, statement: str, batch_size: int) -> None:
        super().__init__(settings)
        self._statement, _ = with_placeholders(statement)
        self._batch_size = batch_size
        self._rows: list[Sequence[Any]] = []

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows in their order.

        Raises:
            SinkError: The database refuses a value.
        """
        self._check_open()
        for row in rows:
            self._rows.append(row)
            self._count_change()

    def _send(self) -> None:
        remaining = iter(self._rows)
        try:
            while batch := list(islice(remaining, self._batch_size)):
                self._open_connection().cursor().executemany(self._statement, batch)
        except Exception as error:
            if is_refusal(error):
                raise self._add_statement(sink_error(error, self._settings)) from error
            raise

    def _add_statement(self, error: SinkError) -> SinkError:
        return SinkError(error.what, where=f"{error.where}, statement: {self._statement}", now=error.now)

    def _drop_pending(self) -> None:
        self._rows = []
