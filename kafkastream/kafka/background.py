"""Background threads for calls of Kafka's client that may never return."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

__all__ = ["in_background"]

T = TypeVar("T")


def in_background(call: Callable[[], T], name: str) -> Future[T]:
    """Call a function in a daemon thread, which does not keep the program from ending.

    Args:
        call: Call to run; its thread keeps references of the call alive until it returns.
        name: Name of the thread.

    Example:
        >>> in_background(lambda: 6 * 7, "example").result(60)
        42
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    Thread(target=run, name=name, daemon=True).start()
    return outcome
