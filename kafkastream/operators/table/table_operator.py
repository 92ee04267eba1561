"""What the keyed operators of Flink SQL have in common: rows in and out, and keys that are forgotten after some time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, final

from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import ElementwiseOperator, Emitted
from kafkastream.operators.table.table_rows import TableRow

__all__ = ["TableOperator"]

_WRITTEN: Final = "_written"


class TableOperator(ElementwiseOperator):
    """An operator on the rows of tables; it keeps plain values in the entries of its keys.

    Args:
        ttl_ms: After how long without ``written`` what is kept for a key is forgotten; never, if 0.
    """

    def __init__(self, ttl_ms: int = 0) -> None:
        super().__init__()
        self.ttl_ms = ttl_ms

    @property
    @final
    def functions(self) -> Sequence[Function]:
        """None of the user's."""
        return ()

    @final
    def element(self, side: int, value: Any, timestamp: int | None, out: Emitted) -> None:
        """Take a row in."""
        if self.ttl_ms:
            self._forget_expired(self.keyed_context.clock())
        self.row(side, value, out)

    @abstractmethod
    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Take a row of the current key in."""

    @final
    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """A time has come that ``due`` knows, or that of what is to be forgotten."""
        if self.ttl_ms and domain is TimeDomain.PROCESSING_TIME and not timer.namespace:
            self._forget_expired(timer.timestamp)
            if _WRITTEN in self.keyed_context.entry:
                self.keyed_context.register(domain, self.keyed_context.entry[_WRITTEN] + self.ttl_ms)
        else:
            self.due(timer, out)

    def due(self, timer: Timer, out: Emitted) -> None:
        """A time has come that the operator has registered."""

    @final
    def written(self) -> None:
        """What is kept for the current key has changed, and lives on."""
        keyed_context = self.keyed_context
        keyed_context.changed()
        if self.ttl_ms:
            now = keyed_context.clock()
            if _WRITTEN not in keyed_context.entry:
                keyed_context.register(TimeDomain.PROCESSING_TIME, now + self.ttl_ms)
            keyed_context.entry[_WRITTEN] = now

    @final
    def forget(self) -> None:
        """Keep nothing of the current key."""
        self.keyed_context.entry.clear()
        self.keyed_context.changed()

    def _forget_expired(self, now: int) -> None:
        written = self.keyed_context.entry.get(_WRITTEN)
        if written is not None and written + self.ttl_ms <= now:
            self.forget()
