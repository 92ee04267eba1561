"""Server processes that end with their owner, also when the owner is killed."""

from __future__ import annotations

import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from typing_extensions import Self

from kafkastream.errors import SetupError
from kafkastream.testing import watchdog
from kafkastream.testing.waiting import wait_until

__all__ = ["EmbeddedServer", "GuardedServer"]

_STOP_TIMEOUT_S = 30.0
_LOG_LINES = 30


class GuardedServer:
    """Server that a watchdog starts, stops, and removes together with its directory.

    Args:
        name: Name in errors, such as ``the embedded Kafka broker``.
        directory: Directory of data and log; removed in the end.
        command: Command that runs the server in the foreground.
        up: Text in the log that shows that the server is ready.
        options: Further options of the watchdog.
        inherited: File descriptors that the watchdog has open until its end.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        command: Sequence[str],
        *,
        up: str,
        options: Sequence[str] = (),
        inherited: Sequence[int] = (),
    ) -> None:
        self._name = name
        self._up = up
        self._log = directory / watchdog.LOG_NAME
        self._stopped = directory / watchdog.STOPPED_NAME
        self._watchdog = _watch([*options, str(directory), *command], inherited)
        self._runs = False

    def is_running(self) -> bool:
        """Return whether the server's process runs."""
        return self._runs and not self._has_ended()

    def start(self, timeout_s: float) -> None:
        """Start the server and wait until it is ready; without effect if it runs.

        Args:
            timeout_s: Time limit in s.

        Raises:
            SetupError: The server did not start; the error holds the end of its log.
        """
        if self.is_running():
            return
        self._log.unlink(missing_ok=True)
        self._stopped.unlink(missing_ok=True)
        self._order(watchdog.START)
        self._runs = True
        try:
            wait_until(lambda: self._is_up() or self._has_ended(), timeout_s, self._name)
        except TimeoutError as error:
            raise self._not_started(str(error)) from error
        if self._has_ended():
            raise self._not_started(f"{self._name} ended while it started")

    def stop(self) -> None:
        """Stop the server and keep its directory; without effect if it does not run."""
        if self.is_running():
            self._order(watchdog.STOP)
            wait_until(self._has_ended, _STOP_TIMEOUT_S, f"the end of {self._name}")

    def remove(self) -> None:
        """Stop the server and remove its directory."""
        self._watchdog.communicate()

    def log_tail(self) -> str:
        """Return the last lines of the server's log."""
        return "\n".join(self._read_log().rstrip().split("\n")[-_LOG_LINES:])

    def _read_log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def _order(self, order: str) -> None:
        pipe = self._watchdog.stdin
        assert pipe is not None
        pipe.write(f"{order}\n")
        pipe.flush()

    def _is_up(self) -> bool:
        return self._up in self._read_log()

    def _has_ended(self) -> bool:
        return self._stopped.exists() or self._watchdog.poll() is not None

    def _not_started(self, what: str) -> SetupError:
        return SetupError(what, where=f"the end of its log:\n{self.log_tail()}")


S = TypeVar("S", bound=GuardedServer)


class EmbeddedServer(ABC, Generic[S]):
    """Server that this process starts and stops; a context manager, whose block it runs for."""

    _server: S | None = None

    @abstractmethod
    def start(self) -> Self:
        """Start the server and wait until it is ready."""

    def stop(self, *, keep_data: bool = False) -> None:
        """Stop the server and close its connections; without effect if it does not run.

        Args:
            keep_data: Keep the data for the next ``start`` in this process.
        """
        if self._server is not None and keep_data:
            self._server.stop()
        elif self._server is not None:
            self._server.remove()
            self._server = None

    def is_running(self) -> bool:
        """Return whether the server's process runs."""
        return self._server is not None and self._server.is_running()

    def log_tail(self) -> str:
        """Return the last lines of the server's log; empty if it was not started."""
        return self._server.log_tail() if self._server else ""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def _watch(arguments: Sequence[str], inherited: Sequence[int]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", watchdog.__file__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=inherited,
        start_new_session=True,  # keeps Ctrl-C, meant for the owner, from ending the watchdog
        text=True,
    )
