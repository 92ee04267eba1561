"""Program that Spark starts for a Python process that is forked, and that ends with that process.

``python -I -S fork_client.py SOCKET PYTHON -m MODULE …``; imports little, to start fast. Without the process that forks, the
module runs in a new Python.
"""

from __future__ import annotations

import marshal
import os
import socket
import sys


def main(path: str, python: str, *arguments: str) -> None:
    """Pass on the arguments, the environment and the standard streams, and exit with the code of the process."""
    _, module, *others = arguments
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
            socket.send_fds(server, [b"0"], [0, 1, 2])
            server.sendall(marshal.dumps((module, others, dict(os.environ), os.getcwd())))  # noqa: PTH109 - pathlib is slow to import
        except OSError:
            os.execv(python, [python, *arguments])  # noqa: S606
        sys.exit((server.recv(1) or b"\1")[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
