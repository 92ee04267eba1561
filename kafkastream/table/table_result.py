"""``TableResult``: the result of a statement, at PyFlink's path."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager, nullcontext
from typing import Any, Final, Protocol, final, runtime_checkable

from rich.console import Console
from rich.live import Live
from rich.text import Text
from typing_extensions import Self

from kafkastream.datastream.stream_outputs import CloseableIterator
from kafkastream.errors import DefinitionError
from kafkastream.model.common.html import html_table
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.job.job_result import JobClient
from kafkastream.sql.types import DataType
from kafkastream.table.resolved_columns import Column
from kafkastream.table.resolved_schema import ResolvedSchema
from kafkastream.table.table_schema import TableSchema
from kafkastream.table.tableau import cells, static_tableau, tableau

__all__ = [
    "ResultKind",
    "RowKind",
    "TableResult",
]

Columns = Sequence[tuple[str, DataType]]
_TEXT = (("result", DataType.string()),)
_REFRESHES_PER_S: Final = 2
_PEEKED_ROWS: Final = 100
_PEEKED_S: Final = 60.0
"""Maximum number of rows that a notebook shows, and maximum time to wait for the first in s."""


class ResultKind(enum.Enum):
    """Kind of a result: success without rows, or with rows."""

    SUCCESS = 0
    """The statement was executed, and returns only OK."""
    SUCCESS_WITH_CONTENT = 1
    """The statement returns rows."""


@final
class TableResult:
    """Result of a statement: rows, or the job that was started.

    The rows of a query can be taken once, with ``collect`` or ``print``, while its job runs.
    """

    def __init__(
        self,
        columns: Columns = _TEXT,
        rows: Iterable[Row] = (),
        *,
        kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT,
        job: JobClient | None = None,
        is_static: bool = True,
        progress: Callable[[], str] | None = None,
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self._kind = kind
        self._job = job
        self._is_static = is_static
        self._progress = progress or str

    @staticmethod
    def ok() -> TableResult:
        """Return the result of a statement without rows."""
        return TableResult(rows=[Row("OK")], kind=ResultKind.SUCCESS)

    def get_job_client(self) -> JobClient | None:
        """Return a client of the job started by INSERT; None for other statements.

        Differs from Flink: a query has no client; ``close`` on the iterator returned by ``collect`` cancels it.
        """
        return self._job

    getJobClient = get_job_client

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until the job of an INSERT has ended.

        Differs from Flink: to wait for the rows of a query, take them with ``collect`` or ``print``.

        Args:
            timeout_ms: Time limit in ms; None for no limit.

        Raises:
            KafkastreamError: The job has failed.
            TimeoutError: The job has not ended within the time limit, and continues.
        """
        if self._job is None:
            return
        if timeout_ms is None:
            self._job._job.wait()
            return
        try:
            self._job.get_job_execution_result().result(timeout_ms / 1000)
        except futures.TimeoutError:
            raise TimeoutError(f"the job has not ended after {timeout_ms} ms") from None

    def get_table_schema(self) -> TableSchema:
        """Return names and types of the columns."""
        return TableSchema([name for name, _ in self._columns], [kind for _, kind in self._columns])

    getTableSchema = get_table_schema

    def get_resolved_schema(self) -> ResolvedSchema:
        """Return the columns with their types."""
        return ResolvedSchema.of(Column.physical(name, kind) for name, kind in self._columns)

    getResolvedSchema = get_resolved_schema

    def get_result_kind(self) -> ResultKind:
        """Return the kind of the result."""
        return self._kind

    getResultKind = get_result_kind

    def collect(self) -> CloseableIterator[Row]:
        """Return an iterator over the rows, endless for an unbounded query; ``close`` cancels the query.

        Raises:
            DefinitionError: The rows have been taken already.

        Example:
            >>> with TableResult.ok().collect() as rows:
            ...     print(*rows)
            <Row('OK')>
        """
        rows, self._rows = self._rows, _Taken()
        return rows if hasattr(rows, "close") else _Rows(rows)  # type: ignore[return-value]

    def print(self) -> None:
        """Print the rows as Flink's SQL client does; does not return while an unbounded query runs.

        On a terminal, control characters in values are shown as escapes, and the last line shows the progress of a
        running query: records read, rate, lag and watermark.

        Raises:
            DefinitionError: The rows have been taken already.
            KafkastreamError: The job of the query has failed.
        """
        with self.collect() as rows, _line_below(self._progress):
            for line in self._lines(rows):
                print(line, flush=True)  # noqa: T201

    def _repr_html_(self) -> str:
        """Return the first rows as a table for a notebook; ``collect`` and ``print`` still return all rows."""
        rows, note = self._first_rows()
        is_static = self._is_static or self._kind is ResultKind.SUCCESS
        kinds = [] if is_static else ["op"]
        shown = [[*([] if is_static else [str(row.get_row_kind())]), *cells(self._columns, row)] for row in rows]
        return html_table([*kinds, *(name for name, _ in self._columns)], shown, note)

    def _first_rows(self) -> tuple[Sequence[Row], str]:
        """Return the first rows without taking them, and a note if there may be more."""
        if isinstance(self._rows, Sequence):
            return self._rows, ""
        if not isinstance(self._rows, _Peekable):
            return (), "The rows have been taken already."
        rows, is_all = self._rows.peek(_PEEKED_ROWS, _PEEKED_S)
        return rows, "" if is_all else f"The first rows; {self._progress()}"

    def _lines(self, rows: Iterable[Row]) -> Iterable[str]:
        if self._kind is ResultKind.SUCCESS or self._columns == _TEXT:
            return (row[0] for row in rows)
        layout = static_tableau if self._is_static else tableau
        return layout(self._columns, rows, for_terminal=sys.stdout.isatty())


@runtime_checkable
class _Peekable(Protocol):
    """Rows of a running query."""

    def peek(self, count: int, patience_s: float) -> tuple[Sequence[Row], bool]:
        """Return the first rows without taking them, and whether these are all."""
        ...


class _Taken:
    """Placeholder of rows that have been taken."""

    def __iter__(self) -> Iterator[Any]:
        raise DefinitionError("the rows of this result have already been taken", now="Run the query again.")


class _Rows:
    """Closeable iterator over rows that are known already."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._remaining = iter(rows)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Row:
        return next(self._remaining)

    next = __next__

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _line_below(progress: Callable[[], str]) -> Iterator[None]:
    """Show the progress of a query in the last line of the terminal, below other output.

    Args:
        progress: Returns the present text, empty for none; called in a thread. Without a terminal, it is not called.
    """
    console = Console()
    is_shown = sys.stdout.isatty() and bool(progress())
    live = Live(
        get_renderable=lambda: Text(progress(), no_wrap=True, overflow="ellipsis"),
        console=console,
        transient=True,
        refresh_per_second=_REFRESHES_PER_S,
    )
    with live if is_shown else nullcontext():
        yield
