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
    """Poll ``condition`` until it returns a true value, and return that value.

    ::

        records = wait_until(lambda: broker.consume(topic), 30, "the job's first record")

    Args:
        condition: Function to poll, called at least once.
        timeout_s: Time limit in s.
        what: Description of the condition, for the error.

    Raises:
        TimeoutError: The condition was not true within the time limit.
    """
    deadline = time.monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"timed out after {timeout_s:g} s waiting for {what}")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
    return answer
