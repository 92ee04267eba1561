"""Top-N: first rows of each key (Flink's AppendOnlyTopNFunction, RetractableTopNFunction and window rank)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.row_ordering import sort_key
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    Columns,
    TableRow,
    adds,
    emit,
)
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.operations import TopN

__all__ = ["TopNOperator", "UpdatedTopNOperator", "WindowTopNOperator"]

_ROWS: Final = "rows"
_WINDOWS: Final = "windows"


class _Ranked(TableOperator):
    """Base of operators that keep rows sorted, and emit those within a range of ranks."""

    def __init__(self, operation: TopN, *, retracts: bool) -> None:
        super().__init__(operation.ttl_ms if operation.window is None else 0)
        self._operation = operation
        self._most = None if retracts else operation.last
        self._sort_key = sort_key(operation.order)

    def _insert(self, rows: list[Columns], row: Columns) -> int | None:
        """Insert a row after its equals; return its position, or None if it can never be among the first rows."""
        index = bisect_right(rows, self._sort_key(row), key=self._sort_key)
        if self._most is not None and index >= self._most:
            return None
        rows.insert(index, row)
        return index

    def _remove(self, rows: list[Columns], row: Columns) -> int | None:
        """Remove the first row equal to ``row``; return its index, or None if there is none."""
        begin = bisect_left(rows, self._sort_key(row), key=self._sort_key)
        end = bisect_right(rows, self._sort_key(row), lo=begin, key=self._sort_key)
        try:
            index = rows.index(row, begin, end)
        except ValueError:
            return None
        del rows[index]
        return index

    def _trim(self, rows: list[Columns]) -> None:
        if self._most is not None:
            del rows[self._most :]

    def _emit_if_wanted(self, out: Emitted, kind: int, row: Columns, number: int) -> None:
        """Emit a row if its rank is within the range."""
        if self._operation.first <= number <= self._operation.last:
            emit(out, kind, (*row, number) if self._operation.with_number else row)

    @property
    def _is_ranked(self) -> bool:
        """Return whether each row whose rank changes is emitted, not only those that enter and leave."""
        return self._operation.with_number or self._operation.first > 1

    def _store(self, rows: list[Columns]) -> None:
        """Store the rows of the key, at most as many as are needed."""
        self._trim(rows)
        if rows:
            self.keyed_context.entry[_ROWS] = rows
            self.mark_written()
        else:
            self.clear_state()

    def _shift_down(self, rows: list[Columns], row: Columns, index: int, out: Emitted) -> None:
        """Emit the changes after a row was inserted: later rows have a greater rank."""
        former_count = len(rows) - 1
        for number in range(index + 1, min(former_count, self._operation.last) + 1):
            self._emit_if_wanted(out, UPDATE_BEFORE, rows[number], number)
            self._emit_if_wanted(out, UPDATE_AFTER, rows[number - 1], number)
        if former_count < self._operation.last:
            self._emit_if_wanted(out, INSERT, rows[-1], former_count + 1)

    def _enter(self, rows: list[Columns], row: Columns, index: int, out: Emitted) -> None:
        last = self._operation.last
        if index >= last:
            return
        removed_kind, added_kind = (UPDATE_BEFORE, UPDATE_AFTER) if self._most == 1 else (DELETE, INSERT)
        if len(rows) > last:
            self._emit_if_wanted(out, removed_kind, rows[last], last)
            self._emit_if_wanted(out, added_kind, row, last)
        else:
            self._emit_if_wanted(out, INSERT, row, last)


@final
class TopNOperator(_Ranked):
    """First rows of each key, updated whenever they change.

    If the rank is a column, or the first rank is not wanted, each row whose rank changes is emitted; otherwise only
    rows that enter and leave are. If rows are only added, no more are kept than are wanted, and the first row of a
    top-1 is updated: an upsert sink then writes no deletion before its new value.
    https://github.com/apache/flink/blob/release-2.2/flink-table/flink-table-runtime/src/main/java/org/apache/flink/table/runtime/operators/rank/FastTop1Function.java
    """

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Insert or remove a row."""
        rows: list[Columns] = self.keyed_context.entry.get(_ROWS, [])
        is_added = adds(row[0])
        index = self._insert(rows, row[1:]) if is_added else self._remove(rows, row[1:])
        if index is None:
            return
        if self._is_ranked:
            (self._shift_down if is_added else self._shift_up)(rows, row[1:], index, out)
        else:
            (self._enter if is_added else self._leave)(rows, row[1:], index, out)
        self._store(rows)

    def _shift_up(self, rows: list[Columns], row: Columns, index: int, out: Emitted) -> None:
        """Emit the changes after a row was removed: later rows have a smaller rank."""
        moved = row
        for number in range(index + 1, min(len(rows), self._operation.last) + 1):
            self._emit_if_wanted(out, UPDATE_BEFORE, moved, number)
            moved = rows[number - 1]
            self._emit_if_wanted(out, UPDATE_AFTER, moved, number)
        if len(rows) < self._operation.last:
            self._emit_if_wanted(out, DELETE, moved, len(rows) + 1)

    def _leave(self, rows: list[Columns], row: Columns, index: int, out: Emitted) -> None:
        last = self._operation.last
        if index < last:
            self._emit_if_wanted(out, DELETE, row, last)
            if len(rows) >= last:
                self._emit_if_wanted(out, INSERT, rows[last - 1], last)


