"""Regular join: rows of two inputs with equal keys (Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.join_inputs import JoinInputs
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, TableRow, adds, emit
from kafkastream.sql.plan.operations import Join, JoinKind

__all__ = ["JoinOperator"]

_SIDES: Final = ("left", "right")
_FILTERS: Final = frozenset({JoinKind.SEMI, JoinKind.ANTI})
_EXPIRES: Final = "expires"

Kept = dict[Columns, list[int]]
"""Rows of a side: multiplicity, number of matches on the other side, and time of the last write."""

_COUNT: Final = 0
_MET: Final = 1
_WRITTEN: Final = 2


@final
class JoinOperator(TableOperator):
    """Keeps the rows of both inputs, and emits changes as one of them comes or goes.

    Outer, SEMI and ANTI joins also keep the number of matches of each row. Same as in Flink: outer joins emit additions
    and deletions only; inner joins keep the kind of the row that came.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: Join, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self._row_ttl_ms = operation.ttl_ms
        self._sides = JoinInputs(operation.kind, operation.widths, keys)
        self._knows_met = (self._sides.is_outer(0) or operation.kind in _FILTERS, self._sides.is_outer(1))
        self._is_filter = operation.kind in _FILTERS
        self._is_semi = operation.kind is JoinKind.SEMI

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a row that comes or goes."""
        kind, columns, others = row[0], row[1:], Kept()
        has_key = not self._sides.meets_none(side, columns)
        if has_key:
            self._expire(self.keyed_context.clock())
            others = self.keyed_context.entry.get(_SIDES[1 - side], others)
        if not self._is_filter:
            (self._comes if adds(kind) else self._goes)(side, kind, columns, others, out)
        elif side == 1:
            self._filtering(kind, others, out)
        elif bool(others) is self._is_semi:
            emit(out, kind, columns)
        if has_key:
            self._keep(side, columns, 1 if adds(kind) else -1, sum(one[_COUNT] for one in others.values()))

    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        entry = self.keyed_context.entry
        entry.pop(_EXPIRES, None)
        self._expire(timer.timestamp)
        written = [one[_WRITTEN] for side in _SIDES for one in entry.get(side, {}).values()]
        if written:
            self._expect_expiry(min(written))
        self.keyed_context.changed()

    def _comes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self._sides.is_outer(side), self._sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[_COUNT]):
                if other_outer and kept[_MET] == 0:
                    emit(out, DELETE, self._sides.padded(1 - side, other))
                emit(out, INSERT if outer or other_outer else kind, self._sides.joined(side, row, other))
        self._meet(1 - side, others, 1)
        if outer and not others:
            emit(out, INSERT, self._sides.padded(side, row))

    def _goes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self._sides.is_outer(side), self._sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[_COUNT]):
                emit(out, DELETE if outer else kind, self._sides.joined(side, row, other))
                if other_outer and kept[_MET] == 1:
                    emit(out, INSERT, self._sides.padded(1 - side, other))
        self._meet(1 - side, others, -1)
        if outer and not others:
            emit(out, DELETE, self._sides.padded(side, row))

    def _filtering(self, kind: int, others: Kept, out: Emitted) -> None:
        """Process a right row of SEMI or ANTI: emit changes of left rows for which it is the first, or was the last,
        match.
        """
        if adds(kind):
            changes, told = 0, kind if self._is_semi else DELETE
        else:
            changes, told = 1, kind if self._is_semi else INSERT
        for other, kept in others.items():
            if kept[_MET] == changes:
                for _ in range(kept[_COUNT]):
                    emit(out, told, other)
        self._meet(0, others, 1 if adds(kind) else -1)

    def _meet(self, side: int, rows: Kept, by: int) -> None:
        """Change the number of matches of rows, if the join keeps it."""
        if self._knows_met[side]:
            now = self.keyed_context.clock() if self._row_ttl_ms else 0
            for kept in rows.values():
                kept[_MET] += by
                kept[_WRITTEN] = now

    def _keep(self, side: int, row: Columns, by: int, met: int) -> None:
        """Add ``by`` to the count of a row."""
        rows: Kept = self.keyed_context.entry.setdefault(_SIDES[side], {})
        kept = rows.get(row)
        count = by if kept is None else kept[_COUNT] + by
        if count > 0:
            now = self.keyed_context.clock() if self._row_ttl_ms else 0
            rows[row] = [count, met if by > 0 or kept is None else kept[_MET], now]
            self._expect_expiry(now)
        elif kept is not None:
            del rows[row]
        self._tidy()

    def _tidy(self) -> None:
        entry = self.keyed_context.entry
        for side in _SIDES:
            if not entry.get(side, True):
                del entry[side]
        self.keyed_context.changed()

    def _expire(self, now: int) -> None:
        """Remove rows that were written too long ago."""
        if self._row_ttl_ms:
            for side in _SIDES:
                rows: Kept = self.keyed_context.entry.get(side, {})
                for row in [row for row, kept in rows.items() if kept[_WRITTEN] + self._row_ttl_ms <= now]:
                    del rows[row]
            self._tidy()

    def _expect_expiry(self, written: int) -> None:
        """Register a timer for the expiry of rows written at a time, unless an earlier one is registered."""
        if self._row_ttl_ms and _EXPIRES not in self.keyed_context.entry:
            self.keyed_context.entry[_EXPIRES] = True
            self.keyed_context.register(TimeDomain.PROCESSING_TIME, written + self._row_ttl_ms)
