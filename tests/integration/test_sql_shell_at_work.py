"""The SQL shell on a terminal, with real jobs: ``kafkastream sql`` in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")
_PATIENCE_S = 120.0


class Terminal:
    """The shell, as a user at a terminal sees it."""

    def __init__(self, home: Path) -> None:
        self._own, theirs = pty.openpty()
        environment = {
            **os.environ,
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "COLUMNS": "140",
            "LINES": "40",
            "XDG_DATA_HOME": str(home),
        }
        command = [str(Path(sys.executable).with_name("kafkastream")), "sql", "-q"]
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - so that Ctrl-C becomes SIGINT
        )
        os.close(theirs)
        self._seen = b""

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def wait_for(self, text: str) -> str:
        """Wait until a text appears after those of earlier calls; return what came before and with it."""
        until = time.monotonic() + _PATIENCE_S
        while text.encode() not in (plain := _ESCAPES.sub(b"", self._seen)):
            assert time.monotonic() < until, plain.decode(errors="replace")[-3000:]
            if select.select([self._own], [], [], 1.0)[0]:
                self._seen += os.read(self._own, 65536)
        at = plain.index(text.encode()) + len(text)
        self._seen = plain[at:]
        return plain[:at].decode()

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.type("\x03")

    def end(self) -> int:
        try:
            return self._process.wait(_PATIENCE_S)
        finally:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            os.close(self._own)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    shell = Terminal(tmp_path)
    shell.wait_for("SQL>")
    return shell


def test_a_session(terminal: Terminal) -> None:
    """A live table, Ctrl-C that ends the query but not the shell, a changelog, a job in the background, QUIT."""
    terminal.type("CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '50',\n")
    terminal.type("'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '100000');\n")
    terminal.wait_for("OK")
    terminal.type("SELECT COUNT(*) AS many FROM numbers;\n")
    terminal.wait_for("Ctrl-C cancels")
    terminal.interrupt()
    terminal.wait_for("Cancelled.")
    terminal.type("SET 'sql-client.execution.result-mode' = 'changelog';\n")
    terminal.wait_for("OK")
    terminal.type("SELECT a, COUNT(*) FROM (VALUES (1), (1)) AS t(a) GROUP BY a;\n")
    assert "| +I |" in terminal.wait_for("1 row in set")
    terminal.type("CREATE TABLE void (n BIGINT) WITH ('connector' = 'blackhole');\n")
    terminal.wait_for("OK")
    terminal.type("INSERT INTO void SELECT n FROM numbers;\n")
    terminal.wait_for("is running")
    terminal.type("SHOW JOBS;\n")
    assert "insert-into_" in terminal.wait_for("RUNNING")
    terminal.type("QUIT\n")
    terminal.wait_for("Quit?")
    terminal.type("y")
    assert terminal.end() == 0