@final
class UpdatedTopNOperator(_Ranked):
    """First rows of each key, for updates that never lower a row's position in the order.

    An updated row replaces its former version, so that no more rows are stored than are wanted, and UPDATE_BEFORE rows
    are not needed. https://github.com/apache/flink/blob/release-2.2/flink-table/flink-table-runtime/src/main/java/org/apache/flink/table/runtime/operators/rank/UpdatableTopNFunction.java
    """

    def __init__(self, operation: TopN) -> None:
        super().__init__(operation, retracts=False)
        self._key_columns = operation.replaced_by or ()

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Insert or replace a row."""
        if not adds(row[0]):
            return
        rows: list[Columns] = self.keyed_context.entry.get(_ROWS, [])
        self._trim(rows)  # earlier versions kept all rows
        key = self._key(row[1:])
        former = next((index for index, other in enumerate(rows) if self._key(other) == key), None)
        if former is not None:
            self._replace(rows, row[1:], former, out)
        else:
            index = self._insert(rows, row[1:])
            if index is None:
                return
            (self._shift_down if self._is_ranked else self._enter)(rows, row[1:], index, out)
        self._store(rows)

    def _key(self, row: Columns) -> list[Any]:
        return [row[column] for column in self._key_columns]

    def _replace(self, rows: list[Columns], row: Columns, former: int, out: Emitted) -> None:
        """Emit the changes of all rows between the former position and the new one, if ranks are part of the output."""
        former_rows = list(rows)
        del rows[former]
        index = bisect_right(rows, self._sort_key(row), key=self._sort_key)
        rows.insert(index, row)
        if not self._is_ranked:
            self._emit_if_wanted(out, UPDATE_BEFORE, former_rows[former], 1)
            self._emit_if_wanted(out, UPDATE_AFTER, row, 1)
            return
        first, last = sorted((index, former))
        for position in range(first, last + 1):
            if position != former or former <= index:
                self._emit_if_wanted(out, UPDATE_BEFORE, former_rows[position], position + 1)
            if position == index < former:
                self._emit_if_wanted(out, UPDATE_BEFORE, former_rows[former], former + 1)
            self._emit_if_wanted(out, UPDATE_AFTER, rows[position], position + 1)


@final
class WindowTopNOperator(_Ranked):
    """First rows of each key and window, emitted once when the window is over; late rows are counted and dropped."""

    def __init__(self, operation: TopN, *, retracts: bool) -> None:
        super().__init__(operation, retracts=retracts)
        assert operation.window is not None
        self._window = operation.window + 1
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Insert a row among those of its window, or remove it."""
        end = row[self._window]
        if self._end.is_late(end):
            self.count_late()
            return
        windows: dict[int, list[Columns]] = self.keyed_context.entry.setdefault(_WINDOWS, {})
        if end not in windows:
            self._end.register_timer(end, (end,))
        rows = windows.setdefault(end, [])
        index = self._insert(rows, row[1:]) if adds(row[0]) else self._remove(rows, row[1:])
        if index is not None:
            self._trim(rows)
            self.keyed_context.changed()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Emit the first rows of a window that is over."""
        windows: dict[int, list[Columns]] = self.keyed_context.entry.get(_WINDOWS, {})
        for number, row in enumerate(windows.pop(timer.namespace[0], ()), start=1):
            self._emit_if_wanted(out, INSERT, row, number)
        if windows:
            self.keyed_context.changed()
        else:
            self.clear_state()
