"""Daemon that Spark forks its Python workers from, on one machine: it has already imported what tasks need.

Spark's own daemon imports nothing, so each worker spends most of a second of CPU on importing pandas, pyarrow and this
package before its first record, and a job with state has ten workers. Here they are imported once, before the fork.
Spark imports late because libraries may start threads, which a fork does not copy; the libraries that start threads
here (jemalloc, OpenBLAS) support forks. NumPy's global random generator, unlike Python's, would be the same in all
workers, so each worker seeds its own.
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
    """Import what tasks need, before workers are forked."""
    import numpy

    for name in _PRELOADED:
        with suppress(ImportError):  # then workers import late, as with Spark's own daemon
            import_module(name)
    os.register_at_fork(after_in_child=numpy.random.seed)
    gc.collect()
    gc.freeze()  # so that a worker's garbage collection does not copy shared memory pages


def note_ends() -> None:
    """Note the exit status of each worker, which Spark's daemon ignores."""
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
