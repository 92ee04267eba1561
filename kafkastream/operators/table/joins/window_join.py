"""Window join: rows of two inputs with equal keys and windows (Flink's WindowJoinOperator)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow, adds
from kafkastream.operators.table.window_end import WindowEnd
from kafkastream.sql.plan.join_operations import Join

__all__ = ["WindowJoinOperator"]

_WINDOWS: Final = "windows"


class WindowJoinOperator(TableOperator):
    """Buffers the rows of both inputs until their window is over, then joins them; late rows are counted and dropped.

    Args:
        operation: The join.
        keys: Columns of each input that are compared; with NULL in one, a row matches none.
    """

    def __init__(self, operation: Join, *, keys: Sequence[Sequence[int]]) -> None:
        super().__init__()
        assert operation.window_end is not None
        self._columns = operation.window_end
        self.sides = JoinInputs(operation.kind, operation.widths, keys)
        self._end = WindowEnd(self.keyed_context, operation.time, operation.zone)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its window, or remove it."""
        columns = row[1:]
        end = columns[self._columns[side]]
        if self._end.is_late(end):
            self.count_late()
            return
        windows: dict[int, tuple[list[Columns], list[Columns]]] = self.keyed_context.entry.setdefault(_WINDOWS, {})
        if end not in windows:
            windows[end] = ([], [])
            self._end.register_timer(end, (end,))
        rows = windows[end][side]
        if adds(row[0]):
            rows.append(columns)
        elif columns in rows:
            rows.remove(columns)
        self.keyed_context.changed()

    def due(self, timer: Timer, out: Emitted) -> None:
        """Join the rows of a window that is over."""
        windows: dict[int, tuple[list[Columns], list[Columns]]] = self.keyed_context.entry.get(_WINDOWS, {})
        lefts, rights = windows.pop(timer.namespace[0], ((), ()))
        self.join(lefts, rights, out)
        if windows:
            self.keyed_context.changed()
        else:
            self.clear_state()

    def join(self, lefts: Iterable[Columns], rights: Iterable[Columns], out: Emitted) -> None:
        """Emit the result of joining the rows of a window."""
        self.sides.emit_all(lefts, rights, out)
