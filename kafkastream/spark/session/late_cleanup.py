"""Cleanup after the end of a job that has to wait, for what Spark still does then in the background."""

from __future__ import annotations

import atexit
import shutil
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

__all__ = ["clean_up_later", "delete_again_later"]

DELAY_S = 120.0
"""Twice the time within which Spark's background threads come around."""

_Work: TypeAlias = Callable[[], object]
_due: Final[deque[tuple[float, _Work]]] = deque()
_folders: Final[set[str]] = set()


def clean_up_later(work: _Work) -> None:
    """Do work when a job starts or ends, and some time has passed; errors are ignored, and the program's end drops it."""
    now = time.monotonic()
    with suppress(IndexError):  # several jobs may end at once
        while _due[0][0] <= now:
            _run(_due.popleft()[1])
    _due.append((now + DELAY_S, work))


def delete_again_later(folder: str) -> None:
    """Delete a folder again after some time, or at the end of the program.

    Within a minute after a query's end, Spark's maintenance of the state stores may save a last snapshot there.
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/state/StateStore.scala
    """
    _folders.add(folder)
    clean_up_later(lambda: _delete(folder))


@atexit.register
def _delete_all() -> None:
    for folder in tuple(_folders):
        _delete(folder)


def _delete(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _folders.discard(folder)


def _run(work: Callable[[], Any]) -> None:
    with suppress(Exception):  # the session or the JVM may be gone
        work()
