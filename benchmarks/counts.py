"""The check of what jobs have counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from benchmarks.contenders import Contender
from benchmarks.orders import time_ms
from benchmarks.serving import SQL_HOPS, SQL_WINDOWS, WINDOWS, Task
from benchmarks.topics import WrongOutputError, values

__all__ = ["check_counts"]

_MINUTE_MS = 60_000
_SLIDE_MS = 20_000


def check_counts(task: Task, contender: Contender) -> None:
    """Add up all that a contender has counted.

    Raises:
        WrongOutputError: It has missed records, or counted some twice.
    """
    told = values(task.bootstrap_servers, task.topic_out)
    if task.workload in (WINDOWS, SQL_WINDOWS, SQL_HOPS):
        _check_windows(told, task, contender)
    else:
        _check_running(told, task, contender)


def _check_running(told: Iterable[bytes], task: Task, contender: Contender) -> None:
    lines, highest = 0, defaultdict[bytes, int](int)
    for line in told:
        key, count = line.split()
        highest[key] = max(highest[key], int(count))
        lines += 1
    if contender.tells_all:
        _check(task, "records", lines, task.records)
    _check(task, "counted records", sum(highest.values()), task.records)


def _check_windows(told: Iterable[bytes], task: Task, contender: Contender) -> None:
    counted = sum(int(line.rsplit(maxsplit=1)[1]) for line in told)
    slide_ms = _SLIDE_MS if task.workload == SQL_HOPS else _MINUTE_MS
    _check(task, "counted records", counted, _in_windows(task, slide_ms, only_closed=not contender.tells_all))


def _in_windows(task: Task, slide_ms: int, *, only_closed: bool) -> int:
    """Count the records of all windows of a minute, or of those that the last record's time has closed.

    There is one record in each ms.
    """
    first, last = time_ms(0), time_ms(task.records - 1)
    starts = range(first // slide_ms * slide_ms - _MINUTE_MS + slide_ms, last + 1, slide_ms)
    closed = [start for start in starts if start + _MINUTE_MS <= last or not only_closed]
    return sum(min(start + _MINUTE_MS, last + 1) - max(start, first) for start in closed)


def _check(task: Task, what: str, found: int, expected: int) -> None:
    if found != expected:
        raise WrongOutputError(f"topic {task.topic_out} holds {found} {what} instead of {expected}")
