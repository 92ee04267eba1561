"""Base of regular joins: the rows of both inputs are kept, and each is compared with those of the other input."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import JoinState, Kept
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow
from kafkastream.sql.plan.join_operations import Join

__all__ = ["RegularJoin"]


class RegularJoin(TableOperator):
    """Keeps the rows of both inputs until they expire.

    Args:
        join: The join.
        compared: Columns of each input that are compared; with NULL in one, a row matches none, and is not kept.
    """

    def __init__(self, join: Join, compared: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.state = JoinState(self.keyed_context, join.ttls_ms)
        self.sides = JoinInputs(join.kind, join.widths, compared)

    @final
    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a row that comes or goes."""
        kind, columns, others = row[0], row[1:], Kept()
        is_kept = not self.sides.meets_none(side, columns)
        if is_kept:
            self.state.expire(self.keyed_context.clock())
            others = self.state.rows(1 - side)
        self.meets(side, kind, columns, others, out)
        if is_kept:
            self.keep(side, kind, columns, others)

    @abstractmethod
    def meets(self, side: int, kind: int, columns: Columns, others: Kept, out: Emitted) -> None:
        """Emit what a row changes.

        Args:
            side: Input of the row.
            kind: Number of its kind.
            columns: Its columns.
            others: Rows of the other input with the same key; none if the row matches none.
            out: Emitted rows.
        """

    @abstractmethod
    def keep(self, side: int, kind: int, columns: Columns, others: Kept) -> None:
        """Add a row to the state, or take it out; arguments as of ``meets``."""

    @final
    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        self.state.due(timer.timestamp)
