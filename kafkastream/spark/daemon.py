"""Daemon that Spark forks its Python workers of, on one machine: a process that has imported what our tasks need.

Spark's own daemon imports nothing, so each of a job's workers, of which one with state has ten, spends most of a second of
CPU on pandas, pyarrow and this package before its first record. Here they are there when it begins. Spark imports them late
because libraries may start threads, which a fork does not copy: those that start here (jemalloc's, OpenBLAS's) are made to
be forked. NumPy's global random numbers, unlike Python's, would be the same in all workers; each begins with its own.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from importlib import import_module
from typing import Final

from kafkastream.spark.crash_notes import settle
from kafkastream.spark.internals.python import WORKER_MODULES, run_daemon

__all__ = ["note_ends", "preload"]

_PRELOADED: Final = (
    *WORKER_MODULES,
    "pandas",
    "pyarrow.compute",
    "pyarrow.ipc",
    "kafkastream.spark.exchange.stateful_stage",
    "kafkastream.spark.plan.query_compiler",
    "pyarrow.acero",
)


def preload() -> None:
    """Import what tasks need, to be forked of."""
    import numpy

    for name in _PRELOADED:
        with suppress(ImportError):  # then workers import what they need, as with Spark's own
            import_module(name)
    os.register_at_fork(after_in_child=numpy.random.seed)
    gc.collect()
    gc.freeze()  # so that a worker's collections do not copy what it shares


def note_ends() -> None:
    """Have the exit status of each worker noted, which Spark's daemon leaves to the kernel to forget."""
    daemon = os.getpid()

    def watch() -> None:
        if os.getpid() == daemon and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:  # set by manager
            signal.signal(signal.SIGCHLD, _reap)

    os.register_at_fork(before=watch)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            settle(ended[0], os.waitstatus_to_exitcode(ended[1]))


if __name__ == "__main__":
    preload()
    note_ends()
    run_daemon()
