"""Runs a command that must not outlive its parent: it is killed when this script's standard input ends.

``python child_guard.py COMMAND…`` with a pipe as standard input; the exit code is the command's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading


def main(command: list[str]) -> int:
    """Run the command; returns its exit code."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603
    threading.Thread(target=_kill_at_end_of_input, args=(child,), daemon=True).start()
    return child.wait()


def _kill_at_end_of_input(child: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    child.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
