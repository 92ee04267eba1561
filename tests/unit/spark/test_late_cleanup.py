"""Cleanup that waits until Spark's background threads have come around."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from kafkastream.spark.session import late_cleanup


@pytest.fixture(autouse=True)
def nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_cleanup, "_due", deque())


def test_work_is_done_when_it_is_due_and_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fail() -> None:
        raise ConnectionError("the JVM is gone")

    monkeypatch.setattr(late_cleanup, "DELAY_S", 0.0)
    late_cleanup.clean_up_later(fail)
    late_cleanup.clean_up_later(lambda: done.append("first"))
    monkeypatch.setattr(late_cleanup, "DELAY_S", 60.0)
    late_cleanup.clean_up_later(lambda: done.append("second"))
    assert done == ["first"]


def test_folder_that_comes_back_is_deleted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "job"
    monkeypatch.setattr(late_cleanup, "DELAY_S", 0.0)
    late_cleanup.delete_again_later(str(folder))
    folder.mkdir()
    late_cleanup.clean_up_later(lambda: None)
    assert not folder.exists()


def test_folder_is_deleted_at_the_end_of_the_program(tmp_path: Path) -> None:
    program = (
        "import sys; from kafkastream.spark.session.late_cleanup import delete_again_later as later;"
        "from pathlib import Path; later(sys.argv[1]); Path(sys.argv[1]).mkdir()"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "job")], check=True)
    assert not (tmp_path / "job").exists()
