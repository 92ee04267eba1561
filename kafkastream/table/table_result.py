"""What comes of a statement, at PyFlink's path."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from concurrent import futures
from typing import Any, final

from typing_extensions import Self

from kafkastream.datastream.stream_outputs import CloseableIterator
from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.job.job_result import JobClient
from kafkastream.sql.types import DataType
from kafkastream.table.table_schema import TableSchema
from kafkastream.table.tableau import static_tableau, tableau

__all__ = [
    "ResultKind",
    "RowKind",
    "TableResult",
]

Columns = Sequence[tuple[str, DataType]]
_TEXT = (("result", DataType.string()),)


class ResultKind(enum.Enum):
    """What a result holds."""

    SUCCESS = 0
    """The statement was carried out, and has nothing to tell."""
    SUCCESS_WITH_CONTENT = 1
    """Rows."""


@final
class TableResult:
    """What comes of a statement: rows, or a job that was started.

    Rows of a query come while its job runs, once: ``collect`` or ``print`` takes them.
    """

    def __init__(
        self,
        columns: Columns = _TEXT,
        rows: Iterable[Row] = (),
        *,
        kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT,
        job: JobClient | None = None,
        is_static: bool = True,
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self._kind = kind
        self._job = job
        self._is_static = is_static

    @staticmethod
    def ok() -> TableResult:
        """That of a statement which has nothing to tell."""
        return TableResult(rows=[Row("OK")], kind=ResultKind.SUCCESS)

    def get_job_client(self) -> JobClient | None:
        """A handle to the job that was started by INSERT; None when none was.

        Differs from Flink: that of a query is its rows; ``close`` on what ``collect`` returns cancels it.
        """
        return self._job

    getJobClient = get_job_client

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until the job has ended; ``timeout_ms`` in ms.

        Differs from Flink: for the rows of a query, take them with ``collect`` or ``print``.

        Raises:
            KafkastreamError: The job has failed.
            TimeoutError: It has not ended in time.
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
        """The columns."""
        return TableSchema([name for name, _ in self._columns], [kind for _, kind in self._columns])

    getTableSchema = get_table_schema

    def get_result_kind(self) -> ResultKind:
        """What it holds."""
        return self._kind

    getResultKind = get_result_kind

    def collect(self) -> CloseableIterator[Row]:
        """The rows, one by one; of an unbounded query, without end. ``close`` cancels the query.

        Example:
            >>> with TableResult.ok().collect() as rows:
            ...     print(*rows)
            <Row('OK')>
        """
        rows, self._rows = self._rows, _Taken()
        return rows if hasattr(rows, "close") else _Rows(rows)  # type: ignore[return-value]

    def print(self) -> None:
        """Print the rows, as Flink's SQL client does; of an unbounded query, without end."""
        with self.collect() as rows:
            for line in self._lines(rows):
                print(line, flush=True)  # noqa: T201

    def _lines(self, rows: Iterable[Row]) -> Iterable[str]:
        if self._kind is ResultKind.SUCCESS or self._columns == _TEXT:
            return (row[0] for row in rows)
        return static_tableau(self._columns, rows) if self._is_static else tableau(self._columns, rows)


class _Taken:
    """Where rows were."""

    def __iter__(self) -> Iterator[Any]:
        raise DefinitionError("the rows of this result have been taken already", now="Run the query again.")


class _Rows:
    """Rows that are there (``CloseableIterator``)."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._remaining = iter(rows)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Row:
        return next(self._remaining)

    next = __next__

    def close(self) -> None:
        """Nothing is to be closed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
