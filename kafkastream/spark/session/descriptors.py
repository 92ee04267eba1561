"""Checks the limit of open files and sockets (``ulimit -n``) for Spark's JVM."""

from __future__ import annotations

from kafkastream.errors import SetupError

__all__ = ["HOW_TO_RAISE", "check_descriptor_limit"]

HOW_TO_RAISE = (
    "Raise the limit in the shell or service that starts the program: ulimit -n 65536 (LimitNOFILE= of systemd)."
)

_FEWEST = 512
"""A small job has some 400 open: jars, and sockets to workers."""


def check_descriptor_limit() -> None:
    """Refuse to start if a Java process cannot open as many files as Spark needs.

    Java raises its soft limit by itself, so only the hard limit counts.

    Raises:
        SetupError: The limit is too low.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < _FEWEST:
        raise SetupError(
            f"this program may have {most} files and sockets open, and Spark needs {_FEWEST} at least", now=HOW_TO_RAISE
        )
