"""Event loop in which waiting takes no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final, TypeVar, final

from typing_extensions import TypeVarTuple, Unpack

__all__ = ["VirtualTimeLoop"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_GRACE_S: Final = 0.02
"""Real time that sockets get before a wait ends."""


@final
class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Event loop whose time jumps to the next timer when nothing else is left to do: ``sleep(60)`` returns at once.

    Calls in threads, as of ``asyncio.to_thread``, take their real time: it does not jump before they have returned.
    """

    def __init__(self) -> None:
        self._jumped_s = 0.0
        self._calls_in_threads = 0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Return the time of the loop, in s."""
        return super().time() + self._jumped_s

    @property
    def has_calls_in_threads(self) -> bool:
        """Whether threads of an executor are at work for the loop."""
        return self._calls_in_threads > 0

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: Unpack[Ts]
    ) -> asyncio.Future[T]:
        """Call a function in a thread."""
        call = super().run_in_executor(executor, func, *args)
        self._calls_in_threads += 1
        call.add_done_callback(self._end_call)
        return call

    def _end_call(self, _: object) -> None:
        self._calls_in_threads -= 1

    def jump(self, seconds: float) -> None:
        """Let time pass."""
        self._jumped_s += seconds


class _JumpingSelector(selectors.DefaultSelector):
    """Selector that lets the time of a loop jump, instead of waiting longer than the grace."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, Any]]:
        if timeout is None or timeout <= _GRACE_S or self._loop.has_calls_in_threads:
            return super().select(timeout)
        ready = super().select(_GRACE_S)
        if not ready:
            self._loop.jump(timeout - _GRACE_S)
        return ready
