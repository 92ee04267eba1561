"""Handlers of the signals that end a program: SIGINT (Ctrl-C), and SIGTERM, which systemd and Kubernetes send."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, NoReturn

__all__ = ["end_by", "exit_at_sigterm", "interrupt_held_back", "interruptible", "stop_signals"]

_AGAIN: Final = {signal.SIGINT: "Ctrl-C again", signal.SIGTERM: "another SIGTERM"}


def exit_at_sigterm() -> None:
    """Make SIGTERM end the program in order, as Ctrl-C does, unless the program has a handler of its own.

    Temporary files are deleted, and Spark's JVM ends; the exit code is 143.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _exit)


def _exit(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def end_by(number: int) -> NoReturn:
    """End the program by a signal that it has received; in an interactive session Ctrl-C ends only the statement or cell.

    Args:
        number: Number of the signal.

    Raises:
        KeyboardInterrupt: Ctrl-C came in an interactive session, such as a notebook.
        SystemExit: Otherwise, with the exit code of a program that a signal has ended.
    """
    # Interactive sessions, IPython's kernel among them, have a prompt: https://docs.python.org/3/library/sys.html#sys.ps1
    if number == signal.SIGINT and hasattr(sys, "ps1"):
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


@contextmanager
def interruptible() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt, instead of calling Spark's handler, which kills the micro-batches of all jobs."""
    with _handled_by(signal.default_int_handler, signal.SIGINT):
        yield


@contextmanager
def interrupt_held_back() -> Iterator[None]:
    """Hold back Ctrl-C to the end of a ``with`` block of imports or calls to the JVM; a second one ends the block.

    An import of pandas or numpy that was broken off cannot be repeated in the same process. A call that py4j gives up
    still runs in the JVM, and may start what nobody stops:
    https://github.com/py4j/py4j/blob/0.10.9.9/py4j-python/src/py4j/java_gateway.py#L1045.

    Raises:
        KeyboardInterrupt: Ctrl-C came.
    """
    seen: list[int] = []

    def on_signal(number: int, _: FrameType | None) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)

    with _handled_by(on_signal, signal.SIGINT):
        yield
    if seen:
        raise KeyboardInterrupt


@contextmanager
def stop_signals(stop: Callable[[], bool]) -> Iterator[list[int]]:
    """Call ``stop`` at the first signal, instead of Spark's handler, which kills the running micro-batch.

    Args:
        stop: Requests the stop; returns False if it was requested before, so that the program ends at once.

    Yields:
        The signals received so far.
    """
    seen: list[int] = []

    def on_signal(number: int, _: FrameType | None) -> None:
        if not stop():
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)
        again = _AGAIN[signal.Signals(number)]
        print(f"\nStopping after the running micro-batch; {again} stops at once.", file=sys.stderr)  # noqa: T201
        seen.append(number)

    with _handled_by(on_signal, *_AGAIN):
        yield seen


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], Any], *numbers: signal.Signals) -> Iterator[None]:
    """Handle signals in another way for a while; only the main thread may, in others nothing changes."""
    is_main = threading.current_thread() is threading.main_thread()
    before: dict[signal.Signals, Any] = {number: signal.signal(number, handler) for number in numbers if is_main}
    try:
        yield
    finally:
        for number, former in before.items():
            # None: a handler that was not installed by Python
            signal.signal(number, signal.SIG_DFL if former is None else former)
