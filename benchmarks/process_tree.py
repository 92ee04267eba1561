"""A process with all that it has started, as Linux shows it below ``/proc``."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

__all__ = ["cpu_seconds", "kill", "tree"]

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class _Process(NamedTuple):
    pid: int
    parent: int
    ticks: int
    """CPU time of the process itself, and of children that have ended."""


def tree(root: int) -> tuple[int, ...]:
    """The ids of a process and its descendants."""
    return tuple(process.pid for process in _tree(root))


def cpu_seconds(root: int) -> float:
    """The CPU time that a process and its descendants have used, those included that have ended."""
    return sum(process.ticks for process in _tree(root)) / _TICKS_PER_S


def kill(pids: tuple[int, ...]) -> None:
    """End processes that have not ended by themselves."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _tree(root: int) -> list[_Process]:
    everyone = _processes()
    found = [process for process in everyone if process.pid == root]
    for process in found:  # grows while we walk it
        found.extend(child for child in everyone if child.parent == process.pid)
    return found


def _processes() -> list[_Process]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found.append(_process(int(folder.name), (folder / "stat").read_text(encoding="utf-8", errors="replace")))
    return found


def _process(pid: int, stat: str) -> _Process:
    """Read a line of proc(5); the name in parentheses may hold anything."""
    fields = stat.rpartition(")")[2].split()
    own_and_ended_children = fields[11:15]
    return _Process(pid, parent=int(fields[1]), ticks=sum(map(int, own_and_ended_children)))
