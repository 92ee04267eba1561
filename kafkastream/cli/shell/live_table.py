"""Rows of a running query on a terminal, as a table that changes in place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kafkastream.datastream.stream_outputs import CloseableIterator
from kafkastream.model.common.row import Row, RowKind
from kafkastream.table.table_result import TableResult
from kafkastream.table.tableau import static_tableau

__all__ = ["ChangelogTable", "show_live"]

_REMOVING_KINDS = frozenset({RowKind.UPDATE_BEFORE, RowKind.DELETE})
_REFRESHES_PER_S: Final = 4
_FRAME_LINES: Final = 8
"""Lines of a terminal that rows cannot have: the table's frame, the status below it, and the prompt."""
_LEAST_ROWS: Final = 3


def show_live(result: TableResult, console: Console, most_rows: int) -> None:
    """Show the rows of a query, after all changes so far, until the query ends; then print the last state.

    Args:
        result: Result of the query.
        console: Console of the terminal.
        most_rows: Maximum number of rows to keep.

    Raises:
        KafkastreamError: The query has failed.
        KeyboardInterrupt: Ctrl-C came; the query has been cancelled.
    """
    view = _View(result, console, most_rows)
    try:
        with Live(
            get_renderable=view.frame, console=console, transient=True, refresh_per_second=_REFRESHES_PER_S
        ) as live:
            view.read(result.collect())
            live.refresh()
    finally:
        console.print(view.text(""))


@final
class _View:
    """State of the display: one thread adds rows, rich's refresh thread draws it."""

    def __init__(self, result: TableResult, console: Console, most_rows: int) -> None:
        self._columns = result._columns
        self._progress: Callable[[], str] = result._progress
        self._console = console
        self._table = ChangelogTable(most_rows)
        self._lock = threading.Lock()

    def read(self, rows: CloseableIterator[Row]) -> None:
        """Read all rows; leaving early cancels the query."""
        with rows:
            for row in rows:
                with self._lock:
                    self._table.add(row)

    def frame(self) -> Text:
        """Return the current table, with the progress of the query below it."""
        with suppress(Exception):  # a status that cannot be read must not end the query
            return self.text(f"{self._progress()}. Ctrl-C cancels.")
        return self.text("")

    def text(self, status: str) -> Text:
        """Return the current table, with a status below it."""
        with self._lock:
            room = max(self._console.height - _FRAME_LINES, _LEAST_ROWS)
            rows, count, changes = self._table.last(room), len(self._table), self._table.changes
        return Text("\n".join(self._lines(rows, count, changes, status)), no_wrap=True, overflow="ellipsis")

    def _lines(self, rows: Sequence[Row], count: int, changes: int, status: str) -> Iterator[str]:
        *table, _ = static_tableau(self._columns, rows, for_terminal=True)
        yield from table
        shown = (
            f"the last {len(rows)} of {_count_text(count, 'row')}" if len(rows) < count else _count_text(count, "row")
        )
        yield f"{shown} after {_count_text(changes, 'change')}"
        if status:
            yield status


def _count_text(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@final
class ChangelogTable:
    """Rows of a table after the changes of a changelog, in the order of their last change.

    Args:
        most_rows: Maximum number of rows; beyond it, the oldest are dropped.

    Example:
        >>> table = ChangelogTable(most_rows=10)
        >>> for kind, n in (RowKind.INSERT, 1), (RowKind.UPDATE_BEFORE, 1), (RowKind.UPDATE_AFTER, 2):
        ...     table.add(Row.of_kind(kind, "a", n))
        >>> len(table), table.changes, list(map(tuple, table.last(5)))
        (1, 3, [('a', 2)])
    """

    def __init__(self, most_rows: int) -> None:
        self.changes = 0
        self._most_rows = most_rows
        self._rows: dict[str, list[Row]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._count

    def add(self, row: Row) -> None:
        """Apply a change."""
        self.changes += 1
        key = repr(tuple(row))  # a row may hold lists and maps, which have no hash
        if row.get_row_kind() not in _REMOVING_KINDS:
            equal_rows = self._rows.pop(key, [])
            equal_rows.append(row)
            self._rows[key] = equal_rows
            self._count += 1
            if self._count > self._most_rows:
                self._remove(next(iter(self._rows)))
        elif key in self._rows:
            self._remove(key)

    def last(self, count: int) -> Sequence[Row]:
        """Return the last rows."""
        newest = (row for rows in reversed(self._rows.values()) for row in rows)
        return list(islice(newest, count))[::-1]

    def _remove(self, key: str) -> None:
        self._rows[key].pop()
        self._count -= 1
        if not self._rows[key]:
            del self._rows[key]
