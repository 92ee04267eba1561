"""Base of the keyed operators of Flink SQL: rows in and out, and state with a time to live."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, final

from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import CallError, ElementwiseOperator, Emitted
from kafkastream.operators.table.table_rows import TableRow

__all__ = ["TableOperator"]

_WRITTEN: Final = "_written"


class TableOperator(ElementwiseOperator):
    """Operator on the rows of tables; stores plain values in the entries of its keys.

    Args:
        ttl_ms: Time to live of a key's state in ms (``table.exec.state.ttl``), counted from ``mark_written``; 0 for no limit.
        functions: Functions of the user.
    """

    def __init__(self, ttl_ms: int = 0, functions: Sequence[Function] = ()) -> None:
        super().__init__()
        self.ttl_ms = ttl_ms
        self._functions = functions

    @property
    @final
    def functions(self) -> Sequence[Function]:
        """Functions of the user."""
        return self._functions

    @final
    def element(self, side: int, value: Any, timestamp: int | None, out: Emitted) -> None:
        """Process a row."""
        if self.ttl_ms:
            self._forget_expired(self.keyed_context.clock())
        self.row(side, value, out)

    @abstractmethod
    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Process a row of the current key."""

    @final
    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Call ``due`` for a timer of the operator; remove state that has expired."""
        if self.ttl_ms and domain is TimeDomain.PROCESSING_TIME and not timer.namespace:
            self._forget_expired(timer.timestamp)
            if _WRITTEN in self.keyed_context.entry:
                self.keyed_context.register(domain, self.keyed_context.entry[_WRITTEN] + self.ttl_ms)
        else:
            try:
                self.due(timer, out)
            except Exception as error:
                raise CallError(self.keyed_context.key, timer=timer.timestamp) from error

    def due(self, timer: Timer, out: Emitted) -> None:
        """Handle a timer that the operator has registered."""

    @final
    def mark_written(self) -> None:
        """Mark the current key's state as changed, and renew its time to live."""
        keyed_context = self.keyed_context
        keyed_context.changed()
        if self.ttl_ms:
            now = keyed_context.clock()
            if _WRITTEN not in keyed_context.entry:
                keyed_context.register(TimeDomain.PROCESSING_TIME, now + self.ttl_ms)
            keyed_context.entry[_WRITTEN] = now

    @final
    def clear_state(self) -> None:
        """Remove the state of the current key."""
        self.keyed_context.entry.clear()
        self.keyed_context.changed()

    def may_expire(self) -> bool:
        """Return whether the current key's state may be removed when its time to live is over; otherwise that is renewed."""
        return True

    def _forget_expired(self, now: int) -> None:
        written = self.keyed_context.entry.get(_WRITTEN)
        if written is None or written + self.ttl_ms > now:
            return
        if self.may_expire():
            self.clear_state()
        else:
            self.keyed_context.entry[_WRITTEN] = now
            self.keyed_context.changed()
