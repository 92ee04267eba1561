"""Pairs of rows with equal keys, for a join with a condition on pairs: of regular, window and interval joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import COUNT, SideRows
from kafkastream.operators.table.joins.pair_rows import PairRows
from kafkastream.operators.table.joins.regular_join import RegularJoin
from kafkastream.operators.table.joins.table_interval_join import TableIntervalJoinOperator
from kafkastream.operators.table.joins.window_join import WindowJoinOperator
from kafkastream.operators.table.table_rows import INSERT, Columns, adds
from kafkastream.sql.plan.join_operations import IntervalJoin, Join

__all__ = ["IntervalPairsOperator", "PairsOperator", "WindowPairsOperator"]

_NUMBER: Final = "number"


@final
class PairsOperator(RegularJoin):
    """Stores the rows of both inputs, and emits or retracts pairs when a row of either input is added or removed.

    A row is added after its pairs and removed before them, so that downstream it is never unmatched while its pairs are
    still to come.

    Args:
        join: The join.
        keys: Columns of each input that are the key.
        compared: Those of them that NULL never equals.
    """

    def __init__(self, join: Join, *, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]) -> None:
        super().__init__(join, compared)
        self._rows = PairRows(self.sides, keys)

    def emit_changes(self, side: int, kind: int, columns: Columns, others: SideRows, out: Emitted) -> None:
        """Emit the pairs of a row, and the row itself."""
        if not adds(kind):
            self._rows.emit_row(kind, side, columns, out)
        for other, counts in others.items():
            for _ in range(counts[COUNT]):
                self._rows.emit_pair(kind, side, columns, other, out)
        if adds(kind):
            self._rows.emit_row(kind, side, columns, out)

    def update_state(self, side: int, kind: int, columns: Columns, others: SideRows) -> None:
        """Add a row, or remove it."""
        former_count = self.state.rows(side).get(columns, (0,))[COUNT]
        self.state.put(side, columns, former_count + (1 if adds(kind) else -1), 0)


@final
class WindowPairsOperator(WindowJoinOperator):
    """Emits the pairs of rows of a window that is over, and the rows themselves.

    Args:
        join: The join.
        keys: Columns of each input that are the key.
        compared: Those of them that NULL never equals.
    """

    def __init__(self, join: Join, *, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]) -> None:
        super().__init__(join, keys=compared)
        self._rows = _numbered_rows(join, keys, compared)

    def join(self, lefts: Iterable[Columns], rights: Iterable[Columns], out: Emitted) -> None:
        """Emit all pairs, then all rows."""
        sides = [[(*row, number) for number, row in enumerate(rows)] for rows in (lefts, rights)]
        matchable = [[row for row in rows if not self.sides.matches_none(side, row)] for side, rows in enumerate(sides)]
        for left in matchable[0]:
            for right in matchable[1]:
                self._rows.emit_pair(INSERT, 0, left, right, out)
        for side, rows in enumerate(sides):
            for row in rows:
                self._rows.emit_row(INSERT, side, row, out)


@final
class IntervalPairsOperator(TableIntervalJoinOperator):
    """Emits pairs of rows within a time interval, and each row when it can no longer match.

    Args:
        join: The join.
        keys: Columns of each input that are the key.
        compared: Those of them that NULL never equals.
    """

    def __init__(self, join: IntervalJoin, *, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]) -> None:
        super().__init__(join, keys=compared)
        self._rows = _numbered_rows(join, keys, compared)

    def stored_row(self, columns: Columns) -> list[Any]:
        """Number a row."""
        number: int = self.keyed_context.entry.get(_NUMBER, 0)
        self.keyed_context.entry[_NUMBER] = number + 1
        self.keyed_context.changed()
        return [(*columns, number), False]

    def join_rows(self, side: int, row: list[Any], other: list[Any], out: Emitted) -> None:
        """Emit a pair."""
        self._rows.emit_pair(INSERT, side, row[0], other[0], out)

    def finish_row(self, side: int, row: list[Any], out: Emitted) -> None:
        """Emit a row after all of its pairs."""
        self._rows.emit_row(INSERT, side, row[0], out)


def _numbered_rows(
    join: Join | IntervalJoin, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]
) -> PairRows:
    """Return the emitter of rows that have an additional column with their number."""
    left, right = join.widths
    return PairRows(JoinInputs(join.kind, (left + 1, right + 1), compared), keys)
