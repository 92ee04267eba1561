"""Regular join: rows of two inputs with equal keys (Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_state import COUNT, MET, Kept
from kafkastream.operators.table.joins.regular_join import RegularJoin
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, adds, emit
from kafkastream.sql.plan.join_operations import Join, JoinKind

__all__ = ["JoinOperator"]

_FILTERS: Final = frozenset({JoinKind.SEMI, JoinKind.ANTI})


@final
class JoinOperator(RegularJoin):
    """Keeps the rows of both inputs, and emits changes as one of them comes or goes.

    Outer, SEMI and ANTI joins also keep the number of matches of each row. Same as in Flink: outer joins emit additions
    and deletions only; inner joins keep the kind of the row that came.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: Join, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__(operation, keys)
        self._knows_met = (self.sides.is_outer(0) or operation.kind in _FILTERS, self.sides.is_outer(1))
        self._is_filter = operation.kind in _FILTERS
        self._is_semi = operation.kind is JoinKind.SEMI

    def meets(self, side: int, kind: int, columns: Columns, others: Kept, out: Emitted) -> None:
        """Emit the matches of a row, and rows that have got or lost their first match."""
        if not self._is_filter:
            (self._comes if adds(kind) else self._goes)(side, kind, columns, others, out)
        elif side == 1:
            self._filtering(kind, others, out)
        elif bool(others) is self._is_semi:
            emit(out, kind, columns)

    def keep(self, side: int, kind: int, columns: Columns, others: Kept) -> None:
        """Add a row with the number of its matches, or take it out."""
        by, met = 1 if adds(kind) else -1, sum(one[COUNT] for one in others.values())
        kept = self.state.rows(side).get(columns)
        count = by if kept is None else kept[COUNT] + by
        met = met if by > 0 or kept is None else kept[MET]
        self.state.put(side, columns, count, met if count > 0 else 0)

    def _comes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self.sides.is_outer(side), self.sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[COUNT]):
                if other_outer and kept[MET] == 0:
                    emit(out, DELETE, self.sides.padded(1 - side, other))
                emit(out, INSERT if outer or other_outer else kind, self.sides.joined(side, row, other))
        self._meet(1 - side, others, 1)
        if outer and not others:
            emit(out, INSERT, self.sides.padded(side, row))

    def _goes(self, side: int, kind: int, row: Columns, others: Kept, out: Emitted) -> None:
        outer, other_outer = self.sides.is_outer(side), self.sides.is_outer(1 - side)
        for other, kept in others.items():
            for _ in range(kept[COUNT]):
                emit(out, DELETE if outer else kind, self.sides.joined(side, row, other))
                if other_outer and kept[MET] == 1:
                    emit(out, INSERT, self.sides.padded(1 - side, other))
        self._meet(1 - side, others, -1)
        if outer and not others:
            emit(out, DELETE, self.sides.padded(side, row))

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
            self.state.meet(side, rows, by)
