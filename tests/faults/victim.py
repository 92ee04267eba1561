"""A job in processes of its own, which may be stopped and killed at the points that the saboteur knows."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import final

from typing_extensions import Self

from tests.jvm import short_lived

__all__ = ["Victim"]

_HERE = Path(__file__).parent
_CLAIM_S = 150.0


@final
class Victim:
    """A job's processes, by their session: Spark's workers make groups of their own.

    Args:
        servers: The broker.
        source: The topic that it reads.
        target: The topic that it writes to.
        folder: Holds its checkpoints, its log, and what its workers are to suffer.
        guarantee: The sink's.
        script: The job's program.
        more: What it is given beside that.
        python: Spark's.
    """

    def __init__(
        self,
        servers: str,
        source: str,
        target: str,
        folder: Path,
        guarantee: str,
        script: str = "copy_job.py",
        more: Sequence[str] = (),
        python: str = sys.executable,
    ) -> None:
        self.guarantee = guarantee
        self._folder = folder
        self._log = (folder / "log").open("a")
        (folder / "code").mkdir()
        shutil.copy(_HERE / "saboteur.py", folder / "code")
        checkpoints = (folder / "checkpoints").as_uri()
        arguments = [servers, source, target, checkpoints, str(folder), guarantee]
        self._command = [sys.executable, str(_HERE / script), *arguments, *more]
        self._python = python
        self._process: subprocess.Popen[bytes] | None = None
        self._sessions: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill_all()
        self._log.close()
        if error is not None:
            sys.stderr.write(self.log())

    def log(self) -> str:
        """The end of what the job has printed."""
        return (self._folder / "log").read_text()[-5000:]

    def ensure_running(self) -> None:
        """Start the job, unless it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        root = str(_HERE.parent.parent)
        own = {"PYTHONPATH": root, "KAFKASTREAM_SPARK_LOG": "OFF", "PYSPARK_PYTHON": self._python}
        environment = {**os.environ, **short_lived(), **own}
        self._process = subprocess.Popen(
            self._command, stdout=self._log, stderr=self._log, start_new_session=True, env=environment
        )
        self._sessions.append(self._process.pid)

    def hit(self, point: str, action: str) -> int:
        """Have a worker suffer something at a point; its process id, once it has come by."""
        trap = self._folder / point
        trap.write_text(action)
        deadline = time.monotonic() + _CLAIM_S
        while trap.exists():
            self.ensure_running()
            if time.monotonic() > deadline:
                raise TimeoutError(f"no worker came by {point!r} to {action}")
            time.sleep(0.02)
        taken = max(self._folder.glob(f"{point}.*"), key=lambda path: path.stat().st_ctime)
        taken.rename(self._folder / f"done-{taken.name}-{time.monotonic_ns()}")
        return int(taken.name.rpartition(".")[2])

    def wake(self, worker: int) -> None:
        """Let a stopped process go on."""
        os.kill(worker, signal.SIGCONT)

    def kill_driver(self) -> None:
        """Kill Python's driver and the JVM; workers that stall stay."""
        assert self._process is not None
        for pid, name in _session(self._process.pid):
            if pid == self._process.pid or name.startswith("java"):
                _kill(pid)
        self._process.wait()

    def kill_all(self) -> None:
        """Kill every process that the job has ever started."""
        for session in self._sessions:
            for pid, _ in _session(session):
                _kill(pid)
        if self._process is not None:
            self._process.wait()


def _session(session: int) -> list[tuple[int, str]]:
    listed = subprocess.run(["ps", "-e", "-o", "pid=,sid=,comm="], capture_output=True, text=True, check=True)
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return [(int(pid), name) for pid, sid, name in rows if int(sid) == session]


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
