"""Timers for the end of windows, and late rows, by the column with the window's end."""

from __future__ import annotations

from typing import Any, final

from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.table.time_columns import domain_of, instant_of, time_ms
from kafkastream.sql.plan.operations import TimeAttribute

__all__ = ["WindowEnd"]


@final
class WindowEnd:
    """Decides when windows are over, and registers timers for them.

    By processing time, no row is late: a row that arrives after its window was emitted is emitted with the next timer.

    Args:
        keyed_context: Keyed context of the operator.
        time: Time attribute of the windows.
        zone: Time zone in which the ends of windows are written.
    """

    def __init__(self, keyed_context: KeyedContext, time: TimeAttribute, zone: str) -> None:
        self._keyed_context = keyed_context
        self._domain = domain_of(time)
        self._instant = instant_of(zone)

    def is_late(self, end: int | None) -> bool:
        """Return whether a row of this window is late: the watermark is past the window's last ms."""
        return self._domain is TimeDomain.EVENT_TIME and self._last_ms(end) <= self._keyed_context.watermark

    def register_timer(self, end: int | None, namespace: tuple[Any, ...]) -> None:
        """Register a timer of the current key for the end of this window."""
        self._keyed_context.namespace = namespace
        self._keyed_context.register(self._domain, self._last_ms(end))
        self._keyed_context.namespace = ()

    def _last_ms(self, end: int | None) -> int:
        return self._instant(time_ms(end) - 1)
