"""Event loop in which waiting takes no time."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any, Final, final

__all__ = ["VirtualTimeLoop"]

_GRACE_S: Final = 0.02
"""Real time that threads and sockets get before a wait ends."""


@final
class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Event loop whose time jumps to the next timer when nothing else is left to do: ``sleep(60)`` returns at once."""

    def __init__(self) -> None:
        self._jumped_s = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Return the time of the loop, in s."""
        return super().time() + self._jumped_s

    def jump(self, seconds: float) -> None:
        """Let time pass."""
        self._jumped_s += seconds


class _JumpingSelector(selectors.DefaultSelector):
    """Selector that lets the time of a loop jump, instead of waiting longer than the grace."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, Any]]:
        if timeout is None or timeout <= _GRACE_S:
            return super().select(timeout)
        ready = super().select(_GRACE_S)
        if not ready:
            self._loop.jump(timeout - _GRACE_S)
        return ready
