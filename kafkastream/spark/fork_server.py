"""Process that the Python processes of Spark are forked from, on one machine: it has already imported what they need.

Spark plans Python data sources and ``transformWithState`` in Python processes of their own, two at each start of a job with
state and three more at the first one, and has a process that forks workers. Each imports pyspark, pandas, pyarrow and
this package, which takes about a second of CPU.

``session/forked_python.py`` starts this process, and ``session/fork_client.py`` is what Spark starts: it passes on its
arguments, environment, working directory and standard streams.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from kafkastream.spark.daemon import preload
from kafkastream.spark.internals.python import FORKED_MODULES, PLANNING_MODULES
from kafkastream.spark.session.fork_client import TAKEN

__all__ = ["serve"]


def serve(number: int) -> None:
    """Fork a process for each request, until standard input ends.

    Args:
        number: Descriptor of the listening socket.
    """
    for one in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C and systemd send them to the whole group
        signal.signal(one, signal.SIG_IGN)
    _preload()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # then the kernel reaps ended processes
    with socket.socket(fileno=number) as listener:
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            client, _ = listener.accept()
            with client:
                if _is_forked():
                    listener.close()
                    _become(client)


def _is_forked() -> bool:
    """Fork; return True in the new process, and False in this one, also without memory for another."""
    with suppress(OSError):  # then the client becomes one itself
        return os.fork() == 0
    return False


def _preload() -> None:
    for name in (*FORKED_MODULES, *PLANNING_MODULES, "kafkastream.spark.checkpoint.control_stream"):
        with suppress(ImportError):  # another Spark may lack it
            import_module(name)
    preload()
    for name in FORKED_MODULES:  # each is run as a program
        sys.modules.pop(name, None)


def _become(client: socket.socket) -> NoReturn:
    """Be the process that a client asks for, and end with its exit code."""
    code = 1
    try:
        code = _exit_code(client)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        client.sendall(bytes([code & 0xFF]))
    finally:
        os._exit(code)  # whatever was raised: this process must not become the server


def _exit_code(client: socket.socket) -> int:
    """Run the module that a client asks for."""
    try:
        _run(client)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001 - printed as the interpreter does, without these frames
        frames = error.__traceback__ and error.__traceback__.tb_next
        traceback.print_exception(type(error), error, frames and frames.tb_next)
        return 1
    return 0


def _run(client: socket.socket) -> None:
    for one in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)
    _, streams, *_ = socket.recv_fds(client, 1, 3)
    module, arguments, environment, folder = marshal.load(client.makefile("rb"))  # noqa: S302 - only this user can connect
    client.sendall(TAKEN)
    _end_with(client)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [one for one in paths if one not in sys.path]
    sys.argv = ["-m", *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with(client: socket.socket) -> None:
    """End this process by SIGTERM when the client ends, which Spark terminates in its stead.

    The kernel sends the signal when the connection is closed: https://man7.org/linux/man-pages/man2/fcntl.2.html.
    """
    os.register_at_fork(after_in_child=client.close)  # so that a worker does not keep the connection open
    fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(client, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(client, fcntl.F_SETFL, fcntl.fcntl(client, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([client], [], [], 0)[0]:  # it has ended before
        os._exit(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
