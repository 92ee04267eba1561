"""Inputs of a join: which rows are emitted without a match, and the output row of a match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_rows import INSERT, Columns, emit
from kafkastream.sql.plan.join_operations import PADS_LEFT, PADS_RIGHT, JoinKind

__all__ = ["JoinInputs"]

_OUTER: Final = (PADS_LEFT, PADS_RIGHT)


@final
class JoinInputs:
    """Inputs of a join: 0 is the left one, 1 the right one.

    Args:
        kind: Kind of join, which determines the rows that are emitted without a match.
        widths: Number of columns of each input.
        keys: Columns of each input that are compared by ``=``, which NULL never equals.
    """

    def __init__(self, kind: JoinKind, widths: tuple[int, int], keys: Sequence[Sequence[int]]) -> None:
        self.kind = kind
        self._widths = widths
        left, right = keys
        self._keys = (left, right)

    def is_outer(self, side: int) -> bool:
        """Return whether rows of ``side`` are emitted without a match."""
        return self.kind in _OUTER[side]

    def matches_none(self, side: int, row: Columns) -> bool:
        """Return whether a row can match no other row, because its key contains NULL."""
        return any(row[column] is None for column in self._keys[side])

    def joined(self, side: int, row: Columns, other: Columns) -> Columns:
        """Return a row of ``side`` joined with one of the other side."""
        return (*row, *other) if side == 0 else (*other, *row)

    def padded(self, side: int, row: Columns) -> Columns:
        """Return a row of ``side`` with NULLs for the other side."""
        return self.joined(side, row, (None,) * self._widths[1 - side])

    def emit_all(self, lefts: Iterable[Columns], rights: Iterable[Columns], out: Emitted) -> None:
        """Emit the join of all rows of one key."""
        matchable = [
            [row for row in rows if not self.matches_none(side, row)] for side, rows in enumerate((lefts, rights))
        ]
        for left in lefts:
            others = [] if self.matches_none(0, left) else matchable[1]
            if self.kind in {JoinKind.SEMI, JoinKind.ANTI}:
                if bool(others) is (self.kind is JoinKind.SEMI):
                    emit(out, INSERT, left)
                continue
            for other in others:
                emit(out, INSERT, self.joined(0, left, other))
            if not others and self.is_outer(0):
                emit(out, INSERT, self.padded(0, left))
        if self.is_outer(1):
            for right in rights:
                if not matchable[0] or self.matches_none(1, right):
                    emit(out, INSERT, self.padded(1, right))
