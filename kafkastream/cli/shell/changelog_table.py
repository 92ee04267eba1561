"""Table that a changelog describes: its rows after all changes so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import final

from kafkastream.model.common.row import Row, RowKind

__all__ = ["ChangelogTable"]

_REMOVES = frozenset({RowKind.UPDATE_BEFORE, RowKind.DELETE})


@final
class ChangelogTable:
    """Rows that are left after the updates and deletions of a changelog, in the order of their last change.

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
        if row.get_row_kind() not in _REMOVES:
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
