"""Outer, semi and anti joins on the pairs that have met a condition, out of all pairs of rows."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import COUNT, MET, JoinState
from kafkastream.operators.table.joins.pair_rows import needs_rows
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import AFTER, BEFORE, DELETE, INSERT, Columns, TableRow, adds, emit
from kafkastream.sql.plan.join_operations import JoinKind, Matches, PairPart

__all__ = ["FinalMatchesOperator", "MatchesOperator"]

_MET: Final = "met"


class _Matching(TableOperator):
    """Reads the rows of ``Pairs``, and emits a row of one side according to the kind of join."""

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
            self._pair(row[0], left, right, out)
        elif row[1] == PairPart.LEFT.value:
            self._alone(row[0], 0, left, out)
        else:
            self._alone(row[0], 1, right, out)

    def _pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        raise NotImplementedError

    def _alone(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        raise NotImplementedError

    def _tell(self, kind: int, side: int, row: Columns, out: Emitted, *, has_met: bool) -> None:
        """Emit a row of one side, by whether it has a match."""
        if self._kind is JoinKind.MARK:
            emit(out, kind, (*row, has_met))
        elif self._kind in {JoinKind.SEMI, JoinKind.ANTI}:
            if has_met is (self._kind is JoinKind.SEMI):
                emit(out, kind, row)
        elif not has_met and self._sides.is_outer(side):
            emit(out, INSERT if adds(kind) else DELETE, self._sides.padded(side, row))


@final
class MatchesOperator(_Matching):
    """Counts the pairs of each row, and emits changes as the first one comes or the last one goes.

    Args:
        operation: The operation.
    """

    def __init__(self, operation: Matches) -> None:
        super().__init__(operation)
        self._state = JoinState(self.keyed_context, (operation.ttl_ms, operation.ttl_ms))

    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        self._state.due(timer.timestamp)

    def _alone(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        self._state.expire(self.keyed_context.clock())
        count, met = self._known(side, row)
        self._tell(kind, side, row, out, has_met=met > 0)
        self._state.put(side, row, max(count + (1 if adds(kind) else -1), 0), met)

    def _pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        self._state.expire(self.keyed_context.clock())
        if adds(kind):
            self._count(kind, left, right, out)
        if not self._kind.has_only_left:
            emit(out, INSERT if adds(kind) else DELETE, (*left, *right))
        if not adds(kind):
            self._count(kind, left, right, out)

    def _count(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        """Add a pair to the matches of both rows, or remove it."""
        for side, row in enumerate((left, right)):
            if needs_rows(self._kind, side):
                count, met = self._known(side, row)
                now = max(met + (1 if adds(kind) else -1), 0)
                if count > 0 and (met > 0) is not (now > 0):
                    self._turn(kind, side, row, count, out)
                self._state.put(side, row, count, now)

    def _turn(self, kind: int, side: int, row: Columns, count: int, out: Emitted) -> None:
        """Emit the change of a row that gets its first match, or has lost its last one."""
        has_met = adds(kind)
        for _ in range(count):
            if self._kind is JoinKind.MARK:
                emit(out, BEFORE, (*row, not has_met))
                emit(out, AFTER, (*row, has_met))
            elif self._kind is JoinKind.SEMI:
                emit(out, kind, row)
            elif self._kind is JoinKind.ANTI:
                emit(out, DELETE if has_met else INSERT, row)
            else:
                emit(out, DELETE if has_met else INSERT, self._sides.padded(side, row))

    def _known(self, side: int, row: Columns) -> tuple[int, int]:
        kept = self._state.rows(side).get(row)
        return (0, 0) if kept is None else (kept[COUNT], kept[MET])


@final
class FinalMatchesOperator(_Matching):
    """Notes which rows have a pair until the row itself comes, which is after all of its pairs.

    Args:
        operation: The operation.
    """

    def _pair(self, kind: int, left: Columns, right: Columns, out: Emitted) -> None:
        met: dict[tuple[int, int], bool] = self.keyed_context.entry.setdefault(_MET, {})
        for side, row in enumerate((left, right)):
            if needs_rows(self._kind, side):
                met[side, row[-1]] = True
        self.keyed_context.changed()
        if not self._kind.has_only_left:
            emit(out, INSERT, (*left[:-1], *right[:-1]))

    def _alone(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        met: dict[tuple[int, int], bool] = self.keyed_context.entry.get(_MET, {})
        has_met = met.pop((side, row[-1]), False)
        self._tell(INSERT, side, row[:-1], out, has_met=has_met)
        self.keyed_context.changed()
        if not met:
            self.forget()
