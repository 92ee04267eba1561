"""Watchdog process of a test server: ends the server when the process that started it ends, however that happens.

The watchdog owns the server's process and directory, and executes commands that its owner writes to its standard input,
one a line. At the end of the input, since the owner closed it or was killed, it ends the process, removes the
directory, and exits. Run as a script with the standard library only, so that it starts fast.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import signal
import subprocess
import threading
from pathlib import Path

LOG_NAME = "server.log"
STOPPED_NAME = "stopped"
"""Name of the file that marks the end of the server."""

START = "start"
STOP = "stop"

_TICK_S = 0.1
_PATIENCE_S = 20.0
_END = ""


def main(arguments: argparse.Namespace) -> None:
    """Execute commands until the end of the input, then remove everything."""
    server: subprocess.Popen[bytes] | None = None
    orders = _orders()
    owner = os.getppid()
    while (order := _next_order(orders)) != _END and os.getppid() == owner:
        if order == START:
            server = _started(arguments.directory, arguments.command, arguments.user)
        if server and order == STOP:
            _stop(server, arguments.stop_signal)
        if server and server.poll() is not None:
            (arguments.directory / STOPPED_NAME).touch()
            server = None
    if server:
        _stop(server, arguments.end_signal)
    shutil.rmtree(arguments.directory, ignore_errors=True)


def _orders() -> queue.Queue[str]:
    orders: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    return orders


def _read(orders: queue.Queue[str]) -> None:
    # Unbuffered, since a thread blocked in a buffered read holds a lock that the interpreter's shutdown waits for.
    with os.fdopen(0, "rb", buffering=0) as owner:
        for line in owner:
            orders.put(line.decode().strip())
    orders.put(_END)


def _next_order(orders: queue.Queue[str]) -> str | None:
    try:
        return orders.get(timeout=_TICK_S)
    except queue.Empty:
        return None


def _started(directory: Path, command: list[str], user: int | None) -> subprocess.Popen[bytes]:
    groups: tuple[int, ...] | None = None if user is None else ()
    with (directory / LOG_NAME).open("wb") as log:
        return subprocess.Popen(  # noqa: S603
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=user,
            group=user,
            extra_groups=groups,
        )


def _stop(server: subprocess.Popen[bytes], how: int) -> None:
    server.send_signal(how)
    try:
        server.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int, help="the user and group to run the server as, instead of root")
    parser.add_argument("--stop-signal", type=int, default=signal.SIGTERM)
    parser.add_argument("--end-signal", type=int, default=signal.SIGKILL)
    parser.add_argument("directory", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


if __name__ == "__main__":
    main(_arguments())
