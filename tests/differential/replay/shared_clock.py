"""Processing time in a file, which the test sets, and which the test's process and Spark's workers read."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Final, final

from kafkastream.model.common.time import wall_clock

__all__ = ["SharedClock"]

_INSTALLED: Final[dict[str, Any]] = {}


@final
class SharedClock:
    """The clock of a job. A function that holds it brings it to the worker that unpickles the function.

    Without its file, as after the job, it returns the real time.

    Args:
        path: The file.
        owner: Process that made it, whose clock it does not replace.
    """

    def __init__(self, path: Path, owner: int | None = None) -> None:
        self.path, self.owner = path, owner or os.getpid()

    def set(self, now_ms: int) -> None:
        """Set the time, in ms since 1970."""
        new = self.path.with_suffix(".new")
        new.write_text(str(now_ms))
        new.replace(self.path)

    def now(self) -> int:
        """Return the time, in ms since 1970."""
        try:
            return int(self.path.read_text())
        except FileNotFoundError:
            return time.time_ns() // 1_000_000

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.path, self.owner)


def _received(path: Path, owner: int) -> SharedClock:
    """Return a clock that was sent to this process; a worker's processing time is from now on that of the clock."""
    clock = SharedClock(path, owner)
    if os.getpid() != owner and str(path) not in _INSTALLED:
        _INSTALLED[str(path)] = context = wall_clock(clock.now)
        context.__enter__()
    return clock
