"""Text that functions print in Python workers on the program's machine: it comes to the program's standard output.

Spark sends standard output and standard error of workers to the standard error of its JVM:
https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonWorkerFactory.scala,
``redirectStreamsToStderr``. So each worker opens a named pipe instead, which this process reads.
"""

from __future__ import annotations

import atexit
import codecs
import os
import select
import shutil
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from kafkastream.spark.internals.python import set_worker_variable, variables_of_workers

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["PRINTS_VARIABLE", "pass_on_prints", "take_prints"]

PRINTS_VARIABLE: Final = "KAFKASTREAM_PRINTS"
"""Environment variable with the named pipe to which workers print."""

_READ_BYTES: Final = 64 * 1024


@final
class _Prints:
    """Named pipe that workers write to, with a thread that shows each text at once."""

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="kafkastream-prints-"))
        self.path = folder / "pipe"
        os.mkfifo(self.path, 0o600)
        # Open for writing as well, so that the pipe does not end with each worker: https://man7.org/linux/man-pages/man7/fifo.7.html
        self._pipe = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lock = threading.Lock()
        atexit.register(self._end, folder, os.getpid())
        threading.Thread(target=self._read, name="worker-prints", daemon=True).start()

    def pass_on(self) -> None:
        """Show what workers have printed so far."""
        with self._lock, suppress(BlockingIOError):
            while True:
                text = self._decoder.decode(os.read(self._pipe, _READ_BYTES))
                with suppress(AttributeError, OSError, ValueError):  # the program's own stream is closed or missing
                    sys.stdout.write(text)
                    sys.stdout.flush()

    def _read(self) -> None:
        while True:
            select.select([self._pipe], [], [])
            self.pass_on()

    def _end(self, folder: Path, process: int) -> None:
        if os.getpid() == process:
            self.pass_on()
            shutil.rmtree(folder, ignore_errors=True)


_prints: _Prints | None = None


def take_prints(context: SparkContext) -> None:
    """Let the workers that a context starts from now on print to this program's standard output."""
    global _prints  # noqa: PLW0603 - a program has one standard output
    if PRINTS_VARIABLE in variables_of_workers(context):
        return
    with suppress(OSError):  # then they print to standard error, as Spark's do
        _prints = _prints or _Prints()
        set_worker_variable(context, PRINTS_VARIABLE, str(_prints.path))


def pass_on_prints() -> None:
    """Show what functions have printed so far, so that it comes before what the program prints next."""
    if _prints is not None:
        _prints.pass_on()
