"""Stand for a Python process that ``python_server`` forks: Spark starts this program, and it ends with that process.

``python -I -S python_client.py SOCKET PYTHON -m MODULE …``; it imports little, or it would not be quick.
"""

from __future__ import annotations

import marshal
import os
import socket
import sys


def main(path: str, python: str, *arguments: str) -> None:
    """Hand over the environment and the standard streams, and exit as the process does."""
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
        except OSError:
            os.execv(python, [python, *arguments])
        socket.send_fds(server, [b"0"], [0, 1, 2])
        server.sendall(marshal.dumps((list(arguments), dict(os.environ), os.getcwd())))  # noqa: PTH109 - pathlib is slow to import
        sys.exit((server.recv(1) or b"\1")[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
