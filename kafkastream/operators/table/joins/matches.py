"""Outer, semi and anti joins from the pairs of rows that meet a condition."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import COUNT, MATCHES, JoinState
from kafkastream.operators.table.joins.pair_rows import needs_rows
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
from kafkastream.sql.plan.join_operations import JoinKind, Matches, PairPart

__all__ = ["FinalMatchesOperator", "MatchesOperator"]

_MET: Final = "met"


class _MatchesBase(TableOperator):
    """Base of operators on the rows of ``Pairs``."""

    def __init__(self, operation: Matches) -> None:
        super().__init__()
        begin = 2 + operation.keys
        middle = begin + operation.widths[0]
        self._columns = (slice(begin, middle), slice(middle, middle + operation.widths[1]))
        number = 1 if operation.is_final else 0
        left, right = operation.widths
        self._sides = JoinInputs(operation.kind, (left - number, right - number), ((), ()))
        self._kind = operation.kind

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a pair, or a row of one side."""
        left, right = (row[columns] for columns in self._columns)
        if row[1] == PairPart.PAIR.value:
            self._process_pair(row[0], left, right, out)
        elif row[1] == PairPart.LEFT.value:
            self._process_row(row[0], 0, left, out)
        else:
            self._process_row(row[0], 1, right, out)

    def _process_pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        raise NotImplementedError

    def _process_row(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        raise NotImplementedError

    def _emit_by_match(self, kind: int, side: int, row: Columns, out: Emitted, *, has_match: bool) -> None:
        """Emit a row of one side, if the kind of join wants rows with, or without, a match."""
        if self._kind is JoinKind.MARK:
            emit(out, kind, (*row, has_match))
        elif self._kind in {JoinKind.SEMI, JoinKind.ANTI}:
            if has_match is (self._kind is JoinKind.SEMI):
                emit(out, kind, row)
        elif not has_match and self._sides.is_outer(side):
            emit(out, INSERT if adds(kind) else DELETE, self._sides.padded(side, row))


@final
class MatchesOperator(_MatchesBase):
    """Counts the pairs of each row, and emits a change when it gets its first match or loses its last one.

    Args:
        operation: The operation.
    """

    def __init__(self, operation: Matches) -> None:
        super().__init__(operation)
        self._state = JoinState(self.keyed_context, (operation.ttl_ms, operation.ttl_ms))

    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        self._state.due(timer.timestamp)

    def _process_row(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        self._state.expire(self.keyed_context.clock())
        count, matches = self._counts(side, row)
        self._emit_by_match(kind, side, row, out, has_match=matches > 0)
        self._state.put(side, row, max(count + (1 if adds(kind) else -1), 0), matches)

    def _process_pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        self._state.expire(self.keyed_context.clock())
        if adds(kind):
            self._update_matches(kind, left, right, out)
        if not self._kind.has_only_left:
            emit(out, INSERT if adds(kind) else DELETE, (*left, *right))
        if not adds(kind):
            self._update_matches(kind, left, right, out)

    def _update_matches(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        """Add a pair to the matches of both rows, or remove it."""
        for side, row in enumerate((left, right)):
            if needs_rows(self._kind, side):
                count, matches = self._counts(side, row)
                new_matches = max(matches + (1 if adds(kind) else -1), 0)
                if count > 0 and (matches > 0) is not (new_matches > 0):
                    self._emit_match_change(kind, side, row, count, out)
                self._state.put(side, row, count, new_matches)

    def _emit_match_change(self, kind: int, side: int, row: Columns, count: int, out: Emitted) -> None:
        """Emit the change of a row that has got its first match, or lost its last one."""
        has_match = adds(kind)
        for _ in range(count):
            if self._kind is JoinKind.MARK:
                emit(out, UPDATE_BEFORE, (*row, not has_match))
                emit(out, UPDATE_AFTER, (*row, has_match))
            elif self._kind is JoinKind.SEMI:
                emit(out, kind, row)
            elif self._kind is JoinKind.ANTI:
                emit(out, DELETE if has_match else INSERT, row)
            else:
                emit(out, DELETE if has_match else INSERT, self._sides.padded(side, row))

    def _counts(self, side: int, row: Columns) -> tuple[int, int]:
        counts = self._state.rows(side).get(row)
        return (0, 0) if counts is None else (counts[COUNT], counts[MATCHES])


@final
class FinalMatchesOperator(_MatchesBase):
    """Remembers which rows have a match until the row itself arrives, after all of its pairs.

    Args:
        operation: The operation.
    """

    def _process_pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        matched: dict[tuple[int, int], bool] = self.keyed_context.entry.setdefault(_MET, {})
        for side, row in enumerate((left, right)):
            if needs_rows(self._kind, side):
                matched[side, row[-1]] = True
        self.keyed_context.changed()
        if not self._kind.has_only_left:
            emit(out, INSERT, (*left[:-1], *right[:-1]))

    def _process_row(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        matches: dict[tuple[int, int], bool] = self.keyed_context.entry.get(_MET, {})
        has_met = matches.pop((side, row[-1]), False)
        self._emit_by_match(INSERT, side, row[:-1], out, has_match=has_met)
        self.keyed_context.changed()
        if not matches:
            self.clear_state()
