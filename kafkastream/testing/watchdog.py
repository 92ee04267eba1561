"""The process between a test run and its broker: it ends the broker when the test run ends, however that happens.

It owns the broker's JVM and directory, and obeys orders that its owner writes to its standard input, one a line.
When the input ends, since the owner closed it or was killed, the JVM and the directory go, and then the watchdog.
Run as a script, with the standard library only, so that it is up in a moment.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path

LOG_NAME = "broker.log"
STOPPED_NAME = "stopped"
"""The file that says: the JVM has ended."""

START = "start"
STOP = "stop"

_TICK_S = 0.1
_PATIENCE_S = 20.0
_END = ""


def main(directory: Path, command: list[str]) -> None:
    """Obey orders until they end, then leave nothing behind."""
    jvm: subprocess.Popen[bytes] | None = None
    orders = _orders()
    owner = os.getppid()
    while (order := _next_order(orders)) != _END and os.getppid() == owner:
        if order == START:
            jvm = _started(directory, command)
        if jvm and order == STOP:
            _stop(jvm)
        if jvm and jvm.poll() is not None:
            (directory / STOPPED_NAME).touch()
            jvm = None
    if jvm:
        jvm.kill()
        jvm.wait()
    shutil.rmtree(directory, ignore_errors=True)


def _orders() -> queue.Queue[str]:
    orders: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    return orders


def _read(orders: queue.Queue[str]) -> None:
    with os.fdopen(0, "rb", buffering=0) as owner:  # a buffered one may hang the interpreter's end
        for line in owner:
            orders.put(line.decode().strip())
    orders.put(_END)


def _next_order(orders: queue.Queue[str]) -> str | None:
    try:
        return orders.get(timeout=_TICK_S)
    except queue.Empty:
        return None


def _started(directory: Path, command: list[str]) -> subprocess.Popen[bytes]:
    with (directory / LOG_NAME).open("wb") as log:
        return subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # noqa: S603


def _stop(jvm: subprocess.Popen[bytes]) -> None:
    jvm.terminate()
    try:
        jvm.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        jvm.kill()
        jvm.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
