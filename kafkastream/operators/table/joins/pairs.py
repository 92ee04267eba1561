"""Pairs of rows with equal keys, for a join with a condition on pairs: of regular, window and interval joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.joins.join_state import COUNT, Kept
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
    """Keeps the rows of both inputs, and emits their pairs as one of them comes or goes.

    A row comes after its pairs and goes before them, so that no row is reported as unmatched while its pairs are on
    their way.

    Args:
        join: The join.
        keys: Columns of each input that are the key.
        compared: Those of them that NULL never equals.
    """

    def __init__(self, join: Join, *, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]) -> None:
        super().__init__(join, compared)
        self._rows = PairRows(self.sides, keys)

    def meets(self, side: int, kind: int, columns: Columns, others: Kept, out: Emitted) -> None:
        """Emit the pairs of a row, and the row itself."""
        if not adds(kind):
            self._rows.alone(kind, side, columns, out)
        for other, kept in others.items():
            for _ in range(kept[COUNT]):
                self._rows.pair(kind, side, columns, other, out)
        if adds(kind):
            self._rows.alone(kind, side, columns, out)

    def keep(self, side: int, kind: int, columns: Columns, others: Kept) -> None:
        """Add a row, or take it out."""
        before = self.state.rows(side).get(columns, (0,))[COUNT]
        self.state.put(side, columns, before + (1 if adds(kind) else -1), 0)


@final
class WindowPairsOperator(WindowJoinOperator):
    """Emits the rows of a window that is over, and their pairs.

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
        meeting = [[row for row in rows if not self.sides.meets_none(at, row)] for at, rows in enumerate(sides)]
        for left in meeting[0]:
            for right in meeting[1]:
                self._rows.pair(INSERT, 0, left, right, out)
        for side, rows in enumerate(sides):
            for row in rows:
                self._rows.alone(INSERT, side, row, out)


@final
class IntervalPairsOperator(TableIntervalJoinOperator):
    """Emits pairs of rows within a distance of time, and a row when it can match no other one any more.

    Args:
        join: The join.
        keys: Columns of each input that are the key.
        compared: Those of them that NULL never equals.
    """

    def __init__(self, join: IntervalJoin, *, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]) -> None:
        super().__init__(join, keys=compared)
        self._rows = _numbered_rows(join, keys, compared)

    def kept(self, columns: Columns) -> list[Any]:
        """Number a row."""
        number: int = self.keyed_context.entry.get(_NUMBER, 0)
        self.keyed_context.entry[_NUMBER] = number + 1
        self.keyed_context.changed()
        return [(*columns, number), False]

    def meet(self, side: int, one: list[Any], other: list[Any], out: Emitted) -> None:
        """Emit a pair."""
        self._rows.pair(INSERT, side, one[0], other[0], out)

    def end(self, side: int, one: list[Any], out: Emitted) -> None:
        """Emit a row after all of its pairs."""
        self._rows.alone(INSERT, side, one[0], out)


def _numbered_rows(
    join: Join | IntervalJoin, keys: Sequence[Sequence[int]], compared: Sequence[Sequence[int]]
) -> PairRows:
    """Return what emits rows with a column for their number."""
    left, right = join.widths
    return PairRows(JoinInputs(join.kind, (left + 1, right + 1), compared), keys)
