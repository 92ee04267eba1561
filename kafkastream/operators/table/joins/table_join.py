"""Regular join: rows of two inputs with equal keys (Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_state import COUNT, MATCHES, SideRows
from kafkastream.operators.table.joins.regular_join import RegularJoin
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, adds, emit
from kafkastream.sql.plan.join_operations import Join, JoinKind

__all__ = ["JoinOperator"]

_FILTERS: Final = frozenset({JoinKind.SEMI, JoinKind.ANTI})


@final
class JoinOperator(RegularJoin):
    """Stores the rows of both inputs, and emits changes when a row of either input is added or removed.

    Outer, SEMI and ANTI joins also store the number of matches of each row. Same as in Flink: outer joins emit only INSERT
    and DELETE; inner joins emit the row kind of the input row.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: Join, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__(operation, keys)
        self._counts_matches = (self.sides.is_outer(0) or operation.kind in _FILTERS, self.sides.is_outer(1))
        self._is_filter = operation.kind in _FILTERS
        self._is_semi = operation.kind is JoinKind.SEMI

    def emit_changes(self, side: int, kind: int, columns: Columns, others: SideRows, out: Emitted) -> None:
        """Emit the matches of a row, and changes of rows that get their first match or lose their last one."""
        if not self._is_filter:
            (self._add_row if adds(kind) else self._remove_row)(side, kind, columns, others, out)
        elif side == 1:
            self._process_right_row(kind, others, out)
        elif bool(others) is self._is_semi:
            emit(out, kind, columns)

    def update_state(self, side: int, kind: int, columns: Columns, others: SideRows) -> None:
        """Add a row with the number of its matches, or remove it."""
        change, matches = 1 if adds(kind) else -1, sum(other_counts[COUNT] for other_counts in others.values())
        counts = self.state.rows(side).get(columns)
        count = change if counts is None else counts[COUNT] + change
        matches = matches if change > 0 or counts is None else counts[MATCHES]
        self.state.put(side, columns, count, matches if count > 0 else 0)

    def _add_row(self, side: int, kind: int, row: Columns, others: SideRows, out: Emitted) -> None:
        outer, other_outer = self.sides.is_outer(side), self.sides.is_outer(1 - side)
        for other, counts in others.items():
            for _ in range(counts[COUNT]):
                if other_outer and counts[MATCHES] == 0:
                    emit(out, DELETE, self.sides.padded(1 - side, other))
                emit(out, INSERT if outer or other_outer else kind, self.sides.joined(side, row, other))
        self._change_matches(1 - side, others, 1)
        if outer and not others:
            emit(out, INSERT, self.sides.padded(side, row))

    def _remove_row(self, side: int, kind: int, row: Columns, others: SideRows, out: Emitted) -> None:
        outer, other_outer = self.sides.is_outer(side), self.sides.is_outer(1 - side)
        for other, counts in others.items():
            for _ in range(counts[COUNT]):
                emit(out, DELETE if outer else kind, self.sides.joined(side, row, other))
                if other_outer and counts[MATCHES] == 1:
                    emit(out, INSERT, self.sides.padded(1 - side, other))
        self._change_matches(1 - side, others, -1)
        if outer and not others:
            emit(out, DELETE, self.sides.padded(side, row))

    def _process_right_row(self, kind: int, others: SideRows, out: Emitted) -> None:
        """Process a right row of SEMI or ANTI: emit changes of left rows that get their first match or lose their last one."""
        if adds(kind):
            turning_point, emitted_kind = 0, kind if self._is_semi else DELETE
        else:
            turning_point, emitted_kind = 1, kind if self._is_semi else INSERT
        for other, counts in others.items():
            if counts[MATCHES] == turning_point:
                for _ in range(counts[COUNT]):
                    emit(out, emitted_kind, other)
        self._change_matches(0, others, 1 if adds(kind) else -1)

    def _change_matches(self, side: int, rows: SideRows, change: int) -> None:
        """Change the number of matches of rows, if the join counts matches."""
        if self._counts_matches[side]:
            self.state.change_matches(side, rows, change)
