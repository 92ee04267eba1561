"""Aggregates of the rows before each row in an order without time (Flink's NonTimeUnboundedPrecedingOver functions)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates
from kafkastream.operators.table.row_ordering import sort_key
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, TableRow, adds, emit, replace
from kafkastream.sql.plan.operations import OverAggregate

__all__ = ["OverChangesOperator"]

_ROWS: Final = "rows"
_RESULTS: Final = "results"


@final
class OverChangesOperator(TableOperator):
    """Sorted rows of each key, each with the aggregates of all rows up to it; a new row updates the rows after it.

    As in Flink, each change aggregates all rows of the key again.

    Args:
        operation: The aggregation.
    """

    def __init__(self, operation: OverAggregate) -> None:
        self._aggregates = Aggregates(operation.calls, retracts=False)
        super().__init__(operation.ttl_ms, self._aggregates.functions)
        self._is_rows = operation.is_rows
        self._sort_key = sort_key(operation.order)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Insert or remove a row."""
        entry = self.keyed_context.entry
        rows: list[Columns] = entry.get(_ROWS, [])
        results: list[Columns] = entry.get(_RESULTS, [])
        columns = row[1:]
        if adds(row[0]):
            index = bisect_right(rows, self._sort_key(columns), key=self._sort_key)
            rows.insert(index, columns)
            before: list[Columns | None] = [*results[:index], None, *results[index:]]
            after = self._results(rows)
            emit(out, INSERT, (*columns, *after[index]))
        else:
            removed = self._find_row(rows, columns)
            if removed is None:
                return
            del rows[removed]
            emit(out, DELETE, (*columns, *results.pop(removed)))
            before, after = [*results], self._results(rows)
        for columns_of_row, old, new in zip(rows, before, after, strict=True):
            if old is not None and old != new:
                replace(out, (*columns_of_row, *old), (*columns_of_row, *new))
        if not rows:
            self.clear_state()
            return
        entry[_ROWS], entry[_RESULTS] = rows, after
        self.mark_written()

    def _find_row(self, rows: list[Columns], columns: Columns) -> int | None:
        """Return the index of the first row that equals ``columns``; None if there is none."""
        key = self._sort_key(columns)
        begin = bisect_left(rows, key, key=self._sort_key)
        end = bisect_right(rows, key, lo=begin, key=self._sort_key)
        return next((index for index in range(begin, end) if rows[index] == columns), None)

    def _results(self, rows: list[Columns]) -> list[Columns]:
        """Return for each row the aggregates of all rows up to it, including rows with equal sort keys for RANGE."""
        group = self._aggregates.new()
        results: list[Columns] = []
        begin = 0
        while begin < len(rows):
            end = begin + 1 if self._is_rows else bisect_right(rows, self._sort_key(rows[begin]), key=self._sort_key)
            for row in rows[begin:end]:
                self._aggregates.add(group, (INSERT, *row))
            results += [self._aggregates.results(group)] * (end - begin)
            begin = end
        return results
