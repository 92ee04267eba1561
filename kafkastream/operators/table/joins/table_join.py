"""Regular join: rows of two inputs with equal keys (Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import COUNT, MET, JoinState, Kept
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, TableRow, adds, emit
from kafkastream.sql.plan.join_operations import Join, JoinKind

__all__ = ["JoinOperator"]

_FILTERS: Final = frozenset({JoinKind.SEMI, JoinKind.ANTI})


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
        self._state = JoinState(self.keyed_context, operation.ttls_ms)
        self._sides = JoinInputs(operation.kind, operation.widths, keys)
        self._knows_met = (self._sides.is_outer(0) or operation.kind in _FILTERS, self._sides.is_outer(1))
        self._is_filter = operation.kind in _FILTERS
        self._is_semi = operation.kind is JoinKind.SEMI

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a row that comes or goes."""
        kind, columns, others = row[0], row[1:], Kept()
        has_key = not self._sides.meets_none(side, columns)
        if has_key:
            self._state.expire(self.keyed_context.clock())
            others = self._state.rows(1 - side)
        if not self._is_filter:
            (self._comes if adds(kind) else self._goes)(side, kind, columns, others, out)
        elif side == 1:
            self._filtering(kind, others, out)
        elif bool(others) is self._is_semi:
            emit(out, kind, columns)
        if has_key:
            self._keep(side, columns, 1 if adds(kind) else -1, sum(one[COUNT] for one in others.values()))

    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        self._state.due(timer.timestamp)

    def _comes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self._sides.is_outer(side), self._sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[COUNT]):
                if other_outer and kept[MET] == 0:
                    emit(out, DELETE, self._sides.padded(1 - side, other))
                emit(out, INSERT if outer or other_outer else kind, self._sides.joined(side, row, other))
        self._meet(1 - side, others, 1)
        if outer and not others:
            emit(out, INSERT, self._sides.padded(side, row))

    def _goes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self._sides.is_outer(side), self._sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[COUNT]):
                emit(out, DELETE if outer else kind, self._sides.joined(side, row, other))
                if other_outer and kept[MET] == 1:
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
            if kept[MET] == changes:
                for _ in range(kept[COUNT]):
                    emit(out, told, other)
        self._meet(0, others, 1 if adds(kind) else -1)

    def _meet(self, side: int, rows: Kept, by: int) -> None:
        """Change the number of matches of rows, if the join keeps it."""
        if self._knows_met[side]:
            self._state.meet(side, rows, by)

    def _keep(self, side: int, row: Columns, by: int, met: int) -> None:
        """Add ``by`` to the count of a row."""
        kept = self._state.rows(side).get(row)
        count = by if kept is None else kept[COUNT] + by
        met = met if by > 0 or kept is None else kept[MET]
        self._state.put(side, row, count, met if count > 0 else 0)
