"""Base of regular joins, which store the rows of both inputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import JoinState, SideRows
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow
from kafkastream.sql.plan.join_operations import Join

__all__ = ["RegularJoin"]


class RegularJoin(TableOperator):
    """Stores the rows of both inputs until they expire.

    Args:
        join: The join.
        compared: Columns of each input that are compared; a row with NULL in one of them matches nothing, and is not stored.
    """

    def __init__(self, join: Join, compared: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.state = JoinState(self.keyed_context, join.ttls_ms)
        self.sides = JoinInputs(join.kind, join.widths, compared)

    @final
    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process the addition or removal of a row."""
        kind, columns, others = row[0], row[1:], SideRows()
        is_kept = not self.sides.matches_none(side, columns)
        if is_kept:
            self.state.expire(self.keyed_context.clock())
            others = self.state.rows(1 - side)
        self.emit_changes(side, kind, columns, others, out)
        if is_kept:
            self.update_state(side, kind, columns, others)

    @abstractmethod
    def emit_changes(self, side: int, kind: int, columns: Columns, others: SideRows, out: Emitted) -> None:
        """Emit the changes of the result that a row causes.

        Args:
            side: Input of the row.
            kind: Number of its kind.
            columns: Its columns.
            others: Rows of the other input with the same key; none if the row matches none.
            out: Emitted rows.
        """

    @abstractmethod
    def update_state(self, side: int, kind: int, columns: Columns, others: SideRows) -> None:
        """Add a row to the state, or remove it; same arguments as ``emit_changes``."""

    @final
    def due(self, timer: Timer, out: Emitted) -> None:
        """Remove expired rows of the current key."""
        self.state.due(timer.timestamp)
