"""What the processes of a job hold: descriptors, sockets, threads, memory; and what the JVM's heap holds after a collection."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from kafkastream.spark import fork_server

__all__ = ["heap", "held"]

_MIB = 1024 * 1024
_WORKERS: Final = "workers"
_SERVER: Final = fork_server.__name__


def held(root: int) -> Mapping[str, float]:
    """What each kind of process below ``root`` holds, by names such as ``jvm descriptors``.

    Workers come and go, so there are also the descriptors of the one that has most: ``workers most descriptors``.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    most = 0.0
    for process, kind in _processes(root):
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            amounts = _held_by(process)
            for what, amount in amounts.items():
                totals[f"{kind} {what}"] += amount
            if kind == _WORKERS:
                most = max(most, amounts["descriptors"])
    return {**totals, f"{_WORKERS} most descriptors": most}


def heap(root: int) -> Mapping[str, float]:
    """What lives in the JVM's memory, in MiB: its heap after a full collection, and what it tracks beside it."""
    for process, kind in _processes(root):
        if kind == "jvm":
            _jcmd(process.pid, "GC.run")
            return {**_used(_jcmd(process.pid, "GC.heap_info")), **_native(_jcmd(process.pid, "VM.native_memory"))}
    return {}


def _processes(root: int) -> Iterator[tuple[psutil.Process, str]]:
    with suppress(psutil.NoSuchProcess):
        driver = psutil.Process(root)
        yield driver, "driver"
        for process in driver.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                yield process, _kind(process)


def _kind(process: psutil.Process) -> str:
    """Besides the workers of tasks, there are Python processes that plan sources and state, and clients that wait for them."""
    if process.name().startswith("java"):
        return "jvm"
    return _WORKERS if _is_worker(process) else "helpers"


def _is_worker(process: psutil.Process) -> bool:
    """Whether a process is forked from Spark's daemon, which is itself forked: they keep the command line of the first."""
    line = process.parents()[:2]
    return len(line) == 2 and all(_SERVER in one.cmdline() for one in (process, *line))


def _held_by(process: psutil.Process) -> Mapping[str, float]:
    descriptors = list(Path(f"/proc/{process.pid}/fd").iterdir())
    return {
        "processes": 1,
        "descriptors": len(descriptors),
        "sockets": sum(map(_is_socket, descriptors)),
        "threads": process.num_threads(),
        "RSS": process.memory_info().rss / _MIB,
    }


def _is_socket(descriptor: Path) -> bool:
    try:
        return str(descriptor.readlink()).startswith("socket:")
    except FileNotFoundError:  # it has just been closed
        return False


def _jcmd(pid: int, command: str) -> str:
    done = subprocess.run(["jcmd", str(pid), *command.split()], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def _used(heap_info: str) -> Mapping[str, float]:
    """Read ``GC.heap_info``, whose lines name a generation or a region with ``used …K``."""
    found = {"jvm heap after GC": 0.0, "jvm metaspace": 0.0}
    for name, kib in re.findall(r"^ *(\S+) .*?\bused (\d+)K", heap_info, re.MULTILINE):
        if name in {"garbage-first", "def", "tenured", "PSYoungGen", "ParOldGen"}:
            found["jvm heap after GC"] += int(kib) / 1024
        elif name == "Metaspace":
            found["jvm metaspace"] += int(kib) / 1024
    return found


def _native(summary: str) -> Mapping[str, float]:
    """Read ``VM.native_memory``; empty unless the JVM was started with ``-XX:NativeMemoryTracking=summary``."""
    total = re.search(r"^Total:.*committed=(\d+)KB", summary, re.MULTILINE)
    if total is None:
        return {}
    parts = dict(re.findall(r"^-\s+(\S.*?) \(.*?committed=(\d+)KB", summary, re.MULTILINE))
    beside = {f"jvm tracked: {name}": int(kib) / 1024 for name, kib in parts.items() if int(kib) > 1024}
    return {"jvm tracked": int(total[1]) / 1024, **beside}
