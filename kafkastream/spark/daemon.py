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
import sys
from contextlib import suppress
from importlib import import_module
from typing import Final

from kafkastream.spark.crash_notes import settle
from kafkastream.spark.internals.python import WORKER_MODULES, run_daemon
from kafkastream.spark.session.worker_prints import PRINTS_VARIABLE

__all__ = ["note_ends", "preload", "print_to_program"]

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


def print_to_program() -> None:
    """Let each worker print to the program's named pipe, line by line, if there is one."""
    daemon, path = os.getpid(), os.environ.get(PRINTS_VARIABLE)

    def redirect() -> None:
        if path is None or os.getppid() != daemon:  # a process that a function has forked
            return
        with suppress(OSError):  # the program has deleted it: then workers print to standard error, as Spark's do
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # fails if nobody reads
            os.set_blocking(pipe, True)
            os.dup2(pipe, 1)
            os.close(pipe)
            # Python would write a line and its end apart, between which another worker's line may come.
            sys.stdout.reconfigure(line_buffering=True, write_through=False)  # type: ignore[union-attr]

    os.register_at_fork(after_in_child=redirect)


if __name__ == "__main__":
    preload()
    note_ends()
    print_to_program()
    run_daemon()
