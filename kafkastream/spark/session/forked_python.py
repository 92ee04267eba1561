"""Python of Spark's processes on one machine: most of them are forked from one process that has imported what they need."""

from __future__ import annotations

import atexit
import os
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, final

import attrs
from pyspark import SparkContext

from kafkastream.spark.internals.python import (
    FORKED_MODULES,
    python_of_workers,
    set_python_of_workers,
    variables_of_workers,
)

__all__ = ["ForkedPython", "fork_processes", "interpreter_of_workers", "is_own_python", "renew_program"]

_SCRIPT: Final = """\
#!/bin/sh
# Made by kafkastream: Python for Spark, which forks most of its processes from one.
case "$2" in
  {forked}) exec {python} -I -S {client} {server} {python} "$@";;
esac
exec {python} "$@"
"""

_OF_SPARK: Final = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "YES"}
"""Variables that Spark sets for its Python processes, and that count when Python starts or imports NumPy.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonRunner.scala
"""


@final
@attrs.define(eq=False)
class ForkedPython:
    """Program that is Python for Spark; its first use starts the process to fork from, which ends with this one.

    Args:
        program: Path of the program.
        folder: Folder of the program and its socket.
    """

    program: Path
    folder: Path
    _server: subprocess.Popen[bytes] | None = attrs.field(default=None, init=False)
    _starting: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    @staticmethod
    def create(environment: Mapping[str, str]) -> ForkedPython:
        """Create the program.

        Args:
            environment: Variables of the environment in which modules are imported.

        Raises:
            OSError: The folder cannot be written, or its path is too long for a socket.
        """
        folder = Path(tempfile.mkdtemp(prefix="kafkastream-python-"))
        atexit.register(_remove, folder, os.getpid())
        path, program = folder / "socket", folder / "python"
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(path))
            listener.listen()
            words = {"python": sys.executable, "client": Path(__file__).with_name("fork_client.py"), "server": path}
            quoted = {name: shlex.quote(str(word)) for name, word in words.items()}
            program.write_text(_SCRIPT.format(forked="|".join(FORKED_MODULES), **quoted), encoding="utf-8")
            program.chmod(0o755)
        except OSError:
            listener.close()
            raise
        created = ForkedPython(program, folder)
        starting = partial(created._start_when_needed, listener, environment)
        threading.Thread(target=starting, name="forked-python", daemon=True).start()
        return created

    @property
    def process(self) -> int | None:
        """Process to fork from; None before the first use."""
        return None if self._server is None else self._server.pid

    def close(self) -> None:
        """End the process to fork from, and delete the folder."""
        with self._starting:
            if self._server is not None:
                with self._server as server:
                    server.kill()
        _remove(self.folder, os.getpid())

    def _start_when_needed(self, listener: socket.socket, environment: Mapping[str, str]) -> None:
        """Start the process to fork from, once a client connects; it alone has the socket then."""
        with listener:
            select.select([listener], [], [])
            number = listener.fileno()
            command = [sys.executable, "-m", "kafkastream.spark.fork_server", str(number)]
            with self._starting:
                self._server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number], env=environment)  # noqa: S603


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in one that was forked from it
        shutil.rmtree(folder, ignore_errors=True)


_CREATED: Final[dict[str, ForkedPython]] = {}
"""Programs of this process, by their paths."""


def fork_processes(context: SparkContext) -> None:
    """Fork the Python processes of a context whose workers are on this machine, if their Python is the program's own."""
    if not is_own_python(python_of_workers(context)):
        return
    if not _CREATED:
        with suppress(OSError):  # then Spark starts each of them
            created = ForkedPython.create({**os.environ, **_OF_SPARK, **variables_of_workers(context)})
            _CREATED[str(created.program)] = created
    for path in _CREATED:
        set_python_of_workers(context, path)


def is_own_python(path: str) -> bool:
    """Return whether a path is that of this program's Python, or links lead from it there.

    Links are not followed further: Python finds its virtual environment by the path it was started with.
    https://docs.python.org/3/library/site.html
    """
    found = shutil.which(path)
    while found is not None and not _is_in_own_folder(found):
        link = Path(found)
        found = os.path.normpath(link.parent / link.readlink()) if link.is_symlink() else None
    return found is not None


def _is_in_own_folder(path: str) -> bool:
    return Path(path).parent == Path(sys.executable).parent and Path(path).samefile(sys.executable)


def renew_program(context: SparkContext) -> None:
    """Create the program of a context again if it was deleted, as systems do with old files in their temporary folder."""
    path = python_of_workers(context)
    if path in _CREATED and not Path(path).exists():
        _CREATED.pop(path).close()
        set_python_of_workers(context, sys.executable)
        fork_processes(context)


def interpreter_of_workers(context: SparkContext) -> str:
    """Return the path of the Python that workers run."""
    path = python_of_workers(context)
    return sys.executable if path in _CREATED else path
