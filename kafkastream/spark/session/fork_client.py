"""Program that Spark starts for a Python process that is forked, and that ends with that process.

``python -I -S fork_client.py SOCKET PYTHON -m MODULE …``; imports little, to start fast. If no process is forked, the module
runs in a new Python.
"""

from __future__ import annotations

import marshal
import os
import socket
import sys

TAKEN = b"t"
"""Answer of the process that has been forked; its exit code follows."""


def main(path: str, python: str, *arguments: str) -> None:
    """Pass on the arguments, the environment and the standard streams, and exit with the code of the process."""
    _, module, *others = arguments
    with socket.socket(socket.AF_UNIX) as server:
        if not _is_taken(server, path, marshal.dumps((module, others, dict(os.environ), os.getcwd()))):  # noqa: PTH109 - pathlib is slow to import
            os.execv(python, [python, *arguments])  # noqa: S606
        sys.exit((server.recv(1) or b"\1")[0])


def _is_taken(server: socket.socket, path: str, request: bytes) -> bool:
    try:
        server.connect(path)
        socket.send_fds(server, [b"0"], [0, 1, 2])
        server.sendall(request)
        return server.recv(1) == TAKEN
    except OSError:
        return False


if __name__ == "__main__":
    main(*sys.argv[1:])
