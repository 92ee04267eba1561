"""Output rows of ``Pairs``: pairs of rows with equal keys, and rows of one side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.joins.join_inputs import JoinInputs
from kafkastream.operators.table.table_rows import Columns, emit
from kafkastream.sql.plan.join_operations import PADS_RIGHT, JoinKind, PairPart

__all__ = ["PairRows", "needs_rows"]

_SIDE_PARTS = (PairPart.LEFT.value, PairPart.RIGHT.value)


def needs_rows(kind: JoinKind, side: int) -> bool:
    """Return whether a join needs the rows of a side that have no match."""
    if side == 0:
        return kind not in {JoinKind.INNER, JoinKind.RIGHT}
    return kind in PADS_RIGHT


@final
class PairRows:
    """Emits the rows of ``Pairs``.

    Args:
        sides: The inputs, with the width of the rows that are emitted.
        keys: Positions of the key columns of each input.
    """

    def __init__(self, sides: JoinInputs, keys: Sequence[Sequence[int]]) -> None:
        self._sides = sides
        self._keys = keys

    def emit_pair(self, kind: int, side: int, row: Columns, other: Columns, out: Emitted) -> None:
        """Emit a row of ``side`` with one of the other side."""
        emit(out, kind, (PairPart.PAIR.value, *self._key(side, row), *self._sides.joined(side, row, other)))

    def emit_row(self, kind: int, side: int, row: Columns, out: Emitted) -> None:
        """Emit a row of one side, if the join needs it."""
        if needs_rows(self._sides.kind, side):
            emit(out, kind, (_SIDE_PARTS[side], *self._key(side, row), *self._sides.padded(side, row)))

    def _key(self, side: int, row: Columns) -> Columns:
        return tuple(row[column] for column in self._keys[side])
