"""Filters the standard error of Spark's JVM and Python workers: drops remarks and tracebacks of Spark's own helpers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, final

__all__ = ["shown_lines"]

_STATE_REMARK: Final = b"Streaming TransformWithStateInPandas Python worker"
_LAUNCH_REMARKS: Final = (
    b"WARNING: Using incubator modules:",
    b"WARNING: package sun.security.action not in java.base",
)
_TRACEBACK: Final = b"Traceback (most recent call last):"
_BEFORE_TRACEBACK: Final = (
    b"Exception ignored ",
    b"PySpark daemon failed to flush the output to the worker process:",
)
_BETWEEN: Final = (
    b"During handling of the above exception, another exception occurred:",
    b"The above exception was the direct cause of the following exception:",
)
_FRAME: Final = re.compile(rb'^  File "([^"\n]{0,4096})", line \d+', re.MULTILINE)
_OF_SPARK: Final = re.compile(
    rb"(?:-packages|python|pyspark\.zip)[/\\]pyspark[/\\](?:(?:core|errors|sql)[/\\].+"
    rb"|accumulators|daemon|java_gateway|serializers|util|worker|worker_util)\.py$"
    rb"|[/\\]kafkastream[/\\]spark[/\\](?:checkpoint[/\\]control_stream|daemon)\.py$"
)
_OF_PYTHON: Final = re.compile(
    rb"^<frozen |/lib(?:64)?/python[\d.]+/(?!site-packages|dist-packages)|\\Lib\\(?!site-packages)"
)
# Errors of a helper whose JVM no longer listens: the query has ended, or has stopped waiting for the helper.
_CONNECTION_LOST: Final = re.compile(
    rb"^(?:BrokenPipeError|Connection(?:Reset|Refused|Aborted)Error|EOFError|KeyboardInterrupt|TimeoutError"
    rb"|OSError: \[Errno (?:9|107)\]|pyspark\.errors\.\S+: \[CANNOT_OPEN_SOCKET\])"
)


def shown_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the lines to show to the user.

    A traceback is held back until its last line. It is dropped if one of Spark's helper processes has lost its connection and no
    frame is the user's.

    Example:
        >>> list(shown_lines([b"WARNING: Using incubator modules: jdk.incubator.vector\n", b"mine\n"]))
        [b'mine\n']
    """
    tracebacks = _Tracebacks()
    after_remark = False
    for line in lines:
        is_remark = _STATE_REMARK in line or (after_remark and not line.strip())
        if not is_remark and not line.startswith(_LAUNCH_REMARKS):
            yield from tracebacks.take(line)
        after_remark = is_remark
    yield from tracebacks.held


@final
class _Tracebacks:
    """Buffers the lines of a traceback until it is complete."""

    def __init__(self) -> None:
        self.held: list[bytes] = []
        self._in_frames = False
        self._after_dropped = False

    def take(self, line: bytes) -> list[bytes]:
        """Add a line, and return the lines to show now."""
        if self._in_frames:
            return self._within(line)
        if line.startswith(_TRACEBACK):
            self._in_frames = True
            return self._hold(line)
        if line.startswith(_BEFORE_TRACEBACK):
            before, self.held = self.held, [line]
            return before
        if self._after_dropped and (not line.strip() or line.startswith(_BETWEEN)):
            return self._hold(line)
        self._after_dropped = False
        before, self.held = self.held, []
        return [*before, line]

    def _within(self, line: bytes) -> list[bytes]:
        self._hold(line)
        if line.startswith(b"  "):
            return []
        self._in_frames = False
        block, self.held = self.held, []
        self._after_dropped = _is_of_helper(block)
        return [] if self._after_dropped else block

    def _hold(self, line: bytes) -> list[bytes]:
        self.held.append(line)
        return []


def _is_of_helper(traceback: list[bytes]) -> bool:
    files = _FRAME.findall(b"".join(traceback))
    return (
        _CONNECTION_LOST.match(traceback[-1]) is not None
        and all(_OF_SPARK.search(file) or _OF_PYTHON.search(file) for file in files)
        and any(map(_OF_SPARK.search, files))
    )
