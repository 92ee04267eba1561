"""Waiting for a condition, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["wait_until"]

T = TypeVar("T")

FIRST_PAUSE_S = 0.005
LONGEST_PAUSE_S = 0.2


def wait_until(condition: Callable[[], T], timeout_s: float, what: str) -> T:
    """Ask ``condition`` again and again until its answer is true; returns that answer.

    ::

        records = wait_until(lambda: broker.consume(topic), 30, "the job's first record")

    Args:
        condition: What is asked, at least once.
        timeout_s: How long to go on asking, in seconds.
        what: What is awaited, for the error's message.

    Raises:
        TimeoutError: The answer was still not true after ``timeout_s`` seconds.
    """
    deadline = time.monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout_s:g} s in vain for {what}")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
    return answer
