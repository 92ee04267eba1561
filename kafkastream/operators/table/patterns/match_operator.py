"""Operator of MATCH_RECOGNIZE: finds patterns in the rows of each key (Flink's CepOperator)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.patterns.match_readings import MatchedRows, make_reader
from kafkastream.operators.table.patterns.pattern_search import Match, PatternSearch, Search
from kafkastream.operators.table.row_ordering import sort_key
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import INSERT, Columns, TableRow, emit
from kafkastream.operators.table.time_columns import domain_of, time_ms
from kafkastream.sql.plan.match_operation import MatchRecognize
from kafkastream.sql.plan.time_attribute import TimeAttribute

__all__ = ["MatchOperator"]

_WAITING: Final = "waiting"
_SEARCH: Final = "search"


@final
class MatchOperator(TableOperator):
    """Buffers rows until they are in order, searches them for the pattern, and emits a row for each match.

    Same as in Flink: by event time, a row behind the watermark is late and dropped; by processing time, rows are only
    buffered if ORDER BY has further columns.

    Args:
        operation: The pattern.
    """

    def __init__(self, operation: MatchRecognize) -> None:
        super().__init__()
        self._search = PatternSearch(operation)
        self._readers = [make_reader(measure) for measure in operation.measures]
        self._keys = operation.keys
        self._time = operation.column
        self._is_event_time = operation.time is TimeAttribute.EVENT
        self._domain = domain_of(operation.time)
        self._order: Callable[[Columns], Any] | None = sort_key(operation.order) if operation.order else None
        self._within_ms = operation.within_ms

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a row, or buffer it."""
        if self._is_event_time:
            assert self._time is not None
            time = time_ms(row[1 + self._time])
            if time <= self.keyed_context.watermark:
                self.count_late()
            else:
                self._buffer_row(time, row[1:])
        elif self._order is None:
            now = self.keyed_context.clock()
            self._process_rows([row[1:]], now, out)
        else:
            self._buffer_row(self.keyed_context.clock(), row[1:])

    def due(self, timer: Timer, out: Emitted) -> None:
        """Process the buffered rows that are due, in order, and drop partial matches that exceed WITHIN."""
        now = self.keyed_context.watermark if self._is_event_time else max(self.keyed_context.clock(), timer.timestamp)
        waiting: dict[int, list[Columns]] = self.keyed_context.entry.get(_WAITING, {})
        for time in sorted(time for time in waiting if time <= now):
            rows = waiting.pop(time)
            self._process_rows(rows if self._order is None else sorted(rows, key=self._order), time, out)
        self._drop_old(now, out)
        if not waiting and self._search.is_idle(self._current_search):
            self.clear_state()

    @property
    def _current_search(self) -> Search:
        """The search of the current key."""
        entry = self.keyed_context.entry
        if _SEARCH not in entry:
            entry[_SEARCH] = self._search.new()
        search: Search = entry[_SEARCH]
        return search

    def _buffer_row(self, time: int, row: Columns) -> None:
        waiting: dict[int, list[Columns]] = self.keyed_context.entry.setdefault(_WAITING, {})
        if time not in waiting:
            self.keyed_context.register(self._domain, time)
        waiting.setdefault(time, []).append(row)
        self.keyed_context.changed()

    def _process_rows(self, rows: Sequence[Columns], time: int, out: Emitted) -> None:
        """Process rows of one time."""
        self._drop_old(time, out)
        search = self._current_search
        for row in rows:
            matches, begins = self._search.take(search, row, time)
            self._emit(matches, time, out)
            if begins and self._within_ms:
                self.keyed_context.register(self._domain, time + self._within_ms)
        self.keyed_context.changed()

    def _drop_old(self, now: int, out: Emitted) -> None:
        """Drop partial matches that exceed WITHIN, in the order of their deadlines.

        Complete matches that had to wait for them get the deadline as their time; Flink uses the next watermark.
        """
        search = self._current_search
        for moment in self._search.ends(search, now):
            self._emit(self._search.end(search, moment), moment, out)
        self.keyed_context.changed()

    def _emit(self, matches: Sequence[Match], time: int, out: Emitted) -> None:
        for match in matches:
            rows = MatchedRows(match.rows, time=time)
            first = rows.of(None)[0]
            keys = (first[column] for column in self._keys)
            emit(out, INSERT, (*keys, *(read(rows) for read in self._readers)))
