"""The watchdog, guarding a small Python process instead of a JVM."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkastream.testing import wait_until, watchdog

GUARDED = """
import os, pathlib, signal
pathlib.Path("up").write_text(str(os.getpid()))
signal.pause()
"""


class Guard:
    def __init__(self, directory: Path, code: str) -> None:
        self.directory = directory
        script = [sys.executable, watchdog.__file__, str(directory), sys.executable, "-c", code]
        self.process = subprocess.Popen(script, stdin=subprocess.PIPE, text=True)

    def order(self, order: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()

    def await_file(self, name: str) -> Path:
        path = self.directory / name
        wait_until(lambda: path.exists() and path.stat().st_size >= (name == "up"), 20, f"the file {name}")
        return path

    def end(self) -> None:
        self.process.communicate(timeout=20)


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Guard]:
    directory = tmp_path / "home"
    directory.mkdir()
    guard = Guard(directory, GUARDED)
    yield guard
    guard.end()


def runs(pid: int) -> bool:
    return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0


def test_end_of_its_input_ends_all(guard: Guard) -> None:
    guard.order(watchdog.START)
    pid = int(guard.await_file("up").read_text())
    guard.end()
    assert not runs(pid)
    assert not guard.directory.exists()


def test_stop_keeps_the_directory_for_the_next_start(guard: Guard) -> None:
    guard.order(watchdog.START)
    guard.await_file("up").unlink()
    guard.order(watchdog.STOP)
    guard.await_file(watchdog.STOPPED_NAME).unlink()
    guard.order(watchdog.START)
    guard.await_file("up")
    assert not (guard.directory / watchdog.STOPPED_NAME).exists()


def test_end_of_the_guarded_process_is_told_with_its_log(tmp_path: Path) -> None:
    guard = Guard(tmp_path, "raise SystemExit('no disk')")
    guard.order(watchdog.START)
    guard.await_file(watchdog.STOPPED_NAME)
    assert (tmp_path / watchdog.LOG_NAME).read_text() == "no disk\n"
    guard.end()
