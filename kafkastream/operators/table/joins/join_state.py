"""State of a regular join: the rows of its inputs, with their multiplicity and number of matches."""

from __future__ import annotations

from typing import Final, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.table.table_rows import Columns

__all__ = ["COUNT", "MATCHES", "JoinState", "SideRows"]

_SIDES: Final = ("left", "right")
_EXPIRES: Final = "expires"

SideRows = dict[Columns, list[int]]
"""Rows of a side: multiplicity, number of matches on the other side, and time of the last write."""

COUNT: Final = 0
MATCHES: Final = 1
_WRITTEN: Final = 2


@final
class JoinState:
    """Rows of both inputs with the current key.

    Args:
        keyed_context: Keyed context of the operator.
        ttls_ms: Time after its last write at which a row of each side expires, in ms; 0 for never.
    """

    def __init__(self, keyed_context: KeyedContext, ttls_ms: tuple[int, int]) -> None:
        self._context = keyed_context
        self._ttls_ms = ttls_ms

    def rows(self, side: int) -> SideRows:
        """Return the rows of a side; an empty mapping, which is not stored, if there are none."""
        rows: SideRows = self._context.entry.get(_SIDES[side], {})
        return rows

    def now(self) -> int:
        """Return the time of a write in ms; 0 if no side has a time to live."""
        return self._context.clock() if any(self._ttls_ms) else 0

    def put(self, side: int, row: Columns, count: int, matches: int) -> None:
        """Store a row with its counts; remove it if both are 0."""
        rows: SideRows = self._context.entry.setdefault(_SIDES[side], {})
        if count > 0 or matches > 0:
            now = self.now()
            rows[row] = [count, matches, now]
            self._register_expiry(side, now)
        else:
            rows.pop(row, None)
        self._remove_empty_sides()

    def change_matches(self, side: int, rows: SideRows, change: int) -> None:
        """Change the number of matches of rows of a side."""
        now = self.now()
        for counts in rows.values():
            counts[MATCHES] += change
            counts[_WRITTEN] = now

    def expire(self, now: int) -> None:
        """Remove rows that were written too long ago."""
        for side, ttl_ms in enumerate(self._ttls_ms):
            if ttl_ms:
                rows = self.rows(side)
                for row in [row for row, counts in rows.items() if counts[_WRITTEN] + ttl_ms <= now]:
                    del rows[row]
        if any(self._ttls_ms):
            self._remove_empty_sides()

    def due(self, now: int) -> None:
        """Remove expired rows when the timer fires, and register the next one."""
        self._context.entry.pop(_EXPIRES, None)
        self.expire(now)
        for side in range(2):
            self._register_expiry(side, min((counts[_WRITTEN] for counts in self.rows(side).values()), default=None))
        self._context.changed()

    def _remove_empty_sides(self) -> None:
        entry = self._context.entry
        for side in _SIDES:
            if not entry.get(side, True):
                del entry[side]
        self._context.changed()

    def _register_expiry(self, side: int, written: int | None) -> None:
        """Register a timer for the expiry of rows written at a time, unless one is registered."""
        if written is not None and self._ttls_ms[side] and _EXPIRES not in self._context.entry:
            self._context.entry[_EXPIRES] = True
            self._context.register(TimeDomain.PROCESSING_TIME, written + self._ttls_ms[side])
