"""The notes that workers leave: which operator was at work on which records when a worker ended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkastream.spark.crash_notes import Crash, CrashNote, last_crash

WORKERS = """
import os, signal
from pyspark import daemon
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.daemon import note_ends

note_ends()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as manager does
def worker(attempt, end):
    child = os.fork()
    if child:
        return child
    with NOTE.task("run", attempt):
        NOTE.records("offset 3 to 5")
        NOTE.enter("operator 'parse'", lambda index: f"offset {3 + index}")
        for element in NOTE.watched(["a", "b", "c"]):
            if element == "b" and end:
                end()
        NOTE.leave()
    os._exit(0)

def ended(child):
    while os.path.exists(f"/proc/{child}"):
        signal.sigtimedwait([], 0.01)

ended(worker(0, lambda: os._exit(3)))
ended(worker(0, None))
ended(worker(1, lambda: os.kill(os.getpid(), signal.SIGSEGV)))
"""


def test_last_attempt_names_the_element(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKASTREAM_CRASH_NOTES", str(tmp_path))
    subprocess.run([sys.executable, "-c", WORKERS], check=True, timeout=60)
    crash = last_crash("run")
    assert crash is not None
    assert (crash.attempt, crash.status) == (1, -11)
    assert (crash.operator, crash.where) == ("operator 'parse'", "offset 4; element 'b'")
    assert last_crash("another run") is None
    first = min(tmp_path.glob("*.3"))
    assert first.read_bytes().startswith(b"0\nrun\noperator 'parse'\noffset 3 to 5\0")
    assert len(list(tmp_path.iterdir())) == 2  # the worker that has done its work left none


def test_without_a_folder_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAFKASTREAM_CRASH_NOTES", raising=False)
    note = CrashNote()
    with note.task("run", 1):
        note.enter("operator")
        elements = ["a"]
        assert note.watched(elements) is elements
    assert last_crash("run") is None


def test_element_whose_repr_raises_and_long_texts_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ValueError

    monkeypatch.setenv("KAFKASTREAM_CRASH_NOTES", str(tmp_path))
    note = CrashNote()
    with note.task("run", 1):
        note.records("ä" * 5000)
        note.enter("operator")
        assert len(list(note.watched([Broken()]))) == 1
        text = (tmp_path / str(os.getpid())).read_bytes()
        assert text.startswith(b"1\nrun\noperator\n\xc3\xa4")
        assert len(text) == 4096
    assert (tmp_path / str(os.getpid())).read_bytes().startswith(b"\0")


def test_highest_attempt_counts_most() -> None:
    late, repeated = Crash(0, 2.0, -9, "", ""), Crash(1, 1.0, 3, "", "")
    assert max(late, repeated) is repeated
