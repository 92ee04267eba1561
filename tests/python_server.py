"""Fork the Python processes that Spark starts for a job, instead of starting each.

Spark plans a Python data source and ``transformWithState`` in processes of their own, five for a job with state, and has
daemons that fork them and the workers. Each imports pyspark, pandas, pyarrow and this package, which takes a second of CPU
and most of what a short job costs. Here one process has imported them, and others are forked of it. A user's programs have
Spark's own way, and so have those that the tests start as such, but for the ones that are given ``quick_python``.

``python -m tests.python_server SOCKET`` is the process that is forked; it ends at the end of its standard input.
"""

from __future__ import annotations

import marshal
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

__all__ = ["forking_python"]

_PLANNING: Final = (
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.plan_data_source_read",
)
_FORKED: Final = (
    "kafkastream.spark.daemon",
    "pyspark.daemon",
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.streaming.transform_with_state_driver_worker",
)
_SCRIPT: Final = """\
#!/bin/sh
case "$2" in
  {forked}) exec {python} -I -S {client} {server} {python} "$@";;
esac
exec {python} "$@"
"""


@contextmanager
def forking_python() -> Iterator[Path]:
    """Yield a program that is ``python`` for Spark, while a process is there to be forked."""
    with tempfile.TemporaryDirectory() as folder:  # with a short path, as sockets need it
        yield from _forking_python(Path(folder))


def _forking_python(folder: Path) -> Iterator[Path]:
    server, program = folder / "socket", folder / "python"
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    client = Path(__file__).with_name("python_client.py")
    program.write_text(
        _SCRIPT.format(forked="|".join(_FORKED), python=sys.executable, client=client, server=server), encoding="utf-8"
    )
    program.chmod(0o755)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline()  # it listens
        yield program


def _serve(path: str) -> None:
    """Fork for each program that asks."""
    _preload()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets those that have ended
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            asking, _ = listener.accept()
            with asking:
                if os.fork() == 0:
                    listener.close()
                    _be(asking)


def _preload() -> None:
    from kafkastream.spark.daemon import preload

    for name in (*_FORKED, *_PLANNING, "kafkastream.spark.checkpoint.control_stream"):
        import_module(name)
    preload()
    for name in _FORKED:  # each is run as a program
        del sys.modules[name]


def _be(asking: socket.socket) -> None:
    """Become the process that was asked for; ends it."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, files, *_ = socket.recv_fds(asking, 1, 3)
        (_, module, *arguments), environment, folder = marshal.load(asking.makefile("rb"))
        threading.Thread(target=_end_with, args=(asking,), daemon=True).start()
        for file, other in enumerate(files):
            os.dup2(other, file)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        sys.path[:0] = [one for one in paths if one not in sys.path]
        sys.argv = ["-m", *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001 - as the interpreter does it, without this frame
        frames = error.__traceback__
        traceback.print_exception(type(error), error, frames and frames.tb_next)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        asking.sendall(bytes([code & 0xFF]))
        os._exit(code)


def _end_with(asking: socket.socket) -> None:
    """End this process when the program is killed that it stands for."""
    if not asking.recv(1):
        os._exit(1)


if __name__ == "__main__":
    _serve(sys.argv[1])
